# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made at random: parallel loops whose iterations access one of several places.

Places are elements of arrays, of rows that are found in memory, of constants and private arrays,
scalars and members of structures; expressions, statements and pointers choose between them, and
between indices, under conditions of all kinds. Iterations write rows of their own, so no program has
a data race; numbers are small or without sign, so each has one right answer.
"""
import random

from generator import Generator

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long W;
typedef %(type)s T;
typedef struct { T value; T other; int left; int right; } Cell;
typedef struct { T least; T most; long count; int flag; T *of; } Mesh;

enum { kRows = 40, kRow = 48, kCells = kRows * kRow, kFront = 2 * kRow };

static const T kTable[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
static T global[kCells + 2 * kFront];
T outside[16] = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5};
"""

MAIN = """
typedef W Loop(long n, long m, int run, T *a, T *d, Cell *e, const T *b, const T *c, T *const *rows,
               const Cell *cells, const int *x, const Mesh *mesh, T most, T least);

static Loop *const loops[] = {%(loops)s};

static W hash(const void *bytes, size_t size, W sum) {
  for (size_t i = 0; i < size; ++i) {
    sum = sum * 31 + ((const unsigned char *)bytes)[i];
  }
  return sum;
}

int main(int argc, char **argv) {
  const long all = kCells + 2 * kFront;
  T stack[kCells + 2 * kFront];
  T *a = malloc(all * sizeof *a), *d = malloc(all * sizeof *d), *heap = malloc(all * sizeof *heap);
  Cell *e = malloc(kRows * sizeof *e), *cells = malloc(kRows * sizeof *cells);
  T **rows = malloc(kRows * sizeof *rows);
  int *x = malloc(kCells * sizeof *x);
  Mesh *mesh = malloc(sizeof *mesh);
  const long counts[] = {kRows, 7, 12, 2, kRows - 1, 0, 1};
  const int only = argc > 1 ? atoi(argv[1]) : -1;
  for (int loop = 0; loop < (int)(sizeof loops / sizeof *loops); ++loop) {
    if (only >= 0 && loop != only) {
      continue;
    }
    printf("loop%%d", loop);
    for (int run = 0; run < %(runs)d; ++run) {
      const long n = counts[run %% 7], m = (run * 5 + 3) %% 11;
      T *b = (run %% 3 == 0 ? heap : run %% 3 == 1 ? global : stack) + kFront;
      T *c = (run %% 3 == 0 ? global : run %% 3 == 1 ? stack : heap) + kFront;
      memset(e, 0, kRows * sizeof *e);
      memset(cells, 0, kRows * sizeof *cells);
      for (long i = 0; i < all; ++i) {
        a[i] = (T)(i %% 23);
        d[i] = (T)(i %% 19);
        b[i - kFront] = (T)((i * 7 + run) %% 61);
        c[i - kFront] = (T)((i * 5 + run) %% 53);
      }
      for (long i = 0; i < kCells; ++i) {
        x[i] = (int)((i * 7 + i / 3 + run) %% 13);
      }
      for (long i = 0; i < kRows; ++i) {
        rows[i] = x[i] %% 4 == 0 ? NULL : (i %% 2 ? b : c) + i * kRow;
        cells[i].value = (T)(i %% 17);
        cells[i].other = (T)(x[i] * 3);
        cells[i].left = x[i];
        cells[i].right = (int)(i %% 5);
      }
      outside[run %% 16] += (T)1;
      *mesh = (Mesh){(T)(run %% 7), (T)(run + 40), n, run & 1, run %% 2 ? b : c};
      W sum = loops[loop](n, m, run, a + kFront, d + kFront, e, b, c, rows, cells, x, mesh,
                          (T)(run + 20), (T)(run %% 5));
      sum = hash(a, all * sizeof *a, sum);
      sum = hash(d, all * sizeof *d, sum);
      for (long i = 0; i < kRows; ++i) { /* Not what lies between the members. */
        sum = sum * 31 + (W)e[i].value + 3 * (W)e[i].other + (W)e[i].left + 5 * (W)e[i].right;
      }
      printf(" %%lx", sum);
    }
    printf("\\n");
  }
  return 0;
}
"""

TYPES = ["long", "long", "double", "unsigned", "int", "short", "unsigned char", "float"]
COUNTERS = ["long", "long", "int", "int", "unsigned", "unsigned long", "short"]


class Writer(Generator):
    """Writes one function; all that it does is decided by `choices`."""

    def __init__(self, choices, real):
        super().__init__(choices)
        self.real = real
        self.counters = ["i"]  # Each below kRows.
        self.privates = []     # Arrays of 8.
        self.scalars = []      # Of the iteration.

    def condition(self, depth=0):
        counter = self.pick(*self.counters)
        if depth < 2 and self.chance(0.15):
            return f"({self.condition(depth + 1)} {self.pick('&&', '||')} {self.condition(depth + 1)})"
        return self.pick(
            f"{counter} % {self.pick(2, 3, 5)}", f"(long){counter} < m", f"(long){counter} >= m",
            f"{counter} == 0", f"(long){counter} == n - 1", f"x[{counter}] > {self.pick(3, 6, 9)}",
            f"x[{self.index(2)}] & 1", "run & 1", "m > 4", "mesh->flag",
            f"(W)b[{counter}] % {self.pick(2, 3)}", "(long)i <= (long)j" if "j" in self.counters else "i & 2",
            f"cells[{counter}].left > cells[{counter}].right")

    def index(self, depth=0):
        """Of type long; in [0, kCells), as counters are below kRows."""
        counter = self.pick(*self.counters)
        plain = [f"{counter}", f"{counter}", f"{counter} + m", f"2 * {counter}", f"m", "0",
                 f"kRows - 1 - {counter}", f"{counter} * kRow + {self.pick(0, 1, 'm')}",
                 f"{counter} + {self.pick(1, 2, 17)}", f"({counter} & 7)"]
        if "j" in self.counters:
            plain += ["i * kRow + j", "j * kRow + i", "i * (i + 1) / 2 + j"] * 2
        text = f"(long)({self.pick(*plain)})"
        if depth > 1 or self.chance(0.5):
            return text
        return self.pick(
            f"({counter} ? (long){counter} - 1 : n - 1)",
            f"((long){counter} + 1 < n ? (long){counter} + 1 : 0)",
            f"((long){counter} > m ? (long){counter} - m : 0)",
            f"((long){counter} + m < n ? (long){counter} + m : n - 1)",
            f"(long)x[{counter}]", f"(((long){counter} + 1) % n)",
            f"({self.condition(1)} ? {self.index(depth + 1)} : {self.index(depth + 1)})",
            f"({text} - ({self.condition(1)} ? 0 : 1) + 1)")

    def place(self, depth=0):
        """A pointer to const T: to what is read."""
        if depth < 3 and self.chance(0.45 if depth else 0.9):
            return f"({self.condition()} ? {self.place(depth + 1)} : {self.place(depth + 1)})"
        counter = self.pick(*self.counters)
        places = [f"&b[{self.index()}]", f"&b[{self.index()}]", f"&c[{self.index()}]",
                  f"&c[{self.index()}]", f"&global[kFront + {self.index()}]", "&most", "&least",
                  "&own", "&mesh->least", "&mesh->most", f"&mesh->of[{self.index()}]",
                  f"&kTable[{self.index()} & 15]", f"&outside[{self.index()} & 15]",
                  f"&cells[{counter}].value", f"&cells[{counter}].other",
                  f"(rows[{counter}] ? &rows[{counter}][{self.pick(*self.counters)}] : &most)",
                  f"&a[i * kRow + {self.index()} % kRow]"]
        if self.privates:
            places += [f"&{self.pick(*self.privates)}[{self.index()} & 7]"] * 3
        return f"(const T *){self.pick(*places)}"

    def base(self):
        """A pointer to const T with kRow elements behind it."""
        counter = self.pick(*self.counters)
        plain = ["b", "c", "mesh->of", "global + kFront", f"&b[{counter} * kRow]",
                 f"&c[(kRows - 1 - {counter}) * kRow]", "&a[i * kRow]"]
        if self.chance(0.2):
            return f"(const T *)(rows[{counter}] ? rows[{counter}] : {self.pick('b', 'c')})"
        return f"(const T *)({self.condition()} ? {self.pick(*plain)} : {self.pick(*plain)})"

    def value(self, depth=0):
        """Of type W."""
        kind = self.choices.randrange(9)
        if depth > 1 or kind == 0:
            return self.pick(f"(W){self.pick(*self.counters)}", "(W)m", "7UL", f"(W)b[{self.index()}]",
                             *[f"(W){name}" for name in self.scalars])
        if kind <= 3:
            return f"(W)*{self.place()}"
        if kind <= 5:
            return f"({self.condition()} ? {self.value(depth + 1)} : {self.value(depth + 1)})"
        return f"({self.value(depth + 1)} {self.pick('+', '+', '*', '^')} {self.value(depth + 1)})"

    def small(self):
        return f"(T)(({self.value()}) & {63 if self.real else 127})"

    def target(self):
        """Where an iteration may write."""
        own = lambda array: f"&{array}[i * kRow + {self.index()} % kRow]"
        plain = [own("a"), own("a"), own("d"), "&e[i].value", "&e[i].other",
                 *[f"&{name}[{self.index()} & 7]" for name in self.privates]]
        if self.chance(0.5):
            return f"({self.condition()} ? {self.pick(*plain)} : {self.pick(*plain)})"
        return self.pick(*plain)

    def through_pointer(self):
        pointer = self.fresh("p")
        kind = self.choices.randrange(4)
        if kind == 0:
            self.say(f"const T *{pointer} = {self.place()};")
        elif kind == 1:
            self.say(f"const T *{pointer} = {self.place(1)};")
            self.open(f"if ({self.condition()})")
            self.say(f"{pointer} = {self.place(1)};")
            self.close()
        elif kind == 2:
            self.say(f"const T *{pointer};")
            self.open(f"switch ({self.value(1)} % 4)")
            for case in ("case 0:", "case 2:", "default:"):
                self.say(f"{case} {pointer} = {self.place(2)}; break;")
            self.close()
        else:
            self.say(f"const T *{pointer} = {self.base()};")
            places = [f"{pointer}[{self.index()} % kRow]" for _ in range(2)]
            self.say(f"sum += (W){places[0]} * 3 + (W){places[1]};")
            return
        if self.chance(0.3):
            self.statement(2)
        self.say(f"sum = sum * 5 + (W)*{pointer};")

    def loop(self, depth):
        counter = "j" if "j" not in self.counters else "k"
        last = self.pick("n", "(long)i + 1", "m", "4", "mesh->count", "kRows")
        kind = self.pick(*COUNTERS)
        row = self.fresh("row")
        outside = self.chance(0.4)
        if outside:
            self.say(f"const T *{row} = {self.base()};")
        self.open(f"for ({kind} {counter} = 0; {counter} < ({kind})({last}); ++{counter})")
        self.counters.append(counter)
        if outside:
            self.say(f"sum += (W){row}[{counter}];")
        else:
            self.statement(depth + 1)
        if self.chance(0.3):
            self.statement(depth + 1)
        self.counters.pop()
        self.close()

    def statement(self, depth=0):
        kind = self.choices.randrange(11)
        if kind <= 1 and len(self.counters) < 3 and depth < 2:
            self.loop(depth)
        elif kind <= 3 and depth < 3:
            self.through_pointer()
        elif kind == 4:
            self.say(f"*{self.target()} = {self.small()};")
        elif kind == 5 and depth < 3:
            self.open(f"if ({self.condition()})")
            self.statement(depth + 1)
            self.close()
        elif kind == 6:
            source = self.pick(f"&cells[{self.index()} % kRows]", f"&cells[i]", "&cells[n - 1 - (long)i]")
            self.say(f"e[i] = *({self.condition()} ? {source} : &cells[i]);")
        elif kind == 7:
            self.say(f"a[i * kRow + {self.index()} % kRow] = (T)(({self.value()} + sum) & 63);")
        else:
            self.say(f"sum += {self.value()};")

    def function(self, name):
        self.open(f"static W {name}(long n, long m, int run, T *a, T *d, Cell *e, const T *b, const T *c, "
                  "T *const *rows, const Cell *cells, const int *x, const Mesh *mesh, T most, T least)")
        reduces = self.chance(0.3)
        self.say("W total = 1, given = (W)run + 9;")
        clauses = self.pick("", "", " schedule(static, 3)", " schedule(dynamic, 2)")
        clauses += " firstprivate(given)" if self.chance(0.5) else ""
        clauses += " reduction(+ : total)" if reduces else ""
        self.say(f"#pragma omp parallel for{clauses}")
        counter = self.pick(*COUNTERS)
        self.open(f"for ({counter} i = 0; i < ({counter})n; ++i)")
        self.say("W sum = (W)i + given;")
        self.say("T own = (T)(run + 5);")
        self.scalars += ["sum", "own"]
        for _ in range(self.choices.choice([0, 0, 1])):
            array = self.fresh("t")
            self.say(f"T {array}[8];")
            self.open("for (int q = 0; q < 8; ++q)")
            self.say(f"{array}[q] = (T)(q * 3 + ((W)i & 15));")
            self.close()
            self.privates.append(array)
        for _ in range(self.choices.choice([1, 1, 1, 2, 2, 3])):
            self.statement()
        if reduces:
            self.say("total += sum;")
        for array in self.privates:
            self.say(f"sum = sum * 3 + (W){array}[i & 7];")
        self.say("d[i * kRow + kRow - 1] = (T)(sum & 63);")
        self.close()
        self.say("return total;")
        self.close()
        return "\n".join(self.lines)


def language(_):
    return "c"


def program(seed, count):
    """The text of a program with `count` functions; the same for the same seed."""
    choices = random.Random(seed)
    kind = choices.choice(TYPES)
    names = [f"loop{number}" for number in range(count)]
    functions = [Writer(choices, kind in ("float", "double")).function(name) for name in names]
    return "\n\n".join([HEAD % {"type": kind}, *functions]) + "\n" + MAIN % {
        "loops": ", ".join(names), "runs": 7}
