# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that print: where the text goes, how much of it there may be, and who ends the program."""
import itertools
import threading

import counters
from harness import ROOT, Failure, Program, tail

RANKS = (1, 2, 3, 4)

LINES = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  const int n = atoi(argv[1]), most = atoi(argv[2]);
  if (argc > 3 && strchr(argv[3], 'f')) freopen("lines.txt", "w", stdout);
  if (argc > 3 && strchr(argv[3], 'u')) setvbuf(stdout, NULL, _IONBF, 0);
  if (argc > 3 && strchr(argv[3], 'l')) setvbuf(stdout, NULL, _IOLBF, 0);
  double *a = malloc(sizeof *a * n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = i * 0.5;
  printf("before, ");
  printf("still before\n");
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    printf("%d %g %s\n", i, a[i], "some text that is longer than the numbers in front of it");
    if (i % 10 < most) fprintf(stderr, "error %d\n", i);
  }
  printf("behind\n");
  if (argc > 3 && strchr(argv[3], 'f')) fclose(stdout);
  return 0;
}
"""

ENDS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void last(void) { printf("handler\n"); }
int main(int argc, char **argv) {
  const int n = 1000, bad = atoi(argv[1]), status = atoi(argv[2]);
  double *a = malloc(sizeof *a * n);
  atexit(last);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = i;
  printf("before\n");
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i) {
    if (a[i] == bad) {
      printf("in %d\n", i);
      exit(status);
    }
    a[i] += 1;
  }
  printf("behind\n");
  return 0;
}
"""

ABORTS = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  const int n = 1000;
  double *a = malloc(sizeof *a * n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = i;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] == 990) fprintf(stderr, "what it said\n");
    if (a[i] == 995) abort();
    a[i] += 1;
  }
  return 0;
}
"""


def made(workshop, name, text):
    def make():
        path = workshop.folder / f"{name}.c"
        path.write_text(text)
        return Program.read(path)
    return workshop.cached(("output", name), make)


def lines_of(n):
    return [f"{i} {i * 0.5:g} some text that is longer than the numbers in front of it" for i in range(n)]


def require_lines(text, n, where):
    lines = text.splitlines()
    if lines[:1] != ["before, still before"] or lines[-1:] != ["behind"]:
        raise Failure(f"{where}: begins with {lines[:1]} and ends with {lines[-1:]}")
    if sorted(lines[1:-1]) != sorted(lines_of(n)):
        raise Failure(f"{where}: {len(lines) - 2} lines for {n}, or other ones")


def launch(workshop, program, arguments, ranks, environment=None):
    return workshop.launch(program, arguments, ranks, {"TUTTI_DISTRIBUTE": "always", "OMP_NUM_THREADS": "2",
                                                       **(environment or {})})


def goes_to_a_pipe(workshop, ranks, mode):
    n = 2000
    result = launch(workshop, made(workshop, "output_lines", LINES), [str(n), "3", mode], ranks)
    if result.status != 0:
        raise Failure(f"exit status {result.status}\n{tail(result.errors)}")
    require_lines(result.output, n, "standard output")
    errors = [line for line in result.errors.splitlines() if line.startswith("error ")]
    expected = [f"error {i}" for i in range(n) if i % 10 < 3]
    if sorted(errors) != sorted(expected):
        raise Failure(f"{len(errors)} lines on standard error for {len(expected)}")


def goes_where_the_program_leads_it(workshop, ranks):
    n = 2000
    file = workshop.folder / "lines.txt"
    with workshop.cached("lines.txt", threading.Lock):  # All runs write this file.
        file.unlink(missing_ok=True)
        result = launch(workshop, made(workshop, "output_lines", LINES), [str(n), "0", "f"], ranks)
        if result.status != 0 or result.output:
            raise Failure(f"exit status {result.status}, printed {result.output[:80]!r}\n{tail(result.errors)}")
        require_lines(file.read_text(), n, "the file")


def may_be_a_lot(workshop, ranks):
    n = 150_000  # About 10 MB.
    result = launch(workshop, made(workshop, "output_lines", LINES), [str(n), "0"], ranks)
    if result.status != 0:
        raise Failure(f"exit status {result.status}\n{tail(result.errors)}")
    require_lines(result.output, n, "standard output")


def is_distributed(workshop, ranks):
    counters.all_launches_are_distributed(workshop, made(workshop, "output_lines", LINES), ["2000", "0"], ranks)


def changed_streams_keep_loops_home(workshop, ranks):
    program = Program.read(ROOT / "test/e2e/features/output_objects.cpp")
    found = workshop.statistics(program, [], ranks)
    home = {r["reason"]: r["home"] for r in found["regions"] if r["home"] > 0}
    reason = "it prints, and the program has changed how std::cout or std::cerr does that"
    if home != {reason: 1} or found["distributed"] != 4:
        raise Failure(f"{found['distributed']} launches were distributed, home: {home}")


def ends_the_program(workshop, ranks, schedule):
    for bad, status in ((0, 0), (3, 5), (500, 7), (999, 0), (999, 255)):
        result = launch(workshop, made(workshop, "output_ends", ENDS), [str(bad), str(status)], ranks,
                        {"OMP_SCHEDULE": schedule})
        expected = f"before\nin {bad}\nhandler\n"
        if result.status != status or result.output != expected:
            raise Failure(f"{bad} {status}: exit status {result.status}, printed {result.output!r}\n"
                          f"{tail(result.errors)}")


def is_not_lost_when_a_rank_aborts(workshop, ranks):
    result = launch(workshop, made(workshop, "output_aborts", ABORTS), [], ranks)
    if result.status == 0 or "what it said" not in result.errors:
        raise Failure(f"exit status {result.status}\n{tail(result.errors)}")


def is_not_joined_by_a_compiler_of_kernels(workshop):
    """A device's compiler may find things to warn of in the text of a kernel."""
    program = Program.read(ROOT / "test/e2e/features/complex_numbers.cpp")
    kernels = workshop.folder / "kernels_anew"  # What was compiled before is not compiled.
    result = launch(workshop, program, [], 1, {"TUTTI_DEVICE": "opencl", "POCL_CACHE_DIR": str(kernels)})
    if result.status != 0 or "warning" in result.errors:
        raise Failure(f"exit status {result.status}\n{tail(result.errors)}")


def all_checks():
    """Pairs (name, function of a workshop)."""
    checks = [(f"goes_to_a_pipe/{mode or 'buffered'}/{ranks}",
               lambda w, r=ranks, m=mode: goes_to_a_pipe(w, r, m))
              for ranks, mode in itertools.product(RANKS, ("", "u", "l"))]
    for check in (goes_where_the_program_leads_it, may_be_a_lot):
        checks += [(f"{check.__name__}/{ranks}", lambda w, c=check, r=ranks: c(w, r)) for ranks in RANKS]
    checks += [(f"ends_the_program/{schedule}/{ranks}",
                lambda w, r=ranks, s=schedule: ends_the_program(w, r, s))
               for ranks, schedule in itertools.product(RANKS, ("static", "dynamic,10"))]
    checks += [(f"{check.__name__}/{ranks}", lambda w, c=check, r=ranks: c(w, r))
               for check in (is_distributed, is_not_lost_when_a_rank_aborts,
                             changed_streams_keep_loops_home) for ranks in (2, 4)]
    checks.append(("is_not_joined_by_a_compiler_of_kernels", is_not_joined_by_a_compiler_of_kernels))
    return checks
