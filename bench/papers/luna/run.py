#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LuNA paper's Fig. 1 and 2: how long a step of its solver takes, over the share of the rod that the cores
have, and over the share that is dragged through the GPU, for four loads (operations on a cell).

--build FOLDER makes the programs and puts the runtime beside them (needs nvcc and a build of Tutti). --run
FOLDER runs them, perhaps on another machine, which needs a GPU and its driver only; it prints the rows, checks
what the paper found, and writes FOLDER/results.json, FOLDER/cpu.svg and FOLDER/drag.svg. --tune FOLDER lets
tuttirun find the shares, compares a step with the best of the rows in FOLDER/results.json, and a whole run with
the profile with one that is told the best shares: what the paper left open. --figures FOLDER does both, one
after the other. --draw FILE.json FOLDER draws what has been recorded.

A step is the difference of a long and a short run. In Fig. 1 nothing is dragged; in Fig. 2 the GPU keeps a
quarter of the rod, as if its memory were full, and the cores have what is left.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LOADS = (1, 10, 100, 1000)
CPU_SHARES = (0, 0.002, 0.01, 0.03, 0.1, 0.3, 0.6, 1)
DRAG_SHARES = (0, 0.1, 0.2, 0.4, 0.6, 0.7, 0.75)
OWN = 0.25  # The GPU's part in Fig. 2.
PORTIONS = 8
PROBES = 10
SECONDS = 0.5  # What the longer run should take beyond the short one.
SHORT = 3  # Steps of the short run.
MOST = 20000  # Steps of the longer one beyond it.
COLOURS = ("#1b6ca8", "#2e8b57", "#e0a030", "#d1495b")


def build(tutti, folder):
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([tutti / "bin/tuttic-luna", "-O3", "-march=x86-64-v3", HERE / "solver.fa",
                    HERE / "ucodes.cpp", "-o", folder / "solver"], check=True)
    subprocess.run(["nvcc", "-O3", f"-arch={os.environ.get('ARCH', 'sm_90')}", "-cudart", "static", "-Xcompiler",
                    "-fopenmp,-march=x86-64-v3", HERE / "hand.cu", "-o", folder / "hand"], check=True)
    (folder / "lib").mkdir(exist_ok=True)
    shutil.copy(tutti / "bin/tuttirun", folder)
    needs = subprocess.run(["ldd", folder / "solver", folder / "hand", folder / "tuttirun"], check=True, text=True,
                           capture_output=True)
    for name, path in set(re.findall(r"(\S+) => (/\S+)", needs.stdout)):
        if re.match(r"lib(tutti|g?omp|stdc\+\+|gcc_s)", name):
            shutil.copy(path, folder / "lib" / name)
            subprocess.run(["strip", "--strip-debug", folder / "lib" / name], check=True)


def environment(folder, **more):
    libraries = f"{folder / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    return {**os.environ, "LD_LIBRARY_PATH": libraries, **{key: str(value) for key, value in more.items()}}


def output(command, settings):
    """Seconds of the whole run, and the words that it prints."""
    start = time.monotonic()
    result = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=120, env=settings)
    if result.returncode != 0:
        raise RuntimeError(f"{command}: {result.returncode} {result.stderr[-300:]}")
    return time.monotonic() - start, result.stdout.split()


def step(folder, kind, cells, load, cpu, drag, portions=PORTIONS):
    """Milliseconds of a step, and the sum after the short run, which must not depend on the split."""
    settings = environment(folder, TUTTI_ROPE=f"cpu={cpu},drag={drag},portions={portions}", TUTTI_DEVICE="gpu")
    last = [cpu, drag, portions] if kind == "hand" else []

    def run(steps):
        seconds, words = output([folder / kind, cells, load, steps, *last], settings)
        return (float(words[0]) if kind == "hand" else seconds), words[-1]

    short, total = run(SHORT)
    # Twice as many steps until they show beside the start.
    more = 8
    while True:
        longer, _ = run(SHORT + more)
        if longer - short > SECONDS or more >= MOST:
            return 1000 * (longer - short) / more, total
        # At least twice, at most sixteen times as many: what is hidden by the noise of starts may be anything.
        wanted = more * SECONDS * 1.3 / max(longer - short, SECONDS / 16)
        more = int(min(max(wanted, 2 * more), 16 * more, MOST))


def measure(folder, cells, shares, split):
    """Rows of a figure: for each share the step's milliseconds for each load."""
    rows, totals = {}, {}
    for share in shares:
        rows[share] = []
        for load in LOADS:
            value, total = step(folder, "solver", cells, load, *split(share))
            rows[share].append(value)
            if totals.setdefault(load, total) != total:
                raise RuntimeError(f"load {load}, share {share}: {total} for {totals[load]}")
        print(f"{share:12}" + "".join(f"{value:14.3f}" for value in rows[share]), flush=True)
    best = [min(shares, key=lambda share: rows[share][i]) for i in range(len(LOADS))]
    print(f"{'best share':>12}" + "".join(f"{share:14}" for share in best))
    by_hand = []
    for load, share in zip(LOADS, best):
        value, total = step(folder, "hand", cells, load, *split(share))
        by_hand.append(value)
        same = abs(float(total) - float(totals[load])) <= 1e-12 * abs(float(total))
        print("" if same else f"the sum by hand differs: {total} for {totals[load]}", end="" if same else "\n")
    print(f"{'by hand':>12}" + "".join(f"{value:14.3f}" for value in by_hand))
    ratios = [rows[share][i] / by_hand[i] for i, share in enumerate(best)]
    print(f"{'ratio':>12}" + "".join(f"{ratio:14.2f}" for ratio in ratios), flush=True)
    return {"rows": [[share, *values] for share, values in rows.items()], "best": best, "by hand": by_hand}


def say(found, text):
    print(f"{'holds' if found else 'does not hold'}: {text}")


def run(folder, cells):
    head = "".join(f"{f'load {load}':>14}" for load in LOADS)
    print(f"{cells} cells, milliseconds of a step\nFig. 1, nothing is dragged\n{'CPU share':>12}{head}")
    first = measure(folder, cells, CPU_SHARES, lambda share: (share, 0))
    print(f"Fig. 2, the GPU keeps {OWN} of the rod\n{'drag share':>12}{head}")
    second = measure(folder, cells, DRAG_SHARES, lambda share: (round(1 - OWN - share, 4), share))
    say(all(0 < share < 1 for share in first["best"]), "the best point of Fig. 1 uses both processors")
    say(len(set(first["best"])) > 1, "the best share of the cores depends on the load")
    say(all(share > 0 for share in second["best"]), "the best drag share is not zero")
    say(len(set(second["best"])) > 1, "the best drag share depends on the load")
    found = {"cells": cells, "cpu": first, "drag": second}
    (folder / "results.json").write_text(json.dumps(found, indent=1))
    draw(found, folder)
    return 0


def find_shares(folder, cells, load, milliseconds):
    """The shares that tuttirun finds in runs of six steps, and with how many of them: 60 steps at most."""
    steps = SHORT + min(int(1000 * SECONDS / milliseconds), MOST)
    profile = folder / "profile.json"
    profile.unlink(missing_ok=True)
    subprocess.run([folder / "tuttirun", f"--tune={PROBES}", folder / "solver", str(cells), str(load), str(steps)], check=True,
                   env=environment(folder, TUTTI_PROFILE=profile, TUTTI_DEVICE="gpu"), stdout=subprocess.DEVNULL)
    found = json.loads(profile.read_text())
    shares = dict(part.split("=") for part in found["rope"].split(","))
    return float(shares["cpu"]), float(shares["drag"]), int(shares["portions"]), found["probes"], steps


def with_profile(folder, cells, load, steps, cpu, drag, portions):
    """Seconds of whole runs, in turn: one that begins with what the profile says, and one that is told it. All steps
    of the first one run with the shares that were found if it takes no longer."""
    command = [folder / "tuttirun", folder / "solver", cells, load, steps]
    rope = f"cpu={cpu:g},drag={drag:g},portions={portions}"
    pairs = [(output(command, environment(folder, TUTTI_PROFILE=folder / "profile.json", TUTTI_DEVICE="gpu"))[0],
              output(command, environment(folder, TUTTI_ROPE=rope, TUTTI_DEVICE="gpu"))[0]) for _ in range(3)]
    return min(first for first, _ in pairs), min(second for _, second in pairs)


def tune(folder, cells):
    recorded = json.loads((folder / "results.json").read_text())
    if recorded["cells"] != cells:
        raise RuntimeError(f"the rows are of {recorded['cells']} cells")
    print(f"Fig. 3, {cells} cells, milliseconds of a step, and of whole runs with the profile\n"
          f"{'load':>6}{'best row':>12}{'found':>12}{'ratio':>8}{'profile':>12}{'told':>12}  shares")
    ratios, probes, starts, kept = [], [], [], []
    for i, load in enumerate(LOADS):
        # Of the rows of both figures, as shares of the cores and of what is dragged.
        rows = [(row[i + 1], (row[0], 0)) for row in recorded["cpu"]["rows"]]
        rows += [(row[i + 1], (round(1 - OWN - row[0], 4), row[0])) for row in recorded["drag"]["rows"]]
        milliseconds, shares = min(rows)
        cpu, drag, portions, count, steps = find_shares(folder, cells, load, milliseconds)
        # Both are measured now, one after the other.
        best, _ = step(folder, "solver", cells, load, *shares)
        found, _ = step(folder, "solver", cells, load, cpu, drag, portions)
        first, told = with_profile(folder, cells, load, steps, cpu, drag, portions)
        ratios.append(found / best)
        probes.append(count)
        starts.append(first / told)
        kept.append({"load": load, "best": best, "found": found, "cpu": cpu, "drag": drag, "portions": portions,
                     "probes": count, "steps": steps, "with profile": first, "told": told})
        print(f"{load:6}{best:12.3f}{found:12.3f}{ratios[-1]:8.2f}{1000 * first:12.0f}{1000 * told:12.0f}"
              f"  cpu={cpu:g} drag={drag:g} portions={portions} in {count} runs", flush=True)
    recorded["tuned"] = kept
    (folder / "results.json").write_text(json.dumps(recorded, indent=1))
    say(all(ratio <= 1.1 for ratio in ratios), "found shares take at most 1.1 times as long as the best of the rows")
    say(all(6 * count <= 60 for count in probes), "they are found in at most 60 steps")
    say(all(start <= 1.1 for start in starts), "a run with the profile has them from its first step on")
    return 0


def draw(found, folder):
    for name, title in (("cpu", "share of the cores, nothing dragged"),
                        ("drag", f"share dragged through, {OWN} stays on the GPU")):
        (folder / f"{name}.svg").write_text(figure(found[name]["rows"], title))


def figure(rows, title):
    """Times over shares, each load's over its best, so that all four fit."""
    width, height, left, top = 460, 260, 50, 30
    highest = 8.0
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 130}" height="{height + 60}" '
             'font-family="sans-serif" font-size="11">',
             f'<text x="{left}" y="16" font-size="13">time of a step over the best of its load</text>',
             f'<text x="{left}" y="{height + 45}">{title}</text>']

    def place(at, value):
        y = height - (height - top) * (min(value, highest) - 1) / (highest - 1)
        return left + (width - left) * at / (len(rows) - 1), y

    for at, row in enumerate(rows):
        x, _ = place(at, 1)
        parts.append(f'<text x="{x:.1f}" y="{height + 18}" text-anchor="middle">{row[0]}</text>')
    for value in range(1, int(highest) + 1):
        _, y = place(0, value)
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{value}</text>')
        parts.append(f'<path d="M{left} {y:.1f} H{width}" stroke="#ddd"/>')
    for index, (load, colour) in enumerate(zip(LOADS, COLOURS)):
        best = min(row[index + 1] for row in rows)
        points = [place(at, row[index + 1] / best) for at, row in enumerate(rows)]
        parts.append(f'<path d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y in points)}" fill="none" '
                     f'stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{width + 15}" y="{top + 15 + 16 * index}" fill="{colour}">load {load}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--build", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--run", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--tune", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--figures", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--draw", type=pathlib.Path, nargs=2, metavar=("FILE.json", "FOLDER"))
    parser.add_argument("--tutti", type=pathlib.Path, default=ROOT / "build/release", help="with --build")
    parser.add_argument("--cells", type=int, default=4000000, help="of the rod (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.build:
        build(arguments.tutti.resolve(), arguments.build.resolve())
        return 0
    if arguments.run:
        return run(arguments.run.resolve(), arguments.cells)
    if arguments.figures:
        folder = arguments.figures.resolve()
        return run(folder, arguments.cells) or tune(folder, arguments.cells)
    if arguments.tune:
        return tune(arguments.tune.resolve(), arguments.cells)
    draw(json.loads(arguments.draw[0].read_text()), arguments.draw[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
