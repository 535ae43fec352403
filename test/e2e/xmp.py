# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XcalableMP programs, which must print on one node what they print without their pragmas."""
import re

from commands import require
from harness import ROOT, Program, compare

FOLDER = ROOT / "test/e2e/xmp"
RANKS = (1, 2, 3, 4)
EXAMPLE_SIZES = {  # Small: what is tested does not grow with them.
    "cg": ("-DN=21 -DSTEPS=6", "-DN=5 -DSTEPS=3"),
    "laplace": ("-DROWS=37 -DCOLUMNS=23 -DSTEPS=9", "-DROWS=5 -DCOLUMNS=3 -DSTEPS=2"),
    "matmul": ("-DN=29", "-DN=5"),
    "nbody": ("-DN=31 -DSTEPS=3", "-DN=5 -DSTEPS=2"),
    "poisson3d": ("-DN=11 -DSTEPS=3", "-DN=5 -DSTEPS=2"),
    "transpose": ("-DROWS=23 -DCOLUMNS=17", "-DROWS=3 -DCOLUMNS=5"),
}
EXAMPLE_RANKS = (1, 2, 3, 4, 6)


def programs():
    for path in sorted(FOLDER.glob("*.c")):
        program = Program.read(path)
        program.name = f"xmp-{path.stem}"
        program.flags = ["-O2", "-g"]
        yield path.stem, program


def examples():
    """Pairs (name, program): as they are, and with odd sizes; the last with more nodes than rows."""
    for name, sizes in EXAMPLE_SIZES.items():
        for size in sizes:
            program = Program.read(ROOT / f"examples/xmp/{name}.c")
            program.flags = ["-O2", *size.split()]
            program.name = "-".join(["xmp", name, *re.findall(r"=(\d+)", size)])
            yield program.name.removeprefix("xmp-"), program


def ignoring_pragmas_makes_one_program(workshop):
    program = Program.read(FOLDER / "formats.c")
    program.name = "xmp-ignored"
    program.tutti_flags = ["-fno-xmp"]
    compare(workshop, program, [], 2)


def files_share_arrays_and_pointers(workshop, ranks):
    folder = ROOT / "test/e2e/xmp_files"
    compare(workshop, Program("xmp-files", [folder / "main.c", folder / "fill.c"], ["-O1"]), [], ranks)


def pragmas_in_headers_alone_are_errors(workshop):
    header = workshop.folder / "nodes.h"
    header.write_text("#pragma xmp nodes p[*]\n")
    source = workshop.folder / "main.c"
    source.write_text('#include "nodes.h"\nint main(void) { return 0; }\n')
    tutticc = str(workshop.bin / "tutticc")
    result = workshop.execute([tutticc, "-c", str(source)], {}, "")
    require(result.status != 0 and "nodes.h:1:" in result.errors and "-fxmp" in result.errors,
            result.errors)
    for option in ("-fxmp", "-fno-xmp"):
        result = workshop.execute([tutticc, option, "-c", str(source)], {}, "")
        require(result.status == 0 and not result.errors, result.errors)


def dependencies_are_those_of_the_source(workshop):
    header = workshop.folder / "size.h"
    header.write_text("#define N 4\n")
    source = workshop.folder / "depends.c"
    source.write_text('#include "size.h"\n#pragma xmp nodes p[N]\n')
    result = workshop.execute([str(workshop.bin / "tutticc"), "-MMD", "-c", str(source)], {}, "")
    require(result.status == 0, result.errors)
    text = (workshop.folder / "depends.d").read_text()
    require("depends.o:" in text and "depends.c" in text and "size.h" in text, text)


def strict_compilers_have_nothing_to_say(workshop):
    """About what is written, which the user does not see."""
    for path in sorted((ROOT / "examples/xmp").rglob("cg.c")):
        result = workshop.execute([str(workshop.bin / "tutticc"), "-std=c99", "-pedantic-errors", "-Wall",
                                   "-Wextra", "-Werror", "-c", str(path)], {}, "")
        require(result.status == 0 and not result.errors, result.errors)


def moved(workshop, what, times, ranks):
    program = Program.read(ROOT / "test/e2e/xmp_counters/steps.c")
    program.name = "xmp-counters"
    if what == "grid":
        program.name, program.tutti_flags = "xmp-counters-grid", ["-DGRID"]
    return workshop.statistics(program, [what, str(times)], ranks)["nodes"]


def require_moved(found, kind, messages, count):
    expected = {"bytes": count, "messages": messages}
    require(found[kind] == expected, f"{kind}: {found[kind]}, not {expected}")


def reflect_moves_borders(workshop, ranks):
    """48 rows of 10 doubles, in blocks: two messages for each of the ranks - 1 borders."""
    for what, width in (("rows", 3), ("narrow", 1)):
        messages = 2 * (ranks - 1)
        require_moved(moved(workshop, what, 1, ranks), "reflect", messages,
                      messages * width * 10 * 8)


def reflect_of_a_grid_brings_corners_along(workshop, ranks):
    """48 x 48 doubles on rows x 2 nodes. What moves is the shadow inside of the array, corners too,
    in one message for each side that two nodes share."""
    rows = ranks // 2
    height, width = 48 // rows, 24
    first = 2 * (rows - 1) * 2  # Messages between rows of nodes.
    second = rows * 2           # Between the two columns.
    sides = first * width + second * height
    corners = (rows - 1) * 4
    require_moved(moved(workshop, "grid", 1, ranks), "reflect", first + second,
                  (sides + corners) * 8)


def gmove_sends_what_is_lacking_once(workshop, ranks):
    """From blocks to cyclic: a message for each pair of nodes that has a common element."""
    size = -(-48 // ranks)
    pairs = [(i // size, i % ranks) for i in range(48) if i // size != i % ranks]
    require_moved(moved(workshop, "gmove", 1, ranks), "gmove", len(set(pairs)), len(pairs) * 8)
    require_moved(moved(workshop, "same", 1, ranks), "gmove", 0, 0)


def repeated_directives_plan_once(workshop, ranks):
    """What a step allocates it gives back, too: the program itself looks at that after 100 steps."""
    times = {"automatic": 10000, "kinds": 1000, "copies": 10000}
    for what in ("rows", "gmove", "task", "automatic", "kinds", "copies"):
        once = moved(workshop, what, 1, ranks)
        often = moved(workshop, what, times.get(what, 100), ranks)
        require(often["moves"]["made"] == once["moves"]["made"] and
                often["groups"] == once["groups"], f"{what}: {once}, then {often}")


def regions_are_summed_over_nodes(workshop, ranks):
    """Each node runs the first loop once, and the second as often as its number says."""
    path = ROOT / "test/e2e/xmp_counters/regions.c"
    regions = workshop.statistics(Program("xmp-regions", [path], ["-O1"]), [], ranks)["regions"]
    found = [(int(each["source"].split(":")[-2]), each["launches"]) for each in regions]
    lines = [n for n, line in enumerate(path.read_text().splitlines(), 1) if "omp parallel" in line]
    counts = (ranks, ranks * (ranks - 1) // 2)
    require(found == [pair for pair in zip(lines, counts) if pair[1] > 0], found)


def programs_without_loops_for_devices_leave_them_alone(workshop, ranks):
    """Nothing is opened, protected or moved; a loop with acc shows that the program would notice."""
    path = ROOT / "test/e2e/xmp_counters/libraries.c"
    environment = {"POCL_DEVICES": "pthread"}
    plain = Program("xmp-libraries", [path], ["-O1"])
    result = workshop.launch(plain, [], ranks, environment)
    require(result.status == 0 and result.output == "no devices\n" * ranks, result.output)
    found = workshop.statistics(plain, [], ranks, environment)
    require(found["faults"] == 0 and found["launches"] == 0 and found["plans"]["made"] == 0, found)
    acc = Program("xmp-libraries-acc", [path], ["-O1"], ["-DACC"])
    result = workshop.launch(acc, [], ranks, {**environment, "TUTTI_DEVICE": "opencl"})
    require(result.status == 0 and result.output == "devices\n" * ranks, result.output)


def counter_checks():
    for ranks in (1, 2, 3, 4):
        yield reflect_moves_borders, ranks
        yield gmove_sends_what_is_lacking_once, ranks
    for ranks in (2, 4, 6):
        yield reflect_of_a_grid_brings_corners_along, ranks
    yield repeated_directives_plan_once, 2
    for ranks in (1, 3):
        yield files_share_arrays_and_pointers, ranks
        yield programs_without_loops_for_devices_leave_them_alone, ranks
        yield regions_are_summed_over_nodes, ranks


def all_checks():
    """Pairs (name, function of the workshop)."""
    checks = [(check.__name__, check) for check in
              (ignoring_pragmas_makes_one_program, pragmas_in_headers_alone_are_errors,
               strict_compilers_have_nothing_to_say, dependencies_are_those_of_the_source)]
    checks += [(f"{check.__name__}/{ranks}", lambda w, c=check, r=ranks: c(w, r))
               for check, ranks in counter_checks()]
    checks += [(f"examples/{name}/{ranks}", lambda w, p=program, r=ranks: compare(w, p, [], r))
               for name, program in examples() for ranks in EXAMPLE_RANKS]
    return checks + [(f"{name}/{ranks}", lambda w, p=program, r=ranks: compare(w, p, [], r))
                     for name, program in programs() for ranks in RANKS]
