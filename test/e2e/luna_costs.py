# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What calls of LuNA programs cost the host, in instructions: of the difference of two runs, on the driver library of
runtime/device/cuda/test, whose own instructions count, too. Needs valgrind."""
import re
import shutil

from harness import ROOT
from luna import require

VALGRIND = shutil.which("valgrind")
BENCH = ROOT / "bench/luna"
# A tenth more than what was counted when these were written: whoever makes it cheaper makes them less.
LINK, STEP, FRAGMENT = 5600, 59000, 2000


def program_of(workshop, name):
    def make():
        sources = [BENCH / f"{name}.fa", BENCH / f"{name}.cpp"]
        program = workshop.folder / f"costs_{name}"
        result = workshop.execute([str(workshop.bin / "tuttic-luna"), "-O2", *(str(s) for s in sources if s.exists()),
                                   "-o", str(program)], {}, "")
        require(result.status == 0, result.errors)
        return program
    return workshop.cached(f"luna-costs-{name}", make)


def instructions(workshop, name, arguments, environment):
    out = workshop.folder / "costs.out"
    result = workshop.execute([VALGRIND, "--tool=callgrind", f"--callgrind-out-file={out}",
                               str(program_of(workshop, name)), *(str(each) for each in arguments)],
                              {"TUTTI_WORKERS": "1", **environment}, "")
    require(result.status == 0, result.errors)
    return int(re.search(r"Collected : (\d+)", result.errors)[1])


def costs(workshop, name, few, many, units, most, environment):
    """So many units more take at most so many instructions each, in the build that users get."""
    if workshop.bin.parent != ROOT / "build/release":
        return
    each = (instructions(workshop, name, many, environment) - instructions(workshop, name, few, environment)) / units
    require(each <= most, f"{each:.0f} instructions, {most} at most")


def all_checks():
    """Pairs (name, function of the workshop)."""
    if not VALGRIND:
        return
    yield "costs/link_of_a_chain", lambda w: costs(w, "chain", [500], [2500], 2000, LINK, {"TUTTI_DEVICE": "cpu"})
    fake = {"LD_LIBRARY_PATH": str(ROOT / "build/release/runtime/device/cuda/test/fake"), "FAKE_CUDA_DEVICES": "1",
            "FAKE_CUDA_IDLE": "1", "TUTTI_DEVICE": "cuda", "TUTTI_ROPE": ""}
    if not (ROOT / "build/release/runtime/device/cuda/test/fake").exists():
        return
    yield ("costs/step_of_one_fragment_on_a_device",
           lambda w: costs(w, "heat", [1, 1000, 20], [1, 1000, 70], 50, STEP, fake))
    yield ("costs/merged_fragment_on_a_device",
           lambda w: costs(w, "heat", [64, 50, 10], [64, 50, 20], 64 * 10, FRAGMENT, fake))
