#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a task costs: seven shapes of 1000 empty tasks, ours, OpenMP's run by us, and libomp's side by side.

Prints nanoseconds per task from the first creation to the end of the taskwait: the best of 700
repetitions and, in brackets, the median; the programs take turns, and of each the best round counts. One
worker is pinned to one CPU, several to as many. A team of one thread of libomp does not defer tasks:
what that takes is no creation. --build-only FOLDER makes the programs, which --programs FOLDER runs, perhaps
on a machine without a compiler.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ["ours", "openmp", "libomp"]
SHAPES = ["independent", "inout", "chain", "handover", "fan", "single", "nested"]


def measured(program, workers, shape):
    environment = dict(os.environ, TUTTI_WORKERS=str(workers), OMP_NUM_THREADS=str(workers))
    cpus = ",".join(str(cpu) for cpu in range(workers))
    done = subprocess.run(["taskset", "-c", cpus, program, str(workers), shape], check=True, text=True,
                          stdout=subprocess.PIPE, env=environment)
    _, best, median = done.stdout.split()
    return float(best), float(median)


def built(build, folder):
    flags = ["-O2", "-std=c++20", "-Wno-missing-exception-spec", f"-I{ROOT}"]
    for name, source in (("ours", "ours"), ("openmp", "libomp")):
        subprocess.run([build / "bin/tuttic++", *flags, ROOT / f"bench/tasks/{source}.cpp", "-o",
                        folder / name], check=True)
    subprocess.run(["clang++-19", "-fopenmp", *flags, ROOT / "bench/tasks/libomp.cpp", "-o",
                    folder / "libomp"], check=True)


def compare(folder, shapes, workers, rounds):
    kinds = [(name, number) for number in workers for name in PROGRAMS]
    print("ns per task  " + "".join(f"{f'{name}, {number}':>20}" for name, number in kinds))
    for shape in shapes:
        times = {kind: [] for kind in kinds}
        for _ in range(rounds):
            for name, number in kinds:
                times[name, number].append(measured(folder / name, number, shape))
        cells = [f"{min(t[0] for t in times[kind]):.0f} ({min(t[1] for t in times[kind]):.0f})" for kind in kinds]
        print(f"{shape:13}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--build-only", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("shapes", nargs="*", default=SHAPES)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.programs or arguments.build_only or pathlib.Path(temporary)
        if not arguments.programs:
            folder.mkdir(parents=True, exist_ok=True)
            built(arguments.build.resolve(), folder)
        if not arguments.build_only:
            compare(folder.resolve(), arguments.shapes, arguments.workers, arguments.rounds)


if __name__ == "__main__":
    main()
