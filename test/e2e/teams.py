#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made at random: constructs in which a team of threads does more than one loop once.

Each program is a function with data of its own and one or two constructs. What is in a construct is a
tree: worksharing loops, code that every thread executes, sequential loops and conditions around all
of it, functions that hold such trees. `settle.Settler` adds barriers until no two threads may access
the same variable, one of them writing, between two barriers. All threads compute the same private
values. So no program has a data race, and each has one right answer whatever the number of threads:
integers wrap, and floating-point numbers are small integers.

As a command it prints the text of an executable, or of one program of it.
"""
import argparse
import dataclasses
import random

from generator import Generator
from settle import Block, Call, Settler, Step, Use

HEAD = """#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long W;
/* An array is also kSteps rows of kWidth elements, and some to read beyond. */
enum { kSteps = 8, kWidth = 75, kMost = kSteps * kWidth, kCells = kMost + 72 };

static int perm[kCells];
static int rounds; /* Of additional work in each iteration. */
static int sweeps = 2;

static W twist(W a, W b) { return (a ^ b >> 5) * 33 + b; }

static inline W grind(W x) {
  for (int r = 0; r < rounds; ++r) {
    x = x * 6364136223846793005UL + (x >> 31);
  }
  return x;
}

__attribute__((noinline)) static W digits(W value) {
  W sum = 0;
  while (value) {
    sum = sum * 3 + value % 10;
    value /= 10;
  }
  return sum;
}

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
"""

MAIN = """
static const struct { int number; W (*run)(int run, int n, int turns); } programs[] = {
%s
};

/* Arguments: which program (-1: all), and rounds of additional work. */
int main(int argc, char **argv) {
  static const int counts[] = {kMost, 37, 0, 1, 451, 2}, turns[] = {3, 1, 2, 0, 4, 2};
  const int only = argc > 1 ? atoi(argv[1]) : -1;
  rounds = argc > 2 ? atoi(argv[2]) : 0;
  for (int i = 0; i < kCells; ++i) {
    perm[i] = i;
  }
  for (int i = kMost - 1; i > 0; --i) {
    const int other = (int)(noise((W)i) %% (W)(i + 1)), kept = perm[i];
    perm[i] = perm[other];
    perm[other] = kept;
  }
  for (size_t p = 0; p < sizeof programs / sizeof *programs; ++p) {
    if (only >= 0 && programs[p].number != only) {
      continue;
    }
    printf("program %%d:", programs[p].number);
    for (int run = 0; run < 6; ++run) {
      const int n = rounds ? kMost - run / 3 : counts[run];
      printf(" %%lx", programs[p].run(run, n, rounds ? 2 + run %% 2 : turns[run]));
    }
    printf("\\n");
    fflush(stdout);
  }
  return 0;
}
"""

KINDS = ["W", "W", "int", "double", "short", "long"]
COUNTERS = ["int", "int", "int", "long", "unsigned", "size_t"]
SCHEDULES = [None, None, None, "static", "static", "static, 1", "static, 7", "dynamic", "dynamic, 3",
             "guided", "runtime", "auto"]
# operator: how an iteration adds `x` to `v`.
OPERATORS = {"+": "{v} += {x};", "-": "{v} -= {x};", "^": "{v} ^= {x};", "*": "{v} *= ({x}) | 1;",
             "|": "{v} |= ({x}) & ({x}) >> 3;", "max": "{v} = ({x}) > {v} ? ({x}) : {v};",
             "min": "{v} = ({x}) < {v} ? ({x}) : {v};"}


@dataclasses.dataclass(eq=False)
class Thing:
    """A variable of a program that threads share: an array, or a scalar. No element of it is ever
    above `limit`, if that is set."""
    name: str
    kind: str
    storage: str
    path: str
    limit: str = ""

    def at(self, index):
        return f"{self.path}[{index}]"

    def value(self, place):
        return f"(W)(long){place}" if self.kind == "double" else f"(W){place}"

    def assigned(self, value):
        """`value`, of type W, as one of this kind."""
        if self.limit:
            return f"({self.kind})(({value}) % ({self.limit} + 1))"
        return f"({self.kind})(({value}) & 1023)" if self.kind == "double" else \
            f"({self.kind})({value})"


class Writer(Generator):
    """Writes one program; all that it does is decided by `choices`."""

    def __init__(self, choices, number):
        super().__init__(choices)
        self.number = number
        self.functions = []
        self.outer, self.uses = [], []  # Of nodes that are being written.
        # What keeps a construct on rank 0 for certain is rare.
        self.is_plain = self.chance(0.65)
        self.exclusion = self.pick("atomic", "critical")
        self.arrays, self.scalars = [], []
        for name in ["a", "b", "c", "d"][:self.pick(2, 3, 3, 4)]:
            kind = self.choices.choice(KINDS)
            self.arrays.append(self.thing(name, kind, self.pick(
                "static", "static", "heap", "heap", "local heap", "stack", "member")))
        if self.chance(0.5):
            self.arrays.append(self.thing("ends", self.pick("int", "int", "long"),
                                          self.pick("static", "heap", "local heap"), "kMost"))
        for name in ["total", "factor", "last"][:self.pick(1, 2, 3)]:
            kind, limit = self.choices.choice(
                [("W", ""), ("W", ""), ("double", ""), ("int", "kMost"), ("int", "4")])
            self.scalars.append(self.thing(name, kind, self.pick("static", "local", "local"), limit))

    def thing(self, name, kind, storage, limit=""):
        name += str(self.number)
        path = f"record{self.number}->{name}" if storage == "member" else name
        return Thing(name, kind, storage, path, limit)

    # Values, of type W. What they read is noted in `uses`.

    def reset(self, label, arrays, scalars):
        """Begins a construct or a function."""
        self.label = label
        self.readable, self.known = list(arrays), list(scalars)
        self.writable, self.settable = list(arrays), list(scalars)
        self.private, self.counters, self.steps = [], [], []
        self.kept = None        # The index of a worksharing loop's iteration.
        self.own, self.key = {}, ""
        self.locals = []
        self.shares_private = False

    def note(self, thing, how, key=""):
        name = thing if isinstance(thing, str) else thing.name
        self.uses.append(Use(name, how, key))
        if isinstance(thing, Thing) and thing.storage == "shared pointer":
            self.uses.append(Use(f"pointer {name}", "read"))

    def private_name(self, name):
        return f"{self.label}:{name}"

    def index(self, depth):
        """A place of an array, below kCells, and the elements that it stands for."""
        if self.kept and self.chance(0.75):
            i = self.kept
            return self.choices.choice([
                (i, "same"), (i, "same"), (f"{i} + {self.pick(1, 3, 70)}", ""),
                (f"kMost - {i}", ""), (f"perm[{i}]", ""), (f"{i} / 2", ""), (f"{i} * 7 % kMost", "")])
        if depth < 2 and self.chance(0.2):
            return f"({self.value(2)}) % kMost", ""
        step = self.steps[-1] if self.steps else "run"
        return self.pick("0", "5", "n / 2", "turns", "kMost - 1", f"{step} * 17 % kMost",
                         f"{step} + 1", "n"), ""

    def read(self, depth):
        if not self.readable:
            return "run"
        array = self.choices.choice(self.readable)
        if array in self.own:
            index, key = self.own[array]
        else:
            index, key = self.index(depth)
            key = f"{self.key} {index}" if key and self.key else ""
        self.note(array, "read", key)
        return array.value(array.at(index))

    def value(self, depth=0):
        kind = self.choices.randrange(20)
        if depth > 2 or kind < 10:
            leaf = self.choices.randrange(12)
            if leaf < 5:
                return self.read(depth)
            if leaf < 7 and self.private:
                name = self.choices.choice(self.private)
                self.note(self.private_name(name), "use")
                return name
            if leaf == 7 and self.known:
                scalar = self.choices.choice(self.known)
                self.note(scalar, "read")
                return scalar.value(scalar.path)
            if leaf == 8 and self.steps:
                return f"(W){self.choices.choice(self.steps)}"
            if leaf == 9 and self.locals:
                return self.choices.choice(self.locals)
            if leaf == 10 and self.kept:
                return f"(W)({self.choices.choice([self.kept, *self.counters])})"
            return self.pick("(W)n", "(W)run", "(W)turns", f"{self.choices.randrange(1, 999)}UL")
        a = self.value(depth + 1)
        if kind < 16:
            return f"({a} {self.pick('+', '-', '*', '^', '|', '+')} {self.value(depth + 1)})"
        if kind == 16:
            return f"twist({a}, {self.value(depth + 1)})"
        if kind == 17:
            return f"digits({a} & 0xFFFF)"
        if kind == 18:
            return f"({self.condition(depth + 1)} ? {a} : {self.value(depth + 1)})"
        return f"(W)(({a}) {self.pick('<', '==', '>=')} {self.value(depth + 1)})"

    def condition(self, depth=1):
        odd = self.pick("turns & 1", "n > 40", "run > 1", "turns > 1", "n")
        if self.steps:
            odd = self.pick(odd, f"{self.steps[-1]} == 1", f"{self.steps[-1]} & 1",
                            f"{self.steps[-1]} > 0")
        return self.pick(f"({self.value(depth)}) % {self.pick(2, 3, 5)}", odd, odd)

    def count(self):
        """A small number of turns."""
        kind = self.choices.randrange(9)
        if kind < 3:
            return "turns"
        if kind == 3:
            return self.pick("2", "3", "1")
        if kind == 4:
            small = [s for s in self.known if s.limit == "4"]
            if small:
                self.note(small[0], "read")
                return small[0].path
        if kind == 5:
            return "sweeps"
        if kind == 6:
            return f"(int)(({self.value(1)}) % {self.pick(3, 4)})"
        return self.pick("turns", "turns % 3", "turns + 1", "sweeps", "run % 4")

    def limits(self):
        """A bound of a loop, at most kMost."""
        kind = self.choices.randrange(10)
        ends = [a for a in self.readable if a.limit and a not in self.own]
        if kind < 3 and ends:
            self.note(ends[0], "read")
            return ends[0].at(self.index(2)[0])
        if kind == 3:
            scalars = [s for s in self.known if s.limit]
            if scalars:
                self.note(scalars[0], "read")
                return scalars[0].path
        if kind == 4:
            return f"(int)(({self.value(1)}) % kMost)"
        return "n"

    # Worksharing loops.

    def begin(self):
        """Starts to collect lines and uses of a node."""
        self.outer.append((self.lines, self.depth, self.uses))
        self.lines, self.depth, self.uses = [], 0, []

    def end(self, **more):
        step = Step(self.lines, self.uses, **more)
        self.lines, self.depth, self.uses = self.outer.pop()
        return step

    def pragma(self, line):
        self.lines.append("#pragma omp " + line)

    def own_places(self, flat, schedule, header):
        """Chooses what the loop writes, and the places that belong to each iteration."""
        self.key = f"{header} {flat}" if schedule == "static" else ""
        # A thread may arrive at the loop's head late.
        in_head = {use.name for use in self.uses}
        free = [a for a in self.writable if a.name not in in_head]
        for array in self.choices.sample(free, min(len(free), self.pick(1, 1, 2))):
            index = self.pick(flat, flat, flat, flat, f"{flat} + {self.pick(1, 5)}", f"kMost - {flat}",
                              f"perm[{flat}]")
            key = f"{self.key} {index}" if self.key and index == flat else ""
            self.own[array] = (index, key)
            self.note(array, "write", key)

    def store(self):
        if not self.own:
            return
        array = self.choices.choice(list(self.own))
        place = array.at(self.own[array][0])
        value = self.value()
        if self.chance(0.6):
            value = f"grind({value})"
        if self.chance(0.3):
            value = f"{array.value(place)} * 3 + {value}"
        self.say(f"{place} = {array.assigned(value)};")

    def statement(self, depth=0):
        kind = self.choices.randrange(12)
        kept = list(self.locals), list(self.counters)
        if kind == 0 and depth < 2:
            self.open(f"if ({self.condition()})")
            self.statement(depth + 1)
            self.close()
            self.locals, self.counters = kept
        elif kind == 1 and depth < 2:
            name, j = self.fresh("v"), self.fresh("j")
            self.say(f"W {name} = {self.value(2)};")
            last = self.pick("5", "turns", "kWidth / 9")
            ends = [a for a in self.readable if a.limit and a not in self.own]
            if ends and self.chance(0.5):
                self.note(ends[0], "read")
                last = f"{ends[0].at(self.kept)} % 9"
            self.open(f"for (int {j} = 0; {j} < {last}; ++{j})")
            self.counters.append(j)
            self.say(f"{name} = {name} * 3 + {self.value(1)};")
            self.close()
            self.counters = kept[1]
            self.locals.append(name)
        elif kind == 2 and not self.is_independent:
            name, q = self.fresh("t"), self.fresh("q")
            self.say(f"W {name}[4];")
            self.say(f"for (int {q} = 0; {q} < 4; ++{q}) {name}[{q}] = {self.value(2)} + (W){q};")
            self.locals.append(f"{name}[({self.value(2)}) % 4]")
        elif kind == 3 and self.fresh_private() and self.chance(0.5):
            # A private variable of the construct as one of the iteration.
            name = self.choices.choice(self.fresh_private())
            self.private = [p for p in self.private if p != name]
            self.say(f"{name} = {self.value(1)};")
            self.note(self.private_name(name), "spoil")
            if depth == 0:
                self.locals.append(name)
        elif kind == 4 and self.adds:
            self.contribute()
        else:
            self.store()

    def fresh_private(self):
        """Private variables of the construct that the loop has not read; they are nobody else's there."""
        used = {use.name for use in self.uses}
        return [] if self.shares_private else \
            [p for p in self.private if self.private_name(p) not in used]

    def results(self, schedule):
        """Clauses by which the loop changes shared scalars."""
        text = ""
        if self.settable and self.chance(0.25):
            scalar = self.choices.choice(self.settable)
            self.known = [s for s in self.known if s is not scalar]
            # Clang 19 does not say to threads of other schedules who has the last iteration.
            if self.chance(0.4) and (schedule or "static").startswith("static"):
                text = f" lastprivate({scalar.path})"
                self.lasting = scalar
                self.note(scalar, "write")
            elif not scalar.limit and not self.is_independent:
                operator = "+" if scalar.kind == "double" else self.choices.choice(sorted(OPERATORS))
                text = f" reduction({operator} : {scalar.path})"
                self.adds.append((scalar.path, operator) if scalar.kind != "double" else
                                 (scalar.path, "real"))
                self.note(scalar, "write")
        if self.known and self.chance(0.12):
            scalar = self.choices.choice(self.known)
            self.note(scalar, "read")
            text += f" firstprivate({scalar.path})"
        return text

    def loop(self, construct="for"):
        """One worksharing loop, with the steps that it makes of the arrays."""
        self.begin()
        kept = self.readable, self.known, self.private, self.own
        self.own = {}
        # Variables from outside are shared in what is itself parallel, and by the lanes of simd.
        self.shares_private = construct not in ("for", "distribute")
        kind = self.choices.randrange(10)
        schedule = None if "distribute" in construct else self.choices.choice(SCHEDULES)
        # Clang 19 says of such loops that no iteration touches the memory of another one, also of private
        # arrays and of variables that are reduced: their answers would depend on vectors and threads.
        self.is_independent = "simd" in construct or not (schedule or "static").startswith("static")
        flat_arrays = [a for a in self.writable if not a.limit]
        text, self.adds, self.lasting = "", [], None
        if construct in ("for", "parallel for"):
            text = self.results(schedule)
        if construct == "distribute parallel for":
            text = "".join(f" reduction({o} : {name})" for name, o in self.construct_adds)
        self.adds += [] if self.is_independent else self.construct_adds
        if schedule:
            text += f" schedule({schedule})"
        step = self.steps[-1] if self.steps else "run"
        is_parity = flat_arrays and kind == 0
        is_slices = flat_arrays and kind == 1
        # Each turn of a loop over time has a row of its own.
        is_row = len(self.steps) == 1 and self.chance(0.1 if self.can_wait else 0.8)
        collapse = 1
        if is_parity:
            array = self.choices.choice(flat_arrays)
            self.note(array, "read")
            self.note(array, "write")
            self.readable = [a for a in self.readable if a is not array]
            if self.chance(0.5):
                heads = ["for (int i = 1; i < n - 1; ++i)"]
                guard = f"(i + {step}) & 1"
            else:
                heads, guard = [f"for (int i = 1 + ({step} & 1); i < n - 1; i += 2)"], ""
            flat = "i"
        elif is_slices:
            array = self.choices.choice(flat_arrays)
            self.note(array, "read")
            self.note(array, "write")
            self.readable = [a for a in self.readable if a is not array]
            heads, flat = ["for (int i = 0; i < kWidth; ++i)"], "i"
        elif is_row:
            heads, flat = ["for (int i = 0; i < kWidth; ++i)"], "i"
            array = self.choices.choice(self.writable)
            key = self.fresh("row")
            self.own[array] = (f"{step} * kWidth + i", key)
            self.note(array, "write", key)
        else:
            heads, flat, collapse = self.heads()
            header = " ".join(heads)
            # Only what is the same at each arrival gives each thread the same iterations.
            steady = all(h.endswith("< n; ++i)") for h in heads) and len(heads) == 1
            self.own_places(flat, schedule if steady else None, header)
        if collapse > 1:
            text += f" collapse({collapse})"
        nowait = construct in ("for", "for simd") and self.chance(0.3)
        self.pragma(construct + text + (" nowait" if nowait else ""))
        for head in heads:
            self.open(head)
        closes = len(heads)
        self.kept = flat
        kept_locals = list(self.locals)
        if is_parity or is_slices:
            if is_parity and guard:
                self.open(f"if ({guard})")
                closes += 1
            value = f"grind({self.value(1)})" if self.chance(0.7) else self.value(1)
            if is_parity:
                here, low, high = (array.at(p) for p in ("i", "i - 1", "i + 1"))
                term = f"{array.value(low)} * 3 + {array.value(high)}"
                if self.chance(0.5):
                    value += f" + {array.value(here)}"
            else:
                here = array.at(f"({step} % (kSteps - 1) + 1) * kWidth + i")
                term = array.value(array.at(
                    f"{step} % (kSteps - 1) * kWidth + {self.pick('i', '(i + 1) % kWidth', '74 - i')}"))
            self.say(f"{here} = {array.assigned(f'{term} + {value}')};")
            for _ in range(self.pick(0, 0, 1)):
                if self.adds:
                    self.contribute()
        else:
            for _ in range(self.pick(0, 0, 1, 1, 2)):
                self.statement()
            self.store()
        if self.adds:
            self.contribute()
        for _ in range(closes - len(heads)):
            self.close()
        if self.lasting:
            self.say(f"{self.lasting.path} = {self.lasting.assigned(self.value(1))};")
        self.locals = kept_locals
        for _ in heads:
            self.close()
        self.kept, self.key = None, ""
        self.readable, self.known, self.private, self.own = kept
        self.shares_private = False
        return self.end(ends=not nowait and "distribute" not in construct)

    def contribute(self):
        scalar, operator = self.choices.choice(self.adds)
        value = self.value(1)
        if operator == "real":
            self.say(f"{scalar} += (double)(({value}) & 255);")
        else:
            self.say(OPERATORS[operator].format(v=scalar, x=f"({value})"))

    def heads(self):
        """Heads of a loop, the number of its iteration, and how many of them are one."""
        kind = self.choices.choice(COUNTERS)
        form = self.choices.randrange(12)
        if form < 6:
            return [f"for ({kind} i = 0; i < ({kind}){self.limits()}; ++i)".replace("(int)n", "n")], \
                "i", 1
        if form == 6:
            return [f"for (int i = {self.limits()} - 1; i >= 0; --i)"], "i", 1
        if form == 7:
            return [f"for (long i = {self.pick('run % 3', 'turns', '2')}; i < {self.limits()}; "
                    f"i += {self.pick('1', '2', 'run + 1')})"], "i", 1
        if form == 8:
            return [f"for (int i = {self.limits()}; i < kMost; ++i)"], "i", 1
        if form == 9:
            return ["for (int r = 0; r < kSteps; ++r)", "for (int c = 0; c < kWidth; ++c)"], \
                "(r * kWidth + c)", 2
        if form == 10:
            return [f"for (int r = 0; r < {self.pick('kSteps', 'turns')}; ++r)",
                    "for (int c = 0; c < kWidth; ++c)"], "(r * kWidth + c)", 1
        return [f"for ({kind} i = 0; i < ({kind})n; ++i)".replace("(int)n", "n")], "i", 1

    # What threads do besides.

    def compute(self):
        """Private values."""
        self.begin()
        if self.private and self.chance(0.75):
            name = self.choices.choice(self.private)
            value = self.value()
            self.say(f"{name} = {name} * {self.pick(3, 5)} + {value};" if self.chance(0.5) else
                     f"{name} = {value};")
            if " * " in self.lines[-1].split("= ")[1][:len(name) + 3]:
                self.note(self.private_name(name), "use")
            self.note(self.private_name(name), "set")
        elif self.private:
            name, box, q = self.choices.choice(self.private), self.fresh("box"), self.fresh("q")
            value, other = self.value(1), self.value(1)
            self.note(self.private_name(name), "use")
            self.note(self.private_name(name), "set")
            self.open("")
            self.say(f"W {box}[6];")
            self.say(f"for (int {q} = 0; {q} < 6; ++{q}) {box}[{q}] = {value} + (W){q};")
            self.say(f"{name} ^= {box}[({other}) % 6];")
            self.close()
        return self.end()

    def swap(self):
        """Pointers change places."""
        self.begin()
        one, two = self.pair
        t = self.fresh("t")
        shared = one.storage == "shared pointer"
        if shared:
            construct = self.pick("single", "single", "single nowait", "master", "masked")
            self.pragma(construct)
            self.uses += [Use(f"pointer {p.name}", "write") for p in self.pair]
        self.open("")
        self.say(f"{one.kind} *{t} = {one.path};")
        self.say(f"{one.path} = {two.path};")
        self.say(f"{two.path} = {t};")
        self.close()
        return self.end(ends=shared and construct == "single",
                        swaps=((one.name, two.name),))

    def by_one(self):
        """A shared variable gets a value: by one thread, or the same by all."""
        self.begin()
        kept = self.readable, self.known
        if self.settable and self.chance(0.7):
            thing = self.choices.choice(self.settable)
            place = thing.path
        else:
            thing = self.choices.choice(self.writable)
            place = thing.at(self.index(2)[0])
        construct = self.pick("single", "single", "single nowait", "master", "masked", "critical", "all",
                              "number", "sections")
        if construct in ("critical", "all"):
            self.readable = [a for a in self.readable if a is not thing]
            self.known = [s for s in self.known if s is not thing]
        value = self.value()
        self.readable, self.known = kept
        self.note(thing, "write")
        if construct == "critical":
            self.pragma("critical")
        elif construct == "sections":
            self.pragma("sections")
        elif construct not in ("all", "number"):
            self.pragma(construct)
        self.open("if (omp_get_thread_num() == 0)" if construct == "number" else "")
        assignment = f"{place} = {thing.assigned(value)};"
        if construct == "sections":
            self.pragma("section")
            self.say(assignment)
            free = [t for t in self.settable if t is not thing and
                    t.name not in {u.name for u in self.uses}]
            if free:
                self.pragma("section")
                self.say(f"{free[0].path} = {free[0].assigned('(W)turns * 3')};")
                self.note(free[0], "write")
        else:
            self.say(assignment)
        self.close()
        return self.end(ends=construct in ("single", "sections"))

    def broadcast(self):
        """One thread computes a private value for all."""
        self.begin()
        whole = [name for name in self.private if name.isalnum()]
        if whole:
            name = self.choices.choice(whole)
            value = self.value()
            self.pragma(f"single copyprivate({name})")
            self.say(f"{name} = {value};")
            self.note(self.private_name(name), "set")
        return self.end(ends=bool(whole))

    def gathered(self):
        """A reduction by hand: threads add up in private, then together."""
        self.begin()
        free = [s for s in self.settable if not s.limit and s.kind == "W"]
        if not free:
            return self.end()
        scalar = self.choices.choice(free)
        kept, self.known = self.known, [s for s in self.known if s is not scalar]
        own = self.fresh("own")
        self.open("")
        self.say(f"W {own} = 0;")
        self.pragma("for nowait")
        self.open("for (int i = 0; i < n; ++i)")
        self.kept = "i"
        self.say(f"{own} += {self.value()};")
        self.kept = None
        self.close()
        self.pragma(self.exclusion)
        self.say(f"{scalar.path} += {own};")
        self.note(scalar, "atomic")
        self.close()
        self.known = kept
        return self.end()

    def by_hand(self):
        """Threads divide a loop by their numbers."""
        self.begin()
        array = self.choices.choice(self.writable)
        kept = self.readable
        self.readable = [a for a in kept if a is not array]
        self.note(array, "write")
        self.open("for (int i = omp_get_thread_num(); i < n; i += omp_get_num_threads())")
        self.kept = "i"
        self.say(f"{array.at('i')} = {array.assigned(self.value())};")
        self.kept = None
        self.close()
        self.readable = kept
        return self.end()

    def leave(self):
        self.begin()
        self.say(f"if ({self.condition()}) break;")
        return self.end(leaves=True)

    def call(self):
        """A function of its own that the team executes."""
        label = f"part{self.number}_{len(self.functions)}"
        self.functions.append(None)
        kept = {name: list(value) if isinstance(value, list) else value
                for name, value in self.__dict__.items()}
        self.begin()
        # Parameters have the names of what is passed; local scalars are not seen there.
        visible = [s for s in self.known if s.storage == "static"]
        settable = [s for s in self.settable if s in visible]
        passed = [a for a in self.readable if a.storage in ("local heap", "stack", "own pointer",
                                                            "shared pointer")]
        self.private = [name for name in self.private if name.isalnum()]
        parameters = ["int run", "int n", "int turns", *(f"int {k}" for k in self.steps),
                      *(f"W {p}" for p in self.private), *(f"{a.kind} *{a.path}" for a in passed)]
        for name in self.private:
            self.note(self.private_name(name), "use")
        uses = self.uses + [Use(f"pointer {a.name}", "read") for a in passed
                            if a.storage == "shared pointer"]
        self.known, self.settable, self.label = visible, settable, label
        self.pair = None
        arguments = ["run", "n", "turns", *self.steps, *self.private, *(a.path for a in passed)]
        self.resets.update({self.private_name(p): f"{p} = {i + 3}UL + (W)turns;"
                            for i, p in enumerate(self.private)})
        self.construct_adds = []
        # What is passed on is a pointer of the function's own.
        stored = {a: a.storage for a in passed}
        for a in passed:
            a.storage = "own pointer"
        result = self.private[0] if self.private and self.chance(0.3) else None
        body = self.body(self.pick(1, 1, 2))
        if result:
            self.begin()
            self.note(self.private_name(result), "use")
            body.append(self.end())
        for a, storage in stored.items():
            a.storage = storage
        self.end()
        functions, numbers, budget, resets = self.functions, self.numbers, self.budget, self.resets
        self.__dict__.update(kept)
        self.functions, self.numbers, self.budget, self.resets = functions, numbers, budget, resets
        qualifier = self.pick("static", "static", "__attribute__((noinline)) static", "static inline")
        self.functions[int(label.split("_")[1])] = (
            f"{qualifier} {'W' if result else 'void'} {label}({', '.join(parameters)})", body, result)
        line = f"{label}({', '.join(arguments)});"
        after = []
        if result:
            name = self.choices.choice(self.private)
            line = f"{name} ^= {line}"
            after.append(Step([], [Use(self.private_name(name), "use"),
                                   Use(self.private_name(name), "set")]))
        return [Call(line, uses, label, body), *after]

    def sequential(self, depth):
        """A loop that every thread executes."""
        self.begin()
        k = self.fresh("k")
        last = self.count()
        more = f" && {self.condition()}" if self.chance(0.15) else ""
        uses = self.end().uses
        form = self.choices.randrange(8)
        self.steps.append(k)
        node = Block("", uses, [], repeats=True)
        if form < 5:
            node.head = f"for (int {k} = 0; {k} < {last}{more}; ++{k})"
        elif form == 5:
            node.head = f"for (int {k} = {last}; {k}-- > 0{more};)"
        elif form == 6:
            node.head = f"int {k} = 0;\nwhile ({k}++ < {last}{more})"
        else:
            node.head, node.tail = f"int {k} = 0;\ndo", f" while (++{k} < {last}{more});"
            node.first = True
        node.body = self.body(self.pick(1, 1, 2), depth=depth + 1)
        if self.pair and self.chance(0.6):
            node.body.append(self.swap())
        self.steps.pop()
        if self.chance(0.15):
            node.body.insert(self.choices.randrange(len(node.body) + 1), self.leave_of(k))
        return node

    def leave_of(self, k):
        self.steps.append(k)
        step = self.leave()
        self.steps.pop()
        return step

    def conditional(self, depth):
        self.begin()
        condition = self.condition()
        uses = self.end().uses
        node = Block(f"if ({condition})", uses, self.body(1, depth + 1))
        if self.chance(0.4):
            node.other = self.body(1, depth + 1)
        return node

    def body(self, loops, depth=0):
        """A row of nodes with about so many worksharing loops."""
        nodes = []
        for _ in range(loops):
            for _ in range(self.pick(0, 0, 1, 1, 2)):
                kind = self.choices.randrange(9)
                if kind == 0 and self.construct == "for":
                    nodes.append(Step(["#pragma omp barrier"], [], ends=True))
                elif kind < 5 or self.is_plain or self.construct != "for":
                    nodes.append(self.compute())
                elif kind < 7:
                    nodes.append(self.by_one())
                else:
                    nodes.append(self.pick(self.broadcast, self.gathered, self.by_hand)())
                if self.pair and self.chance(0.1):
                    nodes.append(self.swap())
            kind = self.choices.randrange(12)
            self.budget -= 1
            if self.budget < -3:
                continue
            if kind < 4 and depth < 2:
                nodes.append(self.sequential(depth))
            elif kind < 6 and depth < 2:
                nodes.append(self.conditional(depth))
            elif kind == 6 and depth < 3 and self.construct == "for" and self.budget >= 0:
                nodes += self.call()
            else:
                nodes.append(self.loop(self.pick(*self.constructs)))
        if self.chance(0.3):
            nodes.append(self.compute())
        return nodes

    # Constructs.

    def team(self):
        """A construct, with what is declared before it and looked at after it."""
        self.reset("", self.arrays, self.scalars)
        self.construct_adds, self.pair, self.resets, self.uses = [], None, {}, []
        self.budget = self.pick(1, 2, 3)
        self.construct = self.pick(*["for"] * 10, "distribute", "parallel for")
        self.can_wait = self.construct != "distribute"
        teams = self.construct == "distribute"
        if self.construct == "for":
            self.constructs = ["for"] * 7 + ["for simd"]
            directive = self.pick(*["parallel"] * 6, "target parallel")
        elif teams:
            self.constructs = ["distribute", "distribute parallel for"]
            directive = self.pick("teams", "target teams", "target teams")
        else:
            # Sequential code that holds constructs.
            self.constructs = ["parallel for"]
            directive = self.pick("target", "target", "")
        clauses = ""
        if self.chance(0.15) and self.construct != "parallel for":
            clauses += self.pick(" num_teams(3)", " num_teams(turns + 1)", " thread_limit(2)") \
                if teams else self.pick(" num_threads(3)", " num_threads(turns + 1)", " if(turns > 1)",
                                        " if(n > 40)", " proc_bind(close)", " if(run & 1)")
            if directive != "parallel":
                clauses = clauses.replace("if(", "if(parallel: " if not teams else "if(target: ")
        self.say("{")
        self.depth += 1
        if "target" in directive:
            mapped = [s.path for s in self.scalars if s.storage in ("static", "local")]
            if mapped:
                clauses += f" map(tofrom: {', '.join(mapped)})"
        sums = [s for s in self.scalars if not s.limit and s.kind == "W"]
        if sums and self.chance(0.15) and self.construct != "parallel for":
            scalar = self.choices.choice(sums)
            self.known.remove(scalar)
            self.settable.remove(scalar)
            operator = self.choices.choice(sorted(OPERATORS))
            clauses += f" reduction({operator} : {scalar.path})"
            self.construct_adds = [(scalar.path, operator)]
        outside = list(self.readable)
        self.pointers(directive)
        declared = self.own_pointers
        inside = list(self.readable)
        for _ in range(self.pick(0, 1, 1, 2)):
            name = self.fresh("mine")
            self.resets[self.private_name(name)] = f"{name} = {self.pick('7UL', '(W)turns * 5')};"
            form = self.choices.randrange(6)
            if self.construct == "parallel for":
                form %= 4
            if form < 4:
                self.begin()
                value = self.value(1)
                if form == 3:
                    kind, member = self.pick(("W {}[3] = {{5, {}, 6}};", "{}[1]"),
                                             ("struct {{ int a; W b; }} {} = {{5, {}}};", "{}.b"))
                    self.say(kind.format(name, value))
                    name = member.format(name)
                    self.resets[self.private_name(name)] = f"{name} = 9UL;"
                else:
                    self.say(f"W {name} = {value};")
                declared.append(self.end())
            else:
                self.readable, kept, self.private = outside, self.private, []
                self.say(f"W {name} = {self.value(1)};")
                self.readable, self.private = inside, kept
                if form == 4:
                    clauses += f" firstprivate({name})"
                else:
                    clauses += f" private({name})"
                    declared.append(Step([f"{name} = (W)n + 3;"], []))
            self.private.append(name)
        if self.chance(0.45):
            # A loop around all of it.
            self.begin()
            k, last = self.fresh("k"), self.count()
            node = Block(f"for (int {k} = 0; {k} < {last}; ++{k})", self.end().uses, [], repeats=True)
            self.steps = [k]
            node.body = self.body(self.pick(1, 1, 2), depth=1)
            if self.pair and self.chance(0.7):
                node.body.append(self.swap())
            body = [node]
        else:
            body = self.body(self.pick(1, 1, 2, 3))
        tree = declared + body
        if self.construct != "parallel for":
            Settler(self.can_wait, self.resets).settle(tree)
        if directive:
            self.pragma(directive + clauses)
        self.say("{")
        self.depth += 1
        self.emit(tree)
        self.close()
        self.close()

    def pointers(self, directive):
        """Perhaps two pointers that change places, instead of the arrays that they lead to."""
        self.own_pointers = []
        self.pair = None
        arrays = [a for a in self.arrays if not a.limit]
        same = [(a, b) for a in arrays for b in arrays if a is not b and a.kind == b.kind]
        if not same or self.chance(0.5):
            return
        one, two = self.choices.choice(same)
        shared = not self.is_plain and directive == "parallel" and self.construct == "for" and \
            self.chance(0.6)
        storage = "shared pointer" if shared else "own pointer"
        number = self.fresh("")
        made = [Thing(name, one.kind, storage, name) for name in (f"from{number}", f"to{number}")]
        lines = [f"{one.kind} *{p.path} = {a.path};" for p, a in zip(made, (one, two))]
        if shared:
            for line in lines:
                self.say(line)
        else:
            self.own_pointers.append(Step(lines, []))
        rest = [a for a in self.arrays if a is not one and a is not two]
        self.readable, self.writable = rest + made, rest + made
        self.pair = made

    def rows(self):
        """Teams of which each takes whole rows, by loops over a row."""
        self.reset("", self.arrays, self.scalars)
        self.uses = []
        arrays = [a for a in self.arrays if not a.limit]
        written = self.choices.sample(arrays, min(len(arrays) - 1, self.pick(1, 2))) or arrays[:1]
        self.readable = [a for a in self.arrays if a not in written]
        self.settable = []
        outer = self.pick("teams distribute", "target teams distribute", "target teams distribute",
                          "parallel for", "parallel for schedule(dynamic)")
        mapped = [s.path for s in self.scalars if s.storage in ("static", "local")]
        if "target" in outer and mapped:
            outer += f" map(tofrom: {', '.join(mapped)})"
        inner = "parallel for" + self.pick("", "", " schedule(static, 1)", " if(turns > 1)", " simd")
        self.pragma(outer)
        self.open(f"for (int r = 0; r < {self.pick('kSteps', 'turns', 'turns * 2')}; ++r)")
        self.steps = ["r"]
        self.say(f"W mine = {self.value()};")
        self.locals = ["mine"]
        closes = 0
        if self.chance(0.4):
            k = self.fresh("k")
            self.open(f"for (int {k} = 0; {k} < {self.pick('turns', '2', 'sweeps')}; ++{k})")
            self.steps.append(k)
            closes += 1
        if self.chance(0.25):
            self.open(f"if ({self.condition()})")
            closes += 1
        for _ in range(self.pick(1, 2, 2, 3)):
            array = self.choices.choice(written)
            kind = self.choices.randrange(5)
            if kind < 2:
                self.pragma(inner)
                self.open("for (int j = 0; j < kWidth; ++j)")
                self.kept = "j"
                place = array.at("r * kWidth + j")
                self.say(f"{place} = {array.assigned(f'{array.value(place)} * 3 + {self.value()}')};")
                self.kept = None
                self.close()
            elif kind == 2:
                self.pragma("parallel for reduction(+ : mine)")
                self.open("for (int j = 0; j < kWidth; ++j)")
                self.kept, self.locals = "j", []
                self.say(f"mine += {array.value(array.at('r * kWidth + j'))} * {self.value(1)};")
                self.kept, self.locals = None, ["mine"]
                self.close()
            elif kind == 3:
                place = array.at(f"r * kWidth + {self.pick('3', 'turns', 'kWidth - 1')}")
                self.say(f"mine = mine * 5 + {array.value(place)};")
            else:
                self.pragma("parallel")
                k = self.fresh("k")
                self.open(f"for (int {k} = 0; {k} < {self.pick('turns', '2', 'run % 3')}; ++{k})")
                self.pragma("for")
                self.open(f"for (int j = 1 + ({k} & 1); j < kWidth - 1; j += 2)")
                self.kept = "j"
                here, low, high = (array.at(f"r * kWidth + j{o}") for o in ("", " - 1", " + 1"))
                self.say(f"{here} = " + array.assigned(
                    f"{array.value(low)} + {array.value(high)} * 3 + {self.value(1)}") + ";")
                self.kept = None
                self.close()
                self.close()
        for _ in range(closes):
            self.close()
        place = written[0].at("r * kWidth")
        self.say(f"{place} = {written[0].assigned(f'{written[0].value(place)} + mine')};")
        self.close()

    def spread(self):
        """A simple parallel loop, which leaves an array on other ranks."""
        self.reset("", self.arrays, self.scalars)
        self.uses, self.construct_adds = [], []
        array = self.choices.choice(self.arrays)
        self.readable = [a for a in self.arrays if a is not array]
        self.pragma(self.pick("parallel for", "parallel for", "target teams distribute parallel for"))
        self.open("for (int i = 0; i < n; ++i)")
        self.kept = "i"
        self.known = []
        self.say(f"{array.at('i')} = {array.assigned(f'grind({self.value(1)})')};")
        self.kept = None
        self.close()

    def between(self):
        """Sequential code."""
        self.reset("", self.arrays, self.scalars)
        self.uses = []
        array = self.choices.choice(self.arrays)
        if self.chance(0.5):
            self.say(f"for (int q = run; q < n; q += {self.pick(1, 5, 41)}) "
                     f"{array.at('q')} = {array.assigned(f'{array.value(array.at(chr(113)))} + 3')};")
        else:
            scalar = self.choices.choice(self.scalars)
            self.say(f"{scalar.path} = {scalar.assigned(self.value())};")

    # Text.

    def emit(self, body):
        for node in body:
            if isinstance(node, Step):
                self.put(node.lines)
            elif isinstance(node, Call):
                self.say(node.line)
            else:
                lines = node.head.split("\n")
                self.put(lines[:-1])
                self.open(lines[-1])
                self.emit(node.body)
                if node.other is not None:
                    self.depth -= 1
                    self.say("} else {")
                    self.depth += 1
                    self.emit(node.other)
                self.close(node.tail)

    def put(self, lines):
        self.lines += [line if line.startswith("#") else "  " * self.depth + line for line in lines]

    def declarations(self):
        lines = []
        for t in self.arrays:
            lines += {"static": [f"static {t.kind} {t.name}[kCells];"],
                      "heap": [f"static {t.kind} *{t.name};"]}.get(t.storage, [])
        members = [f"  {t.kind} {t.name}[kCells];" for t in self.arrays if t.storage == "member"]
        if members:
            lines += ["static struct {", *members, f"}} *record{self.number};"]
        lines += [f"static {s.kind} {s.name};" for s in self.scalars if s.storage == "static"]
        return lines

    def setup(self):
        """Most data remains from run to run."""
        self.open("if (run == 0)")
        if any(t.storage == "member" for t in self.arrays):
            record = f"record{self.number}"
            self.say(f"*(void **)&{record} = malloc(sizeof *{record});")
        for seed, t in enumerate(self.arrays):
            if t.storage == "heap":
                self.say(f"{t.path} = ({t.kind} *)malloc(kCells * sizeof *{t.path});")
            if t.storage in ("static", "heap", "member"):
                self.fill(t, seed)
        self.close()
        for seed, t in enumerate(self.arrays):
            if t.storage in ("local heap", "stack"):
                self.say(f"{t.kind} {t.name}[kCells];" if t.storage == "stack" else
                         f"{t.kind} *{t.name} = ({t.kind} *)malloc(kCells * sizeof *{t.name});")
                self.fill(t, seed)
        for s in self.scalars:
            if s.storage == "local":
                self.say(f"{s.kind} {s.path} = {s.assigned('(W)run + 3')};")

    def fill(self, t, seed):
        value = t.assigned(f"noise((W)q + {seed + 1}) & 1023")
        self.say(f"for (int q = 0; q < kCells; ++q) {t.at('q')} = {value};")

    def program(self):
        head = f"static W program_{self.number}(int run, int n, int turns)"
        self.depth = 1
        self.setup()
        for _ in range(self.pick(1, 1, 1, 2)):
            if self.chance(0.35):
                self.spread()
            if self.chance(0.1):
                self.rows()
            else:
                self.team()
            if self.chance(0.3):
                self.pick(self.between, self.spread)()
        self.say("W sum = 0;")
        for s in self.scalars:
            self.say(f"sum = sum * 31 + {s.value(s.path)};")
        for t in self.arrays:
            self.say(f"sum = hash({t.path}, kCells * sizeof *{t.path}, sum);")
        for t in self.arrays:
            if t.storage == "local heap":
                self.say(f"free({t.path});")
        self.say("return sum;")
        main, self.lines = self.lines, []
        texts = []
        for head_of, body, result in self.functions:
            self.lines, self.depth = [], 1
            self.emit(body)
            if result:
                self.say(f"return {result};")
            texts.append(head_of + " {\n" + "\n".join(self.lines) + "\n}\n")
        heads = [f"{head_of};" for head_of, _, _ in self.functions]
        return "\n".join([*self.declarations(), *heads, "", *texts, head + " {", *main, "}"])


def language(seed):
    return "cpp" if seed % 5 == 4 else "c"


def program(seed, count, only=None):
    """The text of an executable of `count` programs, or of one of them; the same for the same seed."""
    flags = ["-O3", "-O2", "-O1", "-O2 -g", "-O3 -g", "-O1 -g"][seed % 6]
    numbers = range(count) if only is None else [only]
    texts = [Writer(random.Random(f"{seed} {number}"), number).program() for number in numbers]
    entries = "\n".join(f"  {{{number}, program_{number}}}," for number in numbers)
    return "\n\n".join([f"// FLAGS: {flags}\n{HEAD}", *texts]) + "\n" + MAIN % entries


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--count", type=int, default=32)
    parser.add_argument("--only", type=int, help="the number of a program")
    chosen = parser.parse_args()
    print(program(chosen.seed, chosen.count, chosen.only), end="")
