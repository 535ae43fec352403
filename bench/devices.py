#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our programs on a GPU against CUDA written by hand, and against clang's own offloading.

Runs on a machine with a GPU, on programs that were built before:
  OURS      a folder with the examples, compiled by tutticc, under their names (and jacobi16k, nbody
            with -ffast-math as nbody_fast, heat3d with -DPOINTS=402 as heat3d_402)
  CUDA      a folder made by bench/cuda/build.sh
  OFFLOAD   a folder made by bench/offload/build.sh, optional; the better of two spellings counts

The examples print no times, so ours is measured as a difference: the same program with few and with
many iterations, in turn, the best of some runs each. What they share (start, first touch, copies in
and out, compiling kernels) cancels out if the difference is large. So many is chosen, by longer and
longer runs, to take some seconds more. jacobi16k prints its own time. The hand-written programs
print the time of their loop after a warm-up; clang's offloading makes as many iterations as take
some seconds, too. All print a number to compare after as many iterations; a wrong one marks the
line.

A case takes at most --limit seconds. What was measured until then is printed, and that it is less.
"""
import argparse
import dataclasses
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time


@dataclasses.dataclass(frozen=True)
class Case:
    arguments: str  # With {} for the number of iterations.
    few: int
    most: int       # Iterations of the longest run.
    check: str      # How the example's output says what the hand-written program prints last.


CASES = {
    "jacobi": Case("16000 16000 {}", 10, 5000, r"^residual (\S+)"),
    "sor": Case("8192 {}", 10, 20000, r"^largest change (\S+)"),
    "nbody": Case("100000 {}", 2, 500, r"^checksum (\S+)"),
    "nbody_fast": Case("100000 {}", 2, 500, r"^checksum (\S+)"),
    "kmeans": Case("20000000 {}", 10, 10000, r"^checksum (\S+)"),
    "stream": Case("100000000 {}", 10, 10000, r"^dot (\S+)"),
    "heat3d": Case("{}", 10, 500000, r"^checksum (\S+)"),
    "heat3d_402": Case("{}", 10, 50000, r"^checksum (\S+)"),
    "matmul": Case("2048 {}", 2, 2000, r"^trace (\S+)"),
}
# As programs without a norm per iteration have other orders of sums: relative.
TOLERANCE = 1e-6
# Seconds that many iterations are to take more than few, and how wrong such a difference may be.
DIFFERENCE = 2.5
NOISE = 0.25
# Part of a case's time that is ours; the rest is for the others.
OUR_PART = 0.75


class OutOfTime(RuntimeError):
    pass


class Budget:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def left(self):
        left = self.end - time.monotonic()
        if left <= 0:
            raise OutOfTime("out of time")
        return left


def execute(command, environment, budget):
    start = time.perf_counter()
    try:
        done = subprocess.run([str(part) for part in command], env={**os.environ, **environment},
                              text=True, capture_output=True, timeout=budget.left())
    except subprocess.TimeoutExpired:
        raise OutOfTime(f"{command[0].name} {' '.join(command[1:])}: out of time") from None
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: status {done.returncode}: {done.stderr.strip()[-300:]}")
    return elapsed, done.stdout, done.stderr


def stats_of(errors):
    found = re.search(r"^tutti-stats: (\{.*\})$", errors, re.MULTILINE)
    return json.loads(found[1]) if found else {}


@dataclasses.dataclass
class Result:
    seconds: float  # Per iteration.
    check: float
    iterations: int
    rate: str = ""
    counters: dict = dataclasses.field(default_factory=dict)
    note: str = ""


class Runs:
    """Shortest times of our program by its number of iterations, and what the last run printed."""

    def __init__(self, program, case, settings, budget):
        self.program, self.case, self.budget = program, case, budget
        self.environment = {"TUTTI_DEVICE": settings.device, "TUTTI_STATS": "json"}
        self.best = {}
        self.done = {}

    def add(self, count):
        arguments = self.case.arguments.format(count).split()
        elapsed, output, errors = execute([self.program, *arguments], self.environment, self.budget)
        self.best[count] = min(elapsed, self.best.get(count, elapsed))
        self.done[count] = (output, errors)

    def difference(self, count):
        return self.best[count] - self.best[self.case.few]

    def result(self, count, note):
        output, errors = self.done[count]
        return Result(self.difference(count) / (count - self.case.few),
                      float(re.search(self.case.check, output, re.MULTILINE)[1]), count,
                      counters=stats_of(errors), note=note)


def ours(program, case, span, settings, budget):
    """`span`: iterations that are enough even if we are twice as fast as the hand-written one."""
    runs = Runs(program, case, settings, budget)
    many = None
    repeated = 0
    try:
        runs.add(case.few)
        step = min(span, max(1, int(DIFFERENCE * case.few / runs.best[case.few])))
        longer = step
        while many is None or 4 * longer > 5 * step:
            step = longer
            runs.add(case.few + step)
            many = case.few + step
            difference = max(0.0, runs.difference(many))
            longer = min(span, math.ceil(step * DIFFERENCE / (difference + NOISE)))
        repeated = 1
        for _ in range(settings.repetitions - 1):
            runs.add(case.few)
            runs.add(many)
            repeated += 1
        note = ""
    except OutOfTime as problem:
        if many is None:
            raise
        note = f"ours: {max(repeated, 1)} of {settings.repetitions} runs, then {problem}"
    if runs.difference(many) < 4 * NOISE:
        note = "; ".join(filter(None, (note, f"difference of {runs.difference(many):.2f} s only")))
    return runs.result(many, note)


def baseline(program, case, count, budget, environment=None):
    _, output, _ = execute([program, *case.arguments.format(count).split()], environment or {},
                           budget)
    _, _, _, each, rate, unit, check = output.split()
    return Result(float(each), float(check), count, f"{float(rate):.0f} {unit}")


def differs(a, b):
    return abs(a - b) > TOLERANCE * max(abs(a), abs(b))


def attempt(problems, call, *arguments):
    try:
        return call(*arguments)
    except (RuntimeError, OSError, ValueError, TypeError) as problem:
        problems.append((str(problem).splitlines() or [type(problem).__name__])[0])
        return None


def environment_of_offloading(folder):
    return {"LD_LIBRARY_PATH": str(folder), "OMP_TARGET_OFFLOAD": "MANDATORY"}


def offloading(program, case, most, by_hand, problems, budget):
    """`by_hand`: its result after few iterations, or None."""
    environment = environment_of_offloading(program.parent)
    few = baseline(program, case, case.few, budget, environment)
    if by_hand and differs(few.check, by_hand.check):
        problems.append(f"results differ: {program.name} {few.check:.9e}, "
                        f"by hand {by_hand.check:.9e}")
    count = min(most, math.ceil(DIFFERENCE / few.seconds))
    return baseline(program, case, count, budget, environment) if count > case.few else few


def line(name, settings):
    case = CASES[name]
    budget = Budget(settings.limit)
    problems = []
    few = cuda = attempt(problems, baseline, settings.cuda / name, case, case.few, budget)
    span = case.most - case.few
    if cuda:
        span = max(1, min(span, math.ceil(2 * DIFFERENCE / cuda.seconds)))
    mine = attempt(problems, ours, settings.ours / name, case, span, settings,
                   Budget(OUR_PART * settings.limit))
    count = mine.iterations if mine else case.few + span
    if cuda:
        longer = attempt(problems, baseline, settings.cuda / name, case, count, budget)
        cuda = longer or cuda
    offloads = []
    for spelling in (name, f"{name}-loop") if settings.offload else ():
        if (settings.offload / spelling).exists():
            offloads.append(attempt(problems, offloading, settings.offload / spelling, case, count,
                                    few, problems, budget))
    offload = min(filter(None, offloads), key=lambda result: result.seconds, default=None)
    if mine and cuda and mine.iterations == cuda.iterations and differs(mine.check, cuda.check):
        problems.append(f"results differ: {mine.check:.9e}, by hand {cuda.check:.9e}")
    notes = [*problems, mine.note if mine else ""]
    milliseconds = lambda result: f"{result.seconds * 1e3:11.4f}" if result else f"{'-':>11}"
    ratio = lambda one, other: (f"{one.seconds / other.seconds:8.2f}" if one and other
                                else f"{'-':>8}")
    print(f"{name:10} {milliseconds(mine)} {milliseconds(cuda)} {milliseconds(offload)} "
          f"{ratio(mine, cuda)} {ratio(offload, cuda)} {count:>11} "
          f"{cuda.rate if cuda else '':>14}  "
          + "; ".join(filter(None, notes)), flush=True)
    if mine and settings.counters:
        print("           " + json.dumps(mine.counters), flush=True)
    return not problems


def large_jacobi(settings):
    """jacobi16k and the others' programs of its size, which print their own times."""
    size = ("16384", "16384", "1000")
    programs = [(settings.ours / "jacobi16k", (), {"TUTTI_DEVICE": settings.device}),
                (settings.cuda / "jacobif", size, {})]
    for spelling in ("jacobif", "jacobif-loop") if settings.offload else ():
        programs.append((settings.offload / spelling, size,
                         environment_of_offloading(settings.offload)))
    for program, arguments, environment in programs:
        if program.exists():
            problems = []
            result = attempt(problems, execute, [program, *arguments], environment,
                             Budget(settings.limit))
            last = result[1].strip().splitlines()[-1] if result else problems[0]
            print(f"{program.name:10} {last}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=pathlib.Path, required=True)
    parser.add_argument("--cuda", type=pathlib.Path, required=True)
    parser.add_argument("--offload", type=pathlib.Path)
    parser.add_argument("--device", default="cuda", help="TUTTI_DEVICE for ours")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--limit", type=float, default=32, help="seconds for one case")
    parser.add_argument("--counters", action="store_true", help="print what ours counted")
    parser.add_argument("examples", nargs="*", metavar="example",
                        help=f"of {', '.join(CASES)}; all unless named")
    settings = parser.parse_args()
    if unknown := set(settings.examples) - set(CASES):
        parser.error(f"no such example: {', '.join(sorted(unknown))}")
    settings.examples = settings.examples or list(CASES)
    settings.ours, settings.cuda = settings.ours.resolve(), settings.cuda.resolve()
    settings.offload = settings.offload and settings.offload.resolve()
    print("milliseconds per iteration; ratios to the hand-written program; iterations at most")
    print(f"{'example':10} {'tutti':>11} {'cuda':>11} {'offload':>11} {'tutti':>8} {'offload':>8} "
          f"{'iterations':>11} {'rate by hand':>14}", flush=True)
    large_jacobi(settings)
    outcomes = [line(name, settings) for name in settings.examples]
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
