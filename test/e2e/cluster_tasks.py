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


def tasks_of_other_files_leave(workshop):
    made = Program.read(FOLDER / "files")
    made.name = "cluster-files"
    made.flags = ["-O2", "-Wno-unknown-pragmas"]
    made.tutti_flags = ["-fompss-2"]
    compare(workshop, made, [], 2, {"TUTTI_WORKERS": "1"})
    result = workshop.launch(made, [], 2, {"TUTTI_STATS": "json", "TUTTI_WORKERS": "1"})
    require(json.loads(re.search(r"^tutti-remote-tasks: (.*)$", result.errors, re.M)[1])["sent"] > 0,
            result.errors)


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


BLOCKS = """
enum { kBlock = 8192 };
static double *allocate(void) {
  double *block = aligned_alloc(4096, kBlock * sizeof *block);
  for (int i = 0; i < kBlock; ++i) block[i] = i;
  return block;
}
int main(int argc, char **argv) {
  double *blocks[2] = {allocate(), allocate()};
  volatile char *between = malloc(1 << 20); /* What lies near one another moves in one piece. */
  double *table = allocate();
  between[0] = 1;
  int rounds = atoi(argv[1]);
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < 2; ++k) {
      double *block = blocks[k];
#pragma oss task inout(block[0;kBlock])
      for (int step = 0; step < 400; ++step)
        for (int i = 0; i < kBlock; ++i) block[i] = block[i] * 0.5 + table[step];
    }
#pragma oss taskwait
  }
  printf("%g %g\\n", blocks[0][77], blocks[1][kBlock - 1]);
}
"""


def known_code_goes_to_its_data(workshop):
    """Two blocks, one worker on each of two ranks: the second task of the first round finds that worker busy, and
    leaves with its block and with what it reads of the table. From then on all is where it is needed."""
    blocks = written(workshop, "blocks", BLOCKS)
    compare(workshop, blocks, ["3"], 2, {"TUTTI_WORKERS": "1"})
    for rounds in ("1", "20"):
        result = workshop.launch(blocks, [rounds], 2, {"TUTTI_STATS": "json", "TUTTI_WORKERS": "1"})
        require(result.status == 0, result.errors)
        sent = json.loads(re.search(r"^tutti-remote-tasks: (.*)$", result.errors, re.M)[1])["sent"]
        require(sent == int(rounds), f"{sent} tasks of {rounds} rounds left")
        moved = json.loads(re.search(r"^tutti-stats: (.*)$", result.errors, re.M)[1])["exchange"]["bytes"]
        require(moved == (8192 + 400) * 8, f"{moved} bytes in {rounds} rounds")


PIECES = """
enum { kCells = 200000, kBlocks = 4, kBlock = kCells / kBlocks };
static void heat(double *x, int first, int last) {
  for (int step = 0; step < 40; ++step)
    for (int i = first; i < last; ++i) x[i] = x[i] * 0.75 + i;
}
int main(void) {
  double *a = malloc(kCells * sizeof *a);
  for (int i = 0; i < kCells; ++i) a[i] = i;
  for (int round = 0; round < 4; ++round) {
%s
  }
#pragma oss taskwait
  double sum = 0;
  for (int i = 0; i < kCells; ++i) sum += a[i] * (i %% 7);
  printf("%%.9g\\n", sum);
}
"""
CHUNKS = """
#pragma oss taskloop grainsize(kBlock) inout(a[i])
  for (%s i = 0; i < kCells; i++) for (int k = 0; k < 40; k++) a[i] = a[i] * 0.75 + k;"""
LEAVING = {
    "chunks": CHUNKS % "int",
    "long_chunks": CHUNKS % "long",
    "unsigned_chunks": CHUNKS % "unsigned",
    "size_chunks": CHUNKS % "unsigned long",
    "children": """
  for (int k = 0; k < kBlocks; k++) {
#pragma oss task weakinout(a[k * kBlock;kBlock])
    for (int i = 0; i < kBlock; i += kBlock / 2) {
#pragma oss task inout(a[k * kBlock + i;kBlock / 2])
      heat(a, k * kBlock + i, k * kBlock + i + kBlock / 2);
    }
  }""",
    "awaited_children": """
  for (int k = 0; k < kBlocks; k++) {
#pragma oss task inout(a[k * kBlock;kBlock])
    {
      for (int i = 0; i < kBlock; i += kBlock / 2) {
#pragma oss task inout(a[k * kBlock + i;kBlock / 2])
        heat(a, k * kBlock + i, k * kBlock + i + kBlock / 2);
      }
#pragma oss taskwait
      a[k * kBlock] += 1;
    }
  }""",
}


def known_code_leaves_piece_by_piece(workshop, name):
    """Chunks of loops, and children of tasks that stay because they make tasks."""
    made = written(workshop, f"leaving_{name}", PIECES % LEAVING[name])
    compare(workshop, made, [], 3, {"TUTTI_WORKERS": "2"})
    result = workshop.launch(made, [], 2, {"TUTTI_STATS": "json", "TUTTI_WORKERS": "1"})
    require(json.loads(re.search(r"^tutti-remote-tasks: (.*)$", result.errors, re.M)[1])["sent"] > 0, result.errors)


STAYING = {
    "writing": ("""
static double other[64];
int main() { static double to[64];
#pragma oss task out(to)
  for (int i = 0; i < 64; i++) to[i] = i, other[i] = -i;
#pragma oss taskwait
  std::printf("%g %g\\n", to[5], other[6]); }
""", "its code writes what it does not name"),
    "deciding": ("""
int main() { static int n = 5, to[64];
#pragma oss task inout(n, to)
  for (int i = 0; i < n; i++) to[i] = i, n = 20;
#pragma oss taskwait
  std::printf("%d %d\\n", n, to[19]); }
""", "what its code touches depends on what it writes"),
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


CHECKED = {
    "beyond": ("#pragma oss task node(1) in(a[0;50]) out(b[0;50])\n"
               "for (int i = 0; i < 50; i++) b[i] = at(a, i + 1);",
               r"task \S*checked_beyond.c:\d+ reads 0x\w+, byte 400 of the allocation at 0x\w+, "
               r"which it does not name \(addr2line"),
    "writes": ("#pragma oss task node(1) inout(b[0;1000]) label(\"scale\")\n"
               "{ b[1] = 1; *to(b, 4100) = 2; }",
               r"task scale \(\S*checked_writes.c:\d+\) writes 0x\w+, byte 32800 of the allocation"),
    "variable": ("double *p = table;\n#pragma oss task node(1) inout(b[0])\nb[0] += at(p, 3);",
                 r"reads 0x\w+, byte 24 of the variable table, which"),
    "stack": ("double *p = local;\n#pragma oss task node(1) inout(b[0])\n*to(p, 1) = b[0];",
              r"writes 0x\w+, of main's stack, which"),
    "cluster": ("double *d = nanos6_dmalloc(800, nanos6_equpart_distribution, 0, NULL);\n"
                "#pragma oss task out(d[0;50])\n*to(d, 50) = 1;",
                r"writes 0x\w+, byte 400 of the allocation at 0x\w+, which"),
    "below": ("#pragma oss task node(1) inout(b[0;20])\n"
              "{\n#pragma oss task inout(b[0;10])\nb[0] = at(b, 20);\n}",
              r"reads 0x\w+, byte 160 of the allocation"),
    "call": ("FILE *f = tmpfile();\n#pragma oss task node(1) in(b[0;10]) firstprivate(f)\n"
             "{ fwrite(b, 8, 11, f); fflush(f); }",
             r"reads 0x\w+, byte 80 of the allocation at 0x\w+, which it does not name$"),
    "nothing": ("#pragma oss task node(1) in(a[0;50]) out(b[0;50]) reduction(+: sum)\n"
                "{ double *own = malloc(5000 * sizeof *own);\n"
                "for (int i = 0; i < 5000; i++) own[i] = factor * i;\n"
                "for (int i = 0; i < 50; i += 10) {\n"
                "#pragma oss task inout(b[i;10])\n"
                "for (int k = i; k < i + 10; k++) b[k] = at(a, k) + at(own, k);\n}\n"
                "#pragma oss taskwait\n"
                "sum += at(b, 49); free(own); char text[64]; sprintf(text, \"%g\", sum); }", None),
}
CHECKED_PROGRAM = """
static double table[10], sum;
static int factor = 3;
__attribute__((noinline)) static double at(const double *a, long i) { return a[i]; }
__attribute__((noinline)) static double *to(double *a, long i) { return a + i; }
int main(void) {
  double local[4] = {1, 2, 3, 4}, *a = calloc(5000, sizeof *a), *b = calloc(5000, sizeof *b);
%s
#pragma oss taskwait
  printf("%%g %%g %%g %%g %%d\\n", b[0], b[49], sum, local[1], (int)at(a, 7) + factor + (int)table[1]);
  (void)at, (void)to;
}
"""


def checking_finds_what_is_not_named(workshop, name):
    text, said = CHECKED[name]
    made = written(workshop, f"checked_{name}", CHECKED_PROGRAM % text)
    compare(workshop, made, [], 2, {"TUTTI_CHECK": "accesses"})
    result = workshop.launch(made, [], 2, {"TUTTI_CHECK": "accesses"})
    lines = [line for line in result.errors.splitlines() if "does not name" in line]
    if said is None:
        require(not result.errors, result.errors)
    else:
        require(len(lines) == 1 and re.search(said, lines[0]), result.errors)


def checking_finds_nothing_where_all_is_named(workshop, seed):
    result = workshop.launch(random_program(workshop, seed), [], 2, {"TUTTI_CHECK": "accesses"})
    require(result.status == 0 and not result.errors, result.errors)
    compare(workshop, random_program(workshop, seed), [], 2, {"TUTTI_CHECK": "accesses"})


def all_checks():
    """Pairs (name, function of the workshop)."""
    checks = [("blocks_move_their_borders_only", blocks_move_their_borders_only),
              ("known_code_goes_to_its_data", known_code_goes_to_its_data),
              ("tasks_of_other_files_leave", tasks_of_other_files_leave)]
    checks += [(f"derived{level}/{ranks}/{workers}",
                lambda w, l=level, r=ranks, k=workers:
                compare(w, program("derived", l), [], r, {"TUTTI_WORKERS": str(k)}))
               for level, ranks, workers in (("-O0", 2, 2), ("-O1", 2, 1), ("-O2", 2, 2), ("-O2", 3, 1), ("-O3", 4, 2))]
    checks += [(f"leaves/{name}", lambda w, n=name: known_code_leaves_piece_by_piece(w, n)) for name in LEAVING]
    checks += [(f"stays/{name}", lambda w, n=name: stays_with_a_reason(w, n)) for name in STAYING]
    checks += [(f"nodes{level}/{ranks}/{workers}",
                lambda w, l=level, r=ranks, k=workers:
                compare(w, program("nodes", l), [str(r)], r, {"TUTTI_WORKERS": str(k)}))
               for level, ranks, workers in (("-O0", 2, 1), ("-O2", 1, 2), ("-O2", 2, 2), ("-O2", 3, 1),
                                             ("-O2", 4, 2))]
    checks += [(f"{name}/{ranks}/{workers}",
                lambda w, n=name, r=ranks, k=workers: compare(w, program(n), [], r, {"TUTTI_WORKERS": str(k)}))
               for name in ("memory", "cholesky") for ranks, workers in ((1, 2), (2, 1), (3, 2), (4, 1))]
    # What goes wrong in these does so in one run of some.
    checks += [(f"columns/{turn}", lambda w, r=2 + 2 * (turn % 2): compare(w, program("columns"), [], r, {"TUTTI_WORKERS": "2"}))
               for turn in range(4)]
    checks += [(f"beside/{turn}", lambda w, r=2 + turn % 2: compare(w, program("beside"), [], r, {"TUTTI_WORKERS": "3"}))
               for turn in range(6)]
    checks += [(f"checked/{name}", lambda w, n=name: checking_finds_what_is_not_named(w, n)) for name in CHECKED]
    checks += [(f"checked/generated/{seed}",
                lambda w, s=seed: checking_finds_nothing_where_all_is_named(w, s)) for seed in range(1, 7)]
    return checks + random_checks(range(1, SEEDS + 1))


def random_checks(seeds):
    return [(f"generated/{seed}",
             lambda w, s=seed: compare(w, random_program(w, s), [], 2 + s % 3,
                                       {"TUTTI_WORKERS": str(1 + s % 2)})) for seed in seeds]
