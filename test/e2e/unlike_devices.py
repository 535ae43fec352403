# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices of unlike backends in one run: OpenCL's beside the fake CUDA driver, whose kernels are functions
of a library."""
import re

from commands import require
from harness import ROOT, Program, counters, difference, tail

# Dealt to two ranks, these are one kind on each, or one of each kind.
ONE = {"FAKE_CUDA_DEVICES": "1", "POCL_DEVICES": "pthread"}
TWO = {"FAKE_CUDA_DEVICES": "2", "POCL_DEVICES": "pthread pthread"}
ROUNDS = 30
FOLDER = ROOT / "test/e2e/unlike_devices"


def environment(workshop, name, devices):
    """Of a run on the fake, which the build has made beside the compiler."""
    def make():
        library = workshop.folder / f"lib{name}_kernels.so"
        result = workshop.execute(["clang-19", "-O2", "-shared", "-fPIC",
                                   str(FOLDER / f"{name}_kernels.c"), "-o", str(library)], {}, "")
        require(result.status == 0, tail(result.errors))
        return library
    fake = workshop.bin.parent / "runtime/device/cuda/test/fake"
    require((fake / "libcuda.so.1").exists(), f"there is no {fake}/libcuda.so.1: build tutti_fake_cuda")
    return {"LD_LIBRARY_PATH": str(fake), "LD_PRELOAD": str(workshop.cached((name, "kernels"), make)),
            "TUTTI_DISTRIBUTE": "always", "TUTTI_STATS": "json", **devices}


def run(workshop, name, ranks, settings, devices):
    """What devices did, and standard error. The results have to be those of the cores."""
    program = Program.read(FOLDER / f"{name}.c")
    result = workshop.launch(program, [], ranks,
                             {**environment(workshop, name, devices), **settings})
    found = difference(workshop.reference(program, []).output, result.output, 0)
    require(result.status == 0 and not found, f"{found}\n{tail(result.errors)}")
    return counters(result)["devices"], result.errors


def loops_run_on_devices_of_both_kinds(workshop, name, ranks, asked, balance, devices):
    """All devices run kernels of each launch."""
    found, _ = run(workshop, name, ranks, {"TUTTI_DEVICE": asked, "TUTTI_BALANCE": balance}, devices)
    count = 4 if devices is TWO else 2
    # A balance may leave hosts and devices out.
    require(found["kernels"] == count * ROUNDS if balance == "off" else found["kernels"] >= ROUNDS,
            f"{found['kernels']} kernels")


def devices_that_are_no_gpus_stay_out(workshop, asked):
    """OpenCL's, which are made of the cores, beside a GPU."""
    found, _ = run(workshop, "relaxation", 1, {"TUTTI_DEVICE": asked, "TUTTI_BALANCE": "off"}, ONE)
    require(found["kernels"] == ROUNDS, f"{found['kernels']} kernels")


def full_devices_of_both_kinds(workshop, asked):
    """Portions of each are streamed."""
    found, _ = run(workshop, "relaxation", 1,
                   {"TUTTI_DEVICE": asked, "TUTTI_DEVICE_MEMORY": "8M"}, ONE)
    require(found["portions"] > ROUNDS, f"{found['portions']} portions")


def the_other_goes_on_where_one_is_lost(workshop):
    """In its first launch, while the host still has all that it had."""
    found, errors = run(workshop, "relaxation", 1, {
        "TUTTI_DEVICE": "cuda,opencl", "FAKE_CUDA_FAIL": "cuLaunchKernel 719 0"}, ONE)
    require("a device is used no more: GPU 0" in errors, tail(errors))
    require(found["kernels"] >= ROUNDS, f"{found['kernels']} kernels")


def a_loop_runs_where_the_source_says(workshop):
    """On the backend that it names, beside a GPU of another one that has no function for it."""
    source = workshop.folder / "named.c"
    source.write_text("#include <stdio.h>\nstatic long x[100000];\nint main(void) {\n" + "".join(
        f"{pragma}\n#pragma omp parallel for\nfor (int i = 0; i < 100000; ++i) x[i] = 3 * x[i] + i;\n"
        for pragma in ["#pragma tutti device(opencl)"] * 2) +
        'printf("%ld\\n", x[777]);\nreturn 0;\n}\n')
    program = Program("named", [source])
    result = workshop.launch(program, [], 1, {
        **environment(workshop, "relaxation", ONE), "TUTTI_DEVICE": "auto"})
    require((result.status, result.output) == (0, "3108\n"), result)
    require(counters(result)["devices"]["kernels"] == 2, result)
    # Nothing has been replaced by anything.
    require(not re.search("^tutti: ", result.errors, re.M), result.errors)


def a_first_launch_is_sampled(workshop, ranks):
    """Each iteration is executed once, some of them at home and the others on GPUs."""
    found, _ = run(workshop, "sampled", ranks, {"TUTTI_DISTRIBUTE": "auto"}, ONE)
    require(found["kernels"] > ranks, f"{found['kernels']} kernels")


def all_checks():
    """(name, function of the workshop)"""
    checks = [(f.__name__, f) for f in (a_loop_runs_where_the_source_says,
                                        the_other_goes_on_where_one_is_lost)]
    for asked in ("cuda,opencl", "cuda,opencl,cpu"):
        checks.append((f"full_devices_of_both_kinds-{asked}",
                       lambda w, a=asked: full_devices_of_both_kinds(w, a)))
    for name, ranks, asked, balance, devices in (
            ("relaxation", 1, "cuda,opencl", "off", ONE), ("relaxation", 1, "cuda,opencl", "auto", ONE),
            ("relaxation", 1, "opencl,cuda,cpu", "off", ONE),
            ("relaxation", 1, "hybrid,opencl", "auto", TWO),
            ("relaxation", 2, "gpu,opencl", "off", ONE), ("relaxation", 2, "cuda,opencl", "off", TWO),
            ("relaxation", 3, "cuda,opencl,cpu", "auto", TWO),
            ("scattering", 1, "cuda,opencl", "off", ONE),
            ("scattering", 1, "cuda,opencl,cpu", "auto", TWO),
            ("scattering", 2, "cuda,opencl", "off", TWO)):
        count = 4 if devices is TWO else 2
        checks.append((f"loops_run_on_devices_of_both_kinds-{name}-{asked}-{balance}-{count}-{ranks}",
                       lambda w, n=name, r=ranks, a=asked, b=balance, d=devices:
                       loops_run_on_devices_of_both_kinds(w, n, r, a, b, d)))
    for ranks in (1, 2):
        checks.append((f"a_first_launch_is_sampled-{ranks}", lambda w, r=ranks: a_first_launch_is_sampled(w, r)))
    for asked in ("gpu", "hybrid"):
        checks.append((f"devices_that_are_no_gpus_stay_out-{asked}",
                       lambda w, a=asked: devices_that_are_no_gpus_stay_out(w, a)))
    return checks
