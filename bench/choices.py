#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `auto` and `hybrid` take against the best fixed choice of places, over programs and sizes.

Runs on a machine with a GPU, on programs that were built before: PROGRAMS is a folder with the
examples, compiled by tutticc, under their names, and with bench/papers/hycomp/two_regions.c under
that name and, built with -DNBODY=X -DSOR=Y, as two_regions_X_Y for X and Y of cpu and gpu.

Times are differences of a long and a short run of a program, each the shortest of some, so that what
starts and ends a run cancels out. The short one is long enough for a choice to be made; what that takes
is printed apart (first): the time of the short run less what it would take as the steady ones.
"""
import argparse
import dataclasses
import math
import os
import pathlib
import subprocess
import sys
import time


@dataclasses.dataclass(frozen=True)
class Case:
    program: str
    arguments: str  # With {} for the number of iterations.
    few: int        # Iterations of the short run.


CASES = [
    Case("jacobi", "500 500 {}", 400), Case("jacobi", "4000 4000 {}", 100),
    Case("jacobi", "16000 16000 {}", 30),
    Case("sor", "500 {}", 400), Case("sor", "2000 {}", 200), Case("sor", "8192 {}", 50),
    Case("matmul", "128 {}", 200), Case("matmul", "512 {}", 50), Case("matmul", "2048 {}", 10),
    Case("nbody", "500 {}", 400), Case("nbody", "5000 {}", 50), Case("nbody", "50000 {}", 10),
    Case("kmeans", "20000 {}", 200), Case("kmeans", "1000000 {}", 50),
    Case("kmeans", "20000000 {}", 10),
    Case("stream", "100000 {}", 400), Case("stream", "4000000 {}", 100),
    Case("stream", "100000000 {}", 20),
]
REGIONS = [Case("two_regions", "5000 1000 {} 2", 30), Case("two_regions", "20000 4000 {} 2", 10),
           Case("two_regions", "20000 4000 {} 100", 10)]
WAYS = {"cpu": {"TUTTI_DEVICE": "cpu"}, "gpu": {"TUTTI_DEVICE": "gpu"},
        "hybrid": {"TUTTI_DEVICE": "hybrid"}, "auto": {}}


def run(program, arguments, environment, limit):
    """Seconds, or None if it takes longer than `limit` seconds."""
    start = time.perf_counter()
    try:
        done = subprocess.run([str(program), *arguments.split()], text=True, capture_output=True,
                              env={**os.environ, **environment}, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        raise RuntimeError(f"{program} {arguments}: status {done.returncode}: "
                           f"{done.stderr.strip()[-300:]}")
    return time.perf_counter() - start


def measure(program, case, environment, settings):
    """Seconds of an iteration and of what comes before the first steady one, or None."""
    short = run(program, case.arguments.format(case.few), environment, settings.limit)
    if short is None:
        return None
    shorts, longs, more = [short], [], case.few
    while True:
        count = case.few + more
        taken = run(program, case.arguments.format(count), environment, settings.limit)
        if taken is None:
            return None
        gain = taken - min(shorts)
        if gain >= settings.span or more > 1e7:
            longs.append(taken)
            break
        more = math.ceil(more * min(20, 1.3 * settings.span / max(gain, settings.span / 15)))
    for _ in range(settings.turns - 1):
        shorts.append(run(program, case.arguments.format(case.few), environment, settings.limit))
        longs.append(run(program, case.arguments.format(count), environment, settings.limit))
    each = (min(filter(None, longs)) - min(filter(None, shorts))) / more
    return each, min(filter(None, shorts)) - case.few * each


def line(case, ways, settings):
    """`ways`: (name, program, environment, whether it is a fixed choice)."""
    results = {}
    for name, program, environment, _ in ways:
        results[name] = measure(settings.programs / program, case, environment, settings)
    fixed = [results[name][0] for name, _, _, is_fixed in ways if is_fixed and results[name]]
    best = min(fixed) if fixed else math.nan
    cells = []
    for name, *_ in ways:
        found = results[name]
        cells.append(f"{name} {found[0] * 1e3:.4f} ({found[0] / best:.2f}, first {found[1]:.2f} s)"
                     if found else f"{name} -")
    print(f"{case.program} {case.arguments:16} " + " | ".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--turns", type=int, default=2, help="runs of each length")
    parser.add_argument("--span", type=float, default=0.5, help="seconds of a difference, at least")
    parser.add_argument("--limit", type=float, default=20, help="seconds for one run")
    parser.add_argument("--only", nargs="*", default=[], help="names of programs, or with the first argument: sor:8192")
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=list(WAYS),
                        help="how programs of one region run; all unless named")
    settings = parser.parse_args()
    settings.programs = settings.programs.resolve()
    print("milliseconds per iteration; in brackets against the best of cpu and gpu, and what the "
          "run takes beside steady iterations", flush=True)
    for case in CASES + REGIONS:
        if settings.only and not {case.program, f"{case.program}:{case.arguments.split()[0]}"} & set(settings.only):
            continue
        if case.program == "two_regions":
            ways = [(f"{nbody}:{sor}", f"two_regions_{nbody}_{sor}", {}, True)
                    for nbody in ("cpu", "gpu") for sor in ("cpu", "gpu")]
            ways.append(("auto", "two_regions", {}, False))
        else:
            ways = [(name, case.program, WAYS[name], name in ("cpu", "gpu"))
                    for name in settings.ways]
        line(case, ways, settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
