# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made at random: parallel loops whose iterations own rows, columns or blocks of arrays.

What an iteration does with its own is sequential code of any kind: nests of loops that depend on
what they wrote, values used behind loops, narrow and wrapping counters, early exits, private
arrays, calls. So no program has a data race, and each has one right answer. All indices are limited by
construction, values are unsigned or small, and floating-point numbers are small integers: sums of
them are the same in any order.
"""
import dataclasses
import random

from generator import Generator

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>

typedef unsigned long W;
typedef struct { unsigned a; unsigned short b[5]; signed char c; } Mixed;
enum { kRows = 18, kRow = 320 };

typedef struct {
  W w;
  long low, high;
  double d;
  int all, any;
  W h[8];
} Results;

static W mix(W a, W b) { return (a ^ (b >> 3)) * 31 + b; }

__attribute__((noinline)) static W mixed(W a, W b) { return a * 7 + (b << 1); }
"""

CXX = """#include <algorithm>
#include <vector>

template <typename T> struct Span {
  T *first;
  T &operator[](long i) const { return first[i]; }
};
"""

HELPERS = """
static void fill_%(t)s(%(type)s *to, long count, W value) {
  for (long q = 0; q < count; ++q) {
    to[q] = (%(type)s)((value + (W)q) & 1023);
  }
}

static void shift_%(t)s(%(type)s *to, const %(type)s *from, int count) {
  for (int q = 0; q < count; ++q) {
    to[q] = (%(type)s)(((W)from[q] + 1) & 1023);
  }
}

static W sum_%(t)s(const %(type)s *from, unsigned count) {
  W sum = 0;
  for (unsigned q = 0; q < count; ++q) {
    sum = sum * 3 + (W)from[q];
  }
  return sum;
}
"""

MAIN = """
static const struct { const char *name; Loop *run; } loops[] = {%(entries)s};

static unsigned long hash(const void *bytes, size_t size, unsigned long sum) {
  for (size_t i = 0; i < size; ++i) {
    sum = sum * 31 + ((const unsigned char *)bytes)[i];
  }
  return sum;
}

/* Room for the rows, and for what loops may read in front of them and behind. */
enum { kAll = (2 * kRows + 4) * kRow };
static A globalA[kAll];
B globalB[kAll];
static Mixed globalM[kAll / kRow];
static C *rows[2 * kRows + 4];

int main(int argc, char **argv) {
  C stackC[kAll];
  A *heapA = (A *)malloc(sizeof(A) * kAll);
  B *heapB = (B *)malloc(sizeof(B) * kAll);
  C *heapC = (C *)malloc(sizeof(C) * kAll);
  Mixed *heapM = (Mixed *)malloc(sizeof(globalM));
  char *shared = (char *)aligned_alloc(64, 64 + (sizeof(A) + sizeof(B) + sizeof(C)) * kAll);
  long *x = (long *)malloc(sizeof(long) * 512);
  C **pointers = (C **)malloc(sizeof(rows));
  const long counts[] = {kRows, 7, 12, 2, kRows - 1, 0};
  const int only = argc > 1 ? atoi(argv[1]) : -1;
  for (int loop = 0; loop < (int)(sizeof loops / sizeof *loops); ++loop) {
    if (only >= 0 && loop != only) {
      continue;
    }
    printf("%%s", loops[loop].name);
    for (int run = 0; run < %(runs)d; ++run) {
      const long n = counts[run %% 6];
      const long m = (run * 5 + 9) %% 10;
      A *a = run %% 3 == 0 ? heapA : run %% 3 == 1 ? globalA : (A *)(shared + 64);
      B *b = run %% 3 == 0 ? globalB : run %% 3 == 1 ? heapB
                                     : (B *)(shared + 64 + sizeof(A) * kAll);
      C *c = run %% 3 == 0 ? stackC : run %% 3 == 1 ? heapC
                                    : (C *)(shared + 64 + (sizeof(A) + sizeof(B)) * kAll);
      Mixed *s = run %% 2 ? globalM : heapM;
      C **r = run %% 2 ? rows : pointers;
      for (long i = 0; i < kAll; ++i) {
        a[i] = (A)((i * 7 + run) %% 101);
        b[i] = (B)((i * 5 + run) %% 97);
        c[i] = (C)((i * 3 + run) %% 89);
      }
      memset(s, run, sizeof(globalM));
      for (long i = 0; i < 2 * kRows + 4; ++i) {
        r[i] = c + (i %% 2 ? i : 2 * kRows + 2 - i) * kRow;
      }
      for (long i = 0; i < 512; ++i) {
        x[i] = (i * 7 + run) %% 5;
      }
      Results results = {1, 1000, -1000, 0.0, 1, 0, {0}};
      loops[loop].run(n, m, kRow, run, a + 2 * kRow, b + 2 * kRow, c + 2 * kRow, r + 2, s + 2, x,
                      &results);
      unsigned long sum = hash(a, sizeof(A) * kAll, 1);
      sum = hash(b, sizeof(B) * kAll, sum);
      sum = hash(c, sizeof(C) * kAll, sum);
      sum = hash(s, sizeof(globalM), sum);
      printf(" %%lx", hash(&results, sizeof results, sum));
    }
    printf("\\n");
  }
  return 0;
}
"""

TYPES = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
         "unsigned long", "float", "double"]
COUNTERS = ["long", "long", "long", "int", "int", "unsigned", "unsigned long", "unsigned short",
            "short", "signed char", "unsigned char"]
ROW = 320
MOST = 9


@dataclasses.dataclass
class Variable:
    name: str
    low: int
    high: int


@dataclasses.dataclass
class Array:
    """What an iteration owns: the places `pattern` % index, for indices below `size`."""
    name: str
    type: str
    pattern: str
    size: int
    others: str  # Places that nobody writes, of the same array; or None.
    whole: bool  # The places lie side by side.

    @property
    def real(self):
        return self.type in ("float", "double")


class Writer(Generator):
    """Writes one function; all that it does is decided by `choices`."""

    def __init__(self, choices, types, cxx):
        super().__init__(choices)
        self.types = types
        self.cxx = cxx

    def wild(self, probability):
        """Whether to say what cannot be analysed; only some functions do."""
        return not self.tame and self.chance(probability)

    # Expressions.

    def index(self, size):
        """An expression of type long in [0, size)."""
        choices = self.choices
        terms, low, high = [], 0, 0
        inner = [v for v in self.variables if v.name not in ("m",)]
        wanted = choices.choice([1, 1, 1, 2, 2, 3, 0])
        for variable in choices.sample(inner[-4:], min(wanted, len(inner[-4:]))):
            factor = choices.choice([1, 1, 1, 1, 1, 1, 2, 3, 10, 10, 16, -1])
            ends = (factor * variable.low, factor * variable.high)
            name = variable.name
            kind = choices.randrange(12)
            if kind == 0:
                name = f"(long)(int){name}"
            elif kind == 1 or factor < 0:
                name = f"(long){name}"
            elif kind == 2 and variable.low >= 0 and factor > 0 and factor * variable.high < 200:
                name = f"(unsigned char){name}"
            terms.append(f"{factor} * {name}" if factor != 1 else name)
            low += min(ends)
            high += max(ends)
        if self.chance(0.15):
            terms.append("m")
            high += MOST
        if self.wild(0.06) and size >= 256:
            base = " + ".join(terms) or "0"
            return f"(unsigned char)({base} + {choices.choice([250, 255, 100])})"
        if self.wild(0.04) and size >= 256:
            base = " + ".join(terms) or "0"
            return f"(long)(signed char)({base} + {choices.choice([120, 127])}) + 128"
        if self.wild(0.05):
            return f"(long)x[{choices.randrange(200)} + ({' + '.join(terms) or '0'}) % 100 + 100]"
        offset = max(0, -low)
        room = size - 1 - (high + offset)
        if room < 0:
            return f"(({' + '.join(terms)} + {offset}) % {size})"
        offset += choices.choice([0, 0, 0, 1, 1, 2, 8, 16, 17, 40]) if room >= 40 else 0
        if offset:
            terms.append(str(offset))
        return " + ".join(terms) or "0"

    def place(self, array, reading):
        if reading and array.others and (array.pattern is None or self.chance(0.3)):
            return f"{array.name}[{array.others % self.index(array.size)}]"
        return f"{array.name}[{array.pattern % self.index(array.size)}]"

    def value(self, depth=0):
        """An expression of type W."""
        choices = self.choices
        kind = choices.randrange(12)
        if (depth > 2 and kind > 5) or kind == 0:
            return f"{choices.randrange(1, 300)}UL"
        if kind <= 3 or kind >= 10:
            array = choices.choice(self.arrays)
            return f"(W){self.place(array, True)}"
        if kind == 4:
            return f"(W)x[{self.index(200)}]"
        if kind == 5 and self.variables:
            return f"(W){choices.choice(self.variables).name}"
        if kind == 6 and self.locals:
            return choices.choice(self.locals)
        if kind == 7 and self.privates:
            name, size = choices.choice(self.privates)
            return f"(W){name}[{self.index(size)}]"
        if kind == 8:
            return f"{choices.choice(['mix', 'mix', 'mixed'])}({self.value(depth + 1)}, " \
                   f"{self.value(depth + 1)})"
        operator = choices.choice(["+", "+", "^", "*", "-", "|"])
        return f"({self.value(depth + 1)} {operator} {self.value(depth + 1)})"

    def condition(self):
        choices = self.choices
        kind = choices.choice([0, 3, 4, 5, 6]) if self.tame else choices.randrange(7)
        if kind == 0:
            return choices.choice(["run", "!run", "m > 2", "run % 2", "m != 4", "n > 6"])
        if kind == 1:
            return f"x[{self.index(200)}] > {choices.randrange(4)}"
        if kind == 2:
            return f"{self.value(2)} % {choices.choice([2, 3, 5])}"
        variable = choices.choice(self.variables)
        if kind == 3:
            return f"{variable.name} % 2"
        operator = choices.choice(["<", "<=", ">", "==", "!=", ">="])
        other = choices.choice(self.variables).name if self.chance(0.4) else str(
            choices.randrange(0, 8))
        return f"(long){variable.name} {operator} (long){other}"

    # Statements.

    def store(self):
        choices = self.choices
        array = choices.choice([a for a in self.arrays if a.pattern])
        place = self.place(array, False)
        value = f"({self.value()}) & 1023" if array.real else self.value()
        operator = choices.choice(["=", "=", "=", "+=", "+=" if array.real else "^="])
        if operator == "+=" and array.type in ("int", "long"):
            self.say(f"{place} = ({array.type})((W){place} + ({value}));")
        else:
            self.say(f"{place} {operator} ({array.type})({value});")

    def local(self):
        if self.locals:
            name = self.choices.choice(self.locals)
            self.say(self.choice_of(f"{name} = {name} * 3 + {self.value(1)};",
                                    f"{name} += {self.value(1)};", f"{name} = {self.value(1)};"))

    def choice_of(self, *lines):
        return self.choices.choice(lines)

    def contribution(self):
        if not self.reductions:
            return self.store()
        name = self.choices.choice(self.reductions)
        value = self.value(1)
        self.say({"sum": f"sum += {value};", "xor": f"bits ^= {value};",
                  "min": f"if ((long)(({value}) % 1000) < low) low = (long)(({value}) % 1000);",
                  "max": f"high = (long)(({value}) & 511) > high ? (long)(({value}) & 511) : high;",
                  "real": f"real += (double)(({value}) & 255);",
                  "all": f"all = all && ({value}) % 7 != 3;",
                  "any": f"any = any || ({value}) % 11 == 3;",
                  "array": f"h[{self.index(8)}] += {value};"}[name])
        return None

    def block_operation(self):
        """Library functions on parts of the own row: only where it lies in one piece."""
        rows = [a for a in self.arrays if a.pattern and a.whole]
        if not rows:
            return self.store()
        choices = self.choices
        array = choices.choice(rows)
        at = lambda text: f"&{array.name}[{array.pattern % text}]"
        tag = array.type.replace(" ", "_")
        first = self.index(60)
        count = choices.choice(["m", "(m + 1)", "5", "16", "x[3]", "2 * m"])
        kind = choices.randrange(7)
        if kind == 0:
            self.say(f"memset({at(first)}, {choices.choice(['0', '0', '1'])}, "
                     f"{count} * sizeof({array.type}));" if not array.real else
                     f"memset({at(first)}, 0, {count} * sizeof({array.type}));")
        elif kind == 1:
            self.say(f"memcpy({at(first)}, {at(f'{self.index(60)} + 100')}, "
                     f"{count} * sizeof({array.type}));")
        elif kind == 2:
            self.say(f"memmove({at(first)}, {at(self.index(60))}, "
                     f"{count} * sizeof({array.type}));")
        elif kind == 3:
            self.say(f"fill_{tag}({at(first)}, {count}, {self.value(1)});")
        elif kind == 4:
            self.say(f"shift_{tag}({at(first)}, {at(self.index(60))}, (int)({count}));")
        elif kind == 5 and self.locals:
            self.say(f"{choices.choice(self.locals)} += sum_{tag}({at(first)}, "
                     f"(unsigned)({count}));")
        elif not array.real:
            self.say(f"((unsigned char *){at('0')})[{self.index(ROW)}] = "
                     f"(unsigned char)({self.value(1)});")
        return None

    def pointer_walk(self):
        rows = [a for a in self.arrays if a.pattern and a.whole]
        if not rows:
            return self.store()
        choices = self.choices
        array = choices.choice(rows)
        pointer, counter = self.fresh("p"), self.fresh("q")
        last = choices.choice(["m", "m", "4", "x[7]", "m + 1"])
        step = choices.choice(["1", "1", "2", "3"])
        down = self.chance(0.3)
        start = f"{self.index(60)} + {120 if down else 0}"
        self.say(f"{array.type} *{pointer} = &{array.name}[{array.pattern % start}];")
        self.open(f"for (int {counter} = 0; {counter} < {last}; ++{counter})")
        if self.chance(0.8):
            value = self.value(1)
            other = choices.choice([f"{pointer}[{step if not down else '-' + step}]",
                                    f"{pointer}[1]", "0", f"{pointer}[20]"])
            self.say(f"*{pointer} = ({array.type})(({value} + (W){other}) & 1023);")
        if self.wild(0.2):
            self.say(f"if (*{pointer} == 3) break;")
        self.say(f"{pointer} {'-' if down else '+'}= {step};")
        self.close()
        if self.chance(0.7):
            self.say(f"*{pointer} {choices.choice(['=', '+=' if array.real else '^='])} "
                     f"({array.type})(({self.value(1)}) & 255);")
        return None

    def struct_member(self):
        self.say(self.choice_of(
            f"s[{self.own}].a += (unsigned)({self.value(1)});",
            f"s[{self.own}].b[{self.index(5)}] ^= (unsigned short)({self.value(1)});",
            f"s[{self.own}].c = (signed char)({self.value(1)});"))

    def bound(self):
        """(text, low, high) of type long."""
        choices = self.choices
        kind = choices.choice([0, 1, 4, 6, 7, 8, 9] if self.tame else range(10))
        if kind <= 3:
            return ("m", 0, MOST)
        if kind == 4:
            number = choices.randrange(1, 9)
            return (str(number), number, number)
        if kind == 5:
            return (f"x[{self.index(200)}]", 0, 4)
        if kind == 6:
            return ("m / 2", 0, MOST // 2)
        if kind == 7:
            return ("m + 1", 1, MOST + 1)
        counters = [v for v in self.variables if 0 <= v.low and v.high <= 12]
        if kind == 8 and counters:
            variable = choices.choice(counters)
            return (f"(long){variable.name}", variable.low, variable.high)
        return ("n % 5", 0, 4)

    def loop(self, budget):
        choices = self.choices
        kind = choices.choice(COUNTERS)
        signed = not kind.startswith("unsigned")
        last, last_low, last_high = self.bound()
        first, first_low, first_high = choices.choice(
            [("0", 0, 0)] * 6 + [("1", 1, 1), ("2", 2, 2), ("m % 3", 0, 2), ("(i & 1)", 0, 1)])
        counters = [v for v in self.variables if 0 <= v.low and v.high <= 8 and v.name != "m"]
        if counters and self.chance(0.15):
            variable = choices.choice(counters)
            first, first_low, first_high = f"(long){variable.name}", variable.low, variable.high
        counter = self.fresh("j")
        step = choices.choice([1, 1, 1, 1, 2, 3])
        behind = self.chance(0.2)
        outside = f"{kind} {counter};"
        declared = counter if behind else f"{kind} {counter}"
        if behind:
            self.say(outside)
        forms = ["up", "up", "up", "up", "while", "do", "down" if signed else "unsigned down"]
        form = choices.choice(forms)
        cast = f"({kind})"
        end = Variable(counter, first_low, max(first_high, last_high + step - 1))
        inside = Variable(counter, first_low, max(first_low, last_high - 1))
        if form == "up":
            self.open(f"for ({declared} = {cast}({first}); {counter} < {cast}({last}); "
                      f"{counter} += {step})")
        elif form == "while":
            self.say(f"{'' if behind else kind + ' '}{counter} = {cast}({first});")
            self.open(f"while ({counter} < {cast}({last}))")
        elif form == "do":
            self.say(f"{'' if behind else kind + ' '}{counter} = {cast}({first});")
            self.open("do")
            inside = Variable(counter, first_low, max(first_high, last_high - 1))
            end = Variable(counter, first_low, max(first_high, last_high - 1) + step)
        elif form == "down":
            self.open(f"for ({declared} = {cast}({last} - 1); {counter} >= {cast}({first}); "
                      f"{counter} -= {step})")
            end = Variable(counter, min(first_low - step, last_low - 1),
                           max(last_high - 1, first_high))
        else:
            self.open(f"for ({declared} = {cast}({last}); {counter}-- > {cast}({first});)")
            end = None  # It has wrapped around where it began at 0.
        trips = max(1, last_high - first_low + 1)
        self.variables.append(inside)
        arrays = len(self.privates)
        labels = self.fresh("next")
        use_continue = form in ("up", "down", "unsigned down") and self.chance(0.12)
        if use_continue:
            self.say(f"if ({self.condition()}) continue;")
        use_goto = self.wild(0.1)
        if use_goto:
            self.say(f"if ({self.condition()}) goto {labels};")
        self.open("")
        kept = len(self.locals)
        self.statements(budget // trips)
        del self.locals[kept:]
        self.close()
        if self.wild(0.12):
            self.say(f"if ({self.condition()}) break;")
        if use_goto:
            self.say(f"{labels}:;")
        if form in ("while", "do"):
            self.say(f"{counter} += {step};")
        del self.privates[arrays:]
        self.variables.pop()
        if form == "do":
            self.close(f" while ({counter} < {cast}({last}));")
        else:
            self.close()
        visible = behind or form in ("while", "do")
        if visible and end:
            self.variables.append(end)
            if self.chance(0.7):
                self.choices.choice([self.store, self.local])()
            if self.chance(0.5):
                self.variables.pop()  # Used there only.

    def private_array(self):
        name, size = self.fresh("t"), self.choices.choice([4, 8, 24])
        kind = self.choices.choice(["W", "int", "unsigned char", "double"])
        self.say(f"{kind} {name}[{size}];")
        q = self.fresh("q")
        self.open(f"for (int {q} = 0; {q} < {size}; ++{q})")
        self.say(f"{name}[{q}] = ({kind})(({self.value(1)} + (W){q}) & 127);")
        self.close()
        self.privates.append((name, size))

    def conditional(self, budget):
        if self.wild(0.1):
            self.open(f"switch ({self.value(2)} % 4)")
            for case in ("case 0:", "case 2:", "default:"):
                self.say(case)
                self.open("")
                self.scoped(budget)
                self.close()
                if case == "case 2:" or self.chance(0.8):
                    self.say("break;")
            self.close()
            return
        self.open(f"if ({self.condition()})")
        self.scoped(budget)
        if self.chance(0.3):
            self.depth -= 1
            self.say("} else {")
            self.depth += 1
            self.scoped(budget)
        self.close()

    def scoped(self, budget):
        variables, arrays, kept = len(self.variables), len(self.privates), len(self.locals)
        self.statement(budget)
        del self.variables[variables:]
        del self.privates[arrays:]
        del self.locals[kept:]

    def statement(self, budget):
        choices = self.choices
        kind = choices.randrange(20)
        if kind < 8 and budget >= 4 and self.depth < 9:
            self.loop(budget)
        elif kind < 10:
            self.store()
        elif kind == 10:
            self.local()
        elif kind == 11:
            self.contribution()
        elif kind == 12 and budget >= 8:
            self.block_operation()
        elif kind == 13 and budget >= 8:
            self.pointer_walk()
        elif kind == 14:
            self.struct_member()
        elif kind == 15 and budget >= 20:
            self.private_array()
        elif kind <= 17:
            self.conditional(budget)
        elif kind == 18:
            name = self.fresh("v")
            self.say(f"W {name} = {self.value(1)};")
            self.locals.append(name)
        else:
            self.store()

    def statements(self, budget):
        variables = len(self.variables)
        for _ in range(self.choices.choice([1, 1, 1, 2, 2, 3])):
            self.statement(budget)
        del self.variables[variables:]

    # Nests: loops that kernels may divide over work-items, if they see that they may.

    def lane(self, counters, moved):
        """An index made of all counters, like that of an array with a dimension for each."""
        choices = self.choices
        factors = {1: [1], 2: [10, 1], 3: [100, 10, 1]}[len(counters)]
        if len(counters) == 2 and self.chance(0.15):
            factors = [1, 10]
        terms = []
        for factor, counter in zip(factors, counters):
            if self.chance(0.1):
                continue
            name = counter if self.chance(0.8) else f"(long){counter}"
            terms.append(f"{factor} * {name}" if factor > 1 else name)
        terms.append(str(choices.choice([10, 10, 10, 11, 9, 0, 20]) if moved else 10))
        return " + ".join(terms)

    def nest_store(self, counters, arrays):
        choices = self.choices
        array = choices.choice(arrays)
        place = f"{array.name}[{array.pattern % self.lane(counters, self.chance(0.2))}]"
        kind = choices.randrange(6)
        source = choices.choice(self.arrays)
        if source.pattern is None:
            value = f"(W){source.name}[{source.others % self.lane(counters, True)}]"
        else:
            value = f"(W){source.name}[{source.pattern % self.lane(counters, self.chance(0.5))}]"
        if kind == 0:
            value = f"(W)x[{counters[-1]} + {choices.randrange(5)}]"
        elif kind == 1:
            value = f"mix({value}, (W){choices.choice(counters)})"
        elif kind == 2:
            value = f"{value} + (W)given[{choices.choice([0, 2])}]"
        if array.real:
            value = f"({value}) & 511"
        operator = choices.choice(["=", "=", "=", "^=", "+="])
        operator = "=" if array.real and operator == "^=" else operator
        if operator == "+=" and array.type in ("int", "long"):
            self.say(f"{place} = ({array.type})((W){place} + ({value}));")
        else:
            self.say(f"{place} {operator} ({array.type})({value});")

    def nest(self):
        """Loops inside each other, some of which only repeat; stores in the innermost ones."""
        choices = self.choices
        depth = choices.choice([1, 1, 2, 2, 2, 3])
        arrays = [a for a in self.arrays if a.pattern]
        arrays = arrays if self.chance(0.3) else [choices.choice(arrays)]
        counters = []
        opened = 0
        for level in range(depth):
            if self.chance(0.2):
                self.open(f"for (int k{level} = 0; k{level} < "
                          f"{choices.choice(['2', 'm / 3', '3'])}; ++k{level})")
                opened += 1
            if self.chance(0.1):
                self.open(f"if ({choices.choice(['run', 'run % 2', 'm > 2', 'x[1] > 2'])})")
                opened += 1
            counter = self.fresh("j")
            kind = choices.choice(COUNTERS)
            few = level == 0 and depth == 3
            last = choices.choice(["2", "m / 5", "2"] if few else
                                  ["m", "m", "m", "m", "m / 2", "7", "m + 1", "n % 7"])
            first = choices.choice(["0", "0", "0", "0", "1", "m / 3"])
            if counters and not few and self.chance(0.15):
                first = f"(long){counters[-1]}"
            step = choices.choice(["1", "1", "1", "1", "2", "3"])
            if self.chance(0.15) and not kind.startswith("unsigned"):
                self.open(f"for ({kind} {counter} = ({kind})({last} - 1); {counter} >= "
                          f"({kind})({first}); {counter} -= {step})")
            else:
                self.open(f"for ({kind} {counter} = ({kind})({first}); {counter} < "
                          f"({kind})({last}); {counter} += {step})")
            opened += 1
            counters.append(counter)
        sides = choices.choice([1, 1, 1, 2])
        if self.chance(0.15):
            self.open(f"if ({choices.choice(counters)} % {choices.choice([2, 3])} == "
                      f"{choices.randrange(2)})")
            opened += 1
        for _ in range(sides):
            self.nest_store(counters, arrays)
        if self.reductions and self.chance(0.5):
            self.contribution()
        for number in range(opened):
            self.close()
            if number == 0 and self.chance(0.15) and len(counters) > 1:
                # Once more beside it.
                again = self.fresh("j")
                self.open(f"for (long {again} = 0; {again} < m; ++{again})")
                if opened > 1:
                    self.nest_store([*counters[:1], again] if len(counters) == 2 and
                                    number < opened - 1 else [again], arrays)
                self.close()

    # Functions.

    def choose_arrays(self, extent):
        """Each array is divided in its own way: `extent` iterations with the number `i`."""
        choices = self.choices
        self.arrays = []
        for name, kind in zip("abc", self.types):
            row = choices.choice(["p", "p", "kRow"])
            form = choices.choice(["row"] * 6 + ["column", "column", "reverse", "even", "read",
                                                "halo"])
            whole = form != "column"
            if form == "row":
                pattern, size, others = f"{self.own} * {row} + %s", ROW, None
            elif form == "column":
                width = choices.choice(["n", "kRows"])
                pattern, size, others = f"(%s) * {width} + {self.own}", ROW, None
                if width == "n" and extent != "n":
                    pattern = f"(%s) * kRows + {self.own}"
            elif form == "reverse":
                pattern, size, others = f"({extent} - 1 - {self.own}) * {row} + %s", ROW, None
            elif form == "even":
                pattern, size = f"2 * {self.own} * {row} + %s", ROW
                step = choices.choice(["+ 1", "- 1", "+ 1"])
                others = f"(long)((2 * {self.own} {step}) * {row} + %s)"
            else:
                pattern, size = None, ROW
                step = choices.choice(["+ 1", "- 1", "- 2", "+ 0"])
                others = f"(long)(({self.own} {step}) * {row} + %s)"
            self.arrays.append(Array(name, kind, pattern, size, others, whole))
        if choices.random() < 0.08 and self.arrays[2].pattern:
            self.arrays[2] = Array("r", self.types[2], f"{self.own}][%s", ROW, None, True)
        if not any(a.pattern for a in self.arrays):
            self.arrays[0] = Array("a", self.types[0], f"{self.own} * p + %s", ROW, None, True)

    def contain(self, line):
        """Puts arrays into containers; returns the names of those that are copied."""
        vectors = []
        for array, letter in zip(self.arrays, "ABC"):
            if array.name == "r" or self.chance(0.4):
                continue
            if self.chance(0.5) or array.others:
                declaration = f"const Span<{letter}> v{array.name}{{{array.name}}};"
            else:
                declaration = (f"std::vector<{letter}> v{array.name}({array.name}, "
                               f"{array.name} + 36 * kRow);")
                vectors.append(array.name)
            self.lines.insert(line, "  " + declaration)
            array.name = "v" + array.name
        return vectors

    def clauses(self, lasting):
        choices = self.choices
        text = ""
        schedule = choices.choice([None, None, "static", "static, 2", "dynamic", "guided",
                                   "dynamic, 3", "static, 1"])
        if schedule:
            text += f" schedule({schedule})"
        self.reductions = []
        reductions = {"sum": "+: sum", "xor": "^: bits", "min": "min: low", "max": "max: high",
                      "real": "+: real", "all": "&&: all", "any": "||: any",
                      "array": "+: h[:8]"}
        if self.chance(0.35):
            self.reductions = choices.sample(sorted(reductions), choices.choice([1, 1, 2, 3]))
            text += "".join(f" reduction({reductions[name]})" for name in self.reductions)
        self.lasting = lasting and not self.nested and self.chance(0.15) and "dynamic" not in text \
            and "guided" not in text
        if self.lasting:
            text += " lastprivate(last)"
        self.given = self.chance(0.2)
        if self.given:
            text += " firstprivate(given)"
        if self.chance(0.1):
            text += " num_threads(3)"
        return text

    def function(self, name):
        choices = self.choices
        a, b, c = ("A", "B", "C")
        restrict = choices.choice(["", "", " restrict"]) if not self.cxx else ""
        self.numbers = 0
        style = choices.choice(["wild"] * 2 + ["tame"] * 2 + ["nested"] * 4)
        self.tame = style != "wild"
        self.nested = style == "nested"
        self.open(f"static void {name}(long n, long m, long p, int run, {a} *{restrict} a, "
                  f"{b} *{restrict} b, {c} *{restrict} c, {c} **r, Mixed *s, const long *x, "
                  "Results *results)")
        self.say("W sum = results->w, bits = 5, last = 7;")
        self.say("long low = results->low, high = results->high;")
        self.say("double real = results->d;")
        self.say("int all = results->all, any = results->any;")
        self.say("W given[3] = {(W)m, (W)run, 3};")
        self.say("W h[8] = {1, 2};")
        form = choices.choice(["plain"] * 6 + ["collapse2", "collapse2", "collapse3", "reverse",
                                              "step", "orphan"])
        clauses = self.clauses(lasting=form in ("plain", "reverse", "orphan"))
        self.variables = [Variable("m", 0, MOST)]
        if self.chance(0.2):
            self.variables.append(Variable("(i % 8)", 0, 7))
        self.locals, self.privates = [], []
        containers = len(self.lines)
        extent = "n"
        closes = 1
        small = choices.choice(["long", "long", "int", "unsigned long", "unsigned"])
        body_variables = []
        if form.startswith("collapse"):
            levels = int(form[-1])
            inner = ["3", "2"][:levels - 1]
            bounds = [f"n / {3 if levels == 2 else 6}"] + inner
            extent = bounds[0] if levels == 1 else "(" + " * ".join(f"({b})" for b in bounds) + ")"
            self.lines.append(f"#pragma omp parallel for collapse({levels}){clauses}")
            kinds = [choices.choice(["long", "int"]) for _ in bounds]
            first = f"for ({kinds[0]} i1 = 0; i1 < {bounds[0]}; ++i1)"
            self.open(first)
            for level, bound in enumerate(inner, 2):
                self.open(f"for ({kinds[level - 1]} i{level} = 0; i{level} < {bound}; ++i{level})")
            closes = levels
            self.say("const long i = " + ("(long)i1 * 3 + i2;" if levels == 2 else
                                          "((long)i1 * 3 + i2) * 2 + i3;"))
            body_variables = [Variable("i2", 0, 2)]
            self.own = choices.choice(["i", "i", "(i1 * 3 + i2)" if levels == 2 else
                                       "((i1 * 3 + i2) * 2 + i3)"])
        elif form == "reverse":
            self.lines.append(f"#pragma omp parallel for{clauses}")
            self.open("for (long i = n - 1; i >= 0; --i)")
            self.own = "i"
        elif form == "step":
            self.lines.append(f"#pragma omp parallel for{clauses}")
            self.open("for (long i = 1; i < n; i += 2)")
            self.own = "i"
        elif form == "orphan":
            clauses = clauses.replace(" num_threads(3)", "")
            self.lines.append("#pragma omp parallel")
            self.lines.append(f"#pragma omp for{clauses}")
            self.open("for (long i = 0; i < n; ++i)")
            self.own = "i"
        else:
            self.lines.append(f"#pragma omp parallel for{clauses}")
            self.open(f"for ({small} i = 0; i < ({small})n; ++i)")
            self.own = choices.choice(["i", "i", "(long)i"])
        if small.startswith("unsigned") and form == "plain":
            self.own = "(long)i"
        self.choose_arrays(extent)
        vectors = self.contain(containers) if self.cxx else []
        self.variables += body_variables
        if self.cxx and self.chance(0.5):
            self.open("auto body = [&]")
            closes_lambda = True
        else:
            closes_lambda = False
        for _ in range(0 if self.nested else choices.choice([0, 1, 2])):
            local = self.fresh("v")
            self.say(f"W {local} = {choices.choice(['1', '(W)m', '(W)i', '0'])};")
            self.locals.append(local)
        if self.given and not self.nested:
            self.locals.append("given[1]" if self.chance(0.5) else "given[0]")
            if self.chance(0.5):
                self.say("given[0] = (W)i;")
                self.say("given[1] = (W)m;")
            else:
                self.say("given[0] = 1;")
                self.say("given[1] = given[2] + (W)run;")
        for _ in range(choices.choice([1, 1, 1, 2, 3] if self.nested else [1, 2, 2, 3, 4])):
            if self.nested:
                self.nest()
            else:
                self.statement(400)
        if self.nested:
            pass
        elif not self.locals or self.chance(0.2):
            self.statement(400)
        else:
            array = choices.choice([x for x in self.arrays if x.pattern])
            local = choices.choice(self.locals)
            self.say(f"{self.place(array, False)} = ({array.type})({local} & 127);")
        if self.reductions and not self.nested and self.chance(0.9):
            self.contribution()
        if self.lasting and not self.nested:
            self.say(f"last = {self.value(1)};")
        if closes_lambda:
            self.close(";")
            self.say("body();")
        for _ in range(closes):
            self.close()
        for name in vectors:
            self.say(f"std::copy(v{name}.begin(), v{name}.end(), {name});")
        # Of a loop without iterations nothing is last.
        self.say("results->w = sum ^ bits * 3 ^ (n > 0 ? last : 0) * 5;")
        self.say("results->low = low;")
        self.say("results->high = high;")
        self.say("results->d = real;")
        self.say("results->all = all;")
        self.say("results->any = any;")
        self.say("memcpy(results->h, h, sizeof h);")
        self.close()
        return "\n".join(self.lines)


def language(seed):
    return "cpp" if seed % 4 == 3 else "c"


def program(seed, count, runs=9):
    """The text of a program with `count` loops; the same for the same seed."""
    cxx = language(seed) == "cpp"
    flags = ["-O3", "-O3", "-O2", "-O3 -fwrapv", "-O1"][seed // 4 % 5]
    choices = random.Random(seed)
    types = [choices.choice(TYPES) for _ in "ABC"]
    names = [f"loop{number}" for number in range(count)]
    functions = [Writer(choices, types, cxx).function(name) for name in names]
    entries = ", ".join(f'{{"{name}", {name}}}' for name in names)
    definitions = "\n".join(f"typedef {kind} {letter};" for kind, letter in zip(types, "ABC"))
    helpers = "".join(HELPERS % {"type": kind, "t": kind.replace(" ", "_")}
                      for kind in sorted(set(types)))
    loop = ("typedef void Loop(long n, long m, long p, int run, A *a, B *b, C *c, C **r, Mixed *s, "
            "const long *x, Results *results);")
    head = f"// FLAGS: {flags}\n" + (CXX if cxx else "") + HEAD + helpers
    return "\n\n".join([head, definitions, loop, *functions]) + "\n" + MAIN % {
        "entries": entries, "runs": runs}
