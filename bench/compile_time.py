#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiling with Tutti costs: each example with clang -fopenmp -O3 and with tutticc -O3, in
turn, from source to executable. Those in XcalableMP with clang -O3, which ignores their pragmas.
With --programs FOLDER and --commands FILE programs of others instead: each line of the file is

    subfolder: c++ -O3 -fopenmp -std=c++14 -c file.cpp

where cc and c++ stand for the compilers; lines without a colon, and such with # in front, say
nothing.

Prints the least elapsed time of many runs, and ratios to clang: with kernels for the targets of
TUTTI_TARGETS, and without any; then those of processor time (user and system, of the compiler and
all that it starts), which is more where kernels are written beside the host's code. Another program on the
machine can only add to a run's time, so the least is what the work itself costs.
"""
import argparse
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def examples():
    """Of OpenMP by the names of their folders; of XcalableMP xmp/NAME and xmp/acc/NAME."""
    folder = ROOT / "examples"
    openmp = [each.name for each in folder.iterdir() if list(each.glob(f"{each.name}.c*"))]
    xmp = [str(each.relative_to(folder).with_suffix("")) for each in (folder / "xmp").rglob("*.c")]
    return sorted(openmp) + sorted(xmp)


def commands(build_folder, folder, name):
    """Of clang, of tutticc with kernels and without: command and environment."""
    is_xmp = "/" in name
    source = (ROOT / "examples" / f"{name}.c" if is_xmp else
              next((ROOT / "examples" / name).glob(f"{name}.c*")))
    is_cxx = source.suffix == ".cpp"
    clang = ["clang++-19" if is_cxx else "clang-19", *([] if is_xmp else ["-fopenmp"])]
    tutti = [str(build_folder / "bin" / ("tuttic++" if is_cxx else "tutticc"))]
    words = ["-O3", str(source), "-o", str(folder / source.stem), "-lm"]
    return [([*clang, *words], os.environ), ([*tutti, *words], os.environ),
            ([*tutti, *words], dict(os.environ, TUTTI_TARGETS="none"))]


class Compilations:
    """What to compile: names, and for each the three commands with environment and folder."""

    def __init__(self, arguments):
        self.build = arguments.build.resolve()
        self.programs = arguments.programs
        if self.programs:
            self.lines = dict(self.read(arguments.commands))
        self.names = arguments.examples or (list(self.lines) if self.programs else examples())

    @staticmethod
    def read(file):
        """Pairs of a name, subfolder and source, and the words of a command."""
        for line in file.read_text().splitlines():
            folder, colon, command = line.partition(":")
            if colon and not line.startswith("#"):
                words = shlex.split(command)
                yield f"{folder}/{words[-1]}", (folder, words)

    def commands(self, name, output):
        if not self.programs:
            return [(*each, None) for each in commands(self.build, output, name)]
        folder, (compiler, *words) = self.lines[name]
        is_cxx = compiler == "c++"
        clang = "clang++-19" if is_cxx else "clang-19"
        tutti = str(self.build / "bin" / ("tuttic++" if is_cxx else "tutticc"))
        words = ["-w", *words, "-o", str(output / "program")]
        kinds = [(clang, os.environ), (tutti, os.environ),
                 (tutti, dict(os.environ, TUTTI_TARGETS="none"))]
        return [([used, *words], environment, self.programs / folder)
                for used, environment in kinds]


def seconds(command, environment, folder):
    """Elapsed, and of processors."""
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {process.returncode}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--programs", type=pathlib.Path, help="folder of programs of others")
    parser.add_argument("--commands", type=pathlib.Path, help="how they are compiled")
    parser.add_argument("examples", nargs="*", help="some of them only")
    arguments = parser.parse_args()
    if bool(arguments.programs) != bool(arguments.commands):
        parser.error("--programs and --commands need each other")
    ratios = []
    busy_ratios = []
    compilations = Compilations(arguments)
    width = max(map(len, compilations.names))
    print(f"{'example':{width}} {'clang':>8} {'tutti':>8} {'no kernels':>10} {'ratio':>6} "
          f"{'no kernels':>10} {'processor':>10} {'no kernels':>10}")
    with tempfile.TemporaryDirectory() as temporary:
        for name in compilations.names:
            kinds = compilations.commands(name, pathlib.Path(temporary))
            times = [[] for _ in kinds]
            for repetition in range(arguments.repetitions):
                # In turn and in changing order, so that a slow phase of the machine meets all.
                for index in range(len(kinds))[:: 1 if repetition % 2 else -1]:
                    times[index].append(seconds(*kinds[index]))
            clang, tutti, bare = (min(elapsed for elapsed, _ in values) for values in times)
            base, *busy = (min(used for _, used in values) for values in times)
            ratios.append(tutti / clang)
            busy_ratios.append(busy[0] / base)
            print(f"{name:{width}} {clang:7.3f}s {tutti:7.3f}s {bare:9.3f}s {tutti / clang:6.2f} "
                  f"{bare / clang:10.2f} {busy[0] / base:10.2f} {busy[1] / base:10.2f}",
                  flush=True)
    print(f"median ratio {statistics.median(ratios):.2f}, highest {max(ratios):.2f}; of processor "
          f"time {statistics.median(busy_ratios):.2f}, {max(busy_ratios):.2f}")


if __name__ == "__main__":
    sys.exit(main())
