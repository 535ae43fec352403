# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps with the transformational functions of the library, on arrays of their own."""
import math

from xmp_model import Extent, Nodes, Template, positions
from xmp_types import COMPLEX, INT, LONG


def all_of(sizes):
    return positions([(0, n, 1) for n in sizes])


class Transforms:
    """Of a case."""

    def sizes(self, rank):
        return [self.number_in(1, 5) for _ in range(rank)]

    def new(self, sizes, values=None, element=None):
        """An array that lives for the step, and what its elements are, in the order of C."""
        template = self.template_for(sizes)
        found = self.array(template, sizes, element, is_kept=False)
        self.store(found, (-77, 5))
        for index, value in zip(all_of(sizes), values or [
                self.number_in(-99, 99) for _ in all_of(sizes)]):
            found.set(index, value)
        self.write_values(found)
        return found

    def template_for(self, sizes):
        """One in which at least one dimension of such an array fits."""
        found = [a.template for a in self.arrays
                 if any(n <= e.size for n in sizes for e in a.template.extents)]
        if found:
            return self.choices.choice(found)
        name, size = self.fresh(f"t{self.number}_"), max(sizes)
        kind, width = self.pick(("block", math.ceil(size / self.ranks)), ("cyclic", 1))
        self.declare(f"#pragma xmp template {name}[{size}]")
        self.declare(f"#pragma xmp distribute {name}[{kind}] onto world")
        return Template(name, [Extent(0, size, kind, width, None, 0)],
                        Nodes("world", (self.ranks,), list(range(self.ranks))))

    def call(self, name, *arrays):
        self.say(f"xmp_{name}({', '.join(arrays)});")

    @staticmethod
    def desc(array):
        return f"xmp_desc_of({array.name})"

    def transpose(self):
        a = self.new(self.sizes(2))
        x = self.new(a.sizes[::-1])
        self.call("transpose", self.desc(x), self.desc(a), "0")
        for i, j in all_of(x.sizes):
            x.set((i, j), a.value((j, i)))
        self.check(x)

    def matmul(self):
        rows, inner, columns = self.sizes(3)
        a, b, x = self.new([rows, inner]), self.new([inner, columns]), self.new([rows, columns])
        self.call("matmul", self.desc(x), self.desc(a), self.desc(b))
        for i, j in all_of(x.sizes):
            total = sum(self.type.norm(a.value((i, k))) * self.type.norm(b.value((k, j)))
                        for k in range(inner))
            x.set((i, j), self.type.norm(total))  # Which C has no literal for if it is larger.
        if self.type in COMPLEX:
            x.forget_shadows()  # Another number stands for what is in them.
            self.check(x, "product")
        else:
            self.check(x)

    def indices_into(self, array, sizes, places):
        """Of each dimension of `array` an index array."""
        kind = self.pick(INT, LONG)
        return [self.new(sizes, [at[d] for at in places], kind) for d in range(array.rank)]

    def gather(self):
        a, x = self.new(self.sizes(self.number_in(1, 2))), self.new(self.sizes(self.number_in(1, 3)))
        places = [self.choices.choice(all_of(a.sizes)) for _ in all_of(x.sizes)]
        indices = self.indices_into(a, x.sizes, places)
        self.call("gather", self.desc(x), self.desc(a), *map(self.desc, indices))
        for index, at in zip(all_of(x.sizes), places):
            x.set(index, a.value(at))
        self.check(x)

    def scatter(self):
        x, a = self.new(self.sizes(self.number_in(1, 3))), self.new([1])
        if math.prod(x.sizes) > 1:
            a = self.new([self.number_in(1, min(9, math.prod(x.sizes)))])
        places = self.choices.sample(all_of(x.sizes), a.sizes[0])
        indices = self.indices_into(x, a.sizes, places)
        self.call("scatter", self.desc(x), self.desc(a), *map(self.desc, indices))
        for index, at in zip(all_of(a.sizes), places):
            x.set(at, a.value(index))
        self.check(x)

    def masked(self):
        """An array, a vector that is long enough, what is chosen, and the arguments' end."""
        a = self.new(self.sizes(self.number_in(1, 3)))
        chosen, end = all_of(a.sizes), "NULL"
        if self.chance(0.7):
            truth = [self.pick(0, 0, 1, -3) for _ in chosen]
            mask = self.new(a.sizes, truth, self.pick(INT, LONG))
            chosen, end = [at for at, t in zip(chosen, truth) if t], self.desc(mask)
        vector = self.new([max(1, len(chosen) + self.number_in(0, 2))])
        return a, vector, chosen, end

    def pack(self):
        a, vector, chosen, end = self.masked()
        self.call("pack", self.desc(vector), self.desc(a), end)
        for k, index in enumerate(chosen):
            vector.set((k,), a.value(index))
        self.check(vector)

    def unpack(self):
        a, vector, chosen, end = self.masked()
        self.call("unpack", self.desc(a), self.desc(vector), end)
        for k, index in enumerate(chosen):
            a.set(index, vector.value((k,)))
        self.check(a)

    def sort(self):
        size = self.number_in(1, 12)
        a, x = self.new([size]), self.new([size])
        way = self.pick("up", "down")
        self.call(f"sort_{way}", self.desc(a), self.desc(x))
        for k, value in enumerate(sorted((self.type.norm(a.value((k,))) for k in range(size)),
                                         reverse=way == "down")):
            x.set((k,), value)
        self.check(x)

    def transform(self):
        kinds = ["transpose", "gather", "scatter", "pack", "unpack"]
        kinds += ["matmul"] * self.type.adds + ["sort"] * self.type.is_ordered
        getattr(self, self.choices.choice(kinds))()
