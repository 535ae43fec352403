# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XcalableMP programs with loops on devices, which must print on one node what they print without their
pragmas, wherever the loops run; and what they move."""
import re

from commands import require
from harness import ROOT, Program, compare, counters

FOLDER = ROOT / "test/e2e/xmp_acc"
EXAMPLES = ROOT / "examples/xmp/acc"
ONE = {"TUTTI_DEVICE": "opencl", "POCL_DEVICES": "pthread"}
TWO = {"TUTTI_DEVICE": "opencl", "POCL_DEVICES": "pthread pthread"}
HYBRID = {"TUTTI_DEVICE": "hybrid", "POCL_DEVICES": "pthread"}
CORES = {"TUTTI_DEVICE": "cpu"}
# Ranks, and where the loops run.
RUNS = (("opencl", 3, ONE), ("two", 1, TWO), ("hybrid", 2, HYBRID), ("cores", 4, CORES))
EXAMPLE_RUNS = (("opencl", 4, ONE), ("two", 1, TWO), ("hybrid", 2, HYBRID), ("cores", 6, CORES))


def programs(folder=FOLDER):
    for path in sorted(folder.glob("*.c")):
        yield path.stem, program(path.stem, folder)


def program(name, folder=FOLDER):
    found = Program.read(folder / f"{name}.c")
    found.name = f"{folder.name}-{name}".replace("_", "-")
    found.flags = ["-O2", "-g"]
    return found


def syncs_copy_local_allocations_once(workshop):
    """Of n elements on r nodes: the whole first array, which has a full shadow, and parts of the second."""
    for ranks in (1, 2, 4):
        found = workshop.statistics(program("figure3"), [], ranks, ONE)["nodes"]
        n = 1000
        require(found["replicateSync"] == {"bytes": 4 * n * (ranks + 1), "copies": 2 * ranks},
                found["replicateSync"])
        require(found["reflectAcc"] == {"bytes": 0, "messages": 0}, found["reflectAcc"])


def reflect_of_copies_moves_borders_only(workshop):
    """Nine steps with a border row of 29 doubles to each neighbour, then one and two
    columns of 29 integers."""
    for ranks in (1, 2, 4):
        found = workshop.statistics(program("grids"), [], ranks, ONE)["nodes"]["reflectAcc"]
        borders = ranks - 1
        require(found["messages"] == 2 * borders * (9 + 1), found)
        require(found["bytes"] == borders * (9 * 2 * 29 * 8 + 3 * 29 * 4), found)


def steady_reflects_of_copies_move_nothing_else(workshop):
    """Of a plate in two blocks of columns, 200 steps, in which more and more of the border changes: devices
    bring borders and what is synced at the end to the host, nobody touches a page, and plans are made once."""
    found = workshop.statistics(program("laplace", EXAMPLES), [], 2, ONE)
    borders = found["nodes"]["reflectAcc"]["bytes"]
    require(borders == 2 * 200 * 128 * 8, borders)
    require(found["devices"]["out"]["bytes"] <= borders + 8 * 128 * 192, found["devices"])
    require(found["devices"]["in"]["bytes"] <= borders + 3 * 8 * 128 * 192, found["devices"])
    require(found["faults"] == 0 and found["plans"]["made"] <= 20, found)


def loops_have_kernels(workshop):
    """Every launch of every loop is a kernel's, so that the results are of devices. On one node, as others may
    have a single iteration, which stays home."""
    for name, each in [*programs(), *programs(EXAMPLES)]:
        found = workshop.statistics(each, [], 1, ONE)
        require(found["devices"]["kernels"] > 0, f"{name}: {found['devices']}")
        for region in found["regions"]:
            require(region["onDevices"] == region["launches"], f"{name}: {region}")


BORDERS = """
#pragma xmp nodes p[*]
#pragma xmp template t[16]
#pragma xmp distribute t[block] onto p
TYPE a[16];
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[1]
#pragma xmp acc replicate (a)
int FUNCTION(void) {
  int wrong = 0;
#pragma xmp loop on t[i] acc
  for (int i = 0; i < 16; i++)
    a[i] = i + 1;
#pragma xmp reflect (a) acc
#pragma xmp loop on t[i] acc reduction(+: wrong)
  for (int i = 1; i < 15; i++)
    wrong += a[i - 1] != i || a[i + 1] != i + 2;
  return wrong;
}
"""


def files_bring_the_loops_that_pack_for_them(workshop):
    """Each for the elements that it has; whoever comes last takes away none of the others'."""
    objects = []
    types = ("double", "int", "char", "short")
    for kind in types:
        source = workshop.folder / f"borders_{kind}.c"
        source.write_text(f"#define TYPE static {kind}\n#define FUNCTION {kind}s\n{BORDERS}")
        objects.append(str(source.with_suffix(".o")))
        done = workshop.execute([str(workshop.bin / "tutticc"), "-O1", "-c", str(source), "-o", objects[-1]],
                                {}, "")
        require(done.status == 0, done.errors)
    main = workshop.folder / "borders.c"
    main.write_text("".join(f"int {kind}s(void);\n" for kind in types) + "int main(void) { return " +
                    " + ".join(f"{kind}s()" for kind in types) + "; }\n")
    for order in (objects, objects[::-1]):
        binary = str(workshop.folder / "borders")
        done = workshop.execute([str(workshop.bin / "tutticc"), str(main), *order, "-o", binary], {}, "")
        require(done.status == 0, done.errors)
        done = workshop.execute([str(workshop.bin / "tuttirun"), "-n", "2", binary],
                                {**ONE, "TUTTI_STATS": "json"}, "")
        require(done.status == 0, f"{done.status}: {done.errors}")
        found = counters(done)["nodes"]["reflectAcc"]
        require(found == {"bytes": 2 * (8 + 4 + 1 + 2), "messages": 2 * len(types)}, found)


def remarks_are_at_the_users_lines(workshop):
    """At the loops, and not at those that Tutti adds to the file."""
    source = EXAMPLES / "laplace.c"
    found = workshop.execute([str(workshop.bin / "tutticc"), "-O2", "-Rpass=tutti", "-c", str(source), "-o",
                              str(workshop.folder / "remarks.o")], {}, "")
    lines = source.read_text().splitlines()
    remarks = re.findall(r"(\S+):(\d+):\d+: remark: parallel loop is distributed", found.errors)
    require(len(remarks) == 2 and all(name == str(source) and "loop" in lines[int(line) - 1]
                                      for name, line in remarks), found.errors)
    require("could not determine" not in found.errors, found.errors)


def errors_of_written_loops_are_at_the_users_lines(workshop):
    source = workshop.folder / "leaves.c"
    source.write_text("#pragma xmp nodes p[*]\n#pragma xmp template t[9]\n"
                      "#pragma xmp distribute t[block] onto p\n"
                      "int main(void) {\n  #pragma xmp loop on t[i] acc\n"
                      "  for (int i = 0; i < 9; i++) {\n    break;\n  }\n}\n")
    result = workshop.execute([str(workshop.bin / "tutticc"), "-c", str(source)], {}, "")
    require(result.status != 0 and re.search(r"leaves\.c:7:\d+: error: ", result.errors), result.errors)


def nodes_that_lose_their_devices_go_on(workshop):
    """Each says so of its own, and the results are those of the cores."""
    lost = {"TUTTI_DEVICE": "gpu", "TUTTI_MOCK_DEVICES": "1", "TUTTI_MOCK_LOSE": "3"}
    result = workshop.launch(program("figure3"), [], 2, lost)
    on_cores = workshop.launch(program("figure3"), [], 2, CORES)
    require(result.status == 0 and result.output == on_cores.output, result.output)
    lines = sorted(result.errors.splitlines())
    require(lines == [f"tutti: rank {rank}: a device is used no more: mock 0 is lost at operation 3"
                      for rank in (0, 1)], result.errors)


def all_checks():
    """Pairs (name, function of the workshop)."""
    checks = [(check.__name__, check) for check in
              (syncs_copy_local_allocations_once, files_bring_the_loops_that_pack_for_them, reflect_of_copies_moves_borders_only,
               steady_reflects_of_copies_move_nothing_else,
               loops_have_kernels, remarks_are_at_the_users_lines, errors_of_written_loops_are_at_the_users_lines,
               nodes_that_lose_their_devices_go_on)]
    return checks + [(f"{kind}{name}/{where}-{ranks}",
                      lambda w, p=each, r=ranks, e=environment: compare(w, p, [], r, e))
                     for kind, folder, runs in (("", FOLDER, RUNS), ("examples/", EXAMPLES, EXAMPLE_RUNS))
                     for name, each in programs(folder) for where, ranks, environment in runs]
