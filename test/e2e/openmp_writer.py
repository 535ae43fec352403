# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes programs of OpenMP's tasks at random, as ompss.py does for OmpSs-2.

In OpenMP dependences hold among siblings, so a task that makes others waits for them before its end.
Items overlap as they like, which is more than OpenMP asks of an implementation. Pragmas are macros:
without them the program does the same in order.
"""
from ompss import CELLS, DEEPEST, SUMS, Writer


class OpenMpWriter(Writer):
    def pragma(self, depth, text):
        self.line(depth, f"OMP({text})")

    def item(self, first, last):
        if self.random.randrange(3) == 0:
            return f"iterator(k = {first} : {last})", f"m[k]"
        if first + 1 == last and self.random.randrange(2) == 0:
            return "", f"m[{first}]"
        return "", f"m[{first} : {last - first}]"

    def depend(self, kind, item):
        iterator, place = item
        return f" depend({iterator + ', ' if iterator else ''}{kind} : {place})"

    def clauses(self):
        choice = self.random.randrange(10)
        return {0: " if (0)", 1: " untied", 2: f" priority({self.random.randrange(5)})",
                3: " final(1)", 4: " mergeable"}.get(choice, "")

    def task(self, depth, owned):
        parts = [self.part(owned) for _ in range(self.random.randint(1, 3))]
        parts = [(first, last, writable and self.random.random() < 0.6)
                 for first, last, writable in parts]
        words = "".join(self.depend(self.random.choice(("inout", "out")) if writable else "in",
                                    self.item(first, last)) for first, last, writable in parts)
        self.left -= 1
        self.pragma(depth, f"omp task{words}{self.clauses()}")
        self.line(depth, "{")
        self.line(depth + 1, "{")
        self.touch(depth + 2, parts)
        self.line(depth + 1, "}")
        if depth < DEEPEST and self.random.random() < 0.5:
            self.children(depth + 1, parts)
        self.line(depth, "}")

    def children(self, depth, parts):
        group = self.random.random() < 0.3
        if group:
            self.pragma(depth, "omp taskgroup")
            self.line(depth, "{")
        self.body(depth + 1, parts, self.random.randint(1, 4))
        if group:
            self.line(depth, "}")
        else:
            self.wait(depth)
        if self.random.random() < 0.3:
            self.line(depth, "{")
            self.touch(depth + 1, parts)
            self.line(depth, "}")

    def reduction(self, depth):
        """A set whose members exclude each other, or a group that reduces."""
        which = f"s{self.random.randrange(SUMS)}"
        values = [self.random.randrange(1, 50) for _ in range(self.random.randint(1, 4))]
        if self.random.random() < 0.5:
            for value in values:
                self.pragma(depth, f"omp task depend(mutexinoutset : {which})")
                self.line(depth, f"{{ busy(); {which} += {value}; }}")
            return
        self.pragma(depth, f"omp taskwait depend(inout : {which})")
        self.pragma(depth, f"omp taskgroup task_reduction(+ : {which})")
        self.line(depth, "{")
        for value in values:
            self.pragma(depth + 1, f"omp task in_reduction(+ : {which})")
            self.line(depth + 1, f"{{ busy(); {which} += {value}; }}")
        self.line(depth, "}")

    def begin_commutative(self, depth, item):
        self.pragma(depth, f"omp task{self.depend('mutexinoutset', item)}")

    def iterations(self, depth, owned):
        self.task(depth, owned)  # OpenMP has nothing like it.

    def reader(self, depth, owned):
        which = self.random.randrange(SUMS)
        writable = [each for each in owned if each[2]]
        first, last, _ = self.part(writable or owned)
        if writable:
            self.pragma(depth, f"omp task depend(in : s{which}) "
                               f"depend(inout : m[{first} : {last - first}])")
            self.line(depth, f"m[{first}] = m[{first}] * 3 + s{which};")

    def loop(self, depth, owned):
        first, last, writable = self.part(owned)
        size = self.random.randint(1, 4)
        if writable:
            self.pragma(depth, f"omp task depend(inout : m[{first} : {last - first}])")
            self.line(depth, "{")
            self.pragma(depth + 1,
                        f"omp taskloop {self.random.choice(('grainsize', 'num_tasks'))}({size})")
            self.line(depth + 1, f"for (int i = {first}; i < {last}; i++) "
                                 "{ busy(); m[i] = m[i] * 5 + i; }")
            self.line(depth, "}")

    def wait(self, depth):
        self.pragma(depth, "omp taskwait")

    def wait_for_part(self, depth, owned):
        first, last, _ = self.part(owned)
        self.pragma(depth, f"omp taskwait depend(in : m[{first} : {last - first}])")
        self.line(depth, f"printf(\"%u\\n\", m[{first}]);")

    def program(self):
        self.body(0, [(0, CELLS, True)], 10 ** 6)
        sums = "\n".join(f"static unsigned s{i};" for i in range(SUMS))
        body = "\n".join(self.lines)
        return ("#include <stdio.h>\n#ifdef TASKS\n#define OMP(...) _Pragma(#__VA_ARGS__)\n"
                f"#else\n#define OMP(...)\n#endif\nstatic unsigned m[{CELLS}];\n{sums}\n"
                "static void busy(void) { for (volatile int i = 0; i < 40; i++) {} }\n"
                f"int main(void) {{\nOMP(omp parallel)\nOMP(omp single)\n{{\n{body}\n}}\n"
                f"for (int i = 0; i < {CELLS}; i++) printf(\"%u \", m[i]);\n"
                f"printf(\"%u %u %u\\n\", s0, s1, s2);\n}}\n")
