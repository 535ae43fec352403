#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fragments cost (bench/luna), beside what is written by hand.

  costs    an empty call, a link of a chain, a hop between two ranks, and unfolding on four: microseconds of time
           and of all processors for each call
  heat     heat conduction in 64 fragments on cores, beside MPI by hand (bench/mpi/luna): time, bytes, messages
  devices  the same on a GPU, in 1, 8 and 64 fragments, with the derived version of the step's procedure and with
           the program's own (code_cuda), both merged, and with fragments that are kept apart, beside MPI and CUDA
           by hand (bench/cuda/luna)
  matmul   a product of matrices in 4 x 4 blocks on a GPU, beside the same loop as an OpenMP region

A cost is the difference of a large and a small run, divided by the difference of their calls; the best of
--turns counts. A step is a difference, too, and the median of --turns counts. --small makes runs that only show
that all works. --build-only FOLDER makes the programs (nvcc makes those with CUDA, for ARCH; without nvcc they are
left out), puts the libraries beside them and stops; --programs FOLDER runs what was made so, perhaps on another
machine, which has MPI.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
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
# Cells, fragments; blocks, their size.
DEVICES, SMALL_DEVICES = (10000000, (1, 8, 64)), (8000, (1, 8))
MATMUL, SMALL_MATMUL = (4, 1024), (2, 16)
SECONDS = 1.5  # What the longer run on a GPU should take beyond the short one.
FIRST = 20     # Steps of the short one.


def compile_cuda(build_folder, folder):
    """What needs nvcc."""
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        print("no nvcc: nothing by hand for GPUs", file=sys.stderr)
        return
    architecture = f"-arch={os.environ.get('ARCH', 'native')}"
    mpi = [word for show in ("compile", "link")
           for word in subprocess.run(["mpicc", f"--showme:{show}"], text=True, check=True,
                                      capture_output=True).stdout.split() if re.match("-[IlL]", word)]
    subprocess.run([nvcc, "-O3", "-std=c++17", architecture, "-cudart", "static", ROOT / "bench/cuda/luna/heat.cu",
                    "-o", folder / "heat-cuda", *mpi], check=True)
    source = ROOT / "bench/luna"
    subprocess.run([build_folder / "bin/tuttic-luna", "-O3", source / "heat.fa", source / "heat.cpp",
                    source / "heat_gpu.cu", *([architecture] if "ARCH" in os.environ else []), "-o",
                    folder / "heat-own"], check=True)


def build(build_folder, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, *options in (("empty",), ("chain",), ("heat",), ("matmul",), ("heat-apart", "-DAPART")):
        source = ROOT / f"bench/luna/{name.split('-')[0]}.fa"
        procedures = source.with_suffix(".cpp")
        subprocess.run([build_folder / "bin/tuttic-luna", "-O3", *options, source,
                        *([procedures] if procedures.exists() else []), "-o", folder / name], check=True)
    subprocess.run([build_folder / "bin/tutticc", "-O3", ROOT / "bench/luna/matmul.c", "-o", folder / "matmul-openmp"],
                   check=True)
    subprocess.run(["mpicc", "-O3", ROOT / "bench/mpi/luna/heat.c", "-o", folder / "heat-mpi"], check=True,
                   env=dict(os.environ, OMPI_CC="clang-19", MPICH_CC="clang-19"))
    compile_cuda(build_folder, folder)


def bring_libraries(build_folder, folder):
    """Those of the runtime, and tuttirun, so that the folder is enough."""
    (folder / "lib").mkdir(exist_ok=True)
    shutil.copy(build_folder / "bin/tuttirun", folder)
    needs = subprocess.run(["ldd", *(folder / name for name in ("heat", "matmul-openmp", "tuttirun"))], check=True,
                           text=True, capture_output=True)
    transport = next(build_folder.rglob("libtutti_transport_mpi.so"))
    for name, path in {*re.findall(r"(\S+) => (/\S+)", needs.stdout), (transport.name, str(transport))}:
        if re.match(r"lib(tutti|g?omp|stdc\+\+|gcc_s)", name):
            shutil.copy(path, folder / "lib" / name)
            subprocess.run(["strip", "--strip-debug", folder / "lib" / name], check=True)


def run(command, **settings):
    """Seconds, seconds of all processors, what was printed, and the counters if there are any."""
    environment = dict(os.environ, TUTTI_STATS="json", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **settings)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    result = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=600,
                            env=environment)
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f"{command}: status {result.returncode}\n{result.stderr}")
    found = re.search(r"^(?:mpi|tutti)-stats: (\{.*\})$", result.stderr, re.M)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    counters = json.loads(found[1]) if found else {}
    return seconds, used, result.stdout, counters.get("fragments", counters)


def on_a_core(command):
    return run(command, TUTTI_WORKERS="1", TUTTI_DEVICE="cpu")


def best(command, turns):
    runs = [on_a_core(command) for _ in range(turns)]
    return min(each[0] for each in runs), min(each[1] for each in runs), runs[0][2], runs[0][3]


def show_costs(folder, tuttirun, turns, calls):
    print(f"{'':24}{'us':>10}{'us of CPU':>12}{'messages per call':>20}")
    for title, name, ranks in COSTS:
        few, many = ([tuttirun, "-n", ranks, folder / name, count] for count in calls[name])
        small, large = best(few, turns), best(many, turns)
        each = calls[name][1] - calls[name][0]
        messages = (large[3]["control"] - small[3]["control"]) / each
        print(f"{title:24}{1e6 * (large[0] - small[0]) / each:10.3f}"
              f"{1e6 * (large[1] - small[1]) / each:12.3f}{messages:20.4f}", flush=True)


def moved(counters):
    """Bytes and messages of a run: by hand as it says itself, ours what went to other ranks' readers."""
    if "pushes" in counters:
        return counters["pushes"]["bytes"], counters["pushes"]["messages"]
    return counters["bytes"], counters["messages"]


def show_heat(folder, tuttirun, turns, parts, size, steps):
    """Milliseconds of a step, ours and by hand in turn; the first steps, and the starts, do not count."""
    print(f"{'':24}{'ms a step':>10}{'by hand':>12}{'ratio':>8}{'ms of CPU':>12}{'by hand':>12}{'fragments':>12}"
          f"{'bytes a step':>14}{'by hand':>9}{'values':>8}{'by hand':>9}")
    for ranks in (1, 2, 4):
        commands = {"ours": [tuttirun, "-n", ranks, folder / "heat"],
                    "hand": [tuttirun, "-n", ranks, folder / "heat-mpi"]}
        found = {name: [] for name in commands}
        for _ in range(turns):
            printed = set()
            counts = []
            for name, command in commands.items():
                few, many = (on_a_core([*command, parts, size, count]) for count in (steps, 5 * steps))
                found[name].append([1e3 * (many[at] - few[at]) / (4 * steps) for at in (0, 1)])
                printed.add(many[2])
                counts.append([(after - before) / (4 * steps)
                               for before, after in zip(moved(few[3]), moved(many[3]))])
                if name == "ours":
                    held = many[3]["peak"]
            if len(printed) != 1:
                sys.exit(f"heat on {ranks} ranks: {printed}")
        ours, hand = ([statistics.median(each[at] for each in found[name]) for at in (0, 1)] for name in commands)
        print(f"{f'heat on {ranks} ranks':24}{ours[0]:10.3f}{hand[0]:12.3f}{ours[0] / hand[0]:8.2f}"
              f"{ours[1]:12.3f}{hand[1]:12.3f}{held:12}"
              f"{counts[0][0]:14.1f}{counts[1][0]:9.1f}{counts[0][1]:8.2f}{counts[1][1]:9.2f}", flush=True)


class Steps:
    """Runs of a program on a GPU, given everything but the number of steps."""

    def __init__(self, command):
        self.command = command
        self.steps = 0  # Of the longer run beyond the short one.

    def run(self, steps):
        return run([*self.command, steps], TUTTI_DEVICE=os.environ.get("TUTTI_DEVICE", "gpu"))

    def calibrate(self, seconds):
        """Twice to sixteen times as many steps until they show beside the start."""
        short, _, self.printed, self.counters = self.run(FIRST)
        self.steps = FIRST
        while seconds > 0:
            longer = self.run(FIRST + self.steps)[0] - short
            if longer > seconds:
                break
            wanted = self.steps * seconds * 1.3 / max(longer, seconds / 16)
            self.steps = int(min(max(wanted, 2 * self.steps), 16 * self.steps))

    def milliseconds(self):
        short, long = self.run(FIRST)[0], self.run(FIRST + self.steps)[0]
        return 1e3 * (long - short) / self.steps


def agree(texts):
    numbers = [float(text.split()[-1]) for text in texts]
    return all(abs(each - numbers[0]) <= 1e-9 * abs(numbers[0]) for each in numbers)


def compare(title, by_hand, ours, turns, seconds):
    """A row for each of ours; what all print has to agree."""
    hand = Steps(by_hand)
    hand.calibrate(seconds)
    for name, command in ours:
        own = Steps(command)
        own.calibrate(seconds)
        pairs = [(hand.milliseconds(), own.milliseconds()) for _ in range(turns)]
        theirs, mine = (statistics.median(each) for each in zip(*pairs))
        ran = own.counters.get("devices", {}).get("calls", 0)
        print(f"{f'{title}, {name}':36}{mine:10.4f}{theirs:12.4f}{mine / theirs:8.2f}{theirs / mine:10.2f}"
              f"{ran:14}{'' if agree([hand.printed, own.printed]) else '  WRONG'}", flush=True)


VERSIONS = (("derived", "heat"), ("own", "heat-own"), ("apart", "heat-apart"))


def show_devices(folder, turns, cells, fragments, seconds, versions):
    print(f"{'':36}{'ms a step':>10}{'by hand':>12}{'ratio':>8}{'hand/ours':>10}{'device calls':>14}")
    for parts in fragments:
        arguments = [parts, cells // parts]
        compare(f"heat in {parts} fragments", [folder / "heat-cuda", *arguments],
                [(name, [folder / program, *arguments]) for name, program in VERSIONS if name in versions],
                turns, seconds)


def show_matmul(folder, turns, blocks, size, seconds):
    print(f"{'':36}{'ms':>10}{'OpenMP':>12}{'ratio':>8}{'OMP/ours':>10}{'device calls':>14}")
    compare(f"product of {blocks * size}", [folder / "matmul-openmp", blocks, size],
            [(f"{blocks} x {blocks} blocks", [folder / "matmul", blocks, size])], turns, seconds)


def main():
    global FIRST
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--build-only", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--tuttirun", type=pathlib.Path, help="default: that of --build")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--small", action="store_true")
    versions = [name for name, _ in VERSIONS]
    parser.add_argument("--fragments", type=int, nargs="+", metavar="N", help="of the table devices; default: 1 8 64")
    parser.add_argument("--versions", nargs="+", choices=versions, default=versions, help="of the table devices")
    tables = ("costs", "heat", "devices", "matmul")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(tables)}; default: costs, heat")
    arguments = parser.parse_args()
    wanted = arguments.tables or tables[:2]
    if unknown := set(wanted) - set(tables):
        parser.error(f"there is no table {', '.join(sorted(unknown))}")
    build_folder = arguments.build.resolve()
    if arguments.build_only:
        build(build_folder, arguments.build_only)
        bring_libraries(build_folder, arguments.build_only)
        return
    tuttirun = arguments.tuttirun or build_folder / "bin/tuttirun"
    if arguments.programs and (arguments.programs / "lib").exists():
        own = str((arguments.programs / "lib").resolve())
        os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [own, os.environ.get("LD_LIBRARY_PATH")]))
        tuttirun = arguments.tuttirun or arguments.programs.resolve() / "tuttirun"
    seconds = SECONDS
    if arguments.small:
        FIRST, seconds = 2, 0
    with tempfile.TemporaryDirectory(prefix="tutti-bench-") as temporary:
        folder = arguments.programs
        if folder is None:
            folder = pathlib.Path(temporary)
            build(build_folder, folder)
        folder = folder.resolve()
        if "costs" in wanted:
            show_costs(folder, tuttirun, arguments.turns, FEW_CALLS if arguments.small else CALLS)
        if "heat" in wanted:
            show_heat(folder, tuttirun, arguments.turns, *(SMALL_HEAT if arguments.small else HEAT))
        if "devices" in wanted:
            cells, fragments = SMALL_DEVICES if arguments.small else DEVICES
            show_devices(folder, arguments.turns, cells, arguments.fragments or fragments, seconds, arguments.versions)
        if "matmul" in wanted:
            show_matmul(folder, arguments.turns, *(SMALL_MATMUL if arguments.small else MATMUL), seconds)


if __name__ == "__main__":
    main()
