#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Tutti costs on one rank: each example with clang -fopenmp -O3 and with tutticc -O3, in turn.

Clang's program runs twice in each turn, so that its ratio to itself ("again") says what the machine
can tell apart. Prints the median time of each, the ratio of the medians, the ratio of the best times,
and how far single runs lie from the median.

With --instructions it counts instead, with valgrind and one thread: the instructions that many
iterations execute more than few do. That needs no idle machine; it counts the code of a loop and of
its launch, not what instructions cost.
"""
import argparse
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Long enough on one machine that starting a process does not count. The example stack is left out:
# its arrays must fit on a stack, so it takes milliseconds.
SIZES = {
    "jacobi": "2000 2000 150",
    "sor": "1500 100",
    "matmul": "1500 1",
    "nbody": "8000 4",
    "kmeans": "4000000 8",
    "stream": "8000000 15",
    "heat3d": "2500",
    "vector_jacobi": "1500 120",
}
# Small, but large enough that a launch (about 3000 instructions) is not most of an iteration; with
# {} for the iterations.
COUNTED = {
    "jacobi": "500 500 {}",
    "sor": "500 {}",
    "matmul": "150 {}",
    "nbody": "500 {}",
    "kmeans": "40000 {}",
    "stream": "100000 {}",
    "heat3d": "{}",
    "vector_jacobi": "500 {}",
}
FEW, MANY = 3, 9
# Of these the least counts: the start of the OpenMP runtime waits in a loop now and then.
COUNTS = 3


def build(build_folder, folder, name):
    source = next((ROOT / "examples" / name).glob(f"{name}.c*"))
    is_cxx = source.suffix == ".cpp"
    clang = ["clang++-19" if is_cxx else "clang-19", "-fopenmp"]
    tutti = [str(build_folder / "bin" / ("tuttic++" if is_cxx else "tutticc"))]
    programs = []
    for kind, compiler in (("clang", clang), ("tutti", tutti)):
        program = folder / f"{name}-{kind}"
        subprocess.run([*compiler, "-O3", str(source), "-o", str(program), "-lm"], check=True)
        programs.append(str(program))
    return programs


def seconds(program, arguments):
    start = time.perf_counter()
    subprocess.run([program, *arguments.split()], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def without_debug_information(library, folder):
    """Valgrind does not start a program if it cannot read what it knows of a library."""
    subprocess.run(["objcopy", "--strip-debug", library, folder / library.name], check=True)


def instructions(program, arguments):
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}", program]
    environment = dict(os.environ, OMP_NUM_THREADS="1",
                       LD_LIBRARY_PATH=os.path.dirname(program))
    counts = []
    for _ in range(COUNTS):
        result = subprocess.run([*command, *arguments.split()], text=True, capture_output=True,
                                env=environment)
        found = re.search(r"Collected : (\d+)", result.stderr)
        if result.returncode != 0 or found is None:
            raise SystemExit(f"overhead.py: {' '.join(map(str, command))} {arguments}: status "
                             f"{result.returncode}\n{result.stderr[-400:]}")
        counts.append(int(found[1]))
    return min(counts)


def count(programs, name):
    clang, tutti = (instructions(program, COUNTED[name].format(MANY)) -
                    instructions(program, COUNTED[name].format(FEW)) for program in programs)
    print(f"{name:14} {clang:12} {tutti:12} {tutti / clang:7.4f}", flush=True)
    return tutti / clang


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--instructions", action="store_true", help="count, with valgrind")
    parser.add_argument("examples", nargs="*", help=f"some of {', '.join(SIZES)}; default: all")
    arguments = parser.parse_args()
    for name in arguments.examples:
        if name not in SIZES:
            parser.error(f"no example '{name}' to measure")
    ratios = []
    if arguments.instructions:
        print(f"{'example':14} {'clang':>12} {'tutti':>12} {'ratio':>7}")
    else:
        print(f"{'example':14} {'clang':>9} {'tutti':>9} {'ratio':>7} {'best':>7} {'again':>7} "
              f"{'spread':>7}")
    with tempfile.TemporaryDirectory() as temporary:
        if arguments.instructions:
            without_debug_information(arguments.build.resolve() / "lib/tutti/libtutti.so",
                                      pathlib.Path(temporary))
        for name in arguments.examples or SIZES:
            programs = build(arguments.build.resolve(), pathlib.Path(temporary), name)
            if arguments.instructions:
                ratios.append(count(programs, name))
                continue
            runs = {"clang": programs[0], "again": programs[0], "tutti": programs[1]}
            times = {run: [] for run in runs}
            for repetition in range(arguments.repetitions + 1):
                # In changing order, so that a slow phase of the machine meets all.
                for run in random.sample(list(runs), len(runs)):
                    elapsed = seconds(runs[run], SIZES[name])
                    if repetition > 0:  # The first run warms up.
                        times[run].append(elapsed)
            clang, again, tutti = (statistics.median(times[run]) for run in runs)
            spread = max(abs(t / statistics.median(ts) - 1) for ts in times.values() for t in ts)
            best = min(times["tutti"]) / min(times["clang"])
            ratios.append(tutti / clang)
            print(f"{name:14} {clang:8.3f}s {tutti:8.3f}s {tutti / clang:7.3f} {best:7.3f} "
                  f"{again / clang:7.3f} {spread:6.1%}",
                  flush=True)
    print(f"median ratio {statistics.median(ratios):.3f}, highest {max(ratios):.3f}")


if __name__ == "__main__":
    sys.exit(main())
