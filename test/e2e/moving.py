# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made at random: launches that were never seen before. The bounds of their loops shrink,
shift, grow and are triangular; sequential code touches the matrices in between.

Each launch is cut where the data lies, or anew, with what others have left in rows and columns around
it: a copy that is wrongly taken for valid shows as another sum.
"""
import random

from generator import Generator

HEAD = """#include <stdio.h>
#include <stdlib.h>

typedef unsigned long Word;

static Word fixed[%(rows)d * %(columns)d];

static void fill(Word *a, long n, Word by) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = (Word)i * by %% 1009;
  }
}

static void print(const char *name, const Word *a, long n) {
  Word sum = 0;
  for (long i = 0; i < n; ++i) {
    sum = sum * 31 + a[i];
  }
  printf("%%s %%lx\\n", name, sum);
}
"""

MAIN = """
int main(void) {
  const long n = %(rows)d * %(columns)d;
  Word *a = malloc((size_t)n * sizeof *a), *b = %(other)s;
  (void)fill;
  (void)fixed;
  %(fill)s
%(calls)s
  free(a);
  return 0;
}
"""


class Writer(Generator):
    """Writes one function; all that it does is decided by `choices`."""

    def __init__(self, choices, rows, columns):
        super().__init__(choices)
        self.rows = rows
        self.columns = columns

    def nest(self, outer, inner, body):
        """A parallel loop over `outer`, and one over `inner`; each is (variable, first, end)."""
        self.lines.append("#pragma omp parallel for" + self.pick("", "", " schedule(static)"))
        self.open("for (long {0} = {1}; {0} < {2}; ++{0})".format(*outer))
        self.open("for (long {0} = {1}; {0} < {2}; ++{0})".format(*inner))
        self.say(body)
        self.close()
        self.close()

    def launch(self):
        rows, columns = self.rows, self.columns
        width = self.pick(1, 3, 8, columns // 2)
        left = self.pick("0", "k", f"k % {columns - width}", "1")
        box = ("j", left, f"{left} + {width}")
        kind = self.pick("eliminate", "box", "box", "grow", "triangle", "columns", "row", "border")
        if kind == "eliminate":
            self.nest(("i", "k + 1", rows), ("j", "k + 1", columns),
                      "a[i * p + j] -= a[k * p + j] * a[i * p + k];")
        elif kind == "box":
            top, bottom = self.pick((0, rows), ("k", rows), (1, f"{rows} - k"), ("k / 2", "k / 2 + 16"))
            self.nest(("i", top, bottom), box,
                      self.pick("a[i * p + j] += b[i * p + j] + (Word)k;", "a[i * p + j] = (Word)(i + j + k);",
                                "b[i * p + j] ^= a[i * p + j];"))
        elif kind == "grow":
            middle = rows // 2
            self.nest(("i", f"{middle} - k / 2", f"{middle} + k / 2 + 1"),
                      ("j", 1, self.pick(f"{columns} - 1", "k + 2")),
                      "b[i * p + j] = a[i * p + j - 1] + a[i * p + j + 1] + a[(i - 1) * p + j] * 3;")
        elif kind == "triangle":
            self.nest(("i", self.pick(0, "k"), rows), ("j", 0, self.pick("i + 1", "i") if rows <= columns else "i / 2 + 1"),
                      self.pick("a[i * p + j] += (Word)(k * i);", "b[i * p + j] = a[i * p] + (Word)j;"))
        elif kind == "columns":
            self.nest(("j", self.pick(0, "k"), columns), ("i", "k", self.pick("k + 1", rows)),
                      self.pick("a[i * p + j] += (Word)j;", "b[i * p + j] += a[i * p + j];"))
        elif kind == "row":
            self.nest(("i", 0, rows), ("j", 0, columns), "b[i * p + j] += a[k * p + j];")
        else:
            self.nest(("i", 1, f"{rows} - 1"), ("j", 1, f"{columns} - 1"),
                      "b[i * p + j] = a[(i - 1) * p + j] + a[(i + 1) * p + j] + (Word)k;")

    def touch(self):
        rows, columns = self.rows, self.columns
        at = self.pick(f"k * {columns} + k", f"(k * 7 % {rows}) * p + 3", str(rows * columns - 1), "k")
        what = self.pick("read", "write", "column", "swap", "look", "look")
        if what == "read":
            self.say(f"sum += a[{at}];")
        elif what == "write":
            self.say(f"{self.pick('a', 'b')}[{at}] = (Word)k;")
        elif what == "column":
            self.open(f"for (long i = k; i < {rows}; ++i)")
            self.say(f"sum = sum * 3 + a[i * p + {self.pick('k', '0')}];")
            self.close()
        elif what == "look":
            # Mostly the same each time: that comes home with the launch before.
            array, first = self.pick("a", "b"), self.pick(0, rows * columns // 3)
            end = self.pick(rows * columns, rows * columns, rows * columns // 2, "k * p")
            self.open(f"for (long i = {first}; i < {end}; i += {self.pick(1, 97, 997)})")
            self.say(f"sum = sum * 5 + {array}[i];")
            if self.chance(0.3):
                self.say(f"{array}[i] += {self.pick('k', 'sum')};")
            self.close()
        else:
            self.say("Word *other = a; a = b; b = other;")

    def function(self, name):
        steps = min(self.rows, self.columns) // 2 - 2
        self.open(f"static void {name}(Word *a, Word *b, long p)")
        self.say("Word sum = 0;")
        self.open(f"for (long k = {self.pick(1, 2)}; k < {self.pick(9, 14, 24, steps)}; ++k)")
        for _ in range(self.choices.randrange(1, 4)):
            self.launch()
        if self.chance(0.4):
            sometimes = self.chance(0.5)
            if sometimes:
                self.open(f"if (k % {self.pick(2, 5)} == 0)")
            self.touch()
            if sometimes:
                self.close()
        self.close()
        self.say(f'printf("{name} %lx\\n", sum);')
        self.close()
        return "\n".join(self.lines)


def language(_):
    return "c"


def program(seed, count):
    """The text of a program with `count` functions; the same for the same seed."""
    choices = random.Random(seed)
    rows = choices.choice([40, 64, 90])
    columns = choices.choice([52, 64, 200, 515])
    names = [f"phase{number}" for number in range(count)]
    functions = [Writer(choices, rows, columns).function(name) for name in names]
    calls = []
    for name in names:
        calls.append(f"  {name}(a, b, {columns});")
        if choices.random() < 0.5:
            calls.append(f'  print("{name}", {choices.choice("ab")}, n);')
    calls += ['  print("a", a, n);', '  print("b", b, n);']
    sizes = {"rows": rows, "columns": columns}
    other = choices.choice(["fixed", "calloc((size_t)n, sizeof *b)"])
    fill = choices.choice(["fill(a, n, 7);", "fill(a, n, 7);\n  fill(b, n, 11);",
                           "for (long i = 0; i < n; ++i) {\n    a[i] = (Word)i;\n  }"])
    return "\n\n".join([HEAD % sizes, *functions]) + "\n" + MAIN % {
        **sizes, "other": other, "fill": fill, "calls": "\n".join(calls)}
