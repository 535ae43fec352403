#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a steady launch on GPUs costs the host, without a GPU: examples on the driver library of
runtime/device/cuda/test, whose kernels do nothing.

Prints, per iteration of the example's time loop: microseconds (the library's own, a fraction of one
per call, included; it makes the copies between devices itself) and calls of the driver. Each is the
difference between a long and a short run.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Example, GPUs, arguments before the number of iterations, two numbers.
CASES = [
    ("heat3d", 1, "", 5000, 105000),
    ("jacobi", 1, "100 100", 5000, 55000),
    ("jacobi", 4, "2000 2000", 500, 5500),
]


def run(program, arguments, environment):
    """Seconds of the best of three runs, and its calls of the driver by name."""
    best = None
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run([program, *arguments], env=environment, check=True, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        elapsed = time.perf_counter() - start
        best = elapsed if best is None else min(best, elapsed)
    calls = re.findall(r"^fake CUDA driver: (\w+) (\d+)$", done.stderr, re.MULTILINE)
    return best, collections.Counter({name: int(count) for name, count in calls})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    build = parser.parse_args().build.resolve()
    fake = build / "runtime/device/cuda/test/fake"
    if not fake.exists():
        return f"{fake} is not there: build with TUTTI_BUILD_TESTS"
    with tempfile.TemporaryDirectory() as temporary:
        for name, devices, arguments, few, many in CASES:
            program = f"{temporary}/{name}"
            subprocess.run([build / "bin/tutticc", "-O3", ROOT / f"examples/{name}/{name}.c", "-o",
                            program, "-lm"], check=True)
            environment = dict(os.environ, LD_LIBRARY_PATH=str(fake), TUTTI_DEVICE="cuda",
                               FAKE_CUDA_IDLE="1", FAKE_CUDA_DEVICES=str(devices))
            short, calls = run(program, [*arguments.split(), str(few)], environment)
            long, more = run(program, [*arguments.split(), str(many)], environment)
            more.subtract(calls)
            each = {call: count / (many - few) for call, count in more.items()}
            words = ", ".join(f"{count:.2f} {call}" for call, count in sorted(each.items())
                              if count >= 0.005)
            print(f"{name} on {devices}: {(long - short) / (many - few) * 1e6:.2f} us, "
                  f"{sum(each.values()):.2f} calls: {words}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
