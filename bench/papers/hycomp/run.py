#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HyCOMP's experiments, Fig. 9 to 14 and Table 2: what it takes to know what devices write and read, what
that and prefetching are worth, the same programs with MPI and CUDA by hand, which processors for which
region, and cores beside GPUs.

  --build-only FOLDER   makes the programs (needs nvcc for those by hand) and stops
  --programs FOLDER     runs what was made so, perhaps on another machine, which needs no compiler
  --figures 9 10 ...    some of them; each prints its rows and what the paper found, and draws FIGURE.svg into
                        --results FOLDER, where results.json keeps the numbers of all figures

The paper gives its times as bars only, so what it found is printed beside ours in words, and whether it
holds here. Its four servers with a GPU each are --ranks processes (4); they share the GPUs that there are.
--device opencl or cpu shows that all works where there is no GPU; figures that need both kinds are left out
without one, and Fig. 12 without CUDA.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import bundle  # noqa: E402
import plots  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FLAGS = ["-O3", "-ffast-math", "-fno-finite-math-only"]
# Sizes of the paper's experiments are not in its text; these take milliseconds to seconds on a GPU.
SIZES = {"mm": (512, 1024, 2048), "sor": (1024, 2048, 4096), "nbody": (4096, 16384, 65536),
         "kmeans": (200000, 2000000, 10000000)}
SMALL = {"mm": (64, 128), "sor": (128, 256), "nbody": (256, 512), "kmeans": (5000, 20000)}
# Bodies, points per side, steps, sweeps of a step.
REGIONS = ("5000 1000 {} 2", "20000 4000 {} 2", "20000 4000 {} 100")
SMALL_REGIONS = ("300 200 {} 1",)
CORES_BESIDE_GPUS = ("mm", "nbody", "kmeans")
FIGURES = (9, 10, 11, 12, 13, 14)


def build(build_folder, folder):
    folder.mkdir(parents=True, exist_ok=True)
    tutticc = build_folder / "bin/tutticc"
    subprocess.run([tutticc, *FLAGS, HERE / "apps.c", "-o", folder / "apps", "-lm"], check=True)
    variants = {"": []}
    for bodies in ("cpu", "gpu"):
        for grid in ("cpu", "gpu"):
            variants[f"_{bodies}_{grid}"] = [f"-DNBODY={bodies}", f"-DSOR={grid}"]
    for name, macros in variants.items():
        subprocess.run([tutticc, *FLAGS, *macros, HERE / "two_regions.c", "-o", folder / f"two_regions{name}",
                        "-lm"], check=True)
    mpi = [word for show in ("compile", "link")
           for word in subprocess.run(["mpicc", f"--showme:{show}"], text=True, check=True,
                                      capture_output=True).stdout.split() if re.match("-[IlL]", word)]
    subprocess.run(["nvcc", "-O3", "-std=c++17", f"-arch={os.environ.get('ARCH', 'native')}", "-cudart", "static",
                    HERE / "hand.cu", "-o", folder / "hand", *mpi], check=True)
    bundle.gather(build_folder, folder, ["apps", "two_regions", "hand"])


class Bench:
    def __init__(self, arguments):
        self.folder = arguments.programs
        self.tuttirun = arguments.tuttirun
        self.device = arguments.device
        self.ranks = arguments.ranks
        self.seconds = arguments.seconds
        self.sizes = SMALL if arguments.small else SIZES
        self.regions = SMALL_REGIONS if arguments.small else REGIONS
        self.small = arguments.small
        self.apps = arguments.apps
        self.found = {}
        self.results = arguments.results
        self.checks = {}

    def run(self, program, words, ranks, environment):
        command = [self.tuttirun, "-n", ranks, self.folder / program, *words]
        result = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=400,
                                env={**bundle.environment(self.folder), "TUTTI_DISTRIBUTE": "always", **environment})
        if result.returncode != 0:
            raise RuntimeError(f"{command}: status {result.returncode}: {result.stderr[-400:]}")
        return result

    def seconds_per_step(self, app, size, ranks=None, **environment):
        """`environment`: without TUTTI_ in front, in small letters."""
        variables = {f"TUTTI_{name.upper()}": value for name, value in
                     {"device": self.device, "balance": "off", **environment}.items()}
        words = self.run("apps", [app, size, self.seconds], ranks or self.ranks, variables).stdout.split()
        self.agree((app, size), float(words[4]))
        return float(words[2])

    def agree(self, key, check):
        """All ways to run a program compute the same, but for rounding."""
        known = self.checks.setdefault(key, check)
        if abs(check - known) > 1e-3 * abs(known):
            raise RuntimeError(f"{key}: {check} for {known}")

    def counters(self, app, size, steps, **environment):
        variables = {f"TUTTI_{name.upper()}": value for name, value in
                     {"device": self.device, "balance": "off", "stats": "json", **environment}.items()}
        text = self.run("apps", [app, size, 0, steps], self.ranks, variables).stderr
        return json.loads(re.search(r"^tutti-stats: (\{.*\})$", text, re.M)[1])

    def draw(self, figure, title, unit, rows):
        plots.bars(self.results / f"fig{figure}.svg", title, unit, rows)


def say(holds, paper, ours):
    print(f"  {'holds' if holds else 'differs'}: the paper: {paper}\n         here: {ours}", flush=True)


def table(head, rows, form="{:12.3f}"):
    print(f"{'':16}" + "".join(f"{name:>16}" for name in head))
    for label, row in rows.items():
        print(f"{label:16}" + "".join(f"{form.format(row[name]):>16}" for name in head), flush=True)


def milliseconds(rows):
    return {label: {name: 1e3 * value for name, value in row.items()} for label, row in rows.items()}


def figure9(bench):
    """What it costs to find out what devices have written."""
    rows = {}
    for app in ("mm", "sor", "nbody"):
        for size in bench.sizes[app]:
            rows[f"{app} {size}"] = {"known": bench.seconds_per_step(app, size),
                                     "compared": bench.seconds_per_step(app, size, without="exact-writes")}
    table(("known", "compared"), milliseconds(rows))
    cost = {label: row["compared"] / row["known"] - 1 for label, row in rows.items()}
    each = {app: [value for label, value in cost.items() if label.startswith(app)] for app in ("mm", "sor", "nbody")}
    said = "; ".join(f"{app} " + ", ".join(f"{value:.0%}" for value in values) for app, values in each.items())
    say(each["sor"][-1] > max(each["mm"][-1], each["nbody"][-1]),
        "tracking writes costs most for SOR, which computes least for each byte, and nothing to speak of for MM and "
        "NBody", f"comparing costs {said}. Access functions cost kernels nothing: 'known' is without any tracking, "
        "and 'compared' moves and compares whole objects, where the paper marks pages")
    say(each["sor"][-1] < each["sor"][0], "its share for SOR falls as the problem grows",
        f"from {each['sor'][0]:.0%} to {each['sor'][-1]:.0%}; comparing grows as the grid does, as relaxation does")
    bench.draw(9, "Fig. 9: finding what devices write", "milliseconds of a step", milliseconds(rows))
    return rows


CASES = {"no_opt": "prefetch,exact-writes,exact-reads", "opt_1": "prefetch,exact-reads",
         "opt_2": "exact-writes,exact-reads", "opt_all": "exact-reads"}


def figure10(bench):
    """What knowing writes (opt_1) and prefetching (opt_2) are worth; reads are not tracked."""
    rows = {}
    for app in ("mm", "sor", "nbody"):
        size = bench.sizes[app][1]
        rows[f"{app} {size}"] = {case: bench.seconds_per_step(app, size, without=without)
                                 for case, without in CASES.items()}
    table(CASES, milliseconds(rows))
    for label, row in rows.items():
        one, two = (1 - row[case] / row["no_opt"] for case in ("opt_1", "opt_2"))
        paper = ("neither helps much: there is little data" if label.startswith("nbody") else
                 "both help, prefetching most, and together they are best")
        # Together they may be as good as one alone, but for what times vary by.
        holds = (max(one, two) < 0.5 if label.startswith("nbody") else
                 one > 0 and two > 0 and row["opt_all"] <= 1.05 * min(row["opt_1"], row["opt_2"]))
        say(holds, f"{label.split()[0]}: {paper}",
            f"knowing writes spares {one:.0%}, prefetching {two:.0%}, both {1 - row['opt_all'] / row['no_opt']:.0%}")
    bench.draw(10, "Fig. 10: DiffVector and prefetching", "milliseconds of a step", milliseconds(rows))
    return rows


def figure11(bench):
    """What knowing reads is worth: bytes that a step moves, and what it takes."""
    few, many = 2, 6
    rows, stacks = {}, {}
    for app in ("mm", "sor", "nbody"):
        size = bench.sizes[app][1]
        stacks[f"{app} {size}"] = {}
        for name, without in (("whole", "exact-reads"), ("tracked", "")):
            first, last = (bench.counters(app, size, steps, without=without) for steps in (few, many))

            def grown(*path):
                values = [first, last]
                for word in path:
                    values = [value[word] for value in values]
                return (values[1] - values[0]) / (many - few) / 1e6
            moved = {"hosts": grown("bytes"), "in": grown("devices", "in", "bytes"),
                     "out": grown("devices", "out", "bytes"),
                     "direct": grown("devices", "foreign", "bytes") + grown("devices", "peer", "bytes")}
            seconds = bench.seconds_per_step(app, size, without=without)
            rows[f"{app} {name}"] = {**moved, "milliseconds": 1e3 * seconds}
            stacks[f"{app} {size}"][name] = list(moved.items())
    print("megabytes of a step: between hosts, into and out of devices, between devices")
    table(("hosts", "in", "out", "direct", "milliseconds"), rows)

    def moved(app, name):
        return sum(value for key, value in rows[f"{app} {name}"].items() if key != "milliseconds")
    for app, paper in (("sor", "SOR moves and takes much less: only borders are shared"),
                       ("mm", "MM does not gain: all of it is read by all"),
                       ("nbody", "NBody does not gain: all of it is read by all")):
        share = moved(app, "tracked") / max(moved(app, "whole"), 1e-9)
        times = rows[f"{app} tracked"]["milliseconds"] / rows[f"{app} whole"]["milliseconds"]
        holds = share < 0.2 and times < 0.9 if app == "sor" else times > 0.9
        say(holds, paper, f"{share:.0%} of the bytes, {times:.0%} of the time; reads are known before the launch, so "
            "that kernels are not slower for it")
    bench.draw(11, "Fig. 11: tracking reads", "megabytes of a step", stacks)
    return rows


def figure12(bench):
    """Beside the same programs with MPI and CUDA by hand."""
    rows, stacks = {}, {}
    for app in ("mm", "sor", "nbody"):
        size = bench.sizes[app][1]
        words = bench.run("hand", [app, size, bench.seconds], bench.ranks, {}).stdout.split()
        bench.agree((app, size), float(words[4]))
        parts = dict(zip(("transfer", "kernel", "in", "out"), map(float, words[5:])))
        own = bench.seconds_per_step(app, size)
        rows[f"{app} {size}"] = {"by hand": float(words[2]), **parts, "Tutti": own}
        stacks[f"{app} {size}"] = {"by hand": [(name, 1e3 * value) for name, value in parts.items()],
                                   "Tutti": [("Tutti", 1e3 * own)]}
    table(("by hand", "transfer", "kernel", "in", "out", "Tutti"), milliseconds(rows))
    for app, paper in (("mm", "MM by hand is faster: HyCOMP spends more on consistency"),
                       ("sor", "HyCOMP is faster for SOR: it propagates only what has changed"),
                       ("nbody", "HyCOMP is faster for NBody: it propagates only what has changed")):
        row = next(row for label, row in rows.items() if label.startswith(app))
        ratio = row["Tutti"] / row["by hand"]
        say((ratio > 1) == (app == "mm"), paper,
            f"Tutti takes {ratio:.2f} times what the program by hand does" +
            (", which gathers at one rank what goes from each to each with Tutti" if app == "mm" else ""))
    bench.draw(12, "Fig. 12: beside MPI and CUDA", "milliseconds of a step", stacks)
    return rows


def seconds_of_regions(bench, words, variant, **environment):
    """Of a step in the latter half of a run: before that, who chooses by itself has chosen."""
    def run(steps):
        variables = {"TUTTI_DISTRIBUTE": "auto", **{f"TUTTI_{name.upper()}": value for name, value in environment.items()}}
        result = subprocess.run([str(bench.tuttirun), "-n", "1", str(bench.folder / f"two_regions{variant}"),
                                 *words.format(steps).split()], text=True, capture_output=True, timeout=400,
                                env={**bundle.environment(bench.folder), **variables}, check=True)
        bench.agree(("two_regions", words, steps), float(re.search(r"^checksum (\S+)", result.stdout, re.M)[1]))
        return float(re.search(r"^later (\S+)$", result.stdout, re.M)[1])
    few = 4  # In all ways, so that their checks are compared; this run makes kernels, too.
    later = run(few)
    return later if bench.small else run(max(2 * few, round(bench.seconds * (2 if variant else 8) / later)))


def figure13(bench):
    """Which processors for which of two regions."""
    ways = {"cpu:cpu": ("_cpu_cpu", {}), "gpu:gpu": ("_gpu_gpu", {}), "gpu:cpu": ("_gpu_cpu", {}),
            "cpu:gpu": ("_cpu_gpu", {}), "gpu:gpu cut": ("_gpu_gpu", {"balance": "off"}), "auto": ("", {})}
    rows = {}
    for words in bench.regions:
        rows[words.replace(" {}", "")] = {way: seconds_of_regions(bench, words, variant, **environment)
                                             for way, (variant, environment) in ways.items()}
    table(ways, milliseconds(rows))
    for label, row in rows.items():
        fixed = {way: value for way, value in row.items() if way not in ("auto", "gpu:gpu cut")}
        best, worst = min(fixed, key=fixed.get), max(fixed, key=fixed.get)
        say(best == "gpu:cpu", "bodies on GPUs and relaxation on cores is best", f"{label}: {best} is")
        say(worst == "cpu:gpu", "the other way round is worst", f"{label}: {worst} is")
        say(row["auto"] <= 1.05 * fixed[best], "(the user has to choose)",
            f"{label}: what Tutti chooses takes {row['auto'] / fixed[best]:.2f} times the best")
        say(row["gpu:gpu"] <= 1.05 * row["gpu:gpu cut"], "balancing unlike GPUs pays",
            f"{label}: {row['gpu:gpu'] / row['gpu:gpu cut']:.2f} of the time without it; equal GPUs have nothing to balance")
    bench.draw(13, "Fig. 13: bodies:relaxation", "milliseconds of a step", milliseconds(rows))
    return rows


def figure14(bench):
    """Cores beside GPUs, over ranks; and Table 2."""
    counts = [count for count in (1, 2, 4) if count <= bench.ranks]
    known = {} if set(bench.apps) == set(CORES_BESIDE_GPUS) else bench.found.get("fig14", {})
    # Of earlier runs on as many ranks.
    rows = {label: row for label, row in known.get("speed-ups", {}).items() if f"hybrid {counts[-1]}" in row}
    ratios = {label: known["ratios"][label] for label in rows}
    for app in bench.apps:
        for size in bench.sizes[app][1:]:
            alone = bench.seconds_per_step(app, size, 1, device="cpu")
            row = {}
            for count in counts:
                for way in (bench.device, "hybrid"):
                    taken = bench.seconds_per_step(app, size, count, device=way, balance="auto")
                    row[f"{'gpu' if way != 'hybrid' else way} {count}"] = alone / taken
            rows[f"{app} {size}"] = row
            ratios[f"{app} {size}"] = row["gpu 1"]
    head = [f"{way} {count}" for count in counts for way in ("gpu", "hybrid")]
    print("speed-up over the cores of one rank alone")
    table(head, rows, "{:12.2f}")
    print("Table 2, speed of a GPU to that of the cores; the paper: mm 24.45, nbody 9.42, kmeans 3.01")
    print("  " + ", ".join(f"{label} {ratio:.2f}" for label, ratio in ratios.items()))
    for label, row in rows.items():
        gain = row["hybrid 1"] / row["gpu 1"]
        ideal = 1 + 1 / ratios[label]
        paper = {"mm": "hybrid is no better than the GPU alone", "nbody": "hybrid is better on one and two nodes",
                 "kmeans": "hybrid is much better"}[label.split()[0]]
        holds = {"mm": gain < 1.05, "nbody": gain > 1, "kmeans": gain > 1.2}[label.split()[0]]
        say(holds, paper, f"{label}: {gain:.2f} of the GPU alone, where {ideal:.3f} would be the sum of both")
    worst = min(row[f"hybrid {count}"] / row[f"gpu {count}"] for row in rows.values() for count in counts)
    say(worst >= 0.95, "(hybrid may be slower than the GPU alone)", f"at worst it is {worst:.2f} times as fast")
    bench.draw(14, "Fig. 14: GPUs, and cores beside them", "speed-up", rows)
    return {"speed-ups": rows, "ratios": ratios}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--build-only", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--tuttirun", type=pathlib.Path, help="default: that of --programs")
    parser.add_argument("--results", type=pathlib.Path, metavar="FOLDER", default=pathlib.Path("."))
    parser.add_argument("--figures", type=int, nargs="*", choices=FIGURES, default=FIGURES)
    parser.add_argument("--apps", nargs="+", choices=CORES_BESIDE_GPUS, default=CORES_BESIDE_GPUS,
                        help="of Fig. 14, which takes some minutes; rows of other apps in results.json are joined")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--device", default="gpu", choices=("gpu", "cuda", "opencl", "cpu"))
    parser.add_argument("--seconds", type=float, default=0.5, help="that steps are timed for (default: %(default)s)")
    parser.add_argument("--small", action="store_true", help="only shows that all works")
    arguments = parser.parse_args()
    if arguments.build_only:
        build(arguments.build.resolve(), arguments.build_only.resolve())
        return 0
    if not arguments.programs:
        parser.error("--build-only or --programs is needed")
    arguments.programs = arguments.programs.resolve()
    arguments.tuttirun = (arguments.tuttirun or arguments.programs / "tuttirun").resolve()
    arguments.results.mkdir(parents=True, exist_ok=True)
    bench = Bench(arguments)
    kept = arguments.results / "results.json"
    bench.found = found = json.loads(kept.read_text()) if kept.exists() else {}
    for figure in arguments.figures:
        lacks = {9: "cpu", 12: "cpu opencl", 13: "cpu opencl", 14: "cpu"}.get(figure, "")
        if bench.device in lacks.split():
            print(f"Fig. {figure} is left out: it is about GPUs")
            continue
        function = globals()[f"figure{figure}"]
        print(f"Fig. {figure}: {function.__doc__}", flush=True)
        found[f"fig{figure}"] = function(bench)
        kept.write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
