# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs without what makes them fast (TUTTI_WITHOUT): the same results, and what they then move."""
import itertools
import shlex

import cases
from counters import growth, require
from harness import ROOT, Program, compare

ALL = "prefetch,exact-reads,exact-writes,cache-blocks"
FEATURES = ("earlier_writes", "rows_of_neighbours", "scatter_steady", "element_updates", "scatter",
            "struct_fields", "arrays_in_turn", "found_pointers", "uneven")


def example(name):
    program = Program.read(next((ROOT / "examples" / name).glob(f"{name}.c*")))
    program.tolerance = cases.TOLERANCES.get(name, program.tolerance)
    return program


def steady_jacobi(workshop, without, ranks):
    """What 20 more iterations add to the counters."""
    size = ["240", "513"]
    return growth(workshop, example("jacobi"), [*size, "20"], [*size, "40"], ranks,
                  {"TUTTI_WITHOUT": without})


def inexact_reads_bring_whole_grids(workshop, ranks):
    """Each rank gets what the others have written of the grid, instead of a row of each neighbour."""
    exact, whole = (steady_jacobi(workshop, without, ranks)["exchange"]["bytes"]
                    for without in ("", "exact-reads"))
    least = (ranks - 1) * 238 * 511 * 8 * 20
    require(exact < least <= whole <= 1.1 * least, f"{exact} bytes, then {whole} for {least}")


def inexact_writes_are_compared(workshop, ranks):
    """Each rank gets the grid that it writes, too, to compare with, and tells rank 0 what differs."""
    exact, compared = (steady_jacobi(workshop, without, ranks) for without in ("", "exact-writes"))
    require(exact["merge"]["messages"] == 0, f"exact: {exact['merge']}")
    require(compared["merge"]["messages"] == (ranks - 1) * 20, f"compared: {compared['merge']}")
    moved = compared["exchange"]["bytes"]
    require(moved >= (ranks - 1) * 240 * 513 * 8 * 20, f"{moved} bytes to compare with")


def without_prefetch_pages_are_asked_for(workshop, ranks):
    """As many bytes, with a question and an answer for each page of what goes over a border."""
    ahead, asked = (steady_jacobi(workshop, without, ranks) for without in ("", "prefetch"))
    rows = 2 * (ranks - 1) * 20
    require(ahead["exchange"]["bytes"] == asked["exchange"]["bytes"], "other bytes are moved")
    require(ahead["exchange"]["messages"] == rows, f"{ahead['exchange']}")
    # A row of 511 numbers is less than a page.
    require(asked["exchange"]["messages"] == 2 * rows, f"{asked['exchange']}")


def without_prefetch_each_page_faults(workshop, ranks):
    """Sequential code that walks through what other ranks have computed."""
    found = {without: workshop.statistics(example("jacobi"), ["240", "513", "3"], ranks,
                                          {"TUTTI_WITHOUT": without}) for without in ("", "prefetch")}
    pages = 240 * 513 * 8 // 4096 // ranks * (ranks - 1)
    require(found[""]["faults"] <= pages // 4, f"ahead: {found['']['faults']} faults")
    require(found["prefetch"]["faults"] >= pages, f"{found['prefetch']['faults']} for {pages} pages")
    require(found["prefetch"]["fetch"]["messages"] >= 2 * pages, f"{found['prefetch']['fetch']}")


def nests_are_walked_through_in_blocks(workshop, ranks, threads):
    """The program itself says how large blocks are, and counts how often it is asked: by each thread
    for each of its nests of which the iterations share something, and for no others."""
    program = Program.read(ROOT / "test/e2e/features/cache_blocks")
    environment = {"OMP_NUM_THREADS": str(threads), "TELL_BLOCKS": "1", "TUTTI_DEVICE": "cpu",
                   "TUTTI_DISTRIBUTE": "always"}
    compare(workshop, program, [], ranks, environment)
    result = workshop.launch(program, [], ranks, environment)
    asked = [int(line.split()[-1]) for line in result.errors.splitlines() if "blocks:" in line]
    require(len(asked) >= 1 and all(times >= 5 * threads for times in asked), f"asked {asked}")


def blocks_that_the_runtime_chooses(workshop, cache, ranks):
    """A cache so small that all nests of examples that share something are divided."""
    for name, words in (("jacobi", ["240", "513", "3"]), ("matmul", ["200"])):
        compare(workshop, example(name), words, ranks,
                {"TUTTI_CACHE": cache, "OMP_NUM_THREADS": "2", "TUTTI_DEVICE": "cpu"})


def unknown_words_are_refused(workshop):
    result = workshop.launch(example("stream"), ["1000", "2"], 2, {"TUTTI_WITHOUT": "prefetch,speed"})
    require(result.status != 0 and "TUTTI_WITHOUT=prefetch,speed: expected a list of" in result.errors,
            f"status {result.status}: {result.errors}")


def all_checks():
    """Pairs (name, function that takes the workshop)."""
    checks = [("unknown_words_are_refused", unknown_words_are_refused)]
    for check, ranks in itertools.product(
            (inexact_reads_bring_whole_grids, inexact_writes_are_compared,
             without_prefetch_pages_are_asked_for, without_prefetch_each_page_faults), (2, 3)):
        checks.append((f"{check.__name__}/{ranks}", lambda w, c=check, r=ranks: c(w, r)))
    for ranks, threads in ((1, 2), (1, 3), (2, 2), (3, 1), (1, 1)):
        checks.append((f"nests_are_walked_through_in_blocks/{ranks}/{threads}",
                       lambda w, r=ranks, t=threads: nests_are_walked_through_in_blocks(w, r, t)))
    for cache, ranks in (("4K", 1), ("64K", 2)):
        checks.append((f"blocks_that_the_runtime_chooses/{cache}/{ranks}",
                       lambda w, c=cache, r=ranks: blocks_that_the_runtime_chooses(w, c, r)))
    sizes = {}
    for name, words in cases.EXAMPLES:
        sizes.setdefault(name, []).append(shlex.split(words))
    programs = [(example(name), each[min(1, len(each) - 1)]) for name, each in sizes.items()]
    features = ROOT / "test/e2e/features"
    programs += [(program, program.arguments) for program in
                 (Program.read(next(features.glob(f"{name}.c*"))) for name in FEATURES)]
    ways = ((ALL, "cpu", 3), ("exact-writes", "hybrid", 1), ("exact-reads", "opencl", 1), (ALL, "opencl", 2),
            ("exact-writes", "cpu", 2))
    for number, (program, words) in enumerate(programs):
        # Two of them, in turn.
        for without, device, ranks in (ways[number % len(ways)], ways[(number + 2) % len(ways)]):
            checks.append((f"same_results/{program.name}/{without}/{device}/{ranks}",
                           lambda w, p=program, a=words, r=ranks, e={"TUTTI_WITHOUT": without, "TUTTI_DEVICE": device}:
                           compare(w, p, a, r, e)))
    return checks
