# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OmpSs-2 programs, which must print what they print without their pragmas; and such programs made
at random."""
import json
import random
import re

from commands import require
from harness import ROOT, Program, compare

FOLDER = ROOT / "test/e2e/ompss"
LEVELS = ("-O0", "-O2")
WORKERS = (1, 2, 4)
RANKS = (1, 2)
SEEDS = 10  # test/fuzz/tasks.py has more.
CELLS = 40
SUMS = 3
DEEPEST = 3
TASKS = 60  # In one program, about.


class Writer:
    """Writes one program. A task names parts of what the task around it has, and touches them before
    it makes tasks itself, or after it has waited for these."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.left = TASKS

    def line(self, depth, text):
        self.lines.append("  " * (depth + 1) + text)

    def part(self, owned):
        """A range [first, last) of cells in one of `owned`, and whether it may be written."""
        first, last, writable = self.random.choice(owned)
        begin = self.random.randrange(first, last)
        return begin, self.random.randrange(begin, min(last, begin + 9)) + 1, writable

    def touch(self, depth, parts):
        """Reads all parts and writes those that may be."""
        value = self.random.randrange(1, 100)
        self.line(depth, f"unsigned v = {value}; busy();")
        for first, last, _ in parts:
            self.line(depth, f"for (int i = {first}; i < {last}; i++) v = v * 31 + m[i];")
        for first, last, writable in parts:
            if writable:
                self.line(depth, f"for (int i = {first}; i < {last}; i++) m[i] = m[i] * 17 + v + i;")

    def item(self, first, last):
        spelling = self.random.randrange(4)
        if spelling == 0:
            return f"m[{first}:{last - 1}]"
        if spelling == 1:
            return f"{{m[k], k={first};{last - first}}}"
        if spelling == 2 and first + 1 == last:
            return f"m[{first}]"
        return f"m[{first};{last - first}]"

    def clauses(self):
        choice = self.random.randrange(8)
        return {0: " if(0)", 1: " wait", 2: f" priority({self.random.randrange(5)})",
                3: " final(1)"}.get(choice, "")

    def task(self, depth, owned):
        parts = [self.part(owned) for _ in range(self.random.randint(1, 3))]
        parts = [(first, last, writable and self.random.random() < 0.6)
                 for first, last, writable in parts]
        is_weak = depth < DEEPEST and self.random.random() < 0.25
        weak = "weak" if is_weak else ""
        words = "".join(f" {weak}{'inout' if writable else 'in'}({self.item(first, last)})"
                        for first, last, writable in parts)
        self.left -= 1
        # What is read while something else of the same task writes it counts as written.
        self.line(depth, f"#pragma oss task{words}{self.clauses()}")
        self.line(depth, "{")
        if not is_weak:
            self.touch(depth + 1, parts)
        if depth < DEEPEST and (is_weak or self.random.random() < 0.4):
            self.body(depth + 1, parts, self.random.randint(1, 4))
            if not is_weak and self.random.random() < 0.3:
                self.line(depth + 1, "#pragma oss taskwait")
                self.line(depth + 1, "{")
                self.touch(depth + 2, parts)
                self.line(depth + 1, "}")
        elif not is_weak and self.random.random() < 0.25:
            self.release(depth + 1, parts)
        self.line(depth, "}")

    def release(self, depth, parts):
        """A part of what the task has named, which is not touched any more."""
        kinds = {writable for _, _, writable in parts}
        if len(kinds) == 1:
            first, last, writable = self.part([self.random.choice(parts)])
            self.line(depth, f"#pragma oss release {'inout' if writable else 'in'}({self.item(first, last)})")
            self.line(depth, "busy();")

    def reduction(self, depth):
        which = self.random.randrange(SUMS)
        value = self.random.randrange(1, 50)
        form = self.random.randrange(4)
        if form == 0:
            self.reduction_below(depth, which, "weakreduction(+:", value)
        elif form == 1:
            self.reduction_below(depth, which, "weakinout(", value)
        elif form == 2:
            self.line(depth, f"#pragma oss taskloop reduction(+: s{which}) grainsize({1 + value % 4})")
            self.line(depth, f"for (int i = 0; i < {value % 12 + 1}; i++) {{ busy(); s{which} += i * 3; }}")
        else:
            self.line(depth, f"#pragma oss task reduction(+: s{which})")
            self.line(depth, f"{{ busy(); s{which} += {value}; }}")

    def reduction_below(self, depth, which, clause, value):
        self.line(depth, f"#pragma oss task {clause} s{which})")
        self.line(depth, "{")
        for add in range(1 + value % 3):
            self.line(depth + 1, f"#pragma oss task reduction(+: s{which})")
            self.line(depth + 1, f"{{ busy(); s{which} += {value + add}; }}")
        self.line(depth, "}")
        self.left -= 1 + value % 3

    def commutative(self, depth, owned):
        """Tasks that add to parts of the same cells, in any order."""
        writable = [each for each in owned if each[2]]
        if not writable:
            return
        shared = self.part(writable)
        for _ in range(self.random.randint(2, 4)):
            first, last, _ = self.part([shared])
            self.left -= 1
            self.begin_commutative(depth, self.item(first, last))
            self.line(depth, f"{{ busy(); for (int i = {first}; i < {last}; i++) m[i] += "
                             f"{self.random.randrange(1, 100)}; }}")

    def begin_commutative(self, depth, item):
        self.line(depth, f"#pragma oss task commutative({item})")

    def iterations(self, depth, owned):
        parts = [self.part(owned) for _ in range(2)]
        weak = self.random.choice(("", "weak"))
        words = "".join(f" {weak}{'inout' if writable else 'in'}({self.item(first, last)})"
                        for first, last, writable in parts)
        if depth == 0:
            words += " weakinout(" + ", ".join(f"s{i}" for i in range(SUMS)) + ")"
        self.line(depth, f"#pragma oss taskiter{words}")
        self.line(depth, f"for (int t = 0; t < {self.random.randint(1, 7)}; t++) {{")
        for _ in range(self.random.randint(1, 4)):
            choice = self.random.random() if depth == 0 else 1
            if choice < 0.25:
                self.reduction(depth + 1)
            elif choice < 0.4:
                self.reader(depth + 1, parts)
            else:
                self.task(depth + 1, parts)
        self.line(depth, "}")

    def reader(self, depth, owned):
        which = self.random.randrange(SUMS)
        writable = [each for each in owned if each[2]]
        first, last, _ = self.part(writable or owned)
        if writable:
            self.line(depth, f"#pragma oss task in(s{which}) inout(m[{first};{last - first}])")
            self.line(depth, f"m[{first}] = m[{first}] * 3 + s{which};")

    def loop(self, depth, owned):
        first, last, writable = self.part(owned)
        grain = self.random.randint(1, 4)
        if writable:
            self.line(depth, f"#pragma oss taskloop grainsize({grain}) inout(m[i])")
            self.line(depth, f"for (int i = {first}; i < {last}; i++) {{ busy(); m[i] = m[i] * 5 + i; }}")

    def body(self, depth, owned, count):
        for _ in range(count):
            if self.left <= 0:
                return
            choice = self.random.random()
            if depth == 0 and choice < 0.15:
                self.reduction(depth)
            elif depth == 0 and choice < 0.25:
                self.reader(depth, owned)
            elif choice < 0.32:
                self.loop(depth, owned)
            elif choice < 0.36:
                self.wait(depth)
            elif choice < 0.40 and depth == 0:
                self.wait_for_part(depth, owned)
            elif choice < 0.46:
                self.commutative(depth, owned)
            elif choice < 0.50 and depth < DEEPEST:
                self.iterations(depth, owned)
            else:
                self.task(depth, owned)

    def wait(self, depth):
        self.line(depth, "#pragma oss taskwait")

    def wait_for_part(self, depth, owned):
        first, last, _ = self.part(owned)
        self.line(depth, f"#pragma oss taskwait in(m[{first};{last - first}])")
        self.line(depth, f"printf(\"%u\\n\", m[{first}]);")

    def program(self):
        self.body(0, [(0, CELLS, True)], 10 ** 6)
        sums = "\n".join(f"static unsigned s{i};" for i in range(SUMS))
        body = "\n".join(self.lines)
        return (f"#include <stdio.h>\nstatic unsigned m[{CELLS}];\n{sums}\n"
                "static void busy(void) { for (volatile int i = 0; i < 40; i++) {} }\n"
                f"int main(void) {{\n{body}\n#pragma oss taskwait\n"
                f"for (int i = 0; i < {CELLS}; i++) printf(\"%u \", m[i]);\n"
                f"printf(\"%u %u %u\\n\", s0, s1, s2);\n}}\n")


def random_program(workshop, seed):
    def make():
        path = workshop.folder / f"ompss_{seed}.c"
        path.write_text(Writer(seed).program())
        program = Program.read(path)
        program.flags = ["-O1"]
        return program
    return workshop.cached(("ompss", seed), make)


def programs():
    for path in sorted(FOLDER.iterdir()):
        if path.suffix in (".c", ".cpp") or path.is_dir():
            for level in LEVELS:
                program = Program.read(path)
                program.name = f"ompss-{path.stem}{level}"
                program.flags = [level, "-g"]
                program.tutti_flags = ["-fompss-2"]
                yield path.stem + level, program


def ignoring_pragmas_makes_no_tasks(workshop):
    program = Program.read(FOLDER / "items.c")
    program.name = "ompss-ignored"
    program.flags = ["-O1"]
    program.tutti_flags = ["-fno-ompss-2"]
    result = workshop.launch(program, [], 1, {"TUTTI_STATS": "json", "TUTTI_WORKERS": "2"})
    require(result.status == 0 and "tutti-tasks" not in result.errors, result.errors)


STEPS = """
static double a[66][64];
int main(int argc, char **argv) {
  int steps = argc > 1 ? 100 : 10;
#pragma oss taskiter
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i < 65; i++) {
#pragma oss task in(a[i - 1], a[i + 1]) inout(a[i])
      for (int j = 0; j < 64; j++) a[i][j] += a[i - 1][j] + a[i + 1][j] + 1;
    }
  }
#pragma oss taskwait
  return a[5][5] > 1 ? 0 : 1;
}
"""


def iterations_look_for_no_memory_twice(workshop):
    """What tasks name is looked up in the first iteration, and once for all of those that follow."""
    path = workshop.folder / "ompss_steps.c"
    path.write_text(STEPS)
    program = Program.read(path)
    program.flags = ["-O1"]
    counts = []
    for words in ([], ["more"]):
        result = workshop.launch(program, words, 1, {"TUTTI_STATS": "json", "TUTTI_WORKERS": "2"})
        require(result.status == 0, result.errors)
        counts.append(json.loads(re.search(r"^tutti-tasks: (.*)$", result.errors, re.M)[1]))
    few, many = counts
    require(few["replayed"] == 9 * 64 and many["replayed"] == 99 * 64, counts)
    require(few["lookups"] == many["lookups"] > 0, counts)


TOGETHER = """
#include <stdio.h>
static int begun, together;
int main(void) {
  int all = 2;
#pragma oss task for chunksize(1) firstprivate(all)
  for (int i = 0; i < all; i++) {
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    long turns = 0;
    while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < 2 && turns < 3000000000) turns++;
    if (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) == all) __atomic_add_fetch(&together, 1, __ATOMIC_SEQ_CST);
  }
#pragma oss taskwait
  printf("%d\\n", together);
}
"""


def workers_share_the_iterations_of_a_task(workshop):
    """Each of two iterations waits, for a while, until the other one has begun."""
    path = workshop.folder / "ompss_together.c"
    path.write_text(TOGETHER)
    program = Program.read(path)
    program.flags = ["-O1"]
    result = workshop.launch(program, [], 1, {"TUTTI_WORKERS": "2"})
    require(result.status == 0 and result.output.split()[-1] == "2", f"{result}")


BOTH = """
#include <stdio.h>
int main(void) {
  int sum = 0, cells[100];
#pragma oss taskloop out(cells[i])
#pragma omp taskloop
  for (int i = 0; i < 100; i++) cells[i] = i;
#pragma oss taskwait
#pragma omp parallel num_threads(3) reduction(+ : sum)
  for (int i = 0; i < 100; i++) sum += cells[i];
#ifdef _OPENMP
  printf("openmp, ");
#endif
  printf("%d\\n", sum);
}
"""


def one_set_of_pragmas_counts(workshop):
    """Without -fopenmp beside -fompss-2, those of OpenMP do not."""
    for suffix in ("c", "cpp"):
        path = workshop.folder / f"ompss_both_{suffix}.{suffix}"
        path.write_text(BOTH)
        program = Program.read(path)
        program.flags = ["-O1"]
        program.tutti_flags = ["-fompss-2"]
        result = workshop.launch(program, [], 1, {"TUTTI_WORKERS": "2"})
        require(result.status == 0 and result.output == "4950\n", f"{result}")
    path = workshop.folder / "ompss_with_openmp.c"
    path.write_text(BOTH.replace("#pragma omp taskloop\n", ""))
    program = Program.read(path)
    program.tutti_flags = ["-fompss-2", "-fopenmp"]
    result = workshop.launch(program, [], 1, {"TUTTI_WORKERS": "2"})
    require(result.status == 0 and result.output == "openmp, 14850\n", f"{result}")


SHARING = """
#include <stdio.h>
static long once(long x) { return x; }
static long ten(long x) { return 10 * x; }
int main(void) {
  long (*how)(long) = once, (*other)(long) = once;
  long sum = 0, go = 0;
#pragma oss task inout(sum)
  sum = (*how)(7);
#pragma oss taskwait
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
      while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) {
      }
      sum += (*how)(3);
    }
#pragma omp task
    other = (*other)(3) == 3 ? ten : once;
    how = ten;
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
    other = once;
    go = 0;
    // And those of OmpSs-2, inside of constructs that share.
#pragma oss task inout(sum)
    {
      long inner = 1;
      go = 1;
#pragma oss task inout(sum)
      sum += (go ? once : ten)(go + inner) + (inner ? ten : once)(1);
      inner = 0;
      other = (*other)(3) == 3 ? ten : once;
#pragma oss taskwait
    }
#pragma oss taskwait
  }
  printf("%ld %d %ld\\n", sum, other == ten, go);
}
"""


def tasks_of_openmp_share_what_is_called(workshop):
    """Variables that say which function is called are not copied where they are shared."""
    path = workshop.folder / "ompss_beside_openmp.c"
    path.write_text(SHARING)
    program = Program.read(path)
    program.tutti_flags = ["-fompss-2", "-fopenmp"]
    result = workshop.launch(program, [], 1, {"TUTTI_WORKERS": "2"})
    require(result.status == 0 and result.output == "49 1 1\n", f"{result}")


def all_checks():
    """Pairs (name, function of the workshop)."""
    checks = [(check.__name__, check) for check in
              (ignoring_pragmas_makes_no_tasks, iterations_look_for_no_memory_twice,
               workers_share_the_iterations_of_a_task, one_set_of_pragmas_counts,
               tasks_of_openmp_share_what_is_called)]
    for name, program in programs():
        checks += [(f"{name}/{workers}/{ranks}",
                    lambda w, p=program, k=workers, r=ranks:
                    compare(w, p, p.arguments, r, {"TUTTI_WORKERS": str(k)}))
                   for workers in WORKERS for ranks in RANKS if ranks == 1 or workers == 2]
    return checks + random_checks(range(1, SEEDS + 1))


def random_checks(seeds):
    return [(f"generated/{seed}",
             lambda w, s=seed: compare(w, random_program(w, s), [], 1,
                                       {"TUTTI_WORKERS": str(1 + s % 4)})) for seed in seeds]
