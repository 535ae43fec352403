#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The XcalableMP examples on one node beside clang with their directives ignored, and on several nodes
beside MPI by hand (bench/mpi/xmp): time, bytes and messages.

On one node whole runs are timed; on several ones the difference of a long and a short run, so starting
ranks does not count. Programs run in turn, each as often as --turns says, and in every second turn ours
comes first. Times are medians over turns, followed by the ratio of these, the quartiles of the ratios of
single turns, and the ratio of the best times. All programs print what they found, which must agree.
Collectives are not in the bytes and messages, which are those of the long run: the hand-written programs
call the same ones. --build-only FOLDER makes the programs and stops; --programs FOLDER runs what was made
so, perhaps on another machine.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Sizes, what counts the steps, and how many: alone, in a short and in a long run of several nodes.
PROGRAMS = {
    "laplace": ({"ROWS": 2048, "COLUMNS": 2048}, "STEPS", (300, 100, 1100)),
    "poisson3d": ({"N": 200}, "STEPS", (150, 40, 400)),
    "matmul": ({"N": 1600}, "TIMES", (2, 1, 8)),
    "nbody": ({"N": 12000}, "STEPS", (8, 4, 28)),
    "cg": ({"N": 10000}, "STEPS", (60, 25, 225)),
    "transpose": ({"ROWS": 6000, "COLUMNS": 6000}, "TIMES", (6, 2, 20)),
}


def build(build_folder, folder, programs):
    folder.mkdir(parents=True, exist_ok=True)
    clang = dict(os.environ, OMPI_CC="clang-19", MPICH_CC="clang-19")
    for name in programs:
        sizes, macro, (alone, *several) = PROGRAMS[name]
        example = ROOT / f"examples/xmp/{name}.c"
        for kind, compiler, source, counts in (
                ("plain", ["clang-19", "-Wno-unknown-pragmas"], example, [alone]),
                ("tutti", [build_folder / "bin/tutticc"], example, [alone, *several]),
                ("mpi", ["mpicc"], ROOT / f"bench/mpi/xmp/{name}.c", several)):
            for count in counts:
                flags = ["-O3", *(f"-D{key}={value}" for key, value in {**sizes, macro: count}.items())]
                subprocess.run([*compiler, *flags, source, "-o", folder / f"{name}-{kind}-{count}", "-lm"],
                               check=True, env=clang)


def run(command):
    """Seconds, what was printed, and the counters if there are any."""
    environment = dict(os.environ, TUTTI_STATS="json", OMP_NUM_THREADS="1")
    start = time.monotonic()
    result = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=600,
                            env=environment)
    seconds = time.monotonic() - start
    if result.returncode != 0:
        sys.exit(f"{command}: status {result.returncode}\n{result.stderr}")
    found = re.search(r"^(?:mpi|tutti)-stats: (\{.*\})$", result.stderr, re.M)
    counters = json.loads(found[1]) if found else {}
    if "nodes" in counters:
        moves = [counters["nodes"][kind] for kind in ("reflect", "gmove")]
        counters = {key: sum(move[key] for move in moves) for key in ("bytes", "messages")}
    return seconds, result.stdout, counters


def agree(a, b):
    numbers = [[float(n) for n in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?", text)] for text in (a, b)]
    return len(numbers[0]) == len(numbers[1]) and all(
        abs(x - y) <= 1e-6 * max(abs(x), abs(y)) for x, y in zip(*numbers))


def span(seconds):
    """Of a long run without what the short one before it takes; or of the only run."""
    return seconds[-1] - sum(seconds[:-1])


class Comparison:
    """What two ways take, each given by the commands of one run or of a short and a long one."""

    def __init__(self, kinds, turns):
        # Of each way and turn the runs.
        results = [[], []]
        for turn in range(turns):
            for kind in (0, 1) if turn % 2 == 0 else (1, 0):
                results[kind].append([run(command) for command in kinds[kind]])
        seconds = [[[each[0] for each in runs] for runs in turns] for turns in results]
        spans = [[span(runs) for runs in turns] for turns in seconds]
        best = [span([min(each) for each in zip(*turns)]) for turns in seconds]
        self.seconds = [statistics.median(each) for each in spans]
        self.quartiles = statistics.quantiles([own / theirs for theirs, own in zip(*spans)], n=4)
        self.best = best[1] / best[0]
        (_, text, self.by_hand), (_, other, self.moved) = (turns[0][-1] for turns in results)
        self.note = "" if agree(text, other) else "  WRONG"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--build-only", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--nodes", type=int, nargs="*", default=[1, 4, 8])
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--tuttirun", type=pathlib.Path, help="default: that of --build")
    parser.add_argument("examples", nargs="*", metavar="PROGRAM",
                        help=f"of {', '.join(PROGRAMS)}; default: all")
    arguments = parser.parse_args()
    programs = arguments.examples or list(PROGRAMS)
    if unknown := set(programs) - set(PROGRAMS):
        parser.error(f"there is no program {', '.join(sorted(unknown))}")
    if arguments.turns < 2:
        parser.error("quartiles need two turns at least")
    if arguments.build_only:
        build(arguments.build.resolve(), arguments.build_only, programs)
        return
    tuttirun = arguments.tuttirun or arguments.build.resolve() / "bin/tuttirun"
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.programs
        if folder is None:
            folder = pathlib.Path(temporary)
            build(arguments.build.resolve(), folder, programs)
        print(f"{'program':10} {'nodes':>5} {'beside':>6} {'seconds':>8} {'Tutti':>8} {'ratio':>6} "
              f"{'quartiles':>13} {'best':>6} {'bytes':>11} {'Tutti':>11} {'messages':>8} {'Tutti':>8}")
        for name in programs:
            alone, *several = PROGRAMS[name][2]
            for nodes in arguments.nodes:
                if nodes == 1:
                    beside = "clang"
                    kinds = [[[folder / f"{name}-{kind}-{alone}"]] for kind in ("plain", "tutti")]
                else:
                    beside = "MPI"
                    kinds = [[[tuttirun, "-n", nodes, folder / f"{name}-{kind}-{count}"] for count in several]
                             for kind in ("mpi", "tutti")]
                found = Comparison(kinds, arguments.turns)
                theirs, own = found.seconds
                low, _, high = found.quartiles
                counts = " ".join(f"{counters.get(key, 0):{width}}" for key, width in (("bytes", 11), ("messages", 8))
                                  for counters in (found.by_hand, found.moved))
                print(f"{name:10} {nodes:5} {beside:>6} {theirs:8.3f} {own:8.3f} {own / theirs:6.3f} "
                      f"{low:6.3f} {high:6.3f} {found.best:6.3f} {counts}{found.note}", flush=True)


if __name__ == "__main__":
    main()
