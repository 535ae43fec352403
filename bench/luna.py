#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fragments cost (bench/luna): an empty call, a link of a chain, a hop between two ranks, and
unfolding on four, in microseconds of time and of all processors for each call; and heat conduction beside
MPI by hand (bench/mpi/luna).

A cost is the difference of a large and a small run, divided by the difference of their calls; the best of
--turns counts. A step of heat is a difference, too, and the median of --turns counts. --small makes runs that only show that all works.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COSTS = (("empty call", "empty", 1), ("link of a chain", "chain", 1),
         ("hop between ranks", "chain", 2), ("unfolding on 4 ranks", "empty", 4))
CALLS = {"empty": (1000, 1000000), "chain": (1000, 200000)}
FEW_CALLS = {"empty": (10, 1000), "chain": (10, 200)}
HEAT, SMALL_HEAT = (64, 156250, 25), (8, 50, 2)


def build(build_folder, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("empty", "chain", "heat"):
        subprocess.run([build_folder / "bin/tuttic-luna", "-O3", ROOT / f"bench/luna/{name}.fa",
                        "-o", folder / name], check=True)
    subprocess.run(["mpicc", "-O3", ROOT / "bench/mpi/luna/heat.c", "-o", folder / "heat-mpi"], check=True,
                   env=dict(os.environ, OMPI_CC="clang-19", MPICH_CC="clang-19"))


def run(command):
    """Seconds, seconds of all processors, what was printed, and the counters if there are any."""
    environment = dict(os.environ, TUTTI_STATS="json", TUTTI_WORKERS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    result = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=600,
                            env=environment)
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f"{command}: status {result.returncode}\n{result.stderr}")
    found = re.search(r"^tutti-stats: (\{.*\})$", result.stderr, re.M)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used, result.stdout, json.loads(found[1])["fragments"] if found else {}


def best(command, turns):
    runs = [run(command) for _ in range(turns)]
    return min(each[0] for each in runs), min(each[1] for each in runs), runs[0][2], runs[0][3]


def show_costs(arguments, folder, calls):
    print(f"{'':24}{'us':>10}{'us of CPU':>12}{'messages per call':>20}")
    for title, name, ranks in COSTS:
        few, many = ([arguments.build / "bin/tuttirun", "-n", ranks, folder / name, count]
                     for count in calls[name])
        small, large = best(few, arguments.turns), best(many, arguments.turns)
        each = calls[name][1] - calls[name][0]
        messages = (large[3]["control"] - small[3]["control"]) / each
        print(f"{title:24}{1e6 * (large[0] - small[0]) / each:10.3f}"
              f"{1e6 * (large[1] - small[1]) / each:12.3f}{messages:20.4f}")


def show_heat(arguments, folder, parts, size, steps):
    """Milliseconds of a step, ours and by hand in turn; the first steps, and the starts, do not count."""
    print(f"{'':24}{'ms a step':>10}{'by hand':>12}{'ratio':>8}{'ms of CPU':>12}{'by hand':>12}{'fragments':>12}")
    for ranks in (1, 2, 4):
        commands = {"ours": [arguments.build / "bin/tuttirun", "-n", ranks, folder / "heat"],
                    "hand": ["mpirun", "--oversubscribe", "-n", ranks, folder / "heat-mpi"]}
        found = {name: [] for name in commands}
        for _ in range(arguments.turns):
            printed = set()
            for name, command in commands.items():
                few, many = (run([*command, parts, size, count]) for count in (steps, 5 * steps))
                found[name].append([1e3 * (many[at] - few[at]) / (4 * steps) for at in (0, 1)])
                printed.add(many[2])
                if name == "ours":
                    held = many[3]["peak"]
            if len(printed) != 1:
                sys.exit(f"heat on {ranks} ranks: {printed}")
        ours, hand = ([statistics.median(each[at] for each in found[name]) for at in (0, 1)] for name in commands)
        print(f"{f'heat on {ranks} ranks':24}{ours[0]:10.3f}{hand[0]:12.3f}{ours[0] / hand[0]:8.2f}"
              f"{ours[1]:12.3f}{hand[1]:12.3f}{held:12}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--small", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tutti-bench-") as temporary:
        folder = pathlib.Path(temporary)
        build(arguments.build, folder)
        show_costs(arguments, folder, FEW_CALLS if arguments.small else CALLS)
        show_heat(arguments, folder, *(SMALL_HEAT if arguments.small else HEAT))


if __name__ == "__main__":
    main()
