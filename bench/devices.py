#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our programs on a GPU against CUDA written by hand, and against clang's own offloading.

Runs on a machine with a GPU, on programs that were built before:
  OURS      a folder with the examples, compiled by tutticc, under their names (and jacobi16k)
  CUDA      a folder made by bench/cuda/build.sh
  OFFLOAD   a folder made by bench/offload/build.sh, optional

The examples print no times, so ours is measured as a difference: the same program with two numbers
of iterations, the best of some runs each; what they share (start, first touch, copies in and out,
compiling kernels) cancels out. jacobi16k prints its own time. The hand-written programs print the
time of their loop after a warm-up. Both print a number to compare; a wrong one marks the line.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

# Arguments with {} for the number of iterations; few and many of them; and how the example's output
# says what the hand-written program prints last. The hand-written program gets the larger number.
CASES = {
    "jacobi": ("16000 16000 {}", 20, 220, r"^residual (\S+)"),
    "sor": ("8192 {}", 10, 60, r"^largest change (\S+)"),
    "nbody": ("100000 {}", 2, 8, r"^checksum (\S+)"),
    "kmeans": ("20000000 {}", 5, 45, r"^checksum (\S+)"),
    "stream": ("100000000 {}", 10, 110, r"^dot (\S+)"),
    "heat3d": ("{}", 2000, 22000, r"^checksum (\S+)"),
    "matmul": ("4096 {}", 2, 8, r"^trace (\S+)"),
}
# As programs without a norm per iteration have other orders of sums: relative.
TOLERANCE = 1e-6


def execute(command, environment, limit):
    start = time.perf_counter()
    done = subprocess.run([str(part) for part in command], env={**os.environ, **environment},
                          text=True, capture_output=True, timeout=limit)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: status {done.returncode}: {done.stderr.strip()[-300:]}")
    return elapsed, done.stdout, done.stderr


def stats_of(errors):
    found = re.search(r"^tutti-stats: (\{.*\})$", errors, re.MULTILINE)
    return json.loads(found[1]) if found else {}


def ours(program, case, settings):
    """Seconds per iteration, the number to compare, and the counters of the last long run."""
    text, few, many, pattern = case
    best = {}
    for _ in range(settings.repetitions):
        for count in (few, many):
            elapsed, output, errors = execute([program, *text.format(count).split()],
                                              {"TUTTI_DEVICE": settings.device,
                                               "TUTTI_STATS": "json"}, settings.limit)
            best[count] = min(elapsed, best.get(count, elapsed))
    check = re.search(pattern, output, re.MULTILINE)
    return (best[many] - best[few]) / (many - few), float(check[1]), stats_of(errors)


def baseline(program, case, settings, environment=None):
    """Seconds per iteration, the number to compare, and the rate with its unit."""
    text, _, many, _ = case
    best = None
    for _ in range(settings.repetitions):
        _, output, _ = execute([program, *text.format(many).split()], environment or {},
                               settings.limit)
        _, _, _, each, rate, unit, check = output.split()
        if best is None or float(each) < best[0]:
            best = (float(each), float(check), f"{float(rate):.0f} {unit}")
    return best


def differs(a, b):
    return abs(a - b) > TOLERANCE * max(abs(a), abs(b))


def attempt(call, *arguments):
    try:
        return call(*arguments), ""
    except (RuntimeError, OSError, ValueError, TypeError, subprocess.TimeoutExpired) as problem:
        return None, str(problem).splitlines()[0]


def line(name, settings):
    case = CASES[name]
    (cuda, problem) = attempt(baseline, settings.cuda / name, case, settings)
    problems = [problem]
    (mine, problem) = attempt(ours, settings.ours / name, case, settings)
    problems.append(problem)
    offload = None
    if settings.offload and (settings.offload / name).exists():
        (offload, problem) = attempt(baseline, settings.offload / name, case, settings,
                                     {"LD_LIBRARY_PATH": str(settings.offload),
                                      "OMP_TARGET_OFFLOAD": "MANDATORY"})
        problems.append(problem)
    if mine and cuda and differs(mine[1], cuda[1]):
        problems.append(f"results differ: {mine[1]:.9e}, by hand {cuda[1]:.9e}")
    milliseconds = lambda result: f"{result[0] * 1e3:11.4f}" if result else f"{'-':>11}"
    ratio = lambda one, other: f"{one[0] / other[0]:8.2f}" if one and other else f"{'-':>8}"
    print(f"{name:10} {milliseconds(mine)} {milliseconds(cuda)} {milliseconds(offload)} "
          f"{ratio(mine, cuda)} {ratio(offload, cuda)}  {cuda[2] if cuda else '':>14}  "
          + "; ".join(p for p in problems if p), flush=True)
    if mine and settings.counters:
        print("           " + json.dumps(mine[2]))
    return not any(problems)


def large_jacobi(settings):
    """jacobi16k and the hand-written program of its size, which print their own times."""
    for program, arguments, environment in (
            (settings.ours / "jacobi16k", (), {"TUTTI_DEVICE": settings.device}),
            (settings.cuda / "jacobif", ("16384", "16384", "1000"), {})):
        if program.exists():
            result, problem = attempt(execute, [program, *arguments], environment, settings.limit)
            print(f"{program.name:10} {problem or result[1].strip().splitlines()[-1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=pathlib.Path, required=True)
    parser.add_argument("--cuda", type=pathlib.Path, required=True)
    parser.add_argument("--offload", type=pathlib.Path)
    parser.add_argument("--device", default="cuda", help="TUTTI_DEVICE for ours")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120, help="seconds for one run")
    parser.add_argument("--counters", action="store_true", help="print what ours counted")
    parser.add_argument("examples", nargs="*", metavar="example",
                        help=f"of {', '.join(CASES)}; all unless named")
    settings = parser.parse_args()
    if unknown := set(settings.examples) - set(CASES):
        parser.error(f"no such example: {', '.join(sorted(unknown))}")
    settings.examples = settings.examples or list(CASES)
    settings.ours, settings.cuda = settings.ours.resolve(), settings.cuda.resolve()
    settings.offload = settings.offload and settings.offload.resolve()
    print("milliseconds per iteration; ratios to the hand-written program")
    print(f"{'example':10} {'tutti':>11} {'cuda':>11} {'offload':>11} {'tutti':>8} {'offload':>8}"
          f"  {'rate by hand':>14}")
    outcomes = [line(name, settings) for name in settings.examples]
    large_jacobi(settings)
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
