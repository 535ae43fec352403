# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes XcalableMP programs of many random cases, each with what every node must find.

A case declares nodes, templates and arrays, does some operations, and after each compares the memory of
every node, shadows too, with the model. What must be found stands in a file of numbers beside the
program: for each check a line of indices and values for each rank."""
import pathlib
import random
import sys

from xmp_model import Array, Extent, Nodes, Template, ceiling, factors, positions, shape
from xmp_transforms import Transforms
from xmp_types import LONG, TYPES, in_c, sum_of

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from generator import Generator  # noqa: E402

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>

static long *data, failures;
static const long **tables;
static int me;

static void load(const char *path) {
  long checks, ranks, count;
  FILE *file = fopen(path, "r");
  me = xmpc_all_node_num();
  if (!file || fscanf(file, "%ld%ld%ld", &checks, &ranks, &count) != 3) exit(9);
  data = malloc((count + 1) * sizeof *data);
  tables = malloc((checks + 1) * sizeof *tables);
  for (long k = 0; k < count; k++)
    if (fscanf(file, "%ld", &data[k]) != 1) exit(9);
  fclose(file);
  const long *at = data;
  for (long k = 0; k < checks; k++)
    for (int r = 0; r < ranks; at += 1 + *at, r++)
      if (r == me) tables[k] = at;
}

static void wrong(int which, int step, const long *at, int rank, long found) {
  if (failures++ > 20) return;
  printf("case %d step %d node %d:", which, step, me);
  for (int d = 0; d < rank; d++) printf(" [%ld]", at[d]);
  printf(" is %ld, not %ld\\n", found, at[rank]);
}
"""
SAFE = (-1000003, 7)  # Of what is stored before anything is written.


class Case(Transforms, Generator):
    """One function; `ranks` nodes take part."""

    def __init__(self, number, choices, ranks, tables):
        super().__init__(choices, 1)
        self.number, self.ranks, self.tables = number, ranks, tables
        self.top, self.steps = [], 0
        self.is_file_scope = self.chance(0.5)
        self.arrays, self.locals = [], []
        self.type = LONG if self.chance(0.3) else self.choices.choice(TYPES)

    def number_in(self, low, high):
        return self.choices.randint(low, high)

    def declare(self, line):
        if self.is_file_scope:
            self.top.append(line)
        else:
            self.say(line)

    # Texts in both notations.

    def subscripts(self, texts, round_texts=None):
        """`texts` in square order; in round notation `round_texts` reversed, which default to them."""
        if self.chance(0.7):
            return "".join(f"[{t}]" for t in texts)
        return "(" + ", ".join(reversed(round_texts or texts)) + ")"

    @staticmethod
    def triplet(s):
        if isinstance(s, int):
            return str(s)
        first, count, step = s
        return f"{first}:{count}" if step == 1 else f"{first}:{count}:{step}"

    @staticmethod
    def inclusive(s):
        if isinstance(s, int):
            return str(s)
        first, count, step = s
        return f"{first}:{first + (count - 1) * step}:{step}"

    def section(self, name, section):
        return name + "".join(f"[{self.triplet(s)}]" for s in section)

    # Declarations.

    def nodes(self):
        name = f"p{self.number}_{len(self.lines)}_{len(self.top)}"
        count, first = self.ranks, 0
        if self.ranks > 1 and self.chance(0.3):
            count = self.number_in(1, self.ranks)
            first = self.number_in(0, self.ranks - count)
        sizes = self.choices.choice(factors(count, self.number_in(1, 3)))
        subset = ""
        if count < self.ranks:
            self.declare(f"#pragma xmp nodes w{name}[*]")
            subset = f" = w{name}" + (f"[{first}:{count}]" if self.chance(0.5) else
                                      f"({first + 1}:{first + count})")
        self.declare(f"#pragma xmp nodes {name}{self.subscripts(list(map(str, sizes)))}{subset}")
        return Nodes(name, sizes, list(range(first, first + count)))

    def extent(self, along, nodes):
        lower, size = self.number_in(-3, 4), self.number_in(2, 11)
        if along is None:
            return Extent(lower, size, "*"), "*"
        kind = self.pick("block", "block", "cyclic", "gblock")
        if kind == "gblock":
            cuts = sorted(self.number_in(0, size) for _ in range(nodes - 1))
            counts = [b - a for a, b in zip([0, *cuts], [*cuts, size])]
            map_name = self.fresh(f"m{self.number}_")
            self.declare(f"static int {map_name}[{nodes}] = {{{', '.join(map(str, counts))}}};")
            return Extent(lower, size, kind, 0, counts, along), f"gblock({map_name})"
        least = ceiling(size, nodes)
        if self.chance(0.5):
            return Extent(lower, size, kind, least if kind == "block" else 1, None, along), kind
        width = least + self.number_in(0, 2) if kind == "block" else self.number_in(1, 4)
        return Extent(lower, size, kind, width, None, along), f"{kind}({width})"

    def template(self, nodes):
        rank = len(nodes.shape) + self.number_in(0, max(0, 3 - len(nodes.shape)))
        along = [None] * rank
        for k, d in enumerate(sorted(self.choices.sample(range(rank), len(nodes.shape)))):
            along[d] = k
        # Formats pair from the left in each notation, which in normal order is the same.
        made = [self.extent(a, 0 if a is None else nodes.shape[a]) for a in along]
        name = self.fresh(f"t{self.number}_")
        extents = [e for e, _ in made]
        self.declare(f"#pragma xmp template {name}" + self.subscripts(
            [f"{e.lower}:{e.size}" for e in extents],
            [f"{e.lower}:{e.lower + e.size - 1}" for e in extents]))
        self.declare(f"#pragma xmp distribute {name}{self.subscripts([f for _, f in made])} onto "
                     f"{nodes.name}")
        return Template(name, extents, nodes)

    def array(self, template, sizes=None, element=None, is_kept=True):
        """`sizes`: of an array that need not fill the template, and may be too large for it."""
        rank = len(sizes) if sizes else self.number_in(1, 3)
        aligned, targets = self.pairs(template, sizes or [0] * rank)
        axes, offsets, extents = [None] * rank, [0] * rank, [self.number_in(1, 5)
                                                             for _ in range(rank)]
        extents = list(sizes or extents)
        for d, target in zip(aligned, targets):
            e = template.extents[target]
            extents[d] = sizes[d] if sizes else (e.size if self.chance(0.5) else
                                                 self.number_in(1, e.size))
            axes[d], offsets[d] = target, e.lower + self.number_in(0, e.size - extents[d])
        name = self.fresh(f"a{self.number}_")
        found = Array(name, extents, axes, offsets, self.shadow(template, axes), template, self.ranks)
        found.type = element or self.type
        self.declare(f"{'' if self.is_file_scope else self.pick('', 'static ')}{found.type.name} {name}"
                     + "".join(f"[{n}]" for n in extents) + ";")
        sources = "".join("[*]" if a is None else f"[i{d}]" for d, a in enumerate(axes))
        self.declare(f"#pragma xmp align {name}{sources} with {self.on(found, 'i')}")
        if any(w != (0, 0) for w in found.shadow):
            self.declare(f"#pragma xmp shadow {name}" + "".join(
                "[*]" if w == "*" else f"[{w[0]}]" if w[0] == w[1] and self.chance(0.5) else
                f"[{w[0]}:{w[1]}]" for w in found.shadow))
        if is_kept:
            self.arrays.append(found)
        return found

    def pairs(self, template, sizes):
        """Dimensions of an array, and those of the template that they follow, in which they fit."""
        found = [(d, k) for d, n in enumerate(sizes) for k, e in enumerate(template.extents)
                 if n <= e.size]
        self.choices.shuffle(found)
        chosen = {}
        for d, k in found[:1] + [pair for pair in found[1:] if self.chance(0.6)]:
            if d not in chosen and k not in chosen.values():
                chosen[d] = k
        return list(chosen), list(chosen.values())

    def shadow(self, template, axes):
        found = []
        for axis in axes:
            e = None if axis is None else template.extents[axis]
            if e is not None and e.along is not None and self.chance(0.2):
                found.append("*")
            elif (e is None or e.format != "cyclic") and self.chance(0.6):
                widest = 1 if e is None or e.along is None else 2
                if e is not None and e.format == "block":
                    widest = min(widest, e.width)
                found.append((self.number_in(0, widest), self.number_in(0, widest)))
            else:
                found.append((0, 0))
        return found

    def on(self, array, prefix):
        """The reference to the template that array dimension d follows by index `prefix`d."""
        texts = ["*"] * len(array.template.extents)
        for d, axis in enumerate(array.axes):
            if axis is not None:
                offset = array.offsets[d]
                texts[axis] = f"{prefix}{d}" + (f" {'+' if offset > 0 else '-'} {abs(offset)}"
                                               if offset else "")
        return array.template.name + self.subscripts(texts)

    # What is done and checked.

    def table(self, lines):
        """`lines`: of each rank the numbers."""
        self.tables.append(lines)
        return len(self.tables) - 1

    def rows(self, array, of):
        lines = []
        for memory in array.memory:
            lines.append([n for index, value in memory.items() if value is not None
                          for n in (*index, of(index, value))])
        return self.table(lines)

    def at(self, array):
        return array.name + "".join(f"[w[{d}]]" for d in range(array.rank))

    def over(self, table, width, statement):
        self.say(f"for (const long *w = tables[{table}] + 1, *e = w + w[-1]; w < e; w += {width})")
        self.say(f"  {statement}")

    def store(self, array, coefficients):
        """Writes all that is stored, shadows too, with no directive."""
        for rank, memory in enumerate(array.memory):
            for index in array.stored(rank):
                memory[index] = coefficients[0] + sum(
                    (coefficients[1] * (d + 3) ** 2 + d) * i for d, i in enumerate(index))
        self.write_values(array)

    def write_values(self, array):
        self.over(self.rows(array, lambda _, value: value), array.rank + 1,
                  f"{self.at(array)} = {array.type.of(f'w[{array.rank}]')};")

    def check(self, array, value="of"):
        word, at = array.type.word, self.at(array)
        self.over(self.rows(array, lambda _, value: value), array.rank + 1,
                  f"if (!{word}_is({at}, {word}_{value}(w[{array.rank}]))) wrong({self.number}, "
                  f"{self.steps}, w, {array.rank}, {word}_shown({at}));")

    def check_value(self, name, of_rank, kind=LONG):
        """`of_rank`: what each rank must have, None: anything."""
        table = self.table([[] if v is None else [v] for v in of_rank])
        self.over(table, 1, f"if (!{kind.word}_is({name}, {kind.of('w[0]')})) wrong({self.number}, "
                  f"{self.steps}, w, 0, {kind.word}_shown({name}));")

    def fill(self, array):
        """A loop over the array's own template."""
        base = self.number_in(1, 1000)
        ranges = [self.range_of(n) if self.chance(0.4) else (0, n, 1) for n in array.sizes]
        named = [d for d in range(array.rank) if array.axes[d] is not None]
        order = list(range(array.rank))
        self.choices.shuffle(order)
        self.say(f"#pragma xmp loop{self.indices(named)} on {self.on(array, 'i')}")
        self.nest(order, ranges)
        self.say("  " + "".join(f"{array.name}" + "".join(f"[i{d}]" for d in range(array.rank)))
                 + " = " + array.type.of(f"{base}" + "".join(
                     f" + {7 + 10 * d} * i{d}" for d in range(array.rank))) + ";")
        for index in positions(ranges):
            array.set(index, base + sum((7 + 10 * d) * i for d, i in enumerate(index)))

    def indices(self, named):
        if self.chance(0.5):
            return " (" + ", ".join(f"i{d}" for d in named) + ")"
        return ""

    def nest(self, order, ranges):
        for d in order:
            first, count, step = ranges[d]
            last = first + (count - 1) * step
            if step < 0:
                self.say(f"for (int i{d} = {first}; i{d} >= {last}; i{d} -= {-step})")
            elif self.chance(0.5):
                self.say(f"for (long i{d} = {first}; i{d} < {last + 1}; i{d} += {step})")
            else:
                self.say(f"for (int i{d} = {first}; i{d} <= {last}; i{d} += {step})")

    def range_of(self, size, count=None):
        """A section (first, count, step) of so many indices."""
        count = count or self.number_in(1, size)
        most = (size - 1) // (count - 1) if count > 1 else 3
        step = self.number_in(1, max(1, min(3, most)))
        first = self.number_in(0, size - 1 - (count - 1) * step)
        if self.chance(0.3):
            return first + (count - 1) * step, count, -step
        return first, count, step

    def reflect(self, array):
        self.shadow_directive(array, "reflect")

    def reduce_shadow(self, array):
        self.store(array, (self.number_in(1, 99), self.number_in(1, 9)))
        self.shadow_directive(array, "reduce_shadow")

    def shadow_directive(self, array, name):
        widths, periodic, texts = [], [], []
        for d, shadow in enumerate(array.shadow):
            if shadow == "*":
                done = self.chance(0.8)
                widths.append("*" if done else (0, 0))
                periodic.append(False)
                texts.append("1" if done else "0")
                continue
            widest = array.widest(d) if array.is_distributed(d) else 0
            width = tuple(self.number_in(0, min(w, widest)) for w in shadow)
            wraps = width != (0, 0) and self.chance(0.4)
            widths.append(width)
            periodic.append(wraps)
            texts.append(("/periodic/" if wraps else "") + (
                str(width[0]) if width[0] == width[1] and self.chance(0.5) else
                f"{width[0]}:{width[1]}"))
        orthogonal = self.chance(0.25)
        whole = [w if w == "*" or array.is_distributed(d) else (0, 0)
                 for d, w in enumerate(array.shadow)]
        clauses = [f"width({', '.join(texts)})"]
        if self.chance(0.3) and all(w == "*" or max(w) <= array.widest(d)
                                    for d, w in enumerate(whole)):
            widths, periodic, clauses = whole, [False] * array.rank, []
        if orthogonal:
            clauses.append("orthogonal")
        asynchronous = "*" not in array.shadow and self.chance(0.2)
        if asynchronous:
            clauses.append("async(3)")
        self.choices.shuffle(clauses)
        self.say(f"#pragma xmp {name} ({array.name}) {' '.join(clauses)}".rstrip())
        if asynchronous:
            self.say("#pragma xmp wait_async(3)")
        getattr(array, name)(widths, periodic, orthogonal)

    def one_section(self, sizes, counts):
        """Of an array of these sizes, with dimensions of these counts in their order; None: none."""
        if len(counts) > len(sizes):
            return None
        chosen = sorted(self.choices.sample(range(len(sizes)), len(counts)))
        if any(sizes[d] < n for d, n in zip(chosen, counts)):
            return None
        found = [self.number_in(0, n - 1) for n in sizes]
        for d, count in zip(chosen, counts):
            found[d] = self.range_of(sizes[d], count)
        return found

    def any_section(self, sizes):
        return [self.range_of(n) if self.chance(0.75) else self.number_in(0, n - 1) for n in sizes]

    def pair(self, left_sizes, right_sizes):
        for _ in range(40):
            right = self.any_section(right_sizes)
            left = self.one_section(left_sizes, shape(right))
            if left is not None:
                return left, right
        zero = [0] * len(left_sizes), [0] * len(right_sizes)
        return zero

    def gmove(self, left, right):
        to, of = self.pair(left.sizes, right.sizes)
        self.say("#pragma xmp gmove")
        self.say(f"{self.section(left.name, to)} = {self.section(right.name, of)};")
        for index, value in list(zip(positions(to), [right.value(i) for i in positions(of)])):
            left.set(index, value)

    # Variables that each node has for itself.

    def local(self, sizes, differs=False):
        name = self.fresh("x")
        base = self.number_in(1, 500)
        self.say(f"{self.type.name} {name}" + "".join(f"[{n}]" for n in sizes) + ";")
        found = Array(name, sizes, [None] * len(sizes), [0] * len(sizes), [(0, 0)] * len(sizes),
                      Template("", [], Nodes("", (self.ranks,), list(range(self.ranks)))), self.ranks)
        for rank, memory in enumerate(found.memory):
            for index in found.stored(rank):
                memory[index] = base + sum((d + 5) * i for d, i in enumerate(index)) + (
                    1000 * rank * differs)
        found.type = self.type
        self.write_values(found)
        self.locals.append(found)
        return found

    def global_to_local(self, array):
        to = self.local([self.number_in(1, 6) for _ in range(self.number_in(1, 3))])
        if self.is_file_scope and self.chance(0.4):
            self.get(array, to)
        else:
            self.gmove(to, array)
        self.check(to)

    def local_to_global(self, array):
        of = self.local([self.number_in(1, 6) for _ in range(self.number_in(1, 3))])
        self.gmove(array, of)

    def single(self, array):
        """Elements and scalars."""
        index = [self.number_in(0, n - 1) for n in array.sizes]
        name = self.fresh("s")
        self.say(f"{self.type.name} {name} = {self.type.of('-5')};")
        self.say("#pragma xmp gmove")
        self.say(f"{name} = {self.section(array.name, index)};")
        value = array.value(tuple(index))
        self.check_value(name, [value] * self.ranks, self.type)
        to = self.any_section(array.sizes)
        self.say("#pragma xmp gmove")
        self.say(f"{self.section(array.name, to)} = {name};")
        for found in positions(to):
            array.set(found, value)

    def get(self, array, to):
        """One node, or all, without the others' doing."""
        left, right = self.pair(to.sizes, array.sizes)
        readers = list(range(self.ranks))
        self.say("#pragma xmp barrier")
        task = self.chance(0.5)
        if task:
            readers = [self.number_in(0, self.ranks - 1)]
            self.say(f"#pragma xmp task on world[{readers[0]}]")
            self.open("")
        self.say("#pragma xmp gmove in")
        self.say(f"{self.section(to.name, left)} = {self.section(array.name, right)};")
        if task:
            self.close()
        self.say("#pragma xmp barrier")
        values = [array.value(i) for i in positions(right)]
        for rank in readers:
            to.memory[rank].update(zip(positions(left), values))

    def put(self, array):
        of = self.local([self.number_in(1, 6) for _ in range(self.number_in(1, 3))])
        left, right = self.pair(array.sizes, of.sizes)
        self.say("#pragma xmp barrier")
        self.say(f"#pragma xmp task on world({self.number_in(1, self.ranks)})")
        self.open("")
        self.say("#pragma xmp gmove out")
        self.say(f"{self.section(array.name, left)} = {self.section(of.name, right)};")
        self.close()
        self.say("#pragma xmp barrier")
        for index, value in zip(positions(left), [of.value(i) for i in positions(right)]):
            array.set(index, value)

    def assign(self, array):
        """An array assignment along the array's own template."""
        section = [self.range_of(n) if self.chance(0.8) or array.axes[d] is None else
                   self.number_in(0, n - 1) for d, n in enumerate(array.sizes)]
        if not shape(section):
            section[0] = self.range_of(array.sizes[0])
        on = ["*"] * len(array.template.extents)
        for d, axis in enumerate(array.axes):
            if axis is not None:
                s = section[d]
                on[axis] = (s + array.offsets[d] if isinstance(s, int) else
                            (s[0] + array.offsets[d], s[1], s[2]))
        square = [s if s == "*" else self.triplet(s) for s in on]
        around = [s if s == "*" else self.inclusive(s) for s in on]
        add = self.number_in(1, 50)
        text = self.section(array.name, section)
        self.say(f"#pragma xmp array on {array.template.name}{self.subscripts(square, around)}")
        self.say(f"{text} = {text} * 2 + {array.type.of(add)};")
        for index in positions(section):
            array.set(index, array.value(index) * 2 + add)

    def reduce(self, array):
        """Of a loop: each node of the array has the result."""
        ops = ["+", "-"] + ["max", "min"] * self.type.is_ordered
        op = self.choices.choice(ops + ["^", "firstmax", "lastmin"] * self.type.is_integer)
        kind = sum_of(self.type)
        ranges = [self.range_of(n) if self.chance(0.3) else (0, n, 1) for n in array.sizes]
        named = [d for d in range(array.rank) if array.axes[d] is not None]
        order = list(range(array.rank))
        self.choices.shuffle(order)
        element = array.name + "".join(f"[i{d}]" for d in range(array.rank))
        start = {"max": -10**9, "firstmax": -10**9, "min": 10**9, "lastmin": 10**9}.get(
            op, self.number_in(1, 9))
        name = self.fresh("r")
        place = op in ("firstmax", "lastmin")
        self.say(f"{kind.name} {name} = {kind.of(start)};")
        for d in range(array.rank * place):
            self.say(f"int {name}_{d} = -1;")
        clause = f"{name}/{', '.join(f'{name}_{d}' for d in range(array.rank))}/" if place else name
        self.say(f"#pragma xmp loop{self.indices(named)} on {self.on(array, 'i')} "
                 f"reduction({op}:{clause})")
        self.nest(order, ranges)
        compare = {"max": f"{element} > {name}", "min": f"{element} < {name}",
                   "firstmax": f"{element} % 7 > {name}", "lastmin": f"{element} % 7 <= {name}"}
        if place:
            self.say(f"  if ({compare[op]}) {{ {name} = {element} % 7; " + " ".join(
                f"{name}_{d} = i{d};" for d in range(array.rank)) + " }")
        elif op in compare:
            self.say(f"  if ({compare[op]}) {name} = {element};")
        else:
            self.say(f"  {name} {op}= {element};")
        result, winner = start, None
        for index in self.in_order(order, ranges):
            value = self.type.norm(array.value(index))
            if op == "+":
                result += value
            elif op == "-":
                result -= value
            elif op == "^":
                result ^= value
            elif op == "max":
                result = max(result, value)
            elif op == "min":
                result = min(result, value)
            else:
                rest = value - 7 * int(value / 7)  # As C has it.
                if rest > result if op == "firstmax" else rest <= result:
                    result, winner = rest, index
        members = [r for r in range(self.ranks) if array.parts[r] is not None]
        self.check_value(name, [result if r in members else None for r in range(self.ranks)],
                         kind)
        for d in range(array.rank * place):
            self.check_value(f"{name}_{d}", [winner[d] if r in members else None
                                             for r in range(self.ranks)])

    @staticmethod
    def in_order(order, ranges):
        for at in positions([ranges[d] for d in order]):
            index = [0] * len(order)
            for d, i in zip(order, at):
                index[d] = i
            yield tuple(index)

    def broadcast(self):
        of = self.local([self.number_in(1, 5) for _ in range(self.number_in(1, 2))], True)
        section = [self.range_of(n) for n in of.sizes]
        section = [s if s[2] > 0 else (s[0] + (s[1] - 1) * s[2], s[1], -s[2]) for s in section]
        first = self.number_in(0, self.ranks - 1)
        count = self.number_in(1, self.ranks - first)
        source = self.number_in(first, first + count - 1)
        self.say(f"#pragma xmp bcast ({self.section(of.name, section)}) from "
                 + self.pick(f"world[{source}]", f"world({source + 1})")
                 + f" on world[{first}:{count}]")
        for rank in range(first, first + count):
            for index in positions(section):
                of.memory[rank][index] = of.memory[source][index]
        self.check(of)

    def reduction(self):
        of = self.local([self.number_in(1, 5) for _ in range(self.number_in(1, 2))], True)
        first = self.number_in(0, self.ranks - 1)
        count = self.number_in(1, self.ranks - first)
        op, combine = self.pick(("+", sum), *[("max", max), ("min", min)] * self.type.is_ordered)
        self.say(f"#pragma xmp reduction({op}: {of.name}) on world({first + 1}:{first + count})")
        members = range(first, first + count)
        for index in of.stored(0):
            value = combine([self.type.norm(of.memory[r][index]) for r in members])
            for rank in members:
                of.memory[rank][index] = value
        self.check(of)

    # The whole.

    def write(self):
        self.open(f"static void case_{self.number}(void)")
        self.depth = 1
        for _ in range(self.number_in(1, 2)):
            template = self.template(self.nodes())
            for _ in range(self.number_in(1, 2)):
                self.array(template)
        for array in self.arrays:
            self.store(array, SAFE)
            self.fill(array)
        for _ in range(self.number_in(3, 6)):
            self.steps += 1
            self.say(f"// step {self.steps}")
            self.open("")
            self.step()
            for array in self.arrays:
                self.check(array)
            self.close()
        self.close()
        return "\n".join(self.top + self.lines)

    def step(self):
        array = self.choices.choice(self.arrays)
        other = self.choices.choice(self.arrays)
        shadowed = [a for a in self.arrays if any(w != (0, 0) for w in a.shadow)]
        kinds = ["gmove", "gmove", "gmove", "local", "single", "fill", "send", "broadcast"]
        kinds += ["transform"] * 3 + ["reflect"] * 3 * bool(shadowed)
        if self.type.adds:
            kinds += ["assign", "reduce", "reduction"] + ["reduce_shadow"] * 3 * bool(shadowed)
        kinds += ["put"] * self.is_file_scope
        kind = self.choices.choice(kinds)
        if kind == "gmove":
            self.gmove(array, other)
        elif kind == "local":
            self.global_to_local(array)
        elif kind == "send":
            self.local_to_global(array)
        elif kind in ("reflect", "reduce_shadow"):
            getattr(self, kind)(self.choices.choice(shadowed))
        elif kind in ("broadcast", "reduction", "transform"):
            getattr(self, kind)()
        else:
            getattr(self, kind)(array)


def program(seed, count, only=None):
    """The text of a program, of its file of numbers, and the number of nodes."""
    ranks = random.Random(seed).randint(1, 8)
    tables, texts = [], []
    for number in range(count):
        case = Case(number, random.Random(f"{seed}/{number}"), ranks, tables)
        if only is None:
            texts.append(case.write())
        elif number == only:
            texts.append(case.write())
            break
    calls = "".join(f"  case_{n}();\n" for n in range(count) if only in (None, n))
    text = (HEAD + in_c() + "#pragma xmp nodes world[*]\n\n" + "\n\n".join(texts) +
            "\n\nint main(int argc, char **argv) {\n  load(argv[argc - 1]);\n" + calls +
            "  return failures != 0;\n}\n")
    numbers = [[len(line), *line] for table in tables for line in table]
    flat = [n for line in numbers for n in line]
    return text, " ".join(map(str, [len(tables), ranks, len(flat), *flat])), ranks
