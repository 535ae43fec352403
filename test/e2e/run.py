#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""End-to-end tests: programs compiled by tutticc must print what Clang's programs print.

Prints one line per failure and "N passed, N failed" at the end.
"""
import argparse
import concurrent.futures
import itertools
import os
import pathlib
import re
import shlex
import socket
import sys
import tempfile
import time

import cases
import cluster_tasks
import commands
import conducted
import constructs
import counters
import device_tasks
import failures
import hangs
import images
import inspectors
import kernels
import languages
import late_devices
import leagues
import linking
import luna
import luna_costs
import luna_devices
import luna_large
import luna_merging
import luna_natives
import luna_shapes
import moving
import nests
import ompss
import openmp_tasks
import options
import output
import places
import rows
import task_loops
import tasks
import teams
import threads
import unlike_devices
import without
import xmp
import xmp_acc
import xmp_failures
from harness import ROOT, Failure, Program, Workshop, compare


def example(name):
    folder = ROOT / "examples" / name
    program = Program.read(next(folder.glob(f"{name}.c*")))
    program.tolerance = cases.TOLERANCES.get(name, program.tolerance)
    return program


def device_programs(features, ranks):
    """Pairs (program, arguments): every example once, and on one rank every feature, on several
    some."""
    sizes = {name: shlex.split(arguments) for name, arguments in reversed(cases.EXAMPLES)}
    programs = [(example(name), words) for name, words in sizes.items()]
    programs += [(p, p.arguments) for p in map(Program.read, features)
                 if ranks == 1 or p.name in cases.FEATURES_ON_ALL_DEVICES]
    return programs


def feature_or_example(name):
    """A feature that is one file, or an example."""
    feature = ROOT / f"test/e2e/features/{name}.c"
    return Program.read(feature) if feature.exists() else example(name)


def random_program(workshop, kind, seed, only=None):
    """The program that a module of that name makes from `seed`; its text stays beside the program.
    `only` is the number of one of teams' programs."""
    def make():
        module = {"rows": rows, "nests": nests, "kernels": kernels, "constructs": constructs,
                  "teams": teams, "moving": moving, "places": places,
                  "conducted": conducted, "threads": threads, "leagues": leagues,
                  "task_loops": task_loops}[kind]
        path = workshop.folder / f"{kind}_{seed}.{module.language(seed)}"
        more = {"only": only} if kind == "teams" else {}
        path.write_text(module.program(seed, cases.SEED_LOOPS[kind], **more))
        return Program.read(path)
    return workshop.cached(("random", kind, seed), make)


def random_tests(workshop, seeds, only=None):
    """Pairs (name, function without arguments) for (module, seed, ranks, environment)."""
    for kind, seed, ranks, environment in seeds:
        place = "-".join(environment.values()) or "host"
        words = cases.SEED_WORK[kind] if "TUTTI_DISTRIBUTE" in environment else []
        yield (f"generated/{kind}/{seed}/{place}/{ranks}",
               lambda k=kind, s=seed, a=words, r=ranks, e=environment:
               compare(workshop, random_program(workshop, k, s, only), a, r, e))


def in_turn(choices, number, everywhere):
    """All of `choices`, or that one of them whose turn it is."""
    return choices if everywhere else [choices[number % len(choices)]]


def all_tests(workshop, everywhere):
    """Pairs (name, function without arguments). `everywhere`: features run on all numbers of ranks and
    kinds of devices, instead of on some in turn."""
    tests = [(f"commands/{name}", lambda c=check: c(workshop))
             for name, check in commands.all_checks()]
    tests += [(f"linking/{name}", lambda c=check: c(workshop))
              for name, check in linking.all_checks()]
    tests += [(f"failures/{name}", lambda c=check: c(workshop))
              for name, check in failures.all_checks()]
    tests += [(f"output/{name}", lambda c=check: c(workshop)) for name, check in output.all_checks()]
    tests += [(f"languages/{name}", lambda c=check: c(workshop))
              for name, check in languages.all_checks()]
    tests += [(f"hangs/{name}", lambda c=check: c(workshop)) for name, check in hangs.all_checks()]
    tests += [(f"inspectors/{name}", lambda c=check: c(workshop))
              for name, check in inspectors.all_checks()]
    tests += [(f"tasks/{name}", lambda c=check: c(workshop)) for name, check in tasks.all_checks()]
    tests += [(f"device-tasks/{name}", lambda c=check: c(workshop))
              for name, check in device_tasks.all_checks()]
    tests += [(f"unlike-devices/{name}", lambda c=check: c(workshop))
              for name, check in unlike_devices.all_checks()]
    tests += [(f"late-devices/{name}", lambda c=check: c(workshop))
              for name, check in late_devices.all_checks()]
    tests += [(f"cluster/{name}", lambda c=check: c(workshop))
              for name, check in cluster_tasks.all_checks()]
    tests += [(f"ompss/{name}", lambda c=check: c(workshop)) for name, check in ompss.all_checks()]
    tests += [(f"luna/{name}", lambda c=check: c(workshop))
              for name, check in (*luna.all_checks(), *luna_devices.all_checks(), *luna_natives.all_checks(),
                                  *luna_shapes.all_checks(), *luna_large.all_checks(),
                                  *luna_merging.all_checks(), *luna_costs.all_checks())]
    tests += [(f"xmp/{name}", lambda c=check: c(workshop)) for name, check in xmp.all_checks()]
    tests += [(f"xmp-acc/{name}", lambda c=check: c(workshop)) for name, check in xmp_acc.all_checks()]
    tests += [(f"xmp-failures/{name}", lambda c=check: c(workshop))
              for name, check in xmp_failures.all_checks()]
    tests += [(f"openmp-tasks/{name}", lambda c=check: c(workshop))
              for name, check in openmp_tasks.all_checks()]
    tests += [(f"without/{name}", lambda c=check: c(workshop)) for name, check in without.all_checks()]
    for name, arguments in cases.EXAMPLES:
        program = example(name)
        for ranks in cases.EXAMPLE_RANKS:
            words = shlex.split(arguments)
            tests.append((f"examples/{name}/{'-'.join(words)}/{ranks}",
                          lambda p=program, a=words, r=ranks: compare(workshop, p, a, r)))
    features = sorted(p for p in (ROOT / "test/e2e/features").iterdir()
                      if p.suffix in (".c", ".cpp") or p.is_dir())
    for number, path in enumerate(features):
        program = Program.read(path)
        for ranks in [1, *in_turn(cases.FEATURE_RANKS, number, everywhere)]:
            tests.append((f"features/{program.name}/{ranks}",
                          lambda p=program, r=ranks: compare(workshop, p, p.arguments, r)))
    generated = dict.fromkeys((kind, seed) for kind, seed, *_ in cases.SEEDS)
    accepted = [images.opencl_is_accepted, *([images.ptx_is_accepted] if images.PTXAS else [])]
    tests += [(f"images/{check.__name__}/{program.name}", lambda c=check, p=program: c(workshop, p))
              for number, program in enumerate(map(Program.read, features))
              for check in in_turn(accepted, number, everywhere)]
    for check in accepted:
        tests += [(f"images/{check.__name__}/{kind}_{seed}",
                   lambda c=check, k=kind, s=seed: c(workshop, random_program(workshop, k, s)))
                  for kind, seed in generated]
    tests += [(f"images/an_example_has_both/{name}",
               lambda n=name: images.an_example_has_both(workshop, example(n)))
              for name in dict(cases.EXAMPLES)]
    programs = [*map(Program.read, features), *map(example, dict(cases.EXAMPLES))]
    tests += [(f"options/debugging_changes_no_region/{program.name}",
               lambda p=program: options.debugging_changes_no_region(workshop, p))
              for program in (programs if everywhere else programs[::3])]
    tests += random_tests(workshop, cases.SEEDS)
    # On OpenCL devices of any kind, PoCL where there is no GPU; also on such that hold less than
    # the data.
    for kinds in ((("opencl", 1, "1T"), ("hybrid", 1, "1T"), ("opencl", 1, "64K")),
                  (("opencl", 3, "1T"), ("hybrid", 2, "1T"), ("hybrid", 3, "128K"))):
        for number, (program, words) in enumerate(device_programs(features, kinds[0][1])):
            tests += [(f"devices/{device}/{memory}/{program.name}/{ranks}",
                       lambda p=program, a=words, r=ranks,
                       e={"TUTTI_DEVICE": device, "TUTTI_DEVICE_MEMORY": memory}:
                       compare(workshop, p, a, r, e))
                      for device, ranks, memory in in_turn(kinds, number, everywhere)
                      if memory == "1T" or program.name not in cases.LARGE]
    for name, arguments, kernels in (("jacobi", ["240", "513"], 1), ("heat3d", [], 1), ("nbody", ["500"], 2)):
        tests.append((f"counters/{name}_on_a_device_copies_nothing",
                      lambda p=example(name), a=arguments, k=kernels:
                      counters.time_loop_on_a_device_copies_nothing(workshop, p, a, k)))
    for number, ((name, arguments, memory), device) in enumerate(
            itertools.product(cases.FULL_DEVICES, ("opencl", "hybrid"))):
        for ranks in in_turn(cases.FULL_DEVICE_RANKS, number, everywhere):
            words = shlex.split(arguments)
            tests.append((f"devices/full/{device}/{name}/{memory}/{ranks}",
                          lambda p=feature_or_example(name), a=words, r=ranks,
                          e={"TUTTI_DEVICE": device, "TUTTI_DEVICE_MEMORY": memory}:
                          compare(workshop, p, a, r, e)))
    tests.append(("counters/a_full_device_evicts", lambda: counters.a_full_device_evicts(
        workshop, feature_or_example("arrays_in_turn"))))
    tests.append(("counters/a_launch_too_large_for_a_device_is_streamed",
                  lambda: counters.a_launch_too_large_for_a_device_is_streamed(
                      workshop, example("stream"))))
    tests.append(("counters/portions_that_a_device_holds_do_not_move",
                  lambda: counters.portions_that_a_device_holds_do_not_move(workshop, example("stream"))))
    tests.append(("counters/a_loop_too_large_even_in_portions_says_so_once",
                  lambda: counters.a_loop_too_large_even_in_portions_says_so_once(
                      workshop, example("matmul"))))
    for name, arguments in cases.DISTRIBUTED:
        tests.append((f"counters/distributed/{name}",
                      lambda p=example(name), a=shlex.split(arguments):
                      counters.all_launches_are_distributed(workshop, p, a, 3)))
    named = {path.stem: Program.read(path) for path in features}
    for name in cases.DISTRIBUTED_FEATURES:
        tests.append((f"counters/distributed/{name}",
                      lambda p=named[name]:
                      counters.all_launches_are_distributed(workshop, p, p.arguments, 3)))
    tests.append(("counters/a_trial_that_is_given_up_leaves_no_faults",
                  lambda: counters.a_trial_that_is_given_up_leaves_no_faults(
                      workshop, named["block_diagonals"], 4)))
    tests.append(("counters/rows_in_vain_are_given_up",
                  lambda: counters.rows_in_vain_are_given_up(
                      workshop, named["thread_rows_given_up"], 2)))
    for ranks in (2, 3, 4):
        for check in (counters.sparse_product_moves_its_operands_once,
                      counters.sparse_product_gathers_what_changed,
                      counters.sparse_product_moves_what_it_reads):
            tests.append((f"counters/{check.__name__}/{ranks}",
                          lambda c=check, r=ranks: c(workshop, named["sparse_steady"], r)))
    for ranks in (2, 3, 4):
        tests.append((f"counters/scatters_send_what_they_wrote/{ranks}",
                      lambda r=ranks: counters.scatters_send_what_they_wrote(
                          workshop, named["scatter_steady"], r)))
    for ranks in (2, 3, 4):
        for check in (counters.iterations_that_keep_apart_leave_their_order,
                      counters.scatters_into_pages_of_their_own_move_borders):
            tests.append((f"counters/{check.__name__}/{ranks}",
                          lambda c=check, r=ranks: c(workshop, named["scatter_apart"], r)))
        tests.append((f"counters/pieces_stay_in_order/{ranks}",
                      lambda r=ranks: counters.pieces_stay_in_order(
                          workshop, named["pieces_in_order"], r)))
        tests.append((f"counters/order_is_kept_while_there_is_one_thread/{ranks}",
                      lambda r=ranks: counters.order_is_kept_while_there_is_one_thread(
                          workshop, named["one_thread_at_first"], r)))
        tests.append((f"counters/records_tell_whether_order_is_open/{ranks}",
                      lambda r=ranks: counters.records_tell_whether_order_is_open(
                          workshop, named["closed_order"], r)))
    tests.append(("counters/devices_keep_no_order",
                  lambda: counters.devices_keep_no_order(workshop, named["pieces_in_order"])))
    for ranks in (2, 4):
        tests.append((f"counters/updates_of_elements_are_distributed/{ranks}",
                      lambda r=ranks: counters.updates_of_elements_are_distributed(
                          workshop, named["element_updates"], r)))
    tests.append(("counters/a_histogram_moves_its_bins_once",
                  lambda: counters.a_histogram_moves_its_bins_once(workshop, named["element_updates"], 3)))
    tests.append(("counters/one_construct_moves_what_several_do",
                  lambda: counters.one_construct_moves_what_several_do(
                      workshop, named["conducted_steps"], 3)))
    tests.append(("counters/other_locales_keep_loops_home",
                  lambda: counters.other_locales_keep_loops_home(workshop, named["locales"], 2)))
    for device, ranks in (("hybrid", 1), ("opencl", 2)):
        tests.append((f"counters/scatters_copy_out_of_a_device_what_it_wrote/{device}/{ranks}",
                      lambda d=device, r=ranks:
                      counters.scatters_copy_out_of_a_device_what_it_wrote(
                          workshop, named["scatter_steady"], d, r)))
    tests.append(("counters/scatters_on_one_device_copy_nothing",
                  lambda: counters.scatters_on_one_device_copy_nothing(
                      workshop, named["scatter_steady"])))
    tests.append(("counters/scatters_run_on_a_device",
                  lambda: counters.scatters_run_on_a_device(workshop, named["scatter"])))
    for device, ranks in (("cpu", 2), ("cpu", 3), ("opencl", 1), ("opencl", 2), ("hybrid", 1)):
        tests.append((f"counters/stray_pointers_keep_their_loops_home/{device}/{ranks}",
                      lambda d=device, r=ranks: counters.stray_pointers_keep_their_loops_home(
                          workshop, named["stray_pointers"], r, {"TUTTI_DEVICE": d})))
    for name in ("chosen", "found_pointers", "found_nodes"):
        tests.append((f"counters/all_launches_have_kernels/{name}",
                      lambda p=named[name]: counters.all_launches_have_kernels(workshop, p)))
    tests.append(("counters/kernels_are_built_together",
                  lambda: counters.kernels_are_built_together(workshop, named["found_pointers"])))
    for ranks in (1, 2):
        tests.append((f"counters/a_grid_comes_back_in_few_copies/{ranks}",
                      lambda n=ranks: counters.a_grid_comes_back_in_few_copies(
                          workshop, feature_or_example("grids_looked_at"), n)))
    tests.append(("counters/rows_that_end_inside_of_pages_stay_on_a_device",
                  lambda: counters.rows_that_end_inside_of_pages_stay_on_a_device(workshop, named["parts_of_pages"])))
    moving = Program.read(ROOT / "bench/moving/moving.c")
    for device, ranks in (("cpu", 2), ("opencl", 1), ("opencl", 2)):
        tests.append((f"counters/a_strided_walk_takes_few_pieces/{device}/{ranks}",
                      lambda d=device, r=ranks: counters.a_strided_walk_takes_few_pieces(workshop, moving, d, r)))
        tests.append((f"counters/what_is_looked_at_each_time_comes_with_its_launch/{device}/{ranks}",
                      lambda d=device, r=ranks: counters.what_is_looked_at_each_time_comes_with_its_launch(
                          workshop, moving, d, r)))
    captures = Program.read(ROOT / "bench/moving/captures.c")
    tests.append(("counters/rows_of_borders_change_hands_once",
                  lambda: counters.rows_of_borders_change_hands_once(workshop, captures)))
    tests.append(("counters/rows_of_borders_change_hands_once_between_devices",
                  lambda: counters.rows_of_borders_change_hands_once_between_devices(workshop, captures)))
    tests.append(("counters/sparse_product_on_a_device_copies_nothing",
                  lambda: counters.sparse_product_on_a_device_copies_nothing(
                      workshop, named["sparse_steady"])))
    for ranks, device in ((2, "opencl"), (3, "hybrid")):
        tests.append((f"features/signals_while_data_moves/{device}-{ranks}",
                      lambda r=ranks, d=device: compare(
                          workshop, named["signals_while_data_moves"], [], r,
                          {"TUTTI_DEVICE": d})))
    for ranks in (2, 4):
        tests.append((f"counters/borders_follow_uneven_work/{ranks}",
                      lambda r=ranks: counters.borders_follow_uneven_work(
                          workshop, named["uneven"], r)))
    tests.append(("counters/cores_get_the_part_that_is_asked_for",
                  lambda: counters.cores_get_the_part_that_is_asked_for(workshop, example("kmeans"))))
    tests.append(("counters/ways_that_take_long_to_plan_are_tried_later",
                  lambda: counters.ways_that_take_long_to_plan_are_tried_later(workshop, example("sor"))))
    for check in (counters.decisions_are_explained, counters.decisions_are_explained_once):
        tests.append((f"counters/{check.__name__}",
                      lambda c=check: c(workshop, example("stream"))))
    for ranks in (2, 3, 4):
        tests.append((f"counters/jacobi_moves_two_rows_per_border/{ranks}",
                      lambda r=ranks: counters.jacobi_moves_two_rows_per_border(
                          workshop, example("jacobi"), r)))
        tests.append((f"counters/rows_of_neighbours_move_two_rows_per_border/{ranks}",
                      lambda r=ranks: counters.rows_of_neighbours_move_two_rows_per_border(
                          workshop, named["rows_of_neighbours"], r)))
    for ranks in (2, 3):
        tests.append((f"counters/jacobi_on_devices_moves_two_rows_per_border/{ranks}",
                      lambda r=ranks: counters.jacobi_on_devices_moves_two_rows_per_border(
                          workshop, example("jacobi"), r)))
    for ranks in (2, 3, 4):
        tests.append((f"counters/matmul_moves_its_right_factor_once/{ranks}",
                      lambda r=ranks: counters.matmul_moves_its_right_factor_once(
                          workshop, example("matmul"), r)))
        tests.append((f"counters/what_is_overwritten_first_does_not_move/{ranks}",
                      lambda r=ranks: counters.what_is_overwritten_first_does_not_move(
                          workshop, named["earlier_writes"], r)))
    tests.append(("counters/what_is_overwritten_first_is_not_copied_to_a_device",
                  lambda: counters.what_is_overwritten_first_is_not_copied_to_a_device(
                      workshop, named["earlier_writes"])))
    tests.append(("counters/one_rank_sends_nothing",
                  lambda: counters.one_rank_sends_nothing(workshop, example("jacobi"))))
    return tests


def first_tests(tests):
    """The first of each folder, and of each check of commands and failures, which call many programs;
    of sanitizers all, because each has a library."""
    first = {}
    for name, test in tests:
        kind = re.match(r"failures/a_sanitizer.*|(commands|failures)/[^-]*|[^/]*", name)[0]
        first.setdefault(kind, (name, test))
    return list(first.values())


def run_one(name, test, verbose):
    """Whether it passed, and seconds."""
    start = time.monotonic()
    try:
        test()
    except Failure as failure:
        text = str(failure).replace("\n", "\n    ")
        print(f"FAIL {name}\n    {text}", flush=True)
        return False, time.monotonic() - start
    seconds = time.monotonic() - start
    if verbose:
        print(f"ok   {name} ({seconds:.1f} s)", flush=True)
    return True, seconds


def print_longest(tests, seconds):
    """The folders of tests that take longest, with how long they take together: where it pays to spare time."""
    folders = {}
    for (name, _), took in zip(tests, seconds):
        count, total = folders.get(folder := name.split("/")[0], (0, 0))
        folders[folder] = count + 1, total + took
    longest = sorted(folders.items(), key=lambda item: -item[1][1])[:8]
    print("e2e: longest: " + ", ".join(f"{folder} {total:.0f} s ({count} tests)"
                                       for folder, (count, total) in longest))


def share_sessions(folder):
    """Open MPI's launchers make one folder for all sessions of a user, and the last of them removes it. Two
    that begin when it is not there fail now and then, so here it is there all the time: it removes files
    with it, but no folders."""
    sessions = pathlib.Path(folder) / f"ompi.{socket.gethostname().split('.')[0]}.{os.getuid()}"
    sessions.mkdir(mode=0o700, exist_ok=True)
    (sessions / "kept").mkdir(exist_ok=True)
    os.environ["OMPI_MCA_orte_tmpdir_base"] = str(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("patterns", nargs="*", help="run only tests whose name has one of these")
    parser.add_argument("--build", default=ROOT / "build/release")
    parser.add_argument("--jobs", type=int, default=2 * os.cpu_count(),
                        help="tests at a time; programs of several ranks wait half of their time")
    parser.add_argument("--keep", help="build the programs here and leave them")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--first", action="store_true", help="run only the first test of every kind")
    parser.add_argument("--everywhere", action="store_true",
                        help="run features on all numbers of ranks and kinds of devices, not on some in turn")
    parser.add_argument("--seeds", metavar="FIRST:COUNT",
                        help="run so many more programs made at random, in all ways, and no others")
    parser.add_argument("--only", type=int, metavar="NUMBER",
                        help="with --seeds: of the many programs in one of teams, this one alone")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tutti-e2e-") as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        share_sessions(temporary)
        workshop = Workshop(arguments.build, os.path.realpath(folder))
        if arguments.seeds:
            first, count = map(int, arguments.seeds.split(":"))
            tests = list(random_tests(workshop, [
                (kind, seed, *setting) for seed in range(first, first + count)
                for kind in cases.SEED_LOOPS
                for setting in cases.SEED_SETTINGS + cases.WORK_SETTINGS * (kind in cases.SEED_WORK)],
                arguments.only))
        else:
            tests = all_tests(workshop, arguments.everywhere)
        if arguments.first:
            tests = first_tests(tests)
        if arguments.patterns:
            tests = [t for t in tests if any(re.search(p, t[0]) for p in arguments.patterns)]
        if arguments.list:
            print("\n".join(name for name, _ in tests))
            return 0
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            results = list(pool.map(lambda t: run_one(*t, arguments.verbose), tests))
    passed = sum(is_right for is_right, _ in results)
    print_longest(tests, [seconds for _, seconds in results])
    print(f"e2e: {passed} passed, {len(results) - passed} failed")
    return passed < len(results) or not results


if __name__ == "__main__":
    sys.exit(main())
