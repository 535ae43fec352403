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
ALONE = {"untied": "untied 987 1000\n", "empty_loops": "empty 100\n",
         "many": "many 300000 300000 50001 1\n"}
FEW = ("by_hand", "empty_loops", "priorities")  # Programs of less than 100 tasks, or of one thread.


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
        workers, created = (1, 1) if name.startswith(FEW) else (2, 100)
        require(counts and counts["workers"] >= workers and counts["created"] >= created,
                f"{name}: {counts}")


def named(name):
    return next(program for stem, program in programs() if stem == name)


def groups_are_cancelled(workshop):
    compare(workshop, named("groups-O2"), [], 1, {**environment(2), "OMP_CANCELLATION": "true"})


def priorities_are_kept(workshop):
    compare(workshop, named("priorities-O2"), [], 1,
            {**environment(2), "OMP_MAX_TASK_PRIORITY": "100"})


def who_has_compiled_a_function_does_not_matter(workshop):
    made = workshop.folder / "openmp_fib.o"
    folder = FOLDER / "orphans"
    done = workshop.execute(["clang-19", "-fopenmp", "-O1", "-c", str(folder / "fib.c"), "-o",
                             str(made)], {}, "")
    require(done.status == 0, done.errors)
    program = Program("openmp-foreign", [folder / "main.c", made], ["-O1"])
    compare(workshop, program, [], 1, environment(2))
    counts = tasks_of(workshop, program, environment(2))
    require(counts and counts["created"] > 1000, f"{counts}")


def tasks_of_programs_with_sanitizers_stay_with_libomp(workshop):
    # What libomp's threads still hold at the end counts as leaked when one of them has gone first.
    settings = {**environment(2), "ASAN_OPTIONS": "detect_leaks=0"}
    for name in ("depends", "waits"):
        program = Program(f"openmp-checked-{name}", [FOLDER / f"{name}.c"],
                          ["-O1", "-g", "-fsanitize=address"])
        compare(workshop, program, [], 1, settings)
        require(tasks_of(workshop, program, settings) is None, name)


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
    checks = [(check.__name__, check) for check in
              (groups_are_cancelled, priorities_are_kept,
               who_has_compiled_a_function_does_not_matter,
               tasks_of_programs_with_sanitizers_stay_with_libomp)]
    for name, program in programs():
        checks.append((f"made/{name}",
                       lambda w, p=program, n=name: tasks_are_made_by_tutti(w, p, n)))
        checks += [(f"{name}/{workers}/{ranks}",
                    lambda w, p=program, k=workers, r=ranks:
                    run(w, p, k, r))
                   for workers in WORKERS for ranks in RANKS if ranks == 1 or workers == 2]
    return checks + random_checks(range(1, SEEDS + 1))
