#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The OmpSs-2 paper's Fig. 1 and what it stands for: programs whose tasks are kernels, over an older runtime.

--build FOLDER makes the programs and puts the runtime beside them (needs nvcc and a build of Tutti). --run
FOLDER runs them, perhaps on another machine, which needs a GPU and its driver only; it prints the table and
writes FOLDER/results.json and FOLDER/figure.svg. --draw FILE.json FILE.svg draws what has been recorded.

  copies    a call for each task, which copies in, launches, copies out and waits: the older design
  managed   tasks over managed memory, which its driver moves when it is touched: the paper's design
  prefetch  the same, moved ahead of each kernel
  ours      tasks over memory of malloc
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SOURCES = ["main.c", "linear.c", "streams.c", "grids.c"]
# Label: program, what bounds it, cells or rows, those of a block, rounds.
PROGRAMS = {
    "matmul": ("matmul", "computing", 4096, 512, 4),
    "cholesky": ("cholesky", "computing", 8192, 512, 1),
    "black_scholes": ("black_scholes", "computing", 1 << 25, 1 << 20, 20),
    "saxpy": ("saxpy", "memory", 1 << 27, 1 << 21, 20),
    "saxpy once": ("saxpy", "memory", 1 << 27, 1 << 21, 1),
    "triad": ("triad", "memory", 1 << 26, 1 << 20, 20),
    "triad once": ("triad", "memory", 1 << 26, 1 << 20, 1),
    "hotspot": ("hotspot", "memory", 8192, 512, 60),
    "jacobi": ("jacobi", "memory", 8192, 512, 60),
}
WAYS = {  # Program, memory, environment.
    "copies": ("blocking", "pinned", {}),
    "managed": ("tasks", "managed", {"TUTTI_MANAGED": "driver"}),
    "prefetch": ("tasks", "managed", {"TUTTI_MANAGED": "prefetch"}),
    "ours": ("tasks", "heap", {}),
}
COLOURS = {"managed": "#d1495b", "prefetch": "#e0a030", "ours": "#1b6ca8"}


def build(tutti, folder):
    folder.mkdir(parents=True, exist_ok=True)
    architecture = os.environ.get("ARCH", "sm_90")
    subprocess.run([tutti / "bin/tutticc", "-O3", "-fompss-2", f"-arch={architecture}", *SOURCES, "kernels.cu",
                    "-o", folder.resolve() / "tasks", "-lm"], check=True, cwd=HERE)
    # nvcc compiles C as C++: the programs are compiled apart, by the C compiler that it calls.
    objects = []
    for source in [*SOURCES, "kernels.cu", "blocking.cu"]:
        objects.append(folder.resolve() / f"{source}.o")
        language = [] if source.endswith(".cu") else ["-x", "c", "-DBLOCKING", "-Xcompiler", "-Wno-unknown-pragmas"]
        subprocess.run(["nvcc", "-O3", f"-arch={architecture}", *language, "-c", source, "-o", objects[-1]],
                       check=True, cwd=HERE)
    subprocess.run(["nvcc", f"-arch={architecture}", "-cudart", "static", *objects, "-o", folder / "blocking"],
                   check=True)
    for each in objects:
        each.unlink()
    bring_libraries(folder)


def bring_libraries(folder):
    """What the tasks need and a machine without Clang may lack, without what only debuggers read."""
    (folder / "lib").mkdir(exist_ok=True)
    needs = subprocess.run(["ldd", folder / "tasks"], check=True, text=True, capture_output=True).stdout
    for name, path in re.findall(r"(\S+) => (/\S+)", needs):
        if re.match(r"lib(tutti|omp|stdc\+\+|gcc_s)", name):
            target = folder / "lib" / name
            shutil.copy(path, target)
            subprocess.run(["strip", "--strip-debug", target], check=True)


class Different(Exception):
    """Two ways have different results."""


def measure(folder, label, way, runs, scale):
    program, _, n, block, rounds = PROGRAMS[label]
    binary, memory, environment = WAYS[way]
    words = [program, memory, max(n // scale, 2 * block), block, rounds, runs]
    libraries = f"{folder / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    result = subprocess.run([str(word) for word in (folder / binary, *words)], text=True, capture_output=True,
                            timeout=600, env={**os.environ, "LD_LIBRARY_PATH": libraries, **environment})
    if result.returncode != 0:
        raise RuntimeError(f"{label}, {way}: {result.returncode} {result.stderr[-300:]}")
    seconds, total = result.stdout.split()
    return float(seconds), total


def run(folder, runs, scale):
    print(f"{'program':15} {'bound by':10}" + "".join(f"{way + ' s':>12}" for way in WAYS) +
          f"{'best others / ours':>20}")
    found = {}
    for label, (_, bound, *_) in PROGRAMS.items():
        measured = {}
        try:
            measured = {way: measure(folder, label, way, runs, scale) for way in WAYS}
            if len({total for _, total in measured.values()}) > 1:
                raise Different(f"{label}: the results differ: {measured}")
        except (RuntimeError, Different, subprocess.TimeoutExpired) as error:
            print(f"failed: {error}", flush=True)
            continue
        seconds = {way: value for way, (value, _) in measured.items()}
        found[label] = {"bound": bound, **seconds}
        others = min(value for way, value in seconds.items() if way != "ours")
        print(f"{label:15} {bound:10}" + "".join(f"{value:12.4f}" for value in seconds.values()) +
              f"{others / seconds['ours']:20.2f}", flush=True)
        (folder / "results.json").write_text(json.dumps(found, indent=1))
    draw(found, folder / "figure.svg")
    return 0 if len(found) == len(PROGRAMS) else 1


def draw(found, path):
    """Speed-up over copies, bars for each program; those beyond the top carry their number."""
    height, top, group, left = 240, 8.0, 100, 40
    bar = (group - 25) / len(COLOURS)
    width = left + group * len(found)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 10}" height="{height + 80}" '
             'font-family="sans-serif" font-size="11">',
             f'<text x="{left}" y="14" font-size="13">speed-up over blocking launches with copies</text>']
    for value in range(0, int(top) + 1, 2):
        y = height - (height - 30) * value / top
        parts.append(f'<text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end">{value}</text>')
        parts.append(f'<path d="M{left} {y:.1f} H{width}" stroke="#ddd"/>')
    one = height - (height - 30) / top
    parts.append(f'<path d="M{left} {one:.1f} H{width}" stroke="black" stroke-dasharray="4 3"/>')
    for at, (label, row) in enumerate(found.items()):
        for index, (way, colour) in enumerate(COLOURS.items()):
            value = row["copies"] / row[way]
            tall = (height - 30) * min(value, top) / top
            x = left + at * group + 10 + index * bar
            parts.append(f'<rect x="{x:.1f}" y="{height - tall:.1f}" width="{bar - 2:.1f}" height="{tall:.1f}" '
                         f'fill="{colour}"/>')
            parts.append(f'<text x="{x + bar / 2 - 1:.1f}" y="{height - tall - 3:.1f}" font-size="9" '
                         f'text-anchor="middle">{value:.1f}</text>')
        middle = left + at * group + group / 2
        parts.append(f'<text x="{middle}" y="{height + 15}" text-anchor="middle">{label}</text>')
        parts.append(f'<text x="{middle}" y="{height + 29}" text-anchor="middle" fill="#666">{row["bound"]}</text>')
    for at, (way, colour) in enumerate(COLOURS.items()):
        parts.append(f'<text x="{left + at * 110}" y="{height + 60}" fill="{colour}">{way}</text>')
    path.write_text("\n".join([*parts, "</svg>"]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--build", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--run", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--draw", type=pathlib.Path, nargs=2, metavar=("FILE.json", "FILE.svg"))
    parser.add_argument("--tutti", type=pathlib.Path, default=ROOT / "build/release", help="with --build")
    parser.add_argument("--runs", type=int, default=5, help="of each program, of which the best counts")
    parser.add_argument("--scale", type=int, default=1, help="divides all sizes, for a machine with less memory")
    arguments = parser.parse_args()
    if arguments.build:
        build(arguments.tutti.resolve(), arguments.build)
        return 0
    if arguments.run:
        return run(arguments.run.resolve(), arguments.runs, arguments.scale)
    draw(json.loads(arguments.draw[0].read_text()), arguments.draw[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
