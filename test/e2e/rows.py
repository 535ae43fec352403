# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made at random: parallel loops that write and read parts of their own rows in any order.

What an iteration reads may be what it has written, what was there before, or some of each; a read
that is wrongly taken for the former finds nothing on other ranks than 0.
"""
import random

from generator import Generator

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `n` rows of two lines of `p` elements. */
typedef void Loop(long n, long m, long p, int flag, unsigned long *restrict c,
                  unsigned long *restrict d, const long *restrict x);
"""

MAIN = """
static const struct { const char *name; Loop *run; } loops[] = {%s};

int main(void) {
  enum { kRows = 23, kMost = 37 };
  unsigned long *c = malloc(sizeof *c * kRows * 2 * (2 * kMost + 8));
  unsigned long *d = malloc(sizeof *d * kRows);
  long *x = malloc(sizeof *x * 64);
  const long sizes[] = {kMost, 0, 1, 2};
  for (size_t loop = 0; loop < sizeof loops / sizeof *loops; ++loop) {
    printf("%%s", loops[loop].name);
    for (int run = 0; run < 8; ++run) {
      const long m = sizes[run %% 4];
      const long p = 2 * m + 8;
      for (long i = 0; i < kRows * 2 * p; ++i) {
        c[i] = (unsigned long)(i + run);
      }
      for (long i = 0; i < 64; ++i) {
        x[i] = (i * 7 + run) %% 5;
      }
      memset(d, 0, sizeof *d * kRows);
      loops[loop].run(kRows, m, p, run / 4, c, d, x);
      loops[loop].run(kRows - 1, m, p, run / 4, c, d, x);
      unsigned long sum = 0;
      for (long i = 0; i < kRows * 2 * p; ++i) {
        sum = sum * 31 + c[i];
      }
      for (long i = 0; i < kRows; ++i) {
        sum = sum * 31 + d[i];
      }
      printf(" %%lx", sum);
    }
    printf("\\n");
  }
  free(c);
  free(d);
  free(x);
  return 0;
}
"""


class Writer(Generator):
    """Writes one function; all that it does is decided by `choices`."""

    def __init__(self, choices):
        super().__init__(choices, depth=1)

    def loop(self, line_number):
        """Opens a loop over columns; gives the index of its element."""
        choices = self.choices
        stride = choices.choice([1, 1, 1, 2])
        offset = choices.choice([0, 0, 0, 1, 2])
        last = choices.choice(["m", "m", "m", "m", "m - 1", "m + 1", "m / 2", "(m + 1) / 2"])
        first = choices.choice(["0", "0", "0", "1", "i % 2", "2"])
        if choices.random() < 0.2:
            self.open(f"for (long j = {last} - 1; j >= {first}; --j)")
        elif choices.random() < 0.2:
            end = last.replace("m - 1", "m")  # Nothing negative.
            self.open(f"for (unsigned j = {first}; j < (unsigned long)({end}); ++j)")
        else:
            self.open(f"for (long j = {first}; j < {last}; ++j)")
        column = f"{stride} * j + {offset}" if stride > 1 else f"j + {offset}"
        return f"(2 * i + {line_number}) * p + {column}"

    def access(self, index):
        kind = self.choices.choice(["write", "write", "add", "read", "read", "half", "block"])
        if kind == "write":
            self.say(f"c[{index}] = (unsigned long)(i + j + {self.choices.randrange(9)});")
        elif kind == "add":
            self.say(f"c[{index}] += (unsigned long)x[{self.choices.randrange(9)}];")
        elif kind == "read":
            self.say(f"sum = sum * 3 + c[{index}];")
        elif kind == "half":
            self.say(f"memcpy((char *)&c[{index}] + {self.choices.choice([0, 4])}, &sum, 4);")
        else:
            self.say(f"c[{index}] = sum;")

    def phase(self):
        choices = self.choices
        closes = 0
        guard = choices.choice(4 * [None] + ["flag", "!flag", "m > 1", "x[i] > 2", "i % 2"])
        if guard:
            self.open(f"if ({guard})")
            closes += 1
        if choices.random() < 0.3:
            self.open("for (long k = 0; k < %s; ++k)" % choices.choice(["2", "m", "x[3] + 1"]))
            closes += 1
        if choices.random() < 0.15:
            self.say("memset(c + 2 * i * p, %d, %s * sizeof *c);"
                     % (choices.randrange(3), choices.choice(["m", "p", "2 * p"])))
        else:
            line = "0"
            if choices.random() < 0.3:
                self.open("for (long y = %s; y < 2; ++y)" % choices.choice(["0", "0", "1"]))
                closes += 1
                line = "y"
            index = self.loop(line)
            closes += 1
            if choices.random() < 0.15:
                self.open("if (%s)" % choices.choice(["x[j] > 1", "j % 3", "j != i"]))
                closes += 1
            self.access(index)
            if choices.random() < 0.1:
                self.open("if (x[j] == 4)")
                self.say("break;")
                self.close()
        for _ in range(closes):
            self.close()

    def function(self, name):
        self.depth = 0
        self.open(f"static void {name}(long n, long m, long p, int flag, unsigned long *restrict c, "
                  "unsigned long *restrict d, const long *restrict x)")
        self.lines.append("#pragma omp parallel for")
        self.open("for (long i = 0; i < n; ++i)")
        self.say("unsigned long sum = 1;")
        phases = self.choices.randrange(2, 5)
        around = self.choices.random() < 0.25
        for number in range(phases):
            if around and number == phases - 2:
                self.open("for (long t = 0; t < 2; ++t)")
            self.phase()
        if around:
            self.close()
        self.say("d[i] = sum;")
        self.close()
        self.close()
        return "\n".join(self.lines)


def language(_):
    return "c"


def program(seed, count):
    """The text of a program with `count` loops; the same for the same seed."""
    choices = random.Random(seed)
    names = [f"loop{number}" for number in range(count)]
    functions = [Writer(choices).function(name) for name in names]
    entries = ", ".join(f'{{"{name}", {name}}}' for name in names)
    return "\n\n".join([HEAD, *functions]) + "\n" + MAIN % entries
