#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables 1 and 2 of the paper on Jacobi's relaxation with CPU, MIC and GPU together: what each kind of
processor does alone, and what they do together over where the lines are cut.

  --build-only FOLDER   makes the programs and stops
  --programs FOLDER     runs what was made so, perhaps on another machine; prints both tables, draws
                        table2.svg into --results FOLDER and keeps the numbers there

There is one loop, and Tutti cuts it. Where the paper tries nine cuts, TUTTI_BALANCE=cpu=SHARE fixes one, and
the last row is what the runtime finds by itself. For the paper's MIC there is what --third names (opencl:
the processor as OpenCL device), or nothing. The paper's numbers are printed beside ours.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import bundle  # noqa: E402
import plots  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
STEPS = 5000  # Of the paper; what comes beside them counts for the global speed.
PAPER_1 = {"CentraleSupelec": {"cpu": (1.19e9, 1.19e9, 0.51), "mic": (3.50e9, 3.48e9, 6.18), "gpu": (9.84e9, 9.78e9, 0.04)},
           "Loria": {"cpu": (1.60e9, 1.60e9, 5.14), "mic": (4.83e9, 4.69e9, 4.72), "gpu": (7.93e9, 7.87e9, 0.09)}}
# Best of nine cuts: points per second, over the GPU alone, and of what the sum of all would be.
PAPER_2 = {"CentraleSupelec": (1.22e10, 1.24, 0.87), "Loria": (1.06e10, 1.34, 0.77)}


def build(build_folder, folder):
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([build_folder / "bin/tutticc", "-O3", HERE / "jacobi.c", "-o", folder / "jacobi"], check=True)
    bundle.gather(build_folder, folder, ["jacobi"])


class Bench:
    def __init__(self, arguments):
        self.program = arguments.programs / "jacobi"
        self.lines, self.columns = arguments.lines, arguments.columns
        self.seconds, self.turns = arguments.seconds, arguments.turns
        self.check = None

    def run(self, device, balance, block=()):
        """Points per second of steps, and of a run of the paper's length, each of every turn."""
        points = (self.lines - 2) * (self.columns - 2)
        found = []
        for _ in range(self.turns):
            result = subprocess.run(
                [str(word) for word in (self.program, self.lines, self.columns, self.seconds, *block)], text=True,
                capture_output=True, timeout=500,
                env={**bundle.environment(self.program.parent), "TUTTI_DEVICE": device, "TUTTI_BALANCE": balance})
            if result.returncode != 0:
                raise RuntimeError(f"{device} {balance}: status {result.returncode}: {result.stderr[-400:]}")
            each, beside, _, check = map(float, result.stdout.split())
            self.check = self.check or check
            if abs(check - self.check) > 1e-9 * abs(self.check):
                raise RuntimeError(f"{device} {balance}: {check} for {self.check}")
            found.append((points / each, points * STEPS / (beside + STEPS * each)))
        return found


def say(holds, paper, ours):
    print(f"  {'holds' if holds else 'differs'}: the paper: {paper}\n         here: {ours}", flush=True)


def table1(bench, kinds):
    rows = {}
    print(f"Table 1: {bench.lines} x {bench.columns} points; points per second, {bench.turns} executions")
    for machine, paper in PAPER_1.items():
        print(f"{machine:18}" + "".join(f"  {kind}: {steps:.2e} global {whole:.2e} deviation {deviation:.2f} %"
                                        for kind, (steps, whole, deviation) in paper.items()))
    for kind in kinds:
        found = bench.run(kind, "auto")
        steps = [each for each, _ in found]
        deviation = 100 * statistics.pstdev(steps) / statistics.mean(steps)
        rows[kind] = {"computation": statistics.mean(steps), "global": statistics.mean(whole for _, whole in found),
                      "deviation": deviation}
        print(f"{'here':18}  {kind}: {rows[kind]['computation']:.2e} global {rows[kind]['global']:.2e} "
              f"deviation {deviation:.2f} %, {rows[kind]['computation'] / rows['cpu']['computation']:.2f} times the cores",
              flush=True)
    blocked = statistics.mean(each for each, _ in bench.run("cpu", "auto", (8192,)))
    rows["cpu blocked"] = {"computation": blocked}
    say(blocked > 1.05 * rows["cpu"]["computation"], "blocks of columns pay where lines are wider than a core's cache",
        f"in blocks of 8192 columns the cores do {blocked / rows['cpu']['computation']:.2f} of what they do without")
    say(rows[kinds[-1]]["computation"] > rows["cpu"]["computation"], "the GPU is fastest",
        f"it does {rows[kinds[-1]]['computation'] / rows['cpu']['computation']:.1f} times what the cores do")
    return rows


def table2(bench, speeds, kinds):
    """Over cuts around where the single speeds put it."""
    wish = ",".join(reversed(kinds))
    gpu = speeds[kinds[-1]]["computation"]
    ideal = sum(speeds[kind]["computation"] for kind in kinds)
    share = speeds["cpu"]["computation"] / ideal
    lines = round(share * bench.lines)
    step = max(1, min(500, lines // 3))
    print(f"Table 2: TUTTI_DEVICE={wish}; from the single speeds the cores would get {lines} of {bench.lines} lines")
    for machine, (speed, gain, efficiency) in PAPER_2.items():
        print(f"{machine:18}  best cut {speed:.2e}, {gain:.2f} times the GPU, {efficiency:.0%} of the sum")
    rows = {}
    cuts = {min(max(lines + away * step, 0), bench.lines) for away in (-2, -1, 0, 1, 2)}
    for cut in sorted({0, *cuts}):
        rows[str(cut)] = statistics.mean(each for each, _ in bench.run(wish, f"cpu={cut / bench.lines:.6f}"))
        print(f"{'here':18}  {cut:6} lines on cores: {rows[str(cut)]:.2e}, {rows[str(cut)] / gpu:.2f} times the GPU",
              flush=True)
    found = statistics.mean(each for each, _ in bench.run("hybrid" if len(kinds) == 2 else wish, "auto"))
    rows["found"] = found
    print(f"{'here':18}  as found by itself: {found:.2e}, {found / gpu:.2f} times the GPU, {found / ideal:.0%} of the sum")
    best = max(value for key, value in rows.items() if key != "found")
    say(best > 1.02 * gpu, "together they are faster than the GPU alone, by 1.24 and 1.34",
        f"by {best / gpu:.2f}, where the sum of the speeds would be {ideal / gpu:.2f}")
    say(found >= 0.95 * max(best, gpu), "(nine cuts are tried by hand)",
        f"what is found by itself is {found / max(best, gpu):.2f} of the best of cuts and the GPU alone")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--build-only", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--results", type=pathlib.Path, metavar="FOLDER", default=pathlib.Path("."))
    parser.add_argument("--lines", type=int, default=20000)
    parser.add_argument("--columns", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=1, help="that steps are timed for (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=5, help="executions (default: %(default)s)")
    parser.add_argument("--gpu", default="gpu", choices=("gpu", "cuda", "opencl"),
                        help="what stands for the GPU (default: %(default)s)")
    parser.add_argument("--third", choices=("opencl",), help="what stands for the MIC")
    arguments = parser.parse_args()
    if arguments.build_only:
        build(arguments.build.resolve(), arguments.build_only.resolve())
        return 0
    if not arguments.programs:
        parser.error("--build-only or --programs is needed")
    arguments.programs = arguments.programs.resolve()
    arguments.results.mkdir(parents=True, exist_ok=True)
    bench = Bench(arguments)
    kinds = ["cpu", *([arguments.third] if arguments.third else []), arguments.gpu]
    first = table1(bench, kinds)
    second = table2(bench, first, kinds)
    plots.bars(arguments.results / "table2.svg", "Table 2: lines on cores", "points per second", {"all": second})
    (arguments.results / "results.json").write_text(json.dumps({"table1": first, "table2": second}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
