# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XcalableMP programs that go wrong at run time: one line with a line of the source, and a quick end."""
import re

from commands import require
from failures import Run, one_line
from harness import ROOT, Program

MEET = ROOT / "test/e2e/xmp_failures/meet.c"
# How long nodes wait for others in these tests.
SECONDS = 2


def line_of(path, mark):
    """The numbers of the lines that end with `// mark`, as an alternative of an expression."""
    lines = path.read_text().splitlines()
    return "|".join(str(n) for n, line in enumerate(lines, 1) if line.endswith(f"// {mark}"))


def at(path, mark):
    return rf"{path.name}:(?:{line_of(path, mark)}):\d+"


def group(first, last, one, many):
    return f"node {first} {one}" if first == last else f"nodes {first}-{last} {many}"


# Of each the declarations, the statements of main, what is said of the line that is marked, and
# numbers of nodes on which it is.
BROKEN = {
    "nodes": ("#pragma xmp nodes q[5] // here", "",
              r"a node array of 5 nodes does not fit the {0}", (2, 3, 6)),
    "outside": ("", """int n = 13;
#pragma xmp task on t[n] // here
  sum++;""", "subscript 13 lies outside of 0 to 11", (2, 6)),
    "section": ("", """int n = 13;
#pragma xmp gmove // here
  a[0:n] = b[0:n];""", "subscript 12 lies outside of 0 to 11", (2, 3)),
    "map": ("", """int few[] = {1, 2, 1, 2, 1, 2};
#pragma xmp template u[12]
#pragma xmp distribute u[gblock(few)] onto p // here""",
            r"the gblock map covers \d of 12 indices", (2, 3, 6)),
    "width": ("", """int w = 2;
#pragma xmp reflect (a) width(w) // here""", "reflect of width 2:2 is wider than the shadow", (2, 5)),
    "peel": ("", """int w = 1;
#pragma xmp loop on t[i] peel_and_wait(1, w) // here
  for (int i = 0; i < 12; i++)
    a[i] = i;""", "widths 1:1 of peel_and_wait, which cannot be positive", (2, 4)),
    "expand": ("", """int w = 2;
#pragma xmp loop on t[i] expand(w) // here
  for (int i = 1; i < 11; i++)
    a[i] = i;""", r"iteration \d touches element \d of dimension 1 of 'a', which this node does not "
               r"have: it has -1 to \d with its shadow of 1:1", (2, 3)),
    "margin": ("", """int w = 1;
#pragma xmp loop on t[i] margin(w) // here
  for (int i = 2; i < 10; i++)
    b[i + 1] = a[i];""", "of 'b', which this node does not have", (2, 4)),
    "elements": ("", """int n = 4;
#pragma xmp array on t[2:5] // here
  a[2:n] = 1;""", "4 elements are assigned on 5 subscripts", (2, 3)),
    "memory": ("", """double *later;
#pragma xmp align later[i] with t[i]
#pragma xmp loop on t[i] // here
  for (int i = 0; i < 12; i++)
    later[i] = i;""", "'later' has no memory of xmp_malloc yet", (2, 3)),
    "sum": ("", """#pragma xmp reduction(+ : b) // here""",
            "the array is not replicated: nodes 0 and 1 have different elements of its dimension 1",
            (2, 5)),
    "copy": ("", """#pragma xmp bcast (a) // here""", "the array is not replicated: nodes 0 and 1", (2, 3)),
    "shape": ("", """int n = 4;
#pragma xmp gmove // here
  a[0:n] = b[0:n - 1];""", "3 elements are assigned to 4", (2, 6)),
}
FRAME = """#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <xmp.h>
#pragma xmp nodes p[*]
#pragma xmp template t[12]
#pragma xmp distribute t[block] onto p
double a[12], b[12];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp shadow a[1]
%s
int main(void) {
  int sum = 0;
  %s
#pragma xmp reduction(+ : sum)
  return 0;
}
"""


def written(workshop, name, declarations, statements):
    source = workshop.folder / f"broken_{name}.c"
    if not source.exists():
        source.write_text(FRAME % (declarations, statements))
    return source, workshop.compiled(Program(f"xmp-{name}", [source], ["-O1"]), tutti=True)


def a_directive_that_cannot_be_done(workshop, name, ranks):
    declarations, statements, words, _ = BROKEN[name]
    source, binary = written(workshop, name, declarations, statements)
    one_line(Run(workshop, ranks, [binary]).finish(),
             rf"^tutti: rank \d: \S*{at(source, 'here')}: .*{words.format(ranks)}")


# Loops, and whether nodes of a job touch what they do not have.
LOOPS = {
    "below": ("a[i] = b[i - 1];", True),
    "above": ("for (int j = 0; j < 3; j++) a[i] += b[1 + i] > j;", True),
    "shadow": ("b[i] = a[i - 1] + a[i + 1];", False),
    "branch": ("b[i] = sum ? a[i - 2] : 0;", False),
    "jump": ("if (!sum) continue; b[i] = a[i + 2];", False),
    "never": ("for (int j = 0; j < sum; j++) b[i] = a[i - 3 + j];", False),
    "address": ("sum += &b[i + 1] == 0;", False),
}


def a_loop_that_reaches(workshop, name, ranks):
    """What the others have; which is not the end of programs that make nothing of it."""
    body, is_far = LOOPS[name]
    source, binary = written(workshop, f"reach_{name}", "", f"""
#pragma xmp loop on t[i] // here
  for (int i = 1; i < 11; i++) {{ {body} }}""")
    result = Run(workshop, ranks, [binary]).finish()
    lines = result.errors.splitlines()
    words = re.compile(rf"tutti: rank \d: \S*{at(source, 'here')}: warning: iteration \d+ touches "
                       rf"element \d+ of dimension 1 of 'b', which this node does not have")
    require(result.status == 0 and all(words.match(line) for line in lines) and
            len(lines) == (ranks - 1 if is_far and ranks > 1 else 0),
            f"status {result.status}\n{result.errors}")


def a_node_that_dies(workshop, ranks, how, words, status):
    """While the others wait for it."""
    _, binary = written(workshop, how, "", f"""if (xmpc_all_node_num() == 1) {{
    {"kill(getpid(), SIGKILL)" if how == "killed" else "exit(3)"};
  }}""")
    result = Run(workshop, ranks, [binary]).finish()
    if words:
        one_line(result, words, status)
    else:
        require(result.status == status and not result.errors,
                f"status {result.status}\n{result.errors}")


def meet(workshop, way, ranks, limit=SECONDS):
    program = Program("xmp-meet", [MEET], ["-O1"])
    binary = workshop.compiled(program, tutti=True)
    return Run(workshop, ranks, [binary, way], {"TUTTI_TIMEOUT": str(limit)}).finish()


def nodes_that_do_not_meet(workshop, way, ranks, one, many, last):
    """All but the last wait in the line that is marked, and the last one is elsewhere."""
    waiting = group(0, ranks - 2, one, many)
    here = at(MEET, "here") + (r" \(xmp_sort_up\)" if way == "sort" else "")
    one_line(meet(workshop, way, ranks),
             rf"^tutti: rank 0: nodes do not meet within {SECONDS} s: {waiting} at \S*{here}; "
             rf"node {ranks - 1} {last}$")


def meeting_checks():
    after = rf"after \S*{at(MEET, 'before')}"
    for way, last in (("directives", rf"waits at \S*{at(MEET, 'other')}"),
                      ("gmove", f"has ended {after}"), ("exit", f"has ended {after}"),
                      ("end", f"has ended {after}"), ("one", f"has ended {after}"),
                      ("sort", f"has ended {after}"),
                      ("computes", f"runs the program's own code {after}")):
        # Of 5 nodes the last has no element, so that a sort is none of its business.
        for ranks in {"directives": (2,), "gmove": (2,), "sort": (2, 3)}.get(way, (2, 5)):
            yield (f"{way}/{ranks}", lambda w, a=(way, ranks, "waits", "wait", last):
                   nodes_that_do_not_meet(w, *a))


def a_task_that_is_left_early(workshop):
    one_line(meet(workshop, "task", 4),
             rf"node 0 waits at \S*{at(MEET, 'here')}; nodes 1-3 have ended after "
             rf"\S*{at(MEET, 'inside')}$")


def nodes_that_meet_late(workshop, way, ranks, limit):
    result = meet(workshop, way, ranks, limit)
    require(result.status == 0 and result.output == "met\n" * ranks and not result.errors,
            f"status {result.status}\n{result.output}{result.errors}")


def all_checks():
    """Pairs (name, function of the workshop)."""
    checks = [(f"do-not-meet/{name}", check) for name, check in meeting_checks()]
    checks.append(("do-not-meet/task/4", a_task_that_is_left_early))
    for way, ranks, limit in (("turns", 2, 5), ("turns", 4, 5), ("late", 3, 0)):
        checks.append((f"meet-late/{way}/{ranks}", lambda w, a=(way, ranks, limit):
                       nodes_that_meet_late(w, *a)))
    for name, (*_, numbers) in BROKEN.items():
        checks += [(f"broken/{name}/{ranks}", lambda w, a=(name, ranks):
                    a_directive_that_cannot_be_done(w, *a)) for ranks in numbers]
    for name in LOOPS:
        checks += [(f"reach/{name}/{ranks}", lambda w, a=(name, ranks): a_loop_that_reaches(w, *a))
                   for ranks in (1, 3)]
    for ranks in (2, 6):
        checks.append((f"dies/killed/{ranks}", lambda w, r=ranks: a_node_that_dies(
            w, r, "killed", r"^tutti: rank 1 on host \S+: killed by signal 9 \(Killed\)$", None)))
        checks.append((f"dies/exits/{ranks}", lambda w, r=ranks: a_node_that_dies(
            w, r, "exits", None, 3)))
    return checks
