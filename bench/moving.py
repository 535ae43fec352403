#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that were never seen before, on a GPU against CUDA written by hand, or on ranks.

Runs programs that were built before: `--ours` is bench/moving/moving.c compiled by tutticc, `--cuda`
the program of bench/cuda/moving.cu (bench/cuda/build.sh makes it). Each prints the time of its loops,
from data that is where the loops run to results that are there; the best of some runs counts. A line
says where the two print another check. With `--ranks` ours runs under tuttirun on so many ranks.
"""
import argparse
import os
import shlex
import subprocess
import sys

CASES = ["elimination", "paths", "triangular", "blocks", "growing", "walk", "walks"]
TOLERANCE = 1e-9


def run(command, environment, limit):
    """(launches, seconds, check), or what went wrong."""
    try:
        done = subprocess.run(command, env={**os.environ, **environment}, text=True,
                              capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"no end after {limit:.0f} s"
    words = done.stdout.split()
    if done.returncode != 0 or len(words) != 5:
        return f"status {done.returncode}: {(done.stderr.strip().splitlines() or ['no output'])[-1]}"
    return int(words[2]), float(words[3]), float(words[4])


def best(command, environment, repeats, limit):
    results = []
    for _ in range(repeats):
        result = run(command, environment, limit)
        if isinstance(result, str):
            return result
        results.append(result)
    return min(results, key=lambda result: result[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--ours", required=True)
    parser.add_argument("--cuda")
    parser.add_argument("--tuttirun")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 4096])
    parser.add_argument("--device", default="gpu", help="TUTTI_DEVICE of ours")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60, help="seconds for one run")
    arguments = parser.parse_args()
    start = [arguments.ours]
    if arguments.tuttirun:
        start = [arguments.tuttirun, "-n", str(arguments.ranks), arguments.ours]
    print(f"{shlex.join(start)}, TUTTI_DEVICE={arguments.device}")
    print("case              n  launches    ours s  us/launch    hand s  ours/hand")
    for case in arguments.cases or CASES:
        for size in arguments.sizes:
            ours = best([*start, case, str(size)], {"TUTTI_DEVICE": arguments.device},
                        arguments.repeats, arguments.limit)
            line = f"{case:12} {size:6d}"
            if isinstance(ours, str):
                print(f"{line}  {ours}", flush=True)
                continue
            launches, seconds, check = ours
            line += f" {launches:9d} {seconds:9.4f} {seconds / launches * 1e6:10.1f}"
            if arguments.cuda:
                hand = best([arguments.cuda, case, str(size)], {}, arguments.repeats,
                            arguments.limit)
                if isinstance(hand, str):
                    line += f"  by hand: {hand}"
                else:
                    line += f" {hand[1]:9.4f} {seconds / hand[1]:10.2f}"
                    if abs(check - hand[2]) > TOLERANCE * abs(hand[2]):
                        line += f"  WRONG: {check:.9e} for {hand[2]:.9e}"
            print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
