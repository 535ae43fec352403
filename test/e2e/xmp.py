# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XcalableMP programs, which must print on one node what they print without their pragmas."""
from commands import require
from harness import ROOT, Program, compare

FOLDER = ROOT / "test/e2e/xmp"
RANKS = (1, 2, 3, 4)


def programs():
    for path in sorted(FOLDER.glob("*.c")):
        program = Program.read(path)
        program.name = f"xmp-{path.stem}"
        program.flags = ["-O2", "-g"]
        yield path.stem, program


def ignoring_pragmas_makes_one_program(workshop):
    program = Program.read(FOLDER / "formats.c")
    program.name = "xmp-ignored"
    program.tutti_flags = ["-fno-xmp"]
    compare(workshop, program, [], 2)


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


def all_checks():
    """Pairs (name, function of the workshop)."""
    checks = [(check.__name__, check) for check in
              (ignoring_pragmas_makes_one_program, pragmas_in_headers_alone_are_errors,
               dependencies_are_those_of_the_source)]
    return checks + [(f"{name}/{ranks}", lambda w, p=program, r=ranks: compare(w, p, [], r))
                     for name, program in programs() for ranks in RANKS]
