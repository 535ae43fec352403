# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What options that only debuggers and profilers need must not change."""
from harness import ROOT, Failure

SECONDS = 600  # For a program of many loops, on a machine that is busy.


def debugging_changes_no_region(workshop, program):
    for source in program.sources:
        is_cxx = source.suffix == ".cpp"
        compiler = workshop.bin / ("tuttic++" if is_cxx else "tutticc")
        result = workshop.execute(
            [str(ROOT / "scripts/same-regions"), "--quick", "--compiler", str(compiler),
             str(source), "--", *(["-std=c++20"] if is_cxx else []), *program.flags], {}, "", SECONDS)
        if result.status != 0:
            raise Failure(result.output + result.errors)
