# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made at random of many kinds of OpenMP constructs over the same data, again and again.

Each phase of a program is one construct, or sequential code, that works on arrays of all kinds:
variables, heap, members of a structure, matrices, rows behind pointers, structures, lists. In a loop an
array is either only read, anywhere, or each iteration has a place of its own, or all changes are
atomic and commute. So no program has a data race, and each has one right answer: integers wrap, and
floating-point numbers are small integers.
"""
import random

from generator import Generator

HEAD = """#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long W;
enum { kRows = 60, kColumns = 24, kMost = kRows * kColumns, kCells = kMost + 64 };

typedef struct {
  signed char tag;
  double d;
  unsigned char u[3];
  unsigned low : 5, high : 11;
  short s[2];
  int i;
  float f;
  long l;
} Cell;

#pragma pack(push, 1)
typedef struct {
  char c;
  int i;
  double d;
  short s;
} Packed;
#pragma pack(pop)

typedef struct Link {
  struct Link *next;
  W value;
} Link;

typedef struct { W first, second; } Pair;
typedef struct { double key; int at; } Best;
typedef struct { W sum; int most, least; } Stat;

static void improve(Best *a, const Best *b) {
  if (b->key > a->key || (b->key == a->key && b->at < a->at)) {
    *a = *b;
  }
}

static Stat merged(Stat a, Stat b) {
  const Stat both = {a.sum + b.sum, a.most > b.most ? a.most : b.most,
                     a.least < b.least ? a.least : b.least};
  return both;
}

static Best worst(void) { const Best none = {-1e9, INT_MAX}; return none; }
static Stat nothing(void) { const Stat none = {0, INT_MIN, INT_MAX}; return none; }

#pragma omp declare reduction(best : Best : improve(&omp_out, &omp_in)) \\
    initializer(omp_priv = worst())
#pragma omp declare reduction(stat : Stat : omp_out = merged(omp_out, omp_in)) \\
    initializer(omp_priv = nothing())

static W twist(W a, W b) { return (a ^ b >> 5) * 33 + b; }

static W deep(W value, int depth) {
  return depth <= 0 ? value : deep(value * 3 + (W)depth, depth - 1) ^ value;
}

__attribute__((noinline)) static W digits(W value) {
  W sum = 0;
  while (value) {
    sum = sum * 3 + value % 10;
    value /= 10;
  }
  return sum;
}

static Pair divided(W value) {
  const Pair pair = {value >> 7, value * 5};
  return pair;
}

static W half(Pair pair, int second) { return second ? pair.second : pair.first; }

static W early(const int *from, int count, int wanted) {
  for (int q = 0; q < count; ++q) {
    if (from[q] % 8 == wanted) {
      return (W)q;
    }
  }
  return 99;
}

static W rounded(double a, double b) {
  return (W)(long)(floor(a * 0.75) + trunc(b / 3) + rint(a / 7) + copysign(2, b - a) + fma(a, 3, b) +
                   fmod(a, 5) + fmax(a, b) + ceil(ldexp(b, -2)));
}

static const short kTable[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
static int counter(int step) { static int calls; return calls += step; }
"""

MAIN = """
static W noise(W value) {
  value = (value ^ value >> 31) * 0x9E3779B97F4A7C15UL;
  return value ^ value >> 29;
}

static W hash(const void *bytes, size_t size, W sum) {
  for (size_t i = 0; i < size; ++i) {
    sum = sum * 31 + ((const unsigned char *)bytes)[i];
  }
  return sum;
}

int main(int argc, char **argv) {
  static const int counts[] = {kMost, 37, 0, 1, 999, 2}, rows[] = {kRows, 3, 0, 1, 41, 2},
                   columns[] = {kColumns, 7, 5, 0, 23, 1};
  const int only = argc > 1 ? atoi(argv[1]) : -1;
  State *s = (State *)malloc(sizeof(State));
  memset(s, 0, sizeof *s);
%(setup)s
  for (int i = 0; i < kCells; ++i) {
    perm[i] = i;
    heads[i] = 0;
  }
  for (int i = kMost - 1; i > 0; --i) {
    const int other = (int)(noise((W)i) %% (W)(i + 1)), kept = perm[i];
    perm[i] = perm[other];
    perm[other] = kept;
  }
  for (int i = 0; i < kCells; ++i) {
    Link *link = i %% 3 ? (Link *)malloc(sizeof(Link)) : &links[i];
    link->next = heads[i * 7 %% 97];
    link->value = (W)i;
    heads[i * 7 %% 97] = link;
  }
  for (int run = 0; run < %(runs)d; ++run) {
    const int n = counts[run %% 6], R = rows[run %% 6], C = columns[run %% 6];
    const int times = run %% 4 == 0 ? 3 : 1;
    s->result = (W)run;
    for (int time = 0; time < times; ++time) {
%(calls)s
    }
    W sum = s->result;
%(sums)s
    printf("%%d: %%lx\\n", run, sum);
  }
  return 0;
}
"""

INTEGERS = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
            "unsigned long", "long long", "W"]
REALS = ["float", "double"]
COUNTERS = ["int", "int", "long", "unsigned", "unsigned long", "long long", "short", "size_t"]
MEMBERS = ["tag", "d", "u[%s %% 3]", "low", "high", "s[1]", "i", "f", "l"]
PACKED = ["c", "i", "d", "s"]


class Array:
    """`storage` says how it is declared, and so how a place of it is written."""

    def __init__(self, name, kind, storage):
        self.name, self.kind, self.storage = name, kind, storage

    @property
    def records(self):
        return self.kind in ("Cell", "Packed")

    @property
    def real(self):
        return self.kind in REALS

    @property
    def flat(self):
        """Whether the elements lie side by side behind one pointer."""
        return self.storage not in ("matrix", "rows")

    @property
    def path(self):
        return f"s->{self.name}" if self.storage in ("member", "inside") else self.name

    def at(self, index):
        if self.storage in ("matrix", "rows"):
            return f"{self.path}[({index}) / kColumns][({index}) % kColumns]"
        return f"{self.path}[{index}]"

    def declaration(self):
        return {"global": f"static {self.kind} {self.name}[kCells];",
                "pointer": f"static {self.kind} *{self.name};",
                "matrix": f"{self.kind} {self.name}[kCells / kColumns + 1][kColumns];",
                "rows": f"static {self.kind} **{self.name};"}.get(self.storage, "")

    def member(self):
        return {"member": f"  {self.kind} *{self.name};",
                "inside": f"  {self.kind} {self.name}[kCells];"}.get(self.storage, "")

    def setup(self):
        lines = []
        if self.storage in ("pointer", "member"):
            lines.append(f"  {self.path} = ({self.kind} *)malloc(kCells * sizeof *{self.path});")
        if self.storage == "rows":
            lines.append(f"  {self.name} = ({self.kind} **)malloc((kRows + 3) * sizeof *{self.name});")
            lines.append(f"  for (int i = 0; i < kRows + 3; ++i) {self.name}[i] = "
                         f"({self.kind} *)malloc(kColumns * sizeof **{self.name});")
        if self.records:
            lines.append(f"  memset({self.path}, 0, kCells * sizeof *{self.path});")
            lines.append(f"  for (int i = 0; i < kCells; ++i) {self.at('i')}.i = i;")
        else:
            lines.append(f"  for (int i = 0; i < kCells; ++i) {self.at('i')} = "
                         f"({self.kind})(noise((W)i + {len(self.name)}) & 1023);")
        return lines

    def hashed(self):
        if self.kind == "Cell":
            return (f"for (int i = 0; i < kCells; ++i) sum = sum * 31 + (W)(long){self.at('i')}.d + "
                    f"(W){self.at('i')}.i + (W){self.at('i')}.u[1] + (W){self.at('i')}.low + "
                    f"(W){self.at('i')}.high + (W){self.at('i')}.s[1] + (W)(long){self.at('i')}.f + "
                    f"(W){self.at('i')}.l + (W){self.at('i')}.tag;")
        if self.storage in ("matrix", "rows"):
            return f"for (int i = 0; i < kCells; ++i) sum = sum * 31 + (W)(long){self.at('i')};"
        return f"sum = hash({self.path}, kCells * sizeof *{self.path}, sum);"


class Loop:
    """What one worksharing loop does with the arrays."""

    def __init__(self):
        self.own = {}      # Array: the index that belongs to the iteration.
        self.shared = {}   # Array: the operator with which all iterations change any place.
        self.reads = set()
        self.results = []  # Variables that the loop changes, to be looked at behind it.


REDUCTIONS = {
    # name: (type, start, clause, how an iteration adds `value`, what is made of it)
    "total": ("W", "3", "+", "{v} += {x};", "{v}"),
    "few": ("short", "5", "+", "{v} = (short)({v} + (short)({x}));", "(W){v}"),
    "less": ("long", "9", "+", "{v} -= (long)(({x}) & 0xFFFF);", "(W){v}"),
    "product": ("unsigned", "7", "*", "{v} *= (unsigned)({x}) | 1;", "(W){v}"),
    "masks": ("W", "~0UL", "&", "{v} &= ({x}) | 0xFF00FF;", "{v}"),
    "bits": ("unsigned short", "2", "|", "{v} |= (unsigned short)(({x}) & ({x} >> 8));", "(W){v}"),
    "flips": ("unsigned char", "1", "^", "{v} ^= (unsigned char)({x});", "(W){v}"),
    "all": ("int", "1", "&&", "{v} = {v} && ({x}) % 37 != 5;", "(W){v}"),
    "any": ("int", "0", "||", "{v} = {v} || ({x}) % 1021 == 5;", "(W){v}"),
    "highest": ("float", "-3", "max", "{v} = fmaxf({v}, (float)(({x}) & 0xFFFF));", "(W)(long){v}"),
    "lowest": ("double", "1e6", "min",
               "if ((double)(({x}) & 0xFFFFF) < {v}) {v} = (double)(({x}) & 0xFFFFF);",
               "(W)(long){v}"),
    "most": ("int", "-5", "max", "{v} = (int)({x}) > {v} ? (int)({x}) : {v};", "(W){v}"),
    "least": ("signed char", "100", "min",
              "{v} = (signed char)({x}) < {v} ? (signed char)({x}) : {v};", "(W){v}"),
    "real": ("double", "0.5", "+", "{v} += (double)(({x}) & 255);", "(W)(long)({v} * 2)"),
    "single": ("float", "1", "+", "{v} += (float)(({x}) & 127);", "(W)(long){v}"),
    "best": ("Best", "{1, 5}", "best",
             "{{ const Best here = {{(double)(({x}) & 0xFFF), (int)({own})}}; improve(&{v}, &here); }}",
             "(W)(long){v}.key * 7 + (W){v}.at"),
    "stat": ("Stat", "{1, 2, 3}", "stat",
             "{{ const Stat here = {{{x}, (int)(({x}) & 0xFFFFF), (int)(({x}) >> 40)}}; "
             "{v} = merged({v}, here); }}", "{v}.sum + (W){v}.most * 3 + (W){v}.least"),
    "table": ("W", None, "+", "{v}[({x}) & 15] += {x};", None),
    "peaks": ("int", None, "max",
              "if ((int)(({x}) >> 3) > {v}[({x}) & 7]) {v}[({x}) & 7] = (int)(({x}) >> 3);", None),
}


class Writer(Generator):
    """Writes one phase; all that it does is decided by `choices`."""

    def __init__(self, choices, arrays, name):
        super().__init__(choices)
        self.arrays, self.name = arrays, name
        self.locals = []
        # What keeps a loop on rank 0 is rare.
        self.atomics, self.lists, self.wide = (choices.random() < 0.12 for _ in range(3))
        if choices.random() < 0.75:
            self.arrays = [a for a in arrays if a.storage != "rows"] or arrays

    # Text.

    def pragma(self, line):
        self.lines.append("#pragma omp " + line)

    # Values, of type W.

    def index(self, depth):
        """A place of an array that is only read, below kCells."""
        own = self.flat
        kind = self.choices.randrange(14)
        if kind < 4:
            return f"{own} + {self.pick(0, 0, 1, 2, 25, 63)}"
        if kind == 12:
            return (f"({own} - {self.pick('500', '7', 'n / 2', 'run')}) % "
                    f"{self.pick('97', '-50', '40 * stride', '300')} + kMost / 2")
        if kind == 13:
            return self.pick(f"((unsigned)({own}) - {self.pick('40u', '(unsigned)run')}) % "
                             f"{self.pick('900u', 'kMost')}",
                             f"({own} - 300) / {self.pick('7', '-3', '(stride + 1)')} + kMost / 2")
        if kind == 4:
            return f"kMost - 1 - ({own})"
        if kind == 5:
            return f"({own}) / {self.pick(2, 3, 7)}"
        if kind == 6:
            return f"({own}) * {self.pick(3, 5, 7)} % kMost"
        if kind == 7 and self.counters:
            return f"{self.choices.choice(self.counters)} + {self.pick('0', '3', 'run')}"
        if kind == 8:
            return self.pick("0", "n", "run", "R + 7")
        if kind == 9:
            return f"perm[{own}]"
        if kind == 10 and depth < 2:
            return f"({self.value(depth + 1)}) % kMost"
        return f"{own}"

    def record(self, array, index):
        if array.kind == "Packed":
            return f"{array.at(index)}.{self.choices.choice(PACKED)}"
        member = self.choices.choice(MEMBERS)
        if "%" in member:
            member %= self.pick("1", "run", f"({self.flat})")
        return f"{array.at(index)}.{member}"

    def read(self, depth):
        choices = self.choices
        array = choices.choice(self.readable)
        if array in self.loop.own:
            index = self.loop.own[array]
            place = array.at(index) if array is not self.walked or self.chance(0.3) else "*it"
        else:
            self.loop.reads.add(array)
            index = self.index(depth)
            place = array.at(index)
        if array.records:
            place = self.record(array, index)
            return f"(W)(long){place}"
        return f"(W)(long){place}" if array.real else f"(W){place}"

    def value(self, depth=0):
        choices = self.choices
        kind = choices.randrange(22)
        if depth > 2 or kind < 8:
            leaf = choices.randrange(10)
            if leaf < 6:
                return self.read(depth)
            if leaf == 6 and self.locals:
                return choices.choice(self.locals)
            if leaf == 7 and self.counters:
                return f"(W){choices.choice(self.counters)}"
            if leaf == 8:
                return self.pick("(W)run", "(W)n", "(W)R", "(W)C", "s->factor", "(W)scale")
            return self.pick(f"(W)({self.flat})", f"{choices.randrange(1, 999)}UL",
                             f"(W)kTable[({self.flat}) % 16]")
        a = self.value(depth + 1)
        if kind < 12:
            return f"({a} {self.pick('+', '-', '*', '^', '|', '&')} {self.value(depth + 1)})"
        if kind == 12:
            return f"twist({a}, {self.value(depth + 1)})"
        if kind == 13:
            return self.pick(f"deep({a}, {self.pick('3', '2', '(int)(' + a + ' & 3)')})",
                             f"digits({a} & 0xFFFFF)")
        if kind == 14:
            return f"half(divided({a}), {self.pick(0, 1)})"
        if kind == 15:
            self.loop.reads.add("perm")
            return f"early(perm + ({self.flat}) / 2, {self.pick('9', 'n % 30')}, (int)({a} & 7))"
        if kind == 16:
            return f"rounded((double)({a} & 1023), (double)({self.value(depth + 1)} & 511))"
        if kind == 17:
            kinds = self.choices.choice(INTEGERS)
            return f"(W)(({kinds})({a}) {self.pick('>>', '/', '%')} {self.pick('3', '2', '7')})"
        if kind == 18:
            return f"({self.condition(depth + 1)} ? {a} : {self.value(depth + 1)})"
        if kind == 19 and self.wide:
            return (f"(W)((unsigned __int128)({a}) * ({self.value(depth + 1)}) >> "
                    f"{self.pick('9', '64')})")
        if kind == 20:
            return f"(W)(int)(float)(({a}) & 0xFFFFFF)"
        return f"(W)(({a}) {self.pick('<', '==', '>=')} ({self.value(depth + 1)}))"

    def condition(self, depth=1):
        return self.pick(f"({self.value(depth)}) % {self.pick(2, 3, 5)}",
                         f"({self.flat}) % {self.pick(2, 3)} == {self.pick(0, 1)}", "run & 1",
                         f"{self.value(depth)} > {self.value(depth)}", "n > 40",
                         f"({self.flat}) > {self.pick('3', 'R', 'n / 2')}")

    # Statements of an iteration.

    def store(self):
        loop = self.loop
        if loop.shared and self.chance(0.5) or not loop.own:
            return self.atomic()
        array = self.choices.choice(sorted(loop.own, key=lambda a: a.name))
        index = loop.own[array]
        value = self.value()
        if array.records:
            self.say(f"{self.record(array, index)} {self.pick('=', '=', '+=')} (int)(({value}) & 15);")
            return None
        place = "*it" if array is self.walked and self.chance(0.7) else array.at(index)
        if array.real:
            self.say(f"{place} = ({array.kind})(({value}) & 1023);")
        elif self.chance(0.3):
            self.say(f"{place} = ({array.kind})((W){place} {self.pick('+', '^', '*')} ({value}));")
        else:
            self.say(f"{place} = ({array.kind})({value});")
        return None

    def atomic(self):
        if not self.loop.shared:
            return self.contribution()
        array = self.choices.choice(sorted(self.loop.shared, key=lambda a: a.name))
        operator = self.loop.shared[array]
        index = self.pick(f"({self.value(1)}) % kMost", f"perm[{self.flat}]",
                          f"({self.flat}) / {self.pick('2', '5')}", "5",
                          f"({self.value(2)}) & 7")
        self.pragma(self.pick("atomic", "atomic update", "atomic"))
        value = f"({self.value(1)}) & 63" if array.real else self.value(1)
        self.say(f"{array.at(index)} {operator} ({array.kind})({value});")
        return None

    def contribution(self):
        if not self.loop.results:
            return None
        kind, name = self.choices.choice(self.loop.results)
        value = self.fresh("x")
        self.open("")
        self.say(f"const W {value} = {self.value()};")
        self.say(REDUCTIONS[kind][3].format(v=name, x=value, own=self.flat))
        self.close()
        return None

    def inner(self):
        """A sequential loop that carries a value, with any way out."""
        local, k = self.fresh("v"), self.fresh("k")
        self.say(f"W {local} = {self.pick('1', self.value(2))};")
        last = self.pick("9", "C", "run + 2", "17", f"(int)(({self.flat}) % 7)")
        head = self.pick(f"for (int {k} = 0; {k} < {last}; ++{k})",
                         f"for (int {k} = {last}; {k}-- > 0;)",
                         f"for (unsigned char {k} = 1; {k} < {last}; {k} += 2)",
                         f"for (int {k} = 1; {k} < {last}; {k} *= 2)")
        self.open(head)
        self.counters.append(k)
        kept = list(self.locals)
        if self.chance(0.2):
            self.say(f"if ({self.condition()}) {self.pick('break', 'continue')};")
        self.say(f"{local} = {local} * 3 + {self.value(1)};")
        if self.chance(0.4):
            self.statement(1)
        self.locals = kept
        self.counters.pop()
        self.close()
        self.locals.append(local)

    def links(self):
        local, at = self.fresh("v"), self.fresh("at")
        self.say(f"W {local} = 0;")
        self.open(f"for (const Link *{at} = heads[({self.flat}) % 97]; {at}; {at} = {at}->next)")
        self.say(f"{local} = {local} * 3 + {at}->value;")
        self.close()
        self.locals.append(local)

    def private(self):
        name = self.fresh("t")
        kind, size = self.choices.choice(INTEGERS), self.pick(3, 8)
        q = self.fresh("q")
        self.say(f"{kind} {name}[{size}];")
        self.say(f"for (int {q} = 0; {q} < {size}; ++{q}) "
                 f"{name}[{q}] = ({kind})(({self.value(1)}) + (W){q});")
        self.say(f"{name}[({self.value(1)}) % {size}] = ({kind})({self.value(1)});")
        self.locals.append(f"(W){name}[({self.flat}) % {size}]")

    def choice(self, depth):
        self.open(f"switch (({self.value(1)}) % 5)")
        for label in ("case 0:", "case 1:", "case 3:", "default:"):
            self.say(label)
            self.open("")
            kept = list(self.locals)
            self.statement(depth)
            self.locals = kept
            self.close()
            if self.chance(0.7):
                self.say("break;")
        self.close()

    def conditional(self, depth):
        self.open(f"if ({self.condition()})")
        kept = list(self.locals)
        self.statement(depth)
        self.locals = list(kept)
        if self.chance(0.4):
            self.depth -= 1
            self.say("} else {")
            self.depth += 1
            self.statement(depth)
            self.locals = list(kept)
        self.close()

    def statement(self, depth=0):
        kind = self.choices.randrange(14)
        if kind == 0 and depth < 2:
            self.choice(depth + 1)
        elif kind <= 2 and depth < 2:
            self.conditional(depth + 1)
        elif kind <= 5 and depth < 2:
            self.inner()
        elif kind == 6 and self.lists:
            self.links()
        elif kind == 7:
            self.private()
        elif kind == 8:
            self.atomic()
        elif kind == 9:
            self.contribution()
        else:
            self.store()

    # Loops.

    def divide(self, avoid_writes=(), avoid_reads=()):
        """Which arrays the loop writes and which it reads."""
        loop = self.loop = Loop()
        free = [a for a in self.arrays if a not in avoid_writes]
        if free:
            for array in self.choices.sample(free, min(len(free), self.pick(1, 1, 2, 2, 3))):
                if self.atomics and not array.records and self.chance(0.4):
                    loop.shared[array] = self.pick("+=", "+=") if array.real else \
                        self.pick("+=", "^=", "|=", "-=")
                else:
                    loop.own[array] = None
        self.readable = [a for a in self.arrays if a not in loop.shared and a not in avoid_reads]
        return loop

    def places(self):
        """Gives each written array its places."""
        own = self.flat
        for array in self.loop.own:
            self.loop.own[array] = self.pick(own, own, own, own, f"{own} + {self.pick(3, 40)}",
                                             f"kMost - 1 - ({own})", f"perm[{own}]",
                                             f"({own} + {self.pick('700', 'n')}) % kMost")
        if self.walked:
            self.loop.own[self.walked] = self.flat

    def header(self):
        """The heads of a parallel loop and of those inside of it, how many of them are one
        (`collapse`), and what is 0 if there is no iteration; `flat` becomes the iteration's number."""
        kind = self.choices.choice(COUNTERS)
        self.walked = None
        # (text, number of the iteration)
        one = [
            (f"for ({kind} i = 0; i < ({kind})n; ++i)", "(long)i"),
            (f"for ({kind} i = 0; i < ({kind})n; ++i)", "(long)i"),
            (f"for ({kind} i = 5; i <= ({kind})(n + 4); i++)", "((long)i - 5)"),
            ("for (long i = -n; i < 0; ++i)", "(i + n)"),
            ("for (int i = -n; i != 0; ++i)", "(i + n)"),
            ("for (int i = n; i > 0; --i)", "(i - 1)"),
            ("for (long i = n - 1; i >= 0; i -= stride)", "i"),
            (f"for ({kind} i = 0; i < ({kind})n; i += ({kind})stride)", "(long)i"),
            ("for (int i = 2 * n; i >= 2; i -= 2)", "(i / 2 - 1)"),
            ("for (unsigned char i = 0; i < (unsigned char)(n % 251); ++i)", "i"),
            ("for (short i = (short)n; 0 < i; i = i - 1)", "(i - 1)"),
            ("for (int i = INT_MAX - n; i < INT_MAX; ++i)", "(i - (INT_MAX - n))"),
            ("for (int i = INT_MIN; i < INT_MIN + n; ++i)", "((long)i - INT_MIN)"),
            ("for (W i = 0xFFFFFFFF00000000UL; i < 0xFFFFFFFF00000000UL + (W)n; ++i)",
             "(long)(i - 0xFFFFFFFF00000000UL)"),
            ("for (unsigned i = 0xFFFFFFFFu; i > 0xFFFFFFFFu - (unsigned)n; --i)",
             "(long)(0xFFFFFFFFu - i)"),
        ]
        two = [
            (["for (int r = 0; r < R; ++r)", "for (int c = 0; c < C; ++c)"], "(r * kColumns + c)"),
            (["for (long r = 0; r < R; ++r)", "for (int c = 0; c < C; ++c)"], "(r + c * kRows)"),
            (["for (int r = R - 1; r >= 0; --r)", "for (long c = 0; c < C; c += stride)"],
             "(r * C + c)"),
            (["for (int c = 0; c < C; ++c)", "for (unsigned r = 2; r < (unsigned)R + 2; ++r)"],
             "((long)(r - 2) * kColumns + c)"),
            (["for (int r = 0; r < C; ++r)", "for (int c = r; c < C; ++c)"], "(r * kColumns + c)"),
            (["for (int r = 0; r < C; ++r)", "for (int c = 0; c <= r; ++c)"], "(r * kColumns + c)"),
            (["for (long r = 0; r < R; ++r)", "for (long c = C - 1; c >= 0; --c)"],
             "(r * kColumns + c)"),
            (["for (int r = 0; r < R; ++r)", "for (int c = 0; c < C / 2; ++c)",
              "for (int e = 0; e < 2; ++e)"], "(r * kColumns + c * 2 + e)"),
        ]
        form = self.choices.randrange(10)
        flat = [a for a in self.loop.own if a.flat and not a.records]
        if form == 0 and flat:
            self.walked = flat[0]
            base = self.walked.path
            self.flat = f"(it - {base})"
            return [f"for ({self.walked.kind} *it = {base}; it < {base} + n; ++it)"], 1, "n"
        if form < 6:
            line, self.flat = self.choices.choice(one)
            return [line], 1, "n % 251" if "251" in line else "n"
        lines, self.flat = self.choices.choice(two)
        collapse = self.pick(1, 2, 2) if len(lines) == 2 else self.pick(2, 3, 3)
        extent = "C" if "r < C" in lines[0] else "R * C"
        return lines, collapse, extent

    def clauses(self, construct, collapse, extent):
        text = ""
        if "simd" in construct or "loop" in construct:
            # Clang 19 takes the elements of what is reduced in memory for independent under simd.
            self.loop.results = [r for r in self.loop.results
                                 if r[0] not in ("table", "peaks", "best", "stat")]
        if collapse > 1:
            text += f" collapse({collapse})"
        schedule = self.pick(None, None, "static", "static, 3", "dynamic", "guided", "dynamic, 2",
                             "auto", "runtime", "nonmonotonic: dynamic", "static, 1")
        if schedule and "teams" not in construct and "simd" not in construct and \
                "loop" not in construct:
            text += f" schedule({schedule})"
        for kind, name in self.loop.results:
            section = {"table": "[0:16]", "peaks": "[:8]"}.get(kind, "")
            text += f" reduction({REDUCTIONS[kind][2]} : {name}{section})"
        self.lasting = self.lasts and collapse == 1 and "collapse" not in text and \
            extent in ("n", "n % 251") and "dynamic" not in text and "guided" not in text and \
            "runtime" not in text and "auto" not in text and "loop" not in construct
        if self.lasting:
            text += " lastprivate(last)" + self.pick("", " lastprivate(lastPair)")
        if self.chance(0.2):
            text += " firstprivate(scale)"
        if self.given:
            text += " firstprivate(given, pair)"
        if self.chance(0.1) and "target" not in construct and "teams" not in construct and \
                construct.startswith("parallel"):
            text += self.pick(" if(n > 30)", " num_threads(3)", " if(run & 1)", " proc_bind(close)")
        if self.chance(0.05) and "for" in construct and "simd" not in construct and \
                "teams" not in construct and "schedule" not in text:
            text += " order(concurrent)" if not self.loop.shared else ""
        return text

    def declare_results(self, probability):
        """Variables of reductions and others that a loop leaves values in."""
        self.loop.results = []
        if self.chance(probability):
            for kind in self.choices.sample(sorted(REDUCTIONS), self.pick(1, 1, 2, 3)):
                name = self.fresh(kind)
                ctype, start = REDUCTIONS[kind][:2]
                if kind == "table":
                    self.say(f"W {name}[16] = {{1, 2}};" if self.chance(0.5) else
                             f"W *{name} = (W *)calloc(16, sizeof(W));")
                elif kind == "peaks":
                    self.say(f"int {name}[8] = {{-1, 2, -3}};")
                else:
                    self.say(f"{ctype} {name} = {start};")
                self.loop.results.append((kind, name))
        self.lasts = self.chance(0.15)
        self.given = self.chance(0.15)

    def use_results(self, loops):
        for loop in loops:
            for kind, name in loop.results:
                if kind in ("table", "peaks"):
                    q = self.fresh("q")
                    self.say(f"for (int {q} = 0; {q} < {16 if kind == 'table' else 8}; ++{q}) "
                             f"s->result = s->result * 31 + (W){name}[{q}];")
                else:
                    self.say(f"s->result = s->result * 31 + {REDUCTIONS[kind][4].format(v=name)};")

    def body(self, lines, collapse, text):
        """Opens the loop after its pragma, writes what it does, and closes it."""
        for line in lines:
            self.open(line)
        self.counters = []
        kept = list(self.locals)
        self.places()
        if self.given:
            self.say("pair.first = given[1] + 1;")
            self.locals += ["given[2]", "pair.first", "pair.second", "given[run % 3]"]
        if len(lines) > collapse and self.chance(0.2):
            self.say(f"if ({self.condition()}) {self.pick('continue', 'break')};")
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            self.statement()
        self.store()
        if self.loop.results:
            self.contribution()
        if "lastprivate" in text:
            self.say(f"last = {self.value(1)};")
            if "lastPair" in text:
                self.say(f"lastPair.first = {self.value(1)};")
                self.say("lastPair.second = last + 1;")
        self.locals = kept
        for _ in lines:
            self.close()

    def maps(self, construct):
        """The clauses that a device of its own memory would need."""
        if "target" not in construct:
            return ""
        text = ""
        for kind, name in self.loop.results:
            text += f" map(tofrom: {name}{'[0:16]' if kind == 'table' else ''})"
        for array in self.arrays:
            if array.storage == "pointer" and self.chance(0.5):
                text += f" map(tofrom: {array.name}[0:kCells])"
        return text

    def variables(self):
        self.say("const int stride = run % 3 + 1;")
        self.say("double scale = run + 2;")
        self.say("W last = 7, given[3] = {1, (W)run, (W)n};")
        self.say("Pair lastPair = {1, 2}, pair = {(W)C, 5};")

    def one_loop(self):
        construct = self.pick(*["parallel for"] * 8, "parallel for simd",
                              "teams distribute parallel for", "target teams distribute parallel for",
                              "target parallel for", "target teams distribute parallel for simd",
                              "parallel loop", "target teams loop", "teams distribute", "simd")
        self.divide()
        self.declare_results(0.4)
        lines, collapse, extent = self.header()
        text = self.clauses(construct, collapse, extent)
        if construct in ("simd", "teams distribute", "target teams loop", "parallel loop",
                         "target teams distribute parallel for simd", "parallel for simd"):
            # No atomic changes under simd.
            self.loop.shared = {} if "simd" in construct or "loop" in construct else self.loop.shared
            self.loop.own = self.loop.own or {self.choices.choice(self.arrays): None}
            self.readable = [a for a in self.arrays if a not in self.loop.shared]
        if "teams" in construct or "target" in construct or construct in ("simd", "parallel loop"):
            text = text.replace(" lastprivate(lastPair)", "").replace(" lastprivate(last)", "")
        if "loop" in construct:
            text = text.replace(" firstprivate(given, pair)", "").replace(" firstprivate(scale)", "")
            self.given = False
        if construct == "simd":
            text = text.replace(" firstprivate(given, pair)", "").replace(" firstprivate(scale)", "")
            self.given = False
        self.pragma(construct + text + self.maps(construct))
        self.body(lines, collapse, text)
        self.use_results([self.loop])
        if "lastprivate(last)" in text:
            positive = "n > 0" if extent == "n" else "n % 251 > 0"
            self.say(f"if ({positive}) s->result += last;")
            if "lastPair" in text:
                self.say(f"if ({positive}) s->result += lastPair.first * lastPair.second;")

    def several_loops(self):
        """Loops in one parallel construct."""
        start = len(self.lines)
        self.pragma("parallel" + self.pick("", "", "", " num_threads(3)", " firstprivate(scale)",
                                           " if(n != 1)"))
        self.open("")
        mine = None
        if self.chance(0.5):
            mine = self.fresh("mine")
            self.say(f"W {mine} = (W)n * {self.pick('3', '(W)scale', 's->factor')};")
            self.locals.append(mine)
        loops = []        # All of them.
        written, read = set(), set()  # By loops since the last barrier.
        declarations = []
        for number in range(self.pick(2, 2, 3, 4)):
            if number and self.chance(0.15):
                self.pragma("barrier")
                written, read = set(), set()
            if number and self.chance(0.15) and mine:
                self.say(f"{mine} = {mine} * 3 + (W)R;")
            if number and self.chance(0.12):
                if written or read:
                    self.pragma("barrier")
                self.pragma(self.pick("single", "single", "master"))
                self.open("")
                array = self.choices.choice([a for a in self.arrays if not a.records])
                self.say(f"{array.at(self.pick('5', 'n', '77'))} = ({array.kind})(run + {number});")
                self.close()
                self.pragma("barrier")
                written, read = set(), set()
            self.divide(avoid_writes=written | read, avoid_reads=written)
            kept, self.lines = self.lines, []
            deep, self.depth = self.depth, 1
            self.declare_results(0.25)
            declarations += self.lines
            self.lines, self.depth = kept, deep
            self.lasts = False
            construct = self.pick("for", "for", "for", "for simd")
            if construct == "for simd":
                self.loop.shared = {}
            if not self.readable:
                self.readable = list(self.loop.own)
            if not self.loop.own and not self.loop.shared and not self.loop.results or \
                    not self.readable:
                break
            lines, collapse, extent = self.header()
            text = self.clauses(construct, collapse, extent).replace(" firstprivate(scale)", "")
            nowait = self.chance(0.5)
            self.pragma(construct + text + (" nowait" if nowait else ""))
            self.body(lines, collapse, text)
            loops.append(self.loop)
            if nowait:
                written |= set(self.loop.own) | set(self.loop.shared)
                read |= {a for a in self.loop.reads if a != "perm"}
            else:
                written, read = set(), set()
        self.close()
        self.lines[start:start] = declarations
        self.use_results(loops)

    def in_a_loop(self):
        """Many small launches: the construct is inside a sequential loop."""
        self.open(f"for (int turn = 0; turn < {self.pick('3', 'R % 9', 'run')}; ++turn)")
        self.say("scale = turn;")
        self.one_loop()
        self.close()

    def sequential(self):
        """Code between loops."""
        flat = [a for a in self.arrays if a.flat]
        plain = [a for a in self.arrays if not a.records]
        array = self.choices.choice(plain)
        kind = self.choices.randrange(9)
        same = [(a, b) for a in flat for b in flat if a is not b and a.kind == b.kind]
        heap = [a for a in self.arrays if a.storage in ("pointer", "member")]
        if kind == 0:
            self.say("for (int q = 0; q < kMost; q += 41) "
                     f"s->result = s->result * 3 + (W)(long){array.at('q')};")
        elif kind == 1:
            self.say(f"for (int q = {self.pick('3', 'n / 2')}; q < {self.pick('n', '300')}; "
                     f"q += {self.pick(1, 5)}) {array.at('q')} = ({array.kind})(q & 511);")
        elif kind == 2 and same:
            one, two = self.choices.choice(same)
            self.say(f"memcpy({one.path} + {self.pick('0', '7')}, {two.path} + {self.pick('0', '30')}, "
                     f"{self.pick('n', 'kMost', '33')} * sizeof *{one.path});")
        elif kind == 3 and [p for p in same if p[0] in heap and p[1] in heap]:
            one, two = self.choices.choice([p for p in same if p[0] in heap and p[1] in heap])
            self.say(f"{one.kind} *swapped = {one.path};")
            self.say(f"{one.path} = {two.path};")
            self.say(f"{two.path} = swapped;")
        elif kind == 4 and heap:
            one = self.choices.choice(heap)
            self.say(f"{one.kind} *moved = ({one.kind} *)malloc(kCells * sizeof *moved);")
            self.say(f"memcpy(moved, {one.path}, kCells * sizeof *moved);")
            self.say(f"free({one.path});")
            self.say(f"{one.path} = moved;")
        elif kind == 5 and heap:
            one = self.choices.choice(heap)
            self.say(f"{one.path} = ({one.kind} *)realloc({one.path}, (kCells + (size_t)run * 999) * "
                     f"sizeof *{one.path});")
        elif kind == 6:
            rows = [a for a in self.arrays if a.storage == "rows"]
            if rows:
                name = rows[0].name
                self.say(f"{rows[0].kind} *row = {name}[1];")
                self.say(f"{name}[1] = {name}[kRows - 1];")
                self.say(f"{name}[kRows - 1] = row;")
        elif kind == 7:
            self.say("for (int q = 0; q < 50; ++q) { const int kept = perm[q]; "
                     "perm[q] = perm[99 - q]; perm[99 - q] = kept; }")
        else:
            self.say("heads[run]->value += s->result; s->factor = s->factor * 3 + (W)counter(n);")

    def function(self, cxx):
        self.open(f"void {self.name}(int n, int R, int C, int run)" if cxx else
                  f"static void {self.name}(State *s, int n, int R, int C, int run)")
        if cxx:
            self.say("State *s = this;" if self.chance(0.4) else "auto *const s = this;")
        self.variables()
        self.pick(self.one_loop, self.one_loop, self.one_loop, self.several_loops,
                  self.several_loops, self.in_a_loop, self.sequential)()
        self.close()
        return "\n".join(line.rstrip() for line in self.lines)


def language(seed):
    return "cpp" if seed % 5 == 4 else "c"


def program(seed, count, runs=8):
    """The text of a program with `count` phases; the same for the same seed."""
    choices = random.Random(seed)
    cxx = language(seed) == "cpp"
    flags = ["-O3", "-O2", "-O3 -fwrapv", "-O3 -march=native", "-O1"][seed // 5 % 5]
    arrays = []
    for name in ("one", "two", "three", "four", "five", "six"):
        storage = choices.choice(["global", "pointer", "pointer", "member", "inside", "matrix", "rows"])
        kind = choices.choice(INTEGERS + REALS + REALS)
        if choices.random() < 0.15 and storage not in ("matrix", "rows"):
            kind = choices.choice(["Cell", "Packed"])
        if choices.random() < 0.3 and arrays and not arrays[-1].records:
            kind = arrays[-1].kind
        arrays.append(Array(name, kind, storage))
    if all(a.records for a in arrays):
        arrays[0].kind = "long"
    names = [f"phase{number}" for number in range(count)]
    functions = [Writer(choices, arrays, name).function(cxx) for name in names]
    members = "\n".join(filter(None, (a.member() for a in arrays)))
    fields = f"  W result, factor;\n{members}"
    parts = [f"// FLAGS: {flags}\n{HEAD}"]
    parts.append("\n".join(filter(None, (a.declaration() for a in arrays))))
    parts.append("static int perm[kCells];\nstatic Link links[kCells], *heads[kCells];")
    if cxx:
        inside = "\n\n".join("\n".join(line if line.startswith("#") else "  " + line
                                       for line in f.split("\n")) for f in functions)
        parts.append(f"struct State {{\n{fields}\n\n{inside}\n}};")
    else:
        parts += [f"typedef struct {{\n{fields}\n}} State;", *functions]
    calls = "\n".join(
        f"      if (only < 0 || only == {number}) "
        + (f"s->{name}(n, R, C, run);" if cxx else f"{name}(s, n, R, C, run);")
        for number, name in enumerate(names))
    return "\n\n".join(parts) + "\n" + MAIN % {
        "runs": runs, "calls": calls,
        "setup": "\n".join("\n".join(a.setup()) for a in arrays),
        "sums": "\n".join("    " + a.hashed() for a in arrays)}
