# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TUTTI_OPEN=beside: devices that nobody has asked for are opened once the program's loops have lasted; on the fake CUDA
driver, whose calls tell what was opened."""
import re

from commands import require
from harness import ROOT, Program, counters, difference, tail

FOLDER = ROOT / "test/e2e/late_devices"


def launch(workshop, arguments, **settings):
    """What came of it. The results have to be those of the cores."""
    def make():
        library = workshop.folder / "liblate_machine.so"
        result = workshop.execute(["clang-19", "-O2", "-shared", "-fPIC", str(FOLDER / "machine.c"), "-o",
                                   str(library)], {}, "")
        require(result.status == 0, tail(result.errors))
        return library
    program = Program.read(FOLDER / "late.c")
    fake = workshop.bin.parent / "runtime/device/cuda/test/fake"
    require((fake / "libcuda.so.1").exists(), f"there is no {fake}/libcuda.so.1: build tutti_fake_cuda")
    result = workshop.launch(program, arguments, 1, {
        "LD_LIBRARY_PATH": str(fake), "LD_PRELOAD": str(workshop.cached("late machine", make)), "FAKE_CUDA_IDLE": "1",
        # On a busy machine threads that wait for each other make short loops long ones.
        "OMP_NUM_THREADS": "1", "TUTTI_STATS": "json", "TUTTI_OPEN": "beside", **settings})
    found = difference(workshop.reference(program, arguments).output, result.output, 0)
    require(result.status == 0 and not found, f"{found}\n{tail(result.errors)}")
    return result


def run(workshop, arguments, **settings):
    """The counters and what the driver was asked, by call."""
    result = launch(workshop, arguments, **settings)
    calls = re.findall(r"^fake CUDA driver: (\w+) (\d+)$", result.errors, re.M)
    return counters(result), {name: int(count) for name, count in calls}, result.errors


def a_short_program_starts_no_driver(workshop):
    """Its loops take less than a driver does."""
    found, calls, _ = run(workshop, ["3"])
    require(not calls and found["home"] == 3, f"{calls} {found['home']}")


def a_long_loop_waits_for_devices(workshop):
    """At its first launch, behind what was executed to see how long it is: the driver is started and asked."""
    found, calls, _ = run(workshop, ["0", "long"], FAKE_CUDA_OPENING="200")
    require(calls["cuInit"] == 1 and calls["cuDevicePrimaryCtxRetain"] == 1, calls)
    require(found["home"] == 0 and found["devices"]["kernels"] == 1, found)


def devices_come_while_loops_run(workshop):
    """Those before run at home, some later ones on the device."""
    found, calls, _ = run(workshop, ["3000"], FAKE_CUDA_OPENING="100")
    require(calls["cuInit"] == 1 and found["devices"]["kernels"] > 0, calls)
    require(found["launches"] == 3000 and found["home"] > 0, found)


def devices_come_while_a_loop_shows_how_long_it_is(workshop):
    """Each of its iterations is executed once, and it ends."""
    launch(workshop, ["0", "uneven"], FAKE_CUDA_OPENING="800")


def why_loops_run_at_home_until_then_is_explained(workshop):
    """Once for each loop."""
    _, _, errors = run(workshop, ["3000", "long"], FAKE_CUDA_OPENING="100", TUTTI_EXPLAIN="1")
    early = re.findall(r"^tutti:   chosen:  home \(measured .*\), because devices are opened once loops have taken longer$", errors, re.M)
    came = errors.find("tutti: devices were opened beside the program: 1\n")
    require(len(early) == 1 and errors.find(early[0]) < came < errors.rfind("chosen:  cuda"), tail(errors))


def a_program_may_end_while_they_are_opened(workshop):
    """Nothing is opened any more then."""
    found, calls, _ = run(workshop, ["500"], FAKE_CUDA_OPENING="4000")
    require("cuDevicePrimaryCtxRetain" not in calls and found["home"] == 500, f"{calls} {found}")


def a_handler_of_the_program_stays(workshop):
    """It was set before there were devices, which come with a handler of faults, too. It leaves the process at once,
    without counters."""
    result = launch(workshop, ["3000", "fault"])
    require(result.output.endswith("handled\n"), result.output)


def what_asks_for_devices_waits(workshop):
    """From the first launch on all run there."""
    found, _, _ = run(workshop, ["3"], FAKE_CUDA_OPENING="200", TUTTI_DEVICE="gpu")
    require(found["home"] == 0 and found["devices"]["kernels"] == 3, found)


def a_driver_that_does_not_start_is_one_line(workshop):
    """And all runs at home."""
    found, calls, errors = run(workshop, ["1000"], FAKE_CUDA_FAIL="cuDeviceGetCount 999 0")
    said = re.findall(r"^tutti: .*$", errors, re.M)
    require(len(said) == 1 and "lists no devices" in said[0], tail(errors))
    require(found["home"] == 1000, found)


def all_checks():
    """(name, function of the workshop)"""
    return [(check.__name__, check) for check in (
        a_short_program_starts_no_driver, a_long_loop_waits_for_devices, devices_come_while_loops_run,
        devices_come_while_a_loop_shows_how_long_it_is,
        why_loops_run_at_home_until_then_is_explained,
        a_handler_of_the_program_stays, a_program_may_end_while_they_are_opened, what_asks_for_devices_waits,
        a_driver_that_does_not_start_is_one_line)]
