# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made at random whose loops qualify for kernels, in forms that have their own mappings.

Arrays are divided by what their iterations own, so no program has a data race. Integers wrap, are
shifted and divided in all widths; floating-point numbers go through operations that are exact or
whose order the program fixes, and sums over iterations are of small integers. So each program has
one right answer, to the last bit. Between loops sequential code reads and writes what they wrote.
"""
import random

from generator import Generator

HEAD = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long W;
typedef struct {
  double d;
  int i;
  float f;
  short s[2];
  signed char c;
  unsigned char u[3];
} Record;

enum { kRow = 1400, kMost = 40, kCells = (kMost + 2) * kRow, kNumbers = 20000 };

typedef struct {
  W w;
  long low, high;
  double d;
  int all, any;
  W h[64];
} Results;

"""

MAIN = """
enum { kSignedChar, kUnsignedChar, kShort, kUnsignedShort, kInt, kUnsigned, kLong, kUnsignedLong,
       kFloat, kDouble };

static const struct {
  Loop *run;
  int a, b, c, shape;
} loops[] = {%(entries)s};

static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

static W noise(W value) {
  value = (value ^ value >> 31) * 0x9E3779B97F4A7C15UL;
  return value ^ value >> 29;
}

/* Numbers of all magnitudes, or small ones for floating point. */
static void fill(void *to, int type, long count, W seed) {
  for (long q = 0; q < count; ++q) {
    const W value = noise((W)q + seed * 1000003);
    if (type == kFloat) {
      ((float *)to)[q] = (float)(value %% 101);
    } else if (type == kDouble) {
      ((double *)to)[q] = (double)(value %% 101);
    } else {
      memcpy((char *)to + q * (long)sizes[type], &value, sizes[type]);
    }
  }
}

static W hash(const void *bytes, size_t size, W sum) {
  for (size_t i = 0; i + 8 <= size; i += 8) {
    W word;
    memcpy(&word, (const char *)bytes + i, 8);
    sum = (sum ^ word) * 0x100000001B3UL;
  }
  return sum;
}

static double globalA[kCells];
long globalB[kCells];
static Record globalS[kCells / 8];

int main(int argc, char **argv) {
  double stackC[kCells];
  void *heapA = malloc(8 * kCells), *heapB = malloc(8 * kCells), *heapC = malloc(8 * kCells);
  Record *heapS = (Record *)malloc(sizeof globalS);
  int *x = (int *)malloc(kCells * sizeof *x);
  int *perm = (int *)malloc(kNumbers * sizeof *perm);
  const int only = argc > 1 ? atoi(argv[1]) : -1;
  /* Rows, numbers, a matrix. */
  const long counts[3][5] = {{kMost, 13, 2, 39, 0}, {4000, 777, 1, 129, 1000}, {207, 2, 64, 210, 1}};
  const long columns[3][5] = {{18, 7, 0, 17, 1}, {18, 3, 17, 0, 64}, {233, 17, 64, 3, 1000}};
  for (int loop = 0; loop < (int)(sizeof loops / sizeof *loops); ++loop) {
    if (only >= 0 && loop != only) {
      continue;
    }
    printf("%%d:", loop);
    for (int run = 0; run < %(runs)d; ++run) {
      const int shape = loops[loop].shape;
      const long n = counts[shape][run %% 5], m = columns[shape][run %% 5];
      void *a = run %% 2 ? heapA : globalA;
      void *b = run %% 2 ? globalB : heapB;
      void *c = run %% 3 ? heapC : stackC;
      Record *s = run %% 2 ? heapS : globalS;
      fill(a, loops[loop].a, kCells, (W)run);
      fill(b, loops[loop].b, kCells, (W)run + 100);
      fill(c, loops[loop].c, kCells, (W)run + 200);
      memset(s, 0, sizeof globalS);
      for (int i = 0; i < kCells / 8; ++i) {
        s[i].d = i %% 31;
        s[i].i = i * 77777;
        s[i].u[i %% 3] = (unsigned char)i;
      }
      for (int i = 0; i < kCells; ++i) {
        x[i] = (int)(noise((W)(i + run)) %% 18);
      }
      const long numbers = shape == 1 ? n : kMost;
      for (int i = 0; i < numbers; ++i) {
        perm[i] = i;
      }
      for (int i = (int)numbers - 1; i > 0; --i) {
        const int other = (int)(noise((W)(i * 5 + run)) %% (W)(i + 1)), kept = perm[i];
        perm[i] = perm[other];
        perm[other] = kept;
      }
      Results results = {1, 1000, -1000, 0.0, 1, 0, {0}};
      loops[loop].run(n, m, run, a, b, c, s, x, perm, &results);
      W sum = hash(a, sizes[loops[loop].a] * kCells, 1);
      sum = hash(b, sizes[loops[loop].b] * kCells, sum);
      sum = hash(c, sizes[loops[loop].c] * kCells, sum);
      sum = hash(s, sizeof globalS, sum);
      printf(" %%lx", hash(&results, sizeof results, sum));
    }
    printf("\\n");
  }
  return 0;
}
"""

INTEGERS = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
            "unsigned long"]
REALS = ["float", "double"]
WIDE = ["unsigned", "W"]
COUNTERS = ["long", "long", "int", "int", "unsigned", "short", "unsigned long", "unsigned char"]
HALF = 650   # What nests fill of an iteration's own cells; another half is behind it.
SECOND = 700
SHAPES = ["rows", "numbers", "matrix"]


class Array:
    """`own % index` is what the iteration may write, for indices below `size`; None: nothing.

    Exact arrays hold small integers, whatever their type.
    """

    def __init__(self, name, kind, exact):
        self.name, self.kind, self.exact = name, kind, exact
        self.own, self.size = None, HALF

    @property
    def real(self):
        return self.kind in REALS


class Writer(Generator):
    """Writes one function; all that it does is decided by `choices`."""

    def __init__(self, choices, name):
        super().__init__(choices)
        self.name = name
        self.shape = choices.choice(["rows"] * 6 + ["numbers"] * 3 + ["matrix"] * 2)
        # Tidy: inner iterations touch their own elements only, so that kernels may divide them, too.
        self.tidy = self.chance(0.55)
        self.arrays = []
        for letter in "abc":
            kind = choices.choice(INTEGERS + 3 * REALS)
            self.arrays.append(Array(letter, kind, kind in REALS and self.chance(0.4)))
        if self.chance(0.3):
            self.arrays[1].kind, self.arrays[1].exact = self.arrays[0].kind, self.arrays[0].exact

    # Places.

    def lane(self, moved=False):
        """An index below HALF of all counters, like that of an array with a dimension for each."""
        counters = [c for c in self.counters if c[1] > 1][-3:]
        if self.tidy:
            factors = {0: [], 1: [1], 2: [36, 1], 3: [108, 18, 1]}[len(counters)]
        else:
            factors = {0: [], 1: [self.pick(1, 1, 1, 2, 18)], 2: self.pick([36, 1], [36, 1], [1, 18]),
                       3: self.pick([108, 18, 1], [108, 1, 6])}[len(counters)]
        terms, high = [], 0
        for factor, (counter, limit) in zip(factors, counters):
            if not self.tidy and self.chance(0.06):
                continue
            high += factor * (limit - 1)
            name = counter if self.chance(0.7) else f"(long){counter}"
            terms.append(f"{factor} * {name}" if factor > 1 else name)
        if high >= HALF:
            return f"({' + '.join(terms)}) % {HALF}"
        offset = self.pick(0, 1, 1, 2, 17, 18, 36) if moved else self.pick(0, 0, 0, 0, 1)
        offset = offset if moved or not self.tidy else 0
        if offset and high + offset < HALF:
            terms.append(str(offset))
        return " + ".join(terms) or "0"

    def owned(self, array, moved=False):
        if array.size == 1:
            return f"{array.name}[{array.own % '0'}]"
        return f"{array.name}[{array.own % self.lane(moved and not self.tidy)}]"

    def anywhere(self, array):
        """A place of an array that nobody writes, of `kCells` from its beginning."""
        lane = self.lane(moved=True)
        kind = self.choices.randrange(8)
        if self.shape == "matrix" and kind < 6 and self.column:
            row = self.pick(self.own, self.own, f"({self.own} + 1)", f"({self.own} + 2)")
            column = self.pick(self.column, self.column, f"{self.column} + 1", f"{self.column} + 2")
            return f"{array.name}[{row} * m + {column}]"
        if kind < 2:
            return f"{array.name}[{lane}]"
        if kind < 5 and self.shape == "rows":
            row = self.pick(self.own, self.own, f"({self.own} + 1)", f"(n - {self.own})")
            return f"{array.name}[{row} * kRow + {lane}]"
        if kind < 5:
            return f"{array.name}[{self.own} + {lane}]"
        if kind == 5:
            return f"{array.name}[x[{lane}] * kRow + {lane}]"
        if kind == 6:
            return f"{array.name}[perm[{self.permuted}] + {lane}]"
        return f"{array.name}[({lane}) * kMost + {self.own} % kMost]"

    def read(self, real):
        """What an element holds; of an array of numbers of that kind, if there is one."""
        arrays = [a for a in self.arrays if a.real == real] or self.arrays
        array = self.choices.choice(arrays)
        place = self.anywhere(array) if array.own is None else self.owned(array, self.chance(0.4))
        if array.real and not real:
            return f"(int){place}"
        if real and not array.real:
            return f"(double)(short){place}"
        return place

    # Expressions: all defined for all values.

    def integer(self, depth=0):
        kind = self.choices.randrange(24)
        if depth > 2 or kind < 7:
            leaf = self.choices.randrange(8)
            if leaf < 4:
                return self.read(False)
            if leaf == 4:
                return self.pick("7", "-3", "255u", "1000003", "0x80000000u", "-1L",
                                 "0xFFFFFFFFFFUL")
            if leaf == 5 and self.locals:
                return self.choices.choice(self.locals)
            if leaf == 6:
                return f"x[{self.lane()}]"
            return self.choices.choice([name for name, _ in self.counters] + ["run", "m", self.own])
        a, b = self.integer(depth + 1), self.integer(depth + 1)
        wide = self.choices.choice(WIDE)
        bits = "31" if wide == "unsigned" else "63"
        if kind < 11:
            return f"(({wide})({a}) {self.pick('+', '-', '*', '^', '|', '&')} ({wide})({b}))"
        if kind == 11:
            return f"((int)(short)({a}) {self.pick('+', '-', '*')} (int)(short)({b}))"
        if kind == 12:
            return f"((long)(int)({a}) {self.pick('+', '-', '*')} (long)(int)({b}))"
        if kind <= 14:
            return f"({self.choices.choice(INTEGERS)})({a})"
        if kind == 15:
            return f"(({wide})({a}) {self.pick('>>', '<<')} (({b}) & {bits}))"
        if kind == 16:
            return f"(({self.pick('int', 'long')})({a}) >> (({b}) & 31))"
        if kind == 17:
            divisor = self.pick(f"((int)(({b}) & 15) + 1)", f"-((int)(({b}) & 7) + 2)", "3", "-7",
                                "16")
            return f"(({self.pick('int', 'long')})({a}) {self.pick('/', '%')} {divisor})"
        if kind == 18:
            return f"(({wide})({a}) {self.pick('/', '%')} (({wide})({b}) | 1))"
        if kind == 19:
            return (f"(({wide})({a}) << {self.pick('7', '13')} | ({wide})({a}) >> "
                    f"({int(bits) + 1} - {self.pick('7', '13')}))")
        if kind == 20:
            return self.pick(f"__builtin_popcountl((W)({a}))",
                             f"__builtin_clz((unsigned)({a}) | 1)",
                             f"__builtin_ctzl((W)({a}) | 256)",
                             f"__builtin_bswap32((unsigned)({a}))", f"abs((int)(short)({a}))")
        if kind == 21:
            return f"({self.condition(depth + 1)} ? (long)({a}) : (long)({b}))"
        if kind == 22:
            return f"(int)floor({self.real(depth + 1)})"
        return f"(({a}) > ({b}))"

    def real(self, depth=0):
        """Not larger than what it is made of, or a small number."""
        kind = self.choices.randrange(14)
        if depth > 2 or kind < 5:
            leaf = self.choices.randrange(7)
            if leaf < 5:
                return self.read(True)
            if leaf == 5:
                return self.pick("0.5", "1.25f", "3.0", "-0.1", "7.7f")
            return f"({self.choices.choice(REALS)})(signed char)({self.integer(2)})"
        a, b = self.real(depth + 1), self.real(depth + 1)
        return [f"(({a}) * 0.5 + ({b}) * 0.25)", f"(({a}) * 0.5f - ({b}) * 0.5f)",
                f"(({a}) / (1 + ({b}) * ({b})))", f"(float)({a})", f"sqrt(({a}) * ({a}) + 1)",
                f"sqrtf((float)(({a}) * ({a})))", f"fabs({a})",
                f"({self.condition(depth + 1)} ? ({a}) : ({b}))",
                f"fmin({a}, {b})"][kind - 5]

    def condition(self, depth=1):
        kind = self.choices.randrange(6)
        if kind == 0:
            return self.pick("run", "m > 2", "run % 2", "n != 13")
        if kind == 1:
            return f"(({self.own}) & {self.pick(1, 3)})"
        if kind == 2:
            return f"(x[{self.lane()}] > {self.pick(1, 8, 15)})"
        if kind == 3:
            return (f"(({self.real(depth + 1)}) {self.pick('<', '>', '<=', '!=')} "
                    f"{self.pick('1', '20.5', '0')})")
        comparison = self.pick("<", ">", "<=", ">=", "==", "!=")
        kinds = self.choices.choice(INTEGERS)
        return (f"(({kinds})({self.integer(depth + 1)}) {comparison} "
                f"({kinds})({self.integer(depth + 1)}))")

    # Statements of an iteration.

    def written(self):
        return [a for a in self.arrays if a.own]

    def store(self):
        array = self.choices.choice(self.written())
        place = self.owned(array, self.chance(0.15))
        if array.real:
            value = f"({self.integer()}) & 1023" if array.exact else self.real()
            self.say(f"{place} = ({array.kind})({value});")
            return
        value = self.integer()
        operator = self.pick("=", "=", "=", "^=", "+=", "|=", "*=", "-=")
        if operator in ("=", "^=", "|="):
            self.say(f"{place} {operator} ({array.kind})({value});")
        else:
            self.say(f"{place} = ({array.kind})((W){place} {operator[0]} (W)({value}));")

    def record(self):
        index = self.own if self.shape != "matrix" else "0"
        if self.shape == "matrix":
            return self.store()
        self.say(self.pick(f"s[{index}].d = (double)(({self.integer(1)}) & 255);",
                           f"s[{index}].f = (float)({self.real(1)});",
                           f"s[{index}].i ^= (int)({self.integer(1)}) + s[{index}].s[1];",
                           f"s[{index}].s[x[{self.lane()}] & 1] += (short)({self.integer(1)});",
                           f"s[{index}].c = (signed char)({self.integer(1)});",
                           f"s[{index}].u[x[{self.lane()}] % 3] = "
                           f"(unsigned char)({self.integer(1)});"))
        return None

    def contribution(self):
        if not self.reductions:
            return self.store()
        name = self.choices.choice(self.reductions)
        value = self.integer(1)
        self.say({"sum": f"sum += (W)({value});", "bits": f"bits ^= (W)({value});",
                  "low": f"if ((long)({value}) < low) low = (long)({value});",
                  "high": f"high = (long)({value}) > high ? (long)({value}) : high;",
                  "real": f"real += (double)(({value}) & 255);",
                  "all": f"all = all && ({value}) % 7 != 3;",
                  "any": f"any = any || ({value}) % 11 == 3;",
                  "h": f"h[({value}) & 7] += (W)({value});"}[name])
        return None

    def bounds(self, limit):
        """(first, last): text, at least 0 and at most `limit`."""
        near = [c for c in self.counters if c[1] <= limit]
        small = self.choices.choice(near)[0] if near else None
        lasts = {36: ["m", "m", "2 * m", "36", "m + 5"], 18: ["m", "m", "m", "18", "m / 2"],
                 6: ["m / 3", "6", "m % 7", "m / 3", "3"]}[limit]
        if self.shape != "rows":
            lasts = {36: ["36", "20"], 18: ["18", "11"], 6: ["6", "4"]}[limit]
        last = self.choices.choice(lasts)
        first = self.pick("0", "0", "0", "0", "1", "2")
        if small and self.chance(0.08 if self.tidy else 0.25):
            if self.chance(0.5):
                first = f"{small}"
            else:
                last = self.pick(f"{small}", f"{small} + 1") if limit > 6 else f"{small}"
        elif self.shape == "rows" and self.chance(0.1):
            last = f"{self.own} % {limit}"
        elif self.chance(0.06):
            last = f"x[{self.lane()}] % {limit}"
        return first, last

    def open_loop(self, limit):
        counter = self.fresh("j")
        kind = self.choices.choice(COUNTERS)
        first, last = self.bounds(limit)
        step = self.pick(1, 1, 1, 1, 1, 2, 3)
        form = self.choices.randrange(10)
        if form == 0 and not kind.startswith("unsigned"):
            self.open(f"for ({kind} {counter} = ({kind})(({last}) - 1); "
                      f"{counter} >= ({kind})({first}); {counter} -= {step})")
        elif form == 1:
            self.say(f"{kind} {counter} = ({kind})({first});")
            self.open(f"for (; {counter} < ({kind})({last}); {counter} += {step})")
        elif form == 2 and step == 1:
            self.open(f"for ({kind} {counter} = ({kind})({last}); "
                      f"{counter}-- > ({kind})({first});)")
        else:
            self.open(f"for ({kind} {counter} = ({kind})({first}); "
                      f"{counter} < ({kind})({last}); {counter} += {step})")
        self.counters.append((counter, limit))

    def close_loop(self):
        self.counters.pop()
        self.close()

    def nest(self):
        """Loops inside each other with stores in the innermost one, and beside it."""
        limits = self.pick([36], [36], [18, 36], [18, 36], [18, 36], [6, 6, 18])
        if self.written()[0].size == 1:
            limits = limits[:1]
        opened = []
        kept = len(self.locals)

        def begin(line):
            self.open(line)
            opened.append(self.close)

        for level, limit in enumerate(limits):
            if self.chance(0.15):
                begin(f"for (int t{level} = 0; t{level} < {self.pick('2', '3', 'run')}; "
                      f"++t{level})")
            if self.chance(0.12):
                begin(f"if ({self.condition()})")
            self.open_loop(limit)
            opened.append(self.close_loop)
            if level + 1 < len(limits) and not self.tidy and self.chance(0.15):
                self.store()
        if self.chance(0.2):
            begin(f"if ({self.condition()})")
        if not self.tidy and self.chance(0.1):
            self.say(f"if ({self.condition()}) {self.pick('continue', 'break')};")
        if self.chance(0.3):
            self.sum_loop()
        for _ in range(self.pick(1, 1, 1, 2)):
            self.store()
        if self.chance(0.25):
            self.contribution()
        while opened:
            opened.pop()()
            if len(opened) and opened[-1] == self.close_loop and self.chance(0.12):
                self.open_loop(6)  # A sibling.
                del self.locals[kept:]
                self.store()
                self.close_loop()
        del self.locals[kept:]

    def sum_loop(self):
        """A sum in a register, stored behind the loop: staged where all iterations read the same."""
        local, k = self.fresh("v"), self.fresh("k")
        real = self.chance(0.5)
        kind = self.choices.choice(REALS if real else INTEGERS)
        self.say(f"{kind} {local} = {self.pick('0', '1')};")
        last = self.pick("m", "18", "36", "m", "n % 19")
        self.open(f"for ({self.pick('int', 'long', 'unsigned')} {k} = 0; {k} < {last}; "
                  f"{self.pick('++' + k, '++' + k, k + ' += 2')})")
        kept = self.counters
        if last != "m" or self.shape == "rows":  # Else `m` may be too large to make an index of it.
            self.counters = [*kept, (k, 36)]
        if self.chance(0.15):
            self.say(f"if ({self.condition()}) {self.pick('continue', 'break')};")
        if real:
            self.say(f"{local} = ({kind})({local} * 0.5 + ({self.real(1)}) * 0.25);")
        else:
            self.say(f"{local} = ({kind})((W){local} * 3 + (W)({self.integer(1)}));")
        self.counters = kept
        self.close()
        array = self.choices.choice(self.written())
        value = f"(long)({local}) & 1023" if array.exact else local
        self.say(f"{self.owned(array)} = ({array.kind})({value});"
                 if real == array.real or not real else
                 f"{self.owned(array)} = ({array.kind})(long){local};")
        if not real:
            self.locals.append(local)

    def staged(self):
        """A loop over what is the same for all iterations."""
        readable = [a for a in self.arrays if a.own is None]
        if not readable:
            return self.sum_loop()
        one, two = self.choices.choice(readable), self.choices.choice(readable)
        local, k = self.fresh("v"), self.fresh("k")
        stride = self.pick("", "", "3 * ", "2 * ")
        real = one.real or two.real
        kind = self.choices.choice(REALS) if real else self.pick("int", "W", "unsigned")
        self.say(f"{kind} {local} = 0;")
        last = self.pick("m", "18 * m", "300", "n", "n - 1", "129")
        last = "m" if self.shape == "matrix" else last
        self.open(f"for (long {k} = 0; {k} < {last}; ++{k})")
        first, second = f"{one.name}[{stride}{k}]", f"{two.name}[{stride}{k} + {self.pick(0, 1, 2)}]"
        own = self.owned(self.choices.choice(self.written()))
        if self.chance(0.2):
            self.say(f"if ({k} == {self.own}) continue;")
        if real:
            self.say(f"{local} = ({kind})({local} * 0.5 + {first} / (1.0 + fabs((double){second})) "
                     f"* {self.pick('1', '(double)' + self.own, '(int)' + own)});")
        else:
            self.say(f"{local} = ({kind})((W){local} * 3 + ((W){first} ^ (W){second} "
                     f"* {self.pick('1', '(W)' + self.own, '(W)' + own)}));")
        self.close()
        array = self.choices.choice(self.written())
        value = local
        if array.exact or (real and not array.real):
            value = f"(long)fmod((double){local}, 1024)"
        self.say(f"{self.owned(array)} = ({array.kind})({value});")
        return None

    def recurrence(self):
        """Own elements in an order that matters."""
        array = self.choices.choice(self.written())
        if array.size == 1:
            return self.sum_loop()
        j = self.fresh("j")
        two = self.chance(0.5)
        up = self.chance(0.7)
        width = self.pick("m", "17", "m / 2")
        if self.shape != "rows":
            width = "17"
        loop = (lambda v, last: f"for (long {v} = 1; {v} < {last}; ++{v})") if up else \
            (lambda v, last: f"for (long {v} = {last} - 1; {v} > 0; --{v})")
        at = lambda text: f"{array.name}[{array.own % text}]"
        step = "-" if up else "+"
        if two:
            r = self.fresh("r")
            outer_first = self.chance(0.5)
            first, second = (r, j) if outer_first else (j, r)
            self.open(loop(first, width if first == j else self.pick("m / 2", "9")
                           if self.shape == "rows" else "9"))
            self.open(loop(second, width if second == j else "9"))
            here = at(f"{r} * 36 + {j}")
            others = self.choices.sample(
                [at(f"({r} {step} 1) * 36 + {j}"), at(f"{r} * 36 + {j} {step} 1"),
                 at(f"({r} {step} 1) * 36 + {j} + 1"), at(f"{r} * 36 + {j} + 36"), here],
                self.pick(1, 1, 2, 3))
        else:
            self.open(loop(j, width))
            here = at(f"{self.pick('18', '1', '2')} * {j}")
            others = [here.replace(j, f"({j} {step} 1)"), here]
        if self.chance(0.2):
            self.say(f"if (x[{j}] > {self.pick(3, 12)}) continue;")
        if array.exact:
            value = "(" + " + ".join(f"(int){o}" for o in others) + f" + {j}) & 1023"
        elif array.real:
            value = " + ".join(f"{o} * 0.25" for o in others)
        else:
            value = " + ".join(f"(W){o}" for o in others) + f" * 3 + (W){j}"
        self.say(f"{here} = ({array.kind})({value});")
        self.close()
        if two:
            self.close()
        return None

    def search(self):
        """A loop whose end nobody knows."""
        local, steps = self.fresh("v"), self.fresh("steps")
        self.say(f"unsigned {local} = (unsigned)({self.integer(1)});")
        self.say(f"int {steps} = 0;")
        self.open(f"while ({local} > {self.pick(1, 3, 1000)} && {steps} < {self.pick(17, 30)})")
        self.say(f"{local} = {local} & 1 ? {local} * 3 + 1 : {local} / 2;")
        if self.chance(0.3):
            self.say(f"if ({local} % 9 == 4) break;")
        self.say(f"++{steps};")
        self.close()
        self.locals += [local, steps]
        self.store()

    def private(self):
        name, q = self.fresh("t"), self.fresh("q")
        kind = self.choices.choice(INTEGERS)
        self.say(f"{kind} {name}[8];")
        self.open(f"for (int {q} = 0; {q} < 8; ++{q})")
        self.counters.append((q, 18))
        self.say(f"{name}[{q}] = ({kind})({self.integer(1)});")
        self.counters.pop()
        self.close()
        self.say(f"{name}[({self.integer(1)}) & 7] ^= "
                 f"({kind}){self.pick('5', name + '[3]')};")
        self.locals += [f"{name}[({self.integer(2)}) & 7]", f"{name}[2]"]
        self.store()

    def statement(self):
        count = len(self.locals)
        kinds = ["nest"] * 6 + ["sum", "staged", "staged", "recurrence", "recurrence", "store",
                                "store", "search", "private", "record", "add", "add", "if", "if"]
        if self.tidy and self.shape == "rows":
            kinds = ["nest"]
        elif self.tidy:
            kinds = ["staged"] * 6 + ["sum", "store", "store", "private", "search", "add"]
        {"nest": self.nest, "sum": self.sum_loop, "staged": self.staged, "store": self.store,
         "recurrence": self.recurrence, "search": self.search, "private": self.private,
         "record": self.record, "add": self.contribution, "if": self.conditional}[
             self.choices.choice(kinds)]()
        return count

    def conditional(self):
        self.open(f"if ({self.condition()})")
        kept = self.statement()
        del self.locals[kept:]
        if self.chance(0.3):
            self.depth -= 1
            self.say("} else {")
            self.depth += 1
            kept = self.statement()
            del self.locals[kept:]
        self.close()

    # Loops.

    def divide(self):
        """Which arrays the loop writes, and how it divides them."""
        for array in self.arrays:
            array.own, array.size = None, HALF
        names = self.choices.sample(self.arrays, self.pick(1, 1, 2, 2, 3))
        for array in names:
            if self.shape == "rows":
                array.own = self.pick(*[f"{self.own} * kRow + %s"] * 5,
                                      f"{self.own} * kRow + {SECOND} + %s",
                                      f"(%s) * kMost + {self.own}", f"(%s) * kMost + {self.own}",
                                      f"(n - 1 - {self.own}) * kRow + %s",
                                      f"perm[{self.permuted}] * kRow + %s")
            elif self.shape == "numbers":
                array.size = 1
                array.own = self.pick(*[f"{self.own} + %s"] * 4, f"2 * {self.own} + %s",
                                      f"n - 1 - {self.own} + %s", f"perm[{self.permuted}] + %s",
                                      f"{self.own} + 77 + %s")
            else:
                array.size = 1
                array.own = self.pick(f"{self.own} * m + {self.column} + %s",
                                      f"{self.own} * m + {self.column} + %s",
                                      f"{self.own} * m + (m - 1 - {self.column}) + %s",
                                      f"{self.column} * n + {self.own} + %s")

    def clauses(self, teams):
        text = ""
        if not teams and self.chance(0.4):
            kind = self.pick("static", "static, 3", "dynamic", "guided", "dynamic, 2")
            text += f" schedule({kind})"
        self.reductions = []
        if self.chance(0.3):
            reductions = {"sum": "+: sum", "bits": "^: bits", "low": "min: low", "high": "max: high",
                          "real": "+: real", "all": "&&: all", "any": "||: any", "h": "+: h[:8]"}
            self.reductions = self.choices.sample(sorted(reductions), self.pick(1, 1, 2, 3))
            text += "".join(f" reduction({reductions[name]})" for name in self.reductions)
        if self.chance(0.08):
            text += " num_threads(3)"
        if self.chance(0.06):
            text += " if(m != 7)"
        return text

    def parallel(self):
        """One parallel loop with what it does."""
        teams = self.chance(0.12)
        constructs = ["parallel for", "parallel for", "parallel for", "parallel for simd"]
        if teams:
            constructs = ["teams distribute parallel for", "target teams distribute parallel for"]
        construct = self.choices.choice(constructs)
        clauses = self.clauses(teams)
        if construct.endswith("simd"):
            # Clang 19 takes the elements of a reduced array for independent under simd.
            clauses = clauses.replace("static, 3", "static").replace(" reduction(+: h[:8])", "")
            self.reductions = [r for r in self.reductions if r != "h"]
        if "target" in construct:
            clauses = clauses.replace(" if(m != 7)", "") + "".join(
                f" map(tofrom: {r})" for r in self.reductions if r != "h") + \
                (" map(tofrom: h)" if "h" in self.reductions else "")
        if teams:
            clauses = clauses.replace(" if(m != 7)", "")
        if self.chance(0.12):
            shape = self.pick("grid(3)", "grid(2, 3)", "block(7)", "block(8, 4)")
            self.lines.append(f"#pragma tutti {shape}")
        collapse = 2 if self.shape != "numbers" and self.chance(0.3) else 1
        kind = self.pick("long", "long", "int", "unsigned", "unsigned long")
        self.column = None
        self.own, self.permuted = "i", "i"
        self.counters, self.locals = [], []
        if self.shape == "rows" and collapse == 2:
            collapse = self.pick(2, 2, 3)
            parts = ["n / 4", "4"] if collapse == 2 else ["n / 8", "2", "4"]
            clauses = f" collapse({collapse})" + clauses
            self.lines.append(f"#pragma omp {construct}{clauses}")
            for level, part in enumerate(parts):
                self.open(f"for ({self.pick('long', 'int')} i{level} = 0; i{level} < {part}; "
                          f"++i{level})")
            text = "(i0 * 4 + i1)" if collapse == 2 else "((i0 * 2 + i1) * 4 + i2)"
            if self.chance(0.6):
                self.say(f"const long i = {text};")
            else:
                self.own = self.permuted = text
            closes = collapse
        elif self.shape == "matrix":
            self.column = "j"
            if collapse == 2:
                self.lines.append(f"#pragma omp {construct} collapse(2){clauses}")
            else:
                self.lines.append(f"#pragma omp {construct}{clauses}")
            self.open(f"for ({self.pick('long', 'int')} i = 0; i < n; ++i)")
            self.permuted = "i % kMost"
            if collapse == 2:
                self.open(f"for ({self.pick('long', 'int')} j = 0; j < m; ++j)")
            elif self.chance(0.7):
                self.open(f"for (long j = {self.pick('0', '0', '1', 'i % 2', 'i')}; "
                          f"j < {self.pick('m', 'm', 'm - 1')}; {self.pick('++j', '++j', 'j += 2')})")
            else:
                self.open("for (long j = m - 1; j >= 0; --j)")
            closes = 2
        else:
            self.lines.append(f"#pragma omp {construct}{clauses}")
            plain = f"for ({kind} i = 0; i < ({kind})n; ++i)"
            self.open(self.pick(plain, plain, "for (long i = n - 1; i >= 0; --i)",
                                "for (long i = 1; i < n; i += 2)", plain))
            if kind != "long":
                self.own = "(long)i"
            closes = 1
        self.divide()
        if self.shape == "rows" and self.own == "i" and collapse == 1 and self.chance(0.12):
            self.alias()
        if self.shape == "matrix":
            for _ in range(self.pick(1, 1, 2)):
                self.pick(self.store, self.store, self.sum_loop, self.contribution, self.product)()
        else:
            for _ in range(self.pick(1, 1, 2, 2, 3)):
                self.statement()
            if not self.tidy and self.chance(0.05):
                self.histogram()
        for _ in range(closes):
            self.close()

    def alias(self):
        """One array through two pointers; how far they are apart is known when the program runs."""
        array = self.choices.choice(self.written())
        others = [a for a in self.arrays if a is not array]
        other = self.choices.choice(others)
        array.own = f"{self.own} * kRow + %s"
        other.own = f"{self.own} * kRow + %s"
        other.size = HALF
        other.kind, other.exact = array.kind, array.exact
        other.name = "q"
        distances = self.pick("{0, 700, 1, 36, 18}", "{1, 700, 0, 35, 2}", "{700, 650, 36, 0, 1}")
        first = max(n for n, line in enumerate(self.lines) if line.startswith("#pragma omp"))
        if self.lines[first - 1].startswith("#pragma"):
            first -= 1
        self.lines[first:first] = [f"  const long distances[] = {distances};",
                                   f"  {array.kind} *q = {array.name} + distances[run % 5];"]

    def product(self):
        one, two = (self.choices.choice(self.arrays) for _ in range(2))
        writes = self.choices.choice(self.written())
        if one.own or two.own:
            return self.store()
        real = writes.real and not writes.exact
        kind = self.choices.choice(REALS) if real else "W"
        depth = self.pick("9", "16", "m % 20")
        cast = "" if real else "(W)"
        into = self.chance(0.4)
        second = self.pick("k * m + j", "k * m + j", "j * 20 + k")
        place = self.owned(writes)
        if not into:
            self.say(f"{kind} total = 1;")
        self.open(f"for (int k = 0; k < {depth}; ++k)")
        term = f"{cast}{one.name}[i * 20 + k] * {cast}{two.name}[{second}]"
        if real:
            term = f"{term} * 0.001"
        if into:
            self.say(f"{place} += ({writes.kind})({term});" if real else
                     f"{place} = ({writes.kind})({'((W)' if writes.exact else '(W)'}{place} + {term}"
                     f"{') & 1023' if writes.exact else ''});")
        else:
            self.say(f"total += {term};")
        self.close()
        if not into:
            self.say(f"{place} = ({writes.kind})({'total & 1023' if writes.exact else 'total'});")
        return None

    def histogram(self):
        self.lines.append("#pragma omp atomic")
        self.say(f"results->h[({self.integer(1)}) & 63] {self.pick('+=', '^=', '|=', '+=')} "
                 f"(W)({self.integer(1)});")

    def between(self):
        """Sequential code between loops."""
        array = self.choices.choice(self.arrays)
        cell = self.pick("5", "kRow + 3", "n", "run", "2 * kRow", "kRow * kMost - 1")
        kind = self.choices.randrange(6)
        if kind == 0:
            self.say(f"results->w += (W)(long){array.name}[{cell}];")
        elif kind == 1:
            self.say(f"{array.name}[{cell}] = ({array.kind})({self.pick('7', 'n', 'm + 1')});")
        elif kind == 2:
            value = "(q & 127)" if array.real else f"({array.name}[q] ^ q)"
            most = "n * kRow" if self.shape == "rows" else "3 * kRow"
            self.say(f"for (long q = {self.pick('0', '3')}; q < {self.pick(most, '500', 'n')}; "
                     f"q += {self.pick('1', '7', '41')}) {array.name}[q] = ({array.kind}){value};")
        elif kind == 3:
            self.say(f"memset({array.name} + {self.pick('0', '3', 'kRow')}, 0, "
                     f"{self.pick('9', 'kRow', '4096')} * sizeof *{array.name});")
        elif kind == 4:
            self.say("for (long q = 0; q < kRow; q += 11) "
                     f"results->w = results->w * 3 + (W)(long){array.name}[q];")
        elif kind == 5:
            self.say(f"memmove({array.name} + {self.pick('1', '36', 'kRow')}, {array.name}, "
                     f"{self.pick('18', 'kRow')} * sizeof *{array.name});")

    def function(self):
        self.open(f"static void {self.name}(long n, long m, int run, void *va, void *vb, void *vc, "
                  "Record *s, const int *x, const int *perm, Results *results)")
        for array in self.arrays:
            self.say(f"{array.kind} *{array.name} = ({array.kind} *)v{array.name};")
        self.say("W sum = results->w, bits = 5, h[8] = {1, 2};")
        self.say("long low = results->low, high = results->high;")
        self.say("double real = results->d;")
        self.say("int all = results->all, any = results->any;")
        own = [(a.name, a.kind, a.exact) for a in self.arrays]
        for number in range(self.pick(1, 1, 2, 3)):
            if number and self.chance(0.7):
                self.between()
            self.open("")
            self.parallel()
            self.close()
            for array, (name, kind, exact) in zip(self.arrays, own):
                array.name, array.kind, array.exact = name, kind, exact
        self.say("results->w += sum ^ bits * 3;")
        self.say("results->low = low;")
        self.say("results->high = high;")
        self.say("results->d = real;")
        self.say("results->all = all;")
        self.say("results->any = any;")
        self.say("memcpy(results->h + 56, h, sizeof h);")
        self.close()
        return "\n".join(self.lines)

    def entry(self):
        tags = ["k" + "".join(w.capitalize() for w in a.kind.split()) for a in self.arrays]
        return f"{{{self.name}, {', '.join(tags)}, {SHAPES.index(self.shape)}}}"


def language(_):
    return "c"


def program(seed, count, runs=5):
    """The text of a program with `count` functions; the same for the same seed."""
    choices = random.Random(seed)
    flags = ["-O3", "-O2", "-O3", "-O3 -fwrapv"][seed % 4]
    writers = [Writer(choices, f"loop{number}") for number in range(count)]
    functions = [writer.function() for writer in writers]
    loop = ("typedef void Loop(long n, long m, int run, void *va, void *vb, void *vc, Record *s, "
            "const int *x, const int *perm, Results *results);")
    return "\n\n".join([f"// FLAGS: {flags}\n{HEAD}", loop, *functions]) + "\n" + MAIN % {
        "entries": ", ".join(writer.entry() for writer in writers), "runs": runs}
