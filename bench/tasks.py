#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a task costs: seven shapes of 1000 empty tasks, ours, OpenMP's run by us, and libomp's side by side.

Prints nanoseconds per task from the first creation to the end of the taskwait: the best of 700
repetitions and, in brackets, the median; the programs take turns, and of each the best round counts. One
worker is pinned to one CPU, two are pinned to two. A team of one thread of libomp does not defer tasks:
what that takes is no creation.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHAPES = ["independent", "inout", "chain", "handover", "fan", "single", "nested"]


def measured(program, workers, shape):
    environment = dict(os.environ, TUTTI_WORKERS=str(workers), OMP_NUM_THREADS=str(workers))
    cpus = "0" if workers == 1 else "0,1"
    done = subprocess.run(["taskset", "-c", cpus, program, str(workers), shape], check=True, text=True,
                          stdout=subprocess.PIPE, env=environment)
    _, best, median = done.stdout.split()
    return float(best), float(median)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("shapes", nargs="*", default=SHAPES)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        flags = ["-O2", "-std=c++20", "-Wno-missing-exception-spec", f"-I{ROOT}"]
        programs = {name: f"{folder}/{name}" for name in ("ours", "openmp", "libomp")}
        for name, source in (("ours", "ours"), ("openmp", "libomp")):
            subprocess.run([build / "bin/tuttic++", *flags, ROOT / f"bench/tasks/{source}.cpp", "-o",
                            programs[name]], check=True)
        subprocess.run(["clang++-19", "-fopenmp", *flags, ROOT / "bench/tasks/libomp.cpp", "-o",
                        programs["libomp"]], check=True)
        kinds = [(name, workers) for workers in (1, 2) for name in programs]
        print("ns per task  " + "".join(f"{f'{name}, {workers}':>20}" for name, workers in kinds))
        for shape in arguments.shapes:
            times = {kind: [] for kind in kinds}
            for _ in range(arguments.rounds):
                for name, workers in kinds:
                    times[name, workers].append(measured(programs[name], workers, shape))
            cells = [f"{min(t[0] for t in times[kind]):.0f} ({min(t[1] for t in times[kind]):.0f})"
                     for kind in kinds]
            print(f"{shape:13}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
