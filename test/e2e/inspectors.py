# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs under gdb and, where it is installed, valgrind: each rank under one."""
import re
import shutil

from commands import require
from harness import ROOT, Program, limits, tail

SECONDS = 300  # Valgrind starts two ranks in fifteen on a machine that does nothing else.


def gdb_stops_where_the_program_crashes(workshop):
    """Not at faults by which ranks hear of accesses; on all ranks that run the loop."""
    source = ROOT / "test/e2e/features/faults_in_a_loop.c"
    binary = workshop.compiled(Program("faults_in_a_loop", [source], flags=["-O2", "-g"]), tutti=True)
    result = workshop.execute(
        [workshop.bin / "tuttirun", "-n", "2", "gdb", "-nx", "-batch", "-ex", "run", "-ex", "bt",
         "--args", binary, "loop"], {"TUTTI_DISTRIBUTE": "always"}, "", SECONDS)
    text = result.output + result.errors
    require(re.search(r"rank [01]: segmentation fault: 0x[0-9a-f]+ is written while the loop", text),
            tail(text))
    require(re.search(r"<signal handler called>\n(.*\n)?.* in .* at .*faults_in_a_loop\.c:1\d", text),
            tail(text))
    require("SIGSEGV" not in text, tail(text))
    require(re.search(r"^\[1,[01]\]<stdout>:", text, re.M), tail(text))


def valgrind_reports_what_the_program_does_alone(workshop):
    """On two ranks, with memory that grows: one mistake of the program, none of the runtime."""
    source = ROOT / "test/e2e/features/mistake.c"
    binary = workshop.compiled(Program("mistake", [source], flags=["-O1", "-gdwarf-4"]), tutti=True)
    result = workshop.execute(
        [workshop.bin / "tuttirun", "-n", "2", "valgrind", binary],
        {"TUTTI_DISTRIBUTE": "always", "OMP_NUM_THREADS": "1"}, "", SECONDS)
    require(result.status == 0, f"status {result.status}\n{tail(result.errors)}")
    require("sum 4.5e+07\n" in result.output, result.output)
    summaries = sorted(re.findall(r"ERROR SUMMARY: (\d+) errors", result.errors))
    require(summaries == ["0", "1"], f"{summaries}\n{tail(result.errors, 60)}")
    require(re.search(r"depends on uninitialised value.*\n.* main \(mistake\.c:23\)", result.errors),
            tail(result.errors, 60))


def all_checks():
    """(name, function of the workshop)"""
    checks = []
    if limits.GDB is not None:
        checks.append(gdb_stops_where_the_program_crashes)
    if shutil.which("valgrind"):
        checks.append(valgrind_reports_what_the_program_does_alone)
    return [(f.__name__, f) for f in checks]
