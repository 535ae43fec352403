# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with OpenMP's tasks, which must print what they print with libomp alone; and which of them
Tutti runs."""
import json
import re

from commands import require
from harness import ROOT, Program, compare
from openmp_writer import OpenMpWriter

FOLDER = ROOT / "test/e2e/openmp"
LEVELS = ("-O0", "-O2")
WORKERS = (1, 2, 4)
RANKS = (1, 2)
SEEDS = 25
FOREIGN = ("others",)  # Their tasks stay with libomp.
# What libomp fails on.
ALONE = {"untied": "untied 987 1000\n", "empty_loops": "empty 100\n"}
FEW = ("empty_loops",)


def environment(workers):
    return {"OMP_NUM_THREADS": str(workers), "TUTTI_WORKERS": str(workers)}


def programs():
    for path in sorted(FOLDER.iterdir()):
        for level in LEVELS:
            program = Program.read(path)
            program.name = f"openmp-{path.stem}{level}"
            program.flags = [level, "-g"]
            yield path.stem + level, program


def tasks_of(workshop, program, more):
    """What `tutti-tasks` says of a run; None if no task was Tutti's."""
    result = workshop.launch(program, [], 1, {**more, "TUTTI_STATS": "json"})
    require(result.status == 0, result.errors)
    line = re.search(r"^tutti-tasks: (.*)$", result.errors, re.M)
    return json.loads(line[1]) if line else None


def tasks_are_made_by_tutti(workshop, program, name):
    counts = tasks_of(workshop, program, environment(2))
    if name.startswith(FOREIGN):
        require(counts is None, f"{name}: {counts}")
    else:
        require(counts and counts["workers"] == 2 and counts["created"] > (0 if name.startswith(FEW) else 100), f"{name}: {counts}")


def prints(workshop, program, expected, workers, ranks):
    result = workshop.launch(program, [], ranks, environment(workers))
    require(result.status == 0 and result.output == expected, f"{result}")


def run(workshop, program, workers, ranks):
    expected = ALONE.get(program.sources[0].stem)
    if expected:
        prints(workshop, program, expected, workers, ranks)
    else:
        compare(workshop, program, program.arguments, ranks, environment(workers))


def random_program(workshop, seed):
    def make():
        path = workshop.folder / f"openmp_{seed}.c"
        path.write_text(OpenMpWriter(seed).program())
        program = Program.read(path)
        program.flags = ["-O1"]
        program.tutti_flags = ["-DTASKS"]
        return program
    return workshop.cached(("openmp", seed), make)


def random_checks(seeds):
    return [(f"generated/{seed}",
             lambda w, s=seed: compare(w, random_program(w, s), [], 1, environment(1 + s % 4)))
            for seed in seeds]


def all_checks():
    """Pairs (name, function of the workshop)."""
    checks = []
    for name, program in programs():
        checks.append((f"made/{name}",
                       lambda w, p=program, n=name: tasks_are_made_by_tutti(w, p, n)))
        checks += [(f"{name}/{workers}/{ranks}",
                    lambda w, p=program, k=workers, r=ranks:
                    run(w, p, k, r))
                   for workers in WORKERS for ranks in RANKS if ranks == 1 or workers == 2]
    return checks + random_checks(range(1, SEEDS + 1))
