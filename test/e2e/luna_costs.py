# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What calls of LuNA programs cost the host, in instructions: of the difference of two runs, on the driver library of
runtime/device/cuda/test, whose own instructions count, too. Needs valgrind."""
import collections
import re
import shutil

from harness import ROOT
from luna import build, require

VALGRIND = shutil.which("valgrind")
BENCH = ROOT / "bench/luna"
SECONDS = 600  # Valgrind takes fifty times as long as the program, and a busy machine longer.
# A tenth more than what was counted when these were written: whoever makes it cheaper makes them less.
LINK, STEP, FRAGMENT, AHEAD = 5200, 53000, 1830, 107000


# That there is a loop for devices opens them, whatever the machine has, though procedures are not asked for there.
LOOP = """void twice(double *of, int count) {
#pragma tutti device(gpu)
#pragma omp parallel for
  for (int i = 0; i < count; ++i)
    of[i] *= 2;
}
"""


def program_of(workshop, name):
    """`name`, or `name-MACRO`: with the macro defined; with LOOP it has one."""
    def make():
        file, *macros = name.split("-")
        sources = [BENCH / f"{file}.fa", BENCH / f"{file}.cpp"]
        if "LOOP" in macros:
            sources.append(workshop.written("costs_loop.cpp", LOOP))
        program = workshop.folder / f"costs_{name}"
        result = build(workshop, program, *(f"-D{each}" for each in macros), *(s for s in sources if s.exists()))
        require(result.status == 0, result.errors)
        return program
    return workshop.cached(f"luna-costs-{name}", make)


def instructions(workshop, name, arguments, environment):
    out = workshop.folder / f"costs_{name}_{'_'.join(str(each) for each in arguments)}.out"
    result = workshop.execute([VALGRIND, "--tool=callgrind", f"--callgrind-out-file={out}",
                               str(program_of(workshop, name)), *(str(each) for each in arguments)],
                              {"TUTTI_WORKERS": "1", **environment}, "", SECONDS)
    require(result.status == 0, result.errors)
    return int(re.search(r"Collected : (\d+)", result.errors)[1])


def costs(workshop, name, few, many, units, most, environment):
    """So many units more take at most so many instructions each, in the build that users get."""
    if workshop.bin.parent != ROOT / "build/release":
        return
    each = (instructions(workshop, name, many, environment) - instructions(workshop, name, few, environment)) / units
    require(each <= most, f"{each:.0f} instructions, {most} at most")


def driver_calls(workshop, name, steps, environment):
    result = workshop.execute([str(program_of(workshop, name)), "8", "4000", str(steps)],
                              {"TUTTI_WORKERS": "1", **environment}, "")
    require(result.status == 0, result.errors)
    return collections.Counter({name: int(count) for name, count in
                                re.findall(r"fake CUDA driver: (\w+) (\d+)", result.output + result.errors)})


def queued_ahead(workshop, name, environment):
    """A step of eight merged fragments is a kernel, which makes its borders, too, and an event; the host neither waits
    for it nor copies anything, though all that the device does takes it long."""
    slow = {**environment, "FAKE_CUDA_SLOW": "0"}
    more = driver_calls(workshop, name, 50, slow)
    more.subtract(driver_calls(workshop, name, 10, slow))
    require(more["cuLaunchKernel"] + more["cuLaunchKernelEx"] == 40 and more["cuEventRecord"] == 40, str(more))
    waits = [name for name, count in more.items() if count != 0 and ("Synchronize" in name or "Memcpy" in name)]
    require(not waits, f"{waits}: {more}")


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
    # Whatever has come to life before the steps run: 600 rows of each base are little to look through.
    yield ("costs/step_far_ahead_of_what_runs",
           lambda w: costs(w, "heat-AHEAD", [8, 50, 100], [8, 50, 700], 600, AHEAD, fake))
    yield "costs/steps_are_queued_ahead", lambda w: queued_ahead(w, "heat", fake)
    # Walls are little, so a core would make them, and the device would wait for a copy in each step.
    found = {name: value for name, value in fake.items() if name not in ("TUTTI_DEVICE", "TUTTI_ROPE")}
    yield "costs/steps_are_queued_ahead_where_nobody_asks", lambda w: queued_ahead(w, "heat-LOOP", found)
