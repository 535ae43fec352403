#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs loops on the devices of several ranks while a call of one rank's driver fails.

usage: lost_devices_test.py TUTTIRUN PROGRAM [skip...]

Either the program goes on and is right, with one line that names the rank, or all ends soon, with one
line and without results. What fails in the first launch never ends it. With numbers, every call fails
after so many others.
"""
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "test"))
import limits  # noqa: E402

TUTTIRUN, PROGRAM = sys.argv[1:3]
UNKNOWN_ERROR = 999  # The driver's word for a device that does not answer any more.
OUT_OF_MEMORY = 2
WRONG_IMAGE = 218
SECONDS = 300  # A run takes one or two, where nothing hangs.
WRAPPER = """#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK-${PMI_RANK-0}}" = "$VICTIM" ] && export FAKE_CUDA_FAIL="$VICTIMS_FAILURE"
exec "$@"
"""


def run(wrapper, ranks, victim, failure, mode="short", devices=1, **settings):
    command = [TUTTIRUN, "-n", str(ranks), wrapper, PROGRAM, str(devices), "1", str(ranks), mode]
    environment = {"TUTTI_DEVICE": "cuda", "TUTTI_DISTRIBUTE": "always",
                   "FAKE_CUDA_DEVICES": str(ranks * devices), "FAKE_CUDA_MEMORY": "65536",
                   "VICTIM": str(victim), "VICTIMS_FAILURE": failure, "OMP_NUM_THREADS": "1",
                   **settings}
    try:
        done = limits.run(command, SECONDS, environment)
    except limits.OutOfTime as error:
        sys.exit(str(error))
    return done.returncode, done.stdout, done.stderr.splitlines()


def check(holds, *facts):
    if not holds:
        sys.exit("\n".join(map(str, facts)))


def goes_on(wrapper, ranks, victim, failure, words="is used no more", **settings):
    status, output, errors = run(wrapper, ranks, victim, failure, **settings)
    facts = (ranks, victim, failure, settings, status, output, *errors)
    check(status == 0 and output == "ok\n", "does not go on", *facts)
    check(errors and all(words in line for line in errors), "does not say why", *facts)
    check(len(errors) == 1 or "kept off" in words, "more than a line", *facts)


def ends_well(wrapper, ranks, victim, failure, **settings):
    status, output, errors = run(wrapper, ranks, victim, failure, **settings)
    facts = (ranks, victim, failure, settings, status, output, *errors)
    check(len(errors) <= 1, "more than a line", *facts)
    check(output == "ok\n" if status == 0 else errors and output == "", "neither nor", *facts)
    # With what did not answer the message names rank and device.
    check(status == 0 or errors[0].startswith(f"tutti: rank {victim}: GPU "), "names nobody", *facts)
    return status == 0


def others_have_it(wrapper):
    """What a lost device held comes from other ranks' hosts or devices, or the rank's other device."""
    for ranks, devices, victim in (2, 1, 1), (2, 1, 0), (3, 1, 1), (1, 2, 0), (2, 2, 1):
        for shares in "01":
            settings = {"mode": "shared", "devices": devices, "FAKE_CUDA_SHARES": shares}
            # Of the third launch, and of the last but one.
            for skip in 2 * devices, 6 * devices:
                goes_on(wrapper, ranks, victim, f"cuLaunchKernel {UNKNOWN_ERROR} {skip}", **settings)


def copying_out(wrapper):
    """A loss while results are copied out: another place has them, or the run ends."""
    for shares, skips in ("0", (1, 2)), ("1", (1, 2)):
        for skip in skips:
            goes_on(wrapper, 2, 0, f"cuMemcpyDtoHAsync_v2 {UNKNOWN_ERROR} {skip}", mode="shared",
                    FAKE_CUDA_SHARES=shares)
    for skip in 0, 1, 2:
        ends_well(wrapper, 2, 1, f"cuMemcpyDtoHAsync_v2 {UNKNOWN_ERROR} {skip}", mode="shared")


def borrowing(wrapper):
    """A loss while a device copies from another, or before it lends."""
    for devices in 1, 2:
        for skip in 0, 1, 2, 3:
            for call in "cuMemcpyDtoDAsync_v2", "cuEventQuery":
                ends_well(wrapper, 2, 1, f"{call} {UNKNOWN_ERROR} {skip}", mode="shared", devices=devices)


def evicting(wrapper):
    """A device of another rank is full, gives memory back, and is refused more, or lost."""
    settings = {"TUTTI_DEVICE_MEMORY": "8M"}
    for victim in 1, 2:
        for skip in 3, 4:
            goes_on(wrapper, 3, victim, f"cuMemCreate {OUT_OF_MEMORY} {skip}",
                    f" is kept off devices: rank {victim}: ", **settings)
            ends_well(wrapper, 3, victim, f"cuMemCreate {UNKNOWN_ERROR} {skip}", **settings)


def main():
    with tempfile.TemporaryDirectory() as folder:
        wrapper = pathlib.Path(folder) / "victim.sh"
        wrapper.write_text(WRAPPER)
        wrapper.chmod(0o755)
        cases = [(1, 0), (2, 0), (2, 1), (3, 2)]
        for ranks, victim in cases:
            # On several ranks the first such calls are of the trial of shared memory.
            later = 0 if ranks == 1 else 1
            # A single rank does not name itself.
            lost = f"a device{f' of rank {victim}' if ranks > 1 else ''} is used no more: "
            for call, skip in (("cuMemcpyHtoDAsync_v2", later), ("cuLaunchKernel", 0),
                               ("cuEventQuery", 0), ("cuStreamCreateWithPriority", later)):
                goes_on(wrapper, ranks, victim, f"{call} {UNKNOWN_ERROR} {skip}", lost)
            # No memory for what a launch that is under way needs beside its data.
            for call, skip in (("cuMemcpyHtoDAsync_v2", later), ("cuLaunchKernel", 0)):
                goes_on(wrapper, ranks, victim, f"{call} {OUT_OF_MEMORY} {skip}", lost)
            of_rank = f"rank {victim}: " if victim > 0 else ""
            for failure in (f"cuMemCreate {OUT_OF_MEMORY} {2 * later}",
                            f"cuModuleLoadDataEx {WRONG_IMAGE} 0"):
                goes_on(wrapper, ranks, victim, failure, f" is kept off devices: {of_rank}")
        for group in others_have_it, copying_out, borrowing, evicting:
            group(wrapper)
            print("ok", group.__name__, flush=True)
        for skip in sys.argv[3:]:
            for ranks, victim in cases:
                for call in ("cuMemCreate", "cuModuleLoadDataEx", "cuMemcpyHtoDAsync_v2",
                             "cuMemcpyDtoHAsync_v2", "cuLaunchKernel", "cuEventRecord", "cuEventQuery",
                             "cuStreamCreateWithPriority"):
                    for shares in "01":
                        went_on = ends_well(wrapper, ranks, victim, f"{call} {UNKNOWN_ERROR} {skip}",
                                            FAKE_CUDA_SHARES=shares)
                        print(skip, ranks, victim, call, shares, "went on" if went_on else "ended",
                              flush=True)
    print("ok")


main()
