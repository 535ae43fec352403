#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The XMP-ACC paper's Fig. 7 and what it stands for: XcalableMP examples on GPUs.

  speed-up   nbody (the paper's), laplace and matmul over sizes: one process with a GPU, two with one each,
             four that share two, over the serial program on one thread of the host
  cores      nbody on cores, on a GPU, and on both
  by hand    the same programs beside MPI and CUDA (bench/cuda/xmp, bench/cuda/matmul.cu)
  lines      that turn the serial program into the one for nodes, and that into the one for their devices

A step's time is the difference of a long and a short run, so start and first copies do not count.
--build-only FOLDER makes the programs (needs nvcc for those by hand) and stops; --programs FOLDER runs
them, perhaps on another machine; --draw FILE.svg draws what --results FILE.json holds.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Per size: steps of a short and of a long run on GPUs, and of those of the serial program.
NBODY = {2048: (10, 4010, 1, 11), 8192: (10, 1510, 1, 3), 32768: (5, 405, 0, 1)}
LAPLACE = {1024: (10, 5010, 10, 210), 4096: (10, 1510, 2, 22), 8192: (10, 3010, 1, 7)}
MATMUL = {256: (10, 5010, 1, 41), 512: (10, 4010, 1, 11), 1024: (10, 1010, 0, 1)}
BY_HAND = {"nbody": (131072, 2, 122), "laplace": (8192, 10, 3010), "matmul": (4096, 2, 82)}
CORES = ("nbody", 131072, (1, 3))  # What also runs on cores, which take fewer steps.
MACROS = {"nbody": ["N", "STEPS"], "laplace": ["ROWS", "COLUMNS", "STEPS"], "matmul": ["N", "TIMES"]}
WAYS = {  # Processes, environment.
    "1 process, 1 GPU": (1, {"CUDA_VISIBLE_DEVICES": "0"}),
    "2 processes, 2 GPUs": (2, {}),
    "4 processes, 2 GPUs": (4, {}),
}


def flags(name, size, steps):
    values = [size] * (len(MACROS[name]) - 1) + [steps]
    return ["-O3", *(f"-D{macro}={value}" for macro, value in zip(MACROS[name], values))]


def build(build_folder, folder):
    folder.mkdir(parents=True, exist_ok=True)
    tutticc = build_folder / "bin/tutticc"
    for name, sizes in (("nbody", NBODY), ("laplace", LAPLACE), ("matmul", MATMUL)):
        source = ROOT / f"examples/xmp/acc/{name}.c"
        large, *counts = BY_HAND[name]
        for size, steps in {**sizes, large: (*counts, *sizes.get(large, ())[2:])}.items():
            for kind, compiler, counts in (("gpu", tutticc, steps[:2]), ("serial", "clang-19", steps[2:])):
                more = CORES[2] if kind == "gpu" and (name, size) == CORES[:2] else ()
                for count in {*counts, *more}:
                    subprocess.run([compiler, *flags(name, size, count), "-Wno-unknown-pragmas", source, "-o",
                                    folder / f"{name}-{kind}-{size}-{count}", "-lm"], check=True)
    nvcc = ["nvcc", "-O3", "-std=c++17", f"-arch={os.environ.get('ARCH', 'native')}", "-cudart", "static"]
    mpi = [word for show in ("compile", "link")
           for word in subprocess.run(["mpicc", f"--showme:{show}"], text=True, check=True,
                                      capture_output=True).stdout.split() if re.match("-[IlL]", word)]
    for name, source, more in (("nbody", "xmp/nbody", mpi), ("laplace", "xmp/laplace", mpi),
                               ("matmul", "matmul", [])):
        subprocess.run([*nvcc, ROOT / f"bench/cuda/{source}.cu", "-o", folder / f"{name}-cuda", *more],
                       check=True)


class Bench:
    def __init__(self, folder, tuttirun):
        self.folder = folder
        self.tuttirun = tuttirun

    def run(self, command, environment):
        start = time.monotonic()
        result = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=300,
                                env={**os.environ, **environment})
        seconds = time.monotonic() - start
        if result.returncode != 0:
            raise RuntimeError(f"{command[-1]}: {result.returncode} {result.stderr[-300:]}")
        return seconds, result.stdout

    def step(self, name, kind, size, short, long, processes=1, environment=None, turns=2):
        """Seconds of a step, and what the long run printed."""
        best = []
        for steps in (short, long):
            program = self.folder / f"{name}-{kind}-{size}-{steps}"
            command = [program] if processes == 1 else [self.tuttirun, "-n", processes, program]
            results = [self.run(command, environment or {}) for _ in range(turns)]
            best.append(min(results))
        return (best[1][0] - best[0][0]) / (long - short), best[1][1]

    def by_hand(self, name, size, steps, processes):
        command = [self.folder / f"{name}-cuda", size, steps]
        if processes > 1:
            command = [self.tuttirun, "-n", processes, *command]
        words = min((self.run(command, {})[1].split() for _ in range(2)), key=lambda words: float(words[3]))
        return float(words[3]), words[-1]


def speed_ups(bench, found):
    for name, sizes in (("nbody", NBODY), ("laplace", LAPLACE), ("matmul", MATMUL)):
        print(f"\n{name:10} {'serial s/step':>14}" + "".join(f"{way:>22}" for way in WAYS))
        for size, (short, long, *serial) in sizes.items():
            alone, _ = bench.step(name, "serial", size, *serial, turns=1)
            row = {"serial": alone}
            for way, (processes, environment) in WAYS.items():
                seconds, _ = bench.step(name, "gpu", size, short, long, processes, environment)
                row[way] = seconds
            found.setdefault(name, {})[size] = row
            print(f"{size:10} {alone:14.6f}" + "".join(f"{alone / row[way]:21.1f}x" for way in WAYS), flush=True)


def beside_cuda(bench, found):
    print(f"\n{'program':10} {'size':>7} {'way':>22} {'by hand':>10} {'Tutti':>10} {'hand/Tutti':>10}  outputs")
    for name, (size, short, long) in BY_HAND.items():
        for way, processes, environment in (("1 process, 1 GPU", 1, {"CUDA_VISIBLE_DEVICES": "0"}),
                                            ("2 processes, 2 GPUs", 2, {}), ("1 process, 2 GPUs", 1, {})):
            if name == "matmul" and processes > 1:
                continue
            # By hand, two GPUs are two processes.
            hand, check = bench.by_hand(name, size, long, 2 if "2 GPUs" in way and name != "matmul" else 1)
            seconds, output = bench.step(name, "gpu", size, short, long, processes, environment)
            found.setdefault("by hand", []).append([name, size, way, hand, seconds])
            print(f"{name:10} {size:7} {way:>22} {hand * 1e3:8.3f}ms {seconds * 1e3:8.3f}ms {hand / seconds:10.3f}"
                  f"  {check} | {output.strip()}", flush=True)


def with_cores(bench, found):
    """Whether cores beside the GPU add what they can do alone."""
    name, size, few = CORES
    _, short, long = BY_HAND[name]
    speeds = {}
    for way, device, steps in (("cores", "cpu", few), ("GPU", "gpu", (short, long)),
                               ("both", "hybrid", (short, long))):
        seconds, _ = bench.step(name, "gpu", size, *steps, environment={
            "TUTTI_DEVICE": device, "CUDA_VISIBLE_DEVICES": "0"}, turns=1)
        speeds[way] = 1 / seconds
    found["cores"] = speeds
    print(f"\n{name} {size}, steps per second: " + ", ".join(f"{way} {speed:.1f}" for way, speed in speeds.items()) +
          f"; both / sum {speeds['both'] / (speeds['cores'] + speeds['GPU']):.3f}", flush=True)


def lines():
    """What directives add: lines that begin with one, of which parts are for devices alone."""
    print(f"\n{'program':10} {'lines':>6} {'for nodes':>10} {'for devices':>12} {'acc clauses':>12}")
    for name in ("nbody", "laplace", "matmul"):
        text = (ROOT / f"examples/xmp/acc/{name}.c").read_text().splitlines()
        directives = [line for line in text if line.lstrip().startswith("#pragma xmp")]
        devices = [line for line in directives if re.search(r"\bacc replicate", line)]
        clauses = [line for line in directives if re.search(r"\bacc\b", line) and line not in devices]
        print(f"{name:10} {len(text) - len(directives):6} {len(directives) - len(devices):10} "
              f"{len(devices):12} {len(clauses):12}")


def draw(results, path):
    """Speed-ups over sizes, a panel for each program, as SVG."""
    found = json.loads(results.read_text())
    names = [name for name in ("nbody", "laplace", "matmul") if name in found]
    colours = dict(zip(WAYS, ("#1b6ca8", "#d1495b", "#3a7d44")))
    width, height, margin = 300, 260, 50
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * len(names) + 20}" height="{height + 70}" '
             'font-family="sans-serif" font-size="11">']
    for panel, name in enumerate(names):
        rows = {int(size): row for size, row in found[name].items()}
        top = max(row["serial"] / row[way] for row in rows.values() for way in WAYS)
        left = panel * width + margin
        across = (width - margin - 20) / max(1, len(rows) - 1)
        parts.append(f'<text x="{left}" y="16" font-size="13">{name}: speed-up over one thread</text>')
        parts.append(f'<path d="M{left} 30 V{height} H{left + width - margin - 20}" fill="none" stroke="black"/>')
        parts.append(f'<text x="{left - 4}" y="36" text-anchor="end">{top:.0f}</text>')
        parts.append(f'<text x="{left - 4}" y="{height}" text-anchor="end">0</text>')
        for at, size in enumerate(rows):
            parts.append(f'<text x="{left + at * across}" y="{height + 15}" text-anchor="middle">{size}</text>')
        for way, colour in colours.items():
            points = " ".join(f"{left + at * across:.1f},{height - (height - 30) * row['serial'] / row[way] / top:.1f}"
                              for at, row in enumerate(rows.values()))
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    for at, (way, colour) in enumerate(colours.items()):
        parts.append(f'<text x="{margin + at * 190}" y="{height + 45}" fill="{colour}">{way}</text>')
    path.write_text("\n".join([*parts, "</svg>"]) + "\n")


PARTS = {"by-hand": beside_cuda, "speed-up": speed_ups, "cores": with_cores}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--build-only", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--tuttirun", type=pathlib.Path, help="default: that of --build")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("xmp-acc.json"), metavar="FILE.json")
    parser.add_argument("--parts", nargs="*", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--draw", type=pathlib.Path, metavar="FILE.svg")
    arguments = parser.parse_args()
    if arguments.build_only:
        build(arguments.build.resolve(), arguments.build_only)
        return
    if arguments.draw:
        draw(arguments.results, arguments.draw)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.programs
        if folder is None:
            folder = pathlib.Path(temporary)
            build(arguments.build.resolve(), folder)
        bench = Bench(folder, arguments.tuttirun or arguments.build.resolve() / "bin/tuttirun")
        found = {}
        lines()
        for part in arguments.parts:
            try:
                PARTS[part](bench, found)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"failed: {error}", flush=True)
            arguments.results.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    sys.exit(main())
