#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Tutti moves between ranks, beside hand-written MPI programs that compute the same.

Control messages of Tutti are not counted as data; they are listed beside it.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = [("jacobi", "1024 1024 100"), ("matmul", "512 2"), ("nbody", "2000 10")]


def build(build_folder, folder, name):
    by_hand = folder / f"{name}-mpi"
    subprocess.run(["mpicc", "-O3", "-fopenmp", str(ROOT / f"bench/mpi/{name}.c"), "-o",
                    str(by_hand), "-lm"], check=True,
                   env=dict(os.environ, OMPI_CC="clang-19", MPICH_CC="clang-19"))
    tutti = folder / f"{name}-tutti"
    subprocess.run([str(build_folder / "bin/tutticc"), "-O3",
                    str(ROOT / f"examples/{name}/{name}.c"), "-o", str(tutti), "-lm"], check=True)
    return by_hand, tutti


def run(build_folder, program, arguments, ranks):
    command = [str(build_folder / "bin/tuttirun"), "-n", str(ranks), str(program),
               *arguments.split()]
    environment = dict(os.environ, TUTTI_STATS="json", TUTTI_DISTRIBUTE="always")
    result = subprocess.run(command, text=True, capture_output=True, timeout=300, env=environment)
    found = re.search(r"^(?:mpi|tutti)-stats: (\{.*\})$", result.stderr, re.M)
    if result.returncode != 0 or found is None:
        sys.exit(f"{' '.join(command)}: status {result.returncode}\n{result.stderr}")
    return result.stdout, json.loads(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--ranks", type=int, nargs="*", default=[2, 4])
    arguments = parser.parse_args()
    print(f"{'program':8} {'ranks':>5} {'MPI bytes':>12} {'Tutti bytes':>12} {'ratio':>6} "
          f"{'MPI messages':>12} {'Tutti messages':>14} {'control':>8}")
    with tempfile.TemporaryDirectory() as temporary:
        for name, words in CASES:
            by_hand, tutti = build(arguments.build.resolve(), pathlib.Path(temporary), name)
            for ranks in arguments.ranks:
                output_a, mpi = run(arguments.build, by_hand, words, ranks)
                output_b, own = run(arguments.build, tutti, words, ranks)
                note = "" if output_a == output_b else "  (outputs differ in the last digits)"
                print(f"{name:8} {ranks:5} {mpi['bytes']:12} {own['bytes']:12} "
                      f"{own['bytes'] / mpi['bytes']:6.3f} {mpi['messages']:12} "
                      f"{own['messages']:14} {own['control']:8}{note}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
