#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random XcalableMP programs against a model, on one to eight nodes.

Prints what differs and how to see it again, and "N passed, N failed", counted in cases, at the end.
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile

import xmp_programs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "test"))
import limits  # noqa: E402

CASES = 25  # In a program, so that compiling is not most of the time.
SECONDS = 300


def run(build, folder, seed, count, only):
    """How many of `count` cases failed."""
    text, numbers, ranks = xmp_programs.program(seed, count, only)
    source, data = folder / f"xmp_{seed}.c", folder / f"xmp_{seed}.txt"
    source.write_text(text)
    data.write_text(numbers)
    binary = folder / f"xmp_{seed}"
    again = f"test/fuzz/xmp.py --seeds {seed}:1 --cases {count}"
    steps = ([build / "bin/tutticc", "-O1", "-w", source, "-o", binary],
             [build / "bin/tuttirun", "-n", str(ranks), binary, data])
    for command in steps:
        try:
            done = limits.run([str(word) for word in command], SECONDS, {}, "", folder)
        except limits.OutOfTime as error:
            print(f"FAIL {again}\n{error}", flush=True)
            return count
        if done.returncode != 0:
            said = "\n".join((done.stdout + done.stderr).splitlines()[:20])
            print(f"FAIL {again} on {ranks} nodes, status {done.returncode}\n{said}", flush=True)
            return len(set(re.findall(r"^case (\d+)", done.stdout, re.M))) or count
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--jobs", type=int, default=1, help="not used: ranks are enough")
    parser.add_argument("--seeds", metavar="FIRST:COUNT", default="1:2", help="so many programs")
    parser.add_argument("--cases", type=int, default=CASES, help="in each program")
    parser.add_argument("--only", type=int, metavar="CASE", help="of each program this one alone")
    parser.add_argument("--keep", help="build the programs here and leave them")
    parser.add_argument("--first", action="store_true", help="run only one program")
    arguments = parser.parse_args()
    first, count = map(int, arguments.seeds.split(":"))
    failed = total = 0
    with tempfile.TemporaryDirectory(prefix="tutti-fuzz-") as temporary:
        folder = pathlib.Path(os.path.realpath(arguments.keep or temporary))
        folder.mkdir(parents=True, exist_ok=True)
        for seed in range(first, first + (1 if arguments.first else count)):
            cases = arguments.cases
            total += cases if arguments.only is None else 1
            failed += run(arguments.build.resolve(), folder, seed, cases, arguments.only)
    print(f"fuzz: {total - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
