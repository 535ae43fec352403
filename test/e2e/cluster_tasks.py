# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OmpSs-2 programs whose tasks run on other ranks, which must print what they print without their pragmas;
such programs made at random; what they move, exactly; and what is said of tasks that stay."""
import json
import re

import ompss
from commands import require
from harness import ROOT, Program, compare

FOLDER = ROOT / "test/e2e/cluster"
SEEDS = 30
MEMORY = f"""
#include "{FOLDER}/cluster.h"
static unsigned *m;
"""


class Writer(ompss.Writer):
    """Many tasks name a node, or all of them may go anywhere."""

    NODES = 4

    def __init__(self, seed):
        super().__init__(seed)
        self.memory = self.random.choice(("variable", "heap", "cluster"))

    def clauses(self):
        sends = self.memory != "cluster" and self.random.random() < 0.7
        return super().clauses() + (f" node({self.random.randrange(self.NODES)})" if sends else "")

    def reduction(self, depth):
        before = len(self.lines)
        super().reduction(depth)
        if self.random.random() < 0.5:
            self.lines[before] += f" node({self.random.randrange(self.NODES)})"

    def program(self):
        text = super().program()
        if self.memory == "variable":
            return text
        allocate = (f"malloc({ompss.CELLS} * sizeof *m)" if self.memory == "heap" else
                    f"nanos6_dmalloc({ompss.CELLS} * sizeof *m, nanos6_equpart_distribution, 0, NULL)")
        return (text.replace(f"static unsigned m[{ompss.CELLS}];", "#include <stdlib.h>" + MEMORY)
                .replace("int main(void) {", f"int main(void) {{\n  m = {allocate};\n"
                         f"  for (int i = 0; i < {ompss.CELLS}; i++) m[i] = 0;"))


def random_program(workshop, seed):
    def make():
        path = workshop.folder / f"cluster_{seed}.c"
        path.write_text(Writer(seed).program())
        program = Program.read(path)
        program.flags = ["-O1"]
        program.tutti_flags = ["-fompss-2"]
        return program
    return workshop.cached(("cluster", seed), make)


def program(name, level="-O2"):
    made = Program.read(FOLDER / f"{name}.c")
    made.name = f"cluster-{name}{level}"
    made.flags = [level, "-g", "-Wno-unknown-pragmas", "-lm"]
    made.tutti_flags = ["-fompss-2", "-fopenmp"]
    return made


def written(workshop, name, text):
    path = workshop.folder / f"cluster_{name}.c"
    path.write_text(f'#include "{FOLDER}/cluster.h"\n#include <stdio.h>\n#include <stdlib.h>\n{text}')
    made = Program.read(path)
    made.flags = ["-O1"]
    made.tutti_flags = ["-fompss-2"]
    return made


STENCIL = """
enum { kBlocks = 4, kBlock = 8192, kCells = kBlocks * kBlock };
int main(int argc, char **argv) {
  int steps = atoi(argv[1]);
  double *a = calloc(kCells, sizeof *a), *b = calloc(kCells, sizeof *b);
  for (int step = 0; step < steps; ++step) {
    for (int k = 0; k < kBlocks; ++k) {
      int first = k == 0 ? 1 : k * kBlock, last = k == kBlocks - 1 ? kCells - 1 : (k + 1) * kBlock;
#pragma oss task in(a[first - 1;last - first + 2]) inout(b[first;last - first]) node(k)
      for (int i = first; i < last; ++i) b[i] = a[i - 1] + a[i] + a[i + 1] + 1;
    }
    double *other = a; a = b; b = other;
  }
#pragma oss taskwait
  printf("%g\\n", a[kCells / 2]);
}
"""


def statistics(workshop, program, words, ranks):
    result = workshop.launch(program, words, ranks, {"TUTTI_STATS": "json", "TUTTI_WORKERS": "1"})
    require(result.status == 0, result.errors)
    return json.loads(re.search(r"^tutti-stats: (.*)$", result.errors, re.M)[1])


def blocks_move_their_borders_only(workshop):
    """Three borders between four blocks: a cell crosses each way at each step. What crosses to rank 0, whose
    memory is protected page by page, is a page."""
    stencil = written(workshop, "stencil", STENCIL)
    few, many = (statistics(workshop, stencil, [steps], 4) for steps in ("10", "30"))
    bytes_of_steps = many["exchange"]["bytes"] - few["exchange"]["bytes"]
    require(bytes_of_steps == 20 * 5 * 8, f"{bytes_of_steps} bytes in 20 steps")
    fetched = many["fetch"]["bytes"] - few["fetch"]["bytes"]
    require(fetched == 20 * 4096, f"{fetched} bytes fetched in 20 steps")


STAYING = {
    "objects": ("""
struct Text { char *at; Text() : at(new char('x')) {} Text(const Text &o) : at(new char(*o.at)) {}
              ~Text() { delete at; } };
int main() { Text text; static char to;
#pragma oss task firstprivate(text) out(to) node(1)
  to = *text.at;
#pragma oss taskwait
  std::printf("%c\\n", to); }
""", "it has copies of objects of classes"),
    "unnamed": ("""
int main() { int from = 7; static int to;
#pragma oss task shared(from) out(to) node(1)
  to = from;
#pragma oss taskwait
  std::printf("%d\\n", to); }
""", "it uses a variable that it does not name"),
    "nowhere": ("""
int main() { static int to;
#pragma oss task out(to) node(7)
  to = 3;
#pragma oss taskwait
  std::printf("%d\\n", to); }
""", "there is no such node"),
}


def stays_with_a_reason(workshop, name):
    text, reason = STAYING[name]
    path = workshop.folder / f"cluster_stays_{name}.cpp"
    path.write_text("#include <cstdio>\n" + text)
    made = Program.read(path)
    made.flags = ["-O1", "-Wno-unknown-pragmas"]
    made.tutti_flags = ["-fompss-2"]
    compare(workshop, made, [], 2)
    result = workshop.launch(made, [], 2, {"TUTTI_STATS": "text"})
    require(re.search(rf"1 task stayed on rank 0: {reason}", result.errors), result.errors)


def all_checks():
    """Pairs (name, function of the workshop)."""
    checks = [("blocks_move_their_borders_only", blocks_move_their_borders_only)]
    checks += [(f"stays/{name}", lambda w, n=name: stays_with_a_reason(w, n)) for name in STAYING]
    checks += [(f"nodes{level}/{ranks}/{workers}",
                lambda w, l=level, r=ranks, k=workers:
                compare(w, program("nodes", l), [str(r)], r, {"TUTTI_WORKERS": str(k)}))
               for level, ranks, workers in (("-O0", 2, 1), ("-O2", 1, 2), ("-O2", 2, 2), ("-O2", 3, 1),
                                             ("-O2", 4, 2))]
    checks += [(f"{name}/{ranks}/{workers}",
                lambda w, n=name, r=ranks, k=workers: compare(w, program(n), [], r, {"TUTTI_WORKERS": str(k)}))
               for name in ("memory", "cholesky") for ranks, workers in ((1, 2), (2, 1), (3, 2), (4, 1))]
    # What goes wrong there does so in one run of some.
    checks += [(f"beside/{turn}", lambda w, r=2 + turn % 2: compare(w, program("beside"), [], r, {"TUTTI_WORKERS": "3"}))
               for turn in range(6)]
    return checks + random_checks(range(1, SEEDS + 1))


def random_checks(seeds):
    return [(f"generated/{seed}",
             lambda w, s=seed: compare(w, random_program(w, s), [], 2 + s % 3,
                                       {"TUTTI_WORKERS": str(1 + s % 2)})) for seed in seeds]
