# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What XcalableMP's directives do, element by element: the memory of every node as a dictionary.

Slow and obvious: nothing here knows of progressions, phases or messages. A value that the language
does not define is None."""
import dataclasses
import itertools
import math


@dataclasses.dataclass
class Nodes:
    name: str
    shape: tuple
    ranks: list  # Of the entire set, row-major.

    def coordinates(self, rank):
        """Of a rank of the entire set; None if it is none of these nodes."""
        if rank not in self.ranks:
            return None
        left, found = self.ranks.index(rank), []
        for size in reversed(self.shape):
            left, coordinate = divmod(left, size)
            found.insert(0, coordinate)
        return tuple(found)


@dataclasses.dataclass
class Extent:
    """A dimension of a template."""
    lower: int
    size: int
    format: str  # "*", "block", "cyclic" or "gblock".
    width: int = 0  # Of block and cyclic.
    map: list = None
    along: int = None  # The dimension of the node array.

    def owner(self, index, nodes):
        """The coordinate along the dimension of nodes."""
        distance = index - self.lower
        if self.format == "block":
            return distance // self.width
        if self.format == "cyclic":
            return distance // self.width % nodes
        for coordinate, count in enumerate(self.map):
            if distance < count:
                return coordinate
            distance -= count
        raise IndexError(index)


@dataclasses.dataclass
class Template:
    name: str
    extents: list
    onto: Nodes


class Array:
    """A global array and what every rank of `ranks` has of it."""

    def __init__(self, name, sizes, axes, offsets, shadow, template, ranks):
        self.name, self.sizes, self.axes, self.offsets = name, sizes, axes, offsets
        self.shadow, self.template, self.rank = shadow, template, len(sizes)
        self.memory = [{} for _ in range(ranks)]
        self.parts = [self.part(rank) for rank in range(ranks)]

    def extent(self, d):
        return None if self.axes[d] is None else self.template.extents[self.axes[d]]

    def is_distributed(self, d):
        return self.extent(d) is not None and self.extent(d).along is not None

    def part(self, rank):
        """The indices of each dimension that `rank` owns; None if it is no node of the array."""
        place = self.template.onto.coordinates(rank)
        if place is None:
            return None
        return [[i for i in range(size) if not self.is_distributed(d) or self.extent(d).owner(
                    i + self.offsets[d], self.template.onto.shape[self.extent(d).along])
                 == place[self.extent(d).along]] for d, size in enumerate(self.sizes)]

    def around(self, rank, widths):
        """Indices of each dimension that are `rank`'s or in the shadow that many wide, "*": all."""
        if self.parts[rank] is None or not all(
                own or width == "*" for own, width in zip(self.parts[rank], self.shadow)):
            return [[]] * self.rank
        return [list(range(size)) if width == "*" else own if width == (0, 0) else
                list(range(own[0] - width[0], own[0])) + own +
                list(range(own[-1] + 1, own[-1] + 1 + width[1]))
                for own, width, size in zip(self.parts[rank], widths, self.sizes)]

    def stored(self, rank):
        return itertools.product(*self.around(rank, self.shadow))

    def owns(self, rank, index):
        return self.parts[rank] is not None and all(
            i in own for i, own in zip(index, self.parts[rank]))

    def owners(self, index):
        return [r for r in range(len(self.parts)) if self.owns(r, index)]

    def value(self, index):
        return self.memory[self.owners(index)[0]][index]

    def set(self, index, value):
        for rank in self.owners(index):
            self.memory[rank][index] = value

    def widest(self, d):
        """How wide a reflect of the dimension may be."""
        counts = [len(part[d]) for part in self.parts if part is not None]
        return min(c for c in counts if c > 0)

    def twin(self, rank, index):
        """The owner of `index` among the nodes that differ from `rank` in no other dimension."""
        place = self.template.onto.coordinates(rank)
        ties = {self.extent(d).along for d in range(self.rank) if self.is_distributed(d)}
        for other in self.owners(index):
            found = self.template.onto.coordinates(other)
            if all(found[k] == place[k] for k in range(len(place)) if k not in ties):
                return other
        raise IndexError(index)

    def shadows(self, widths, periodic, orthogonal):
        """(rank, index, the element that it stands for) of all shadow elements within the widths;
        the third is None outside of the array."""
        for rank in range(len(self.parts)):
            for index in itertools.product(*self.around(rank, widths)):
                outside = [d for d, i in enumerate(index) if i not in self.parts[rank][d]]
                if not outside or orthogonal and len(outside) > 1:
                    continue
                source = tuple(i % n if wraps else i
                               for i, n, wraps in zip(index, self.sizes, periodic))
                beyond = [d for d, i in enumerate(source) if not 0 <= i < self.sizes[d]]
                yield rank, index, None if beyond else source, outside == beyond

    def reflect(self, widths, periodic, orthogonal):
        news = []
        for rank, index, source, stays in self.shadows(widths, periodic, orthogonal):
            if source is not None:
                news.append((rank, index, self.value(source)))
            elif not stays:
                news.append((rank, index, None))  # A corner of which one side is outside.
        seen = {(rank, index) for rank, index, _ in news}
        for rank, memory in enumerate(self.memory):
            for index in memory:
                outside = [d for d, i in enumerate(index) if i not in self.parts[rank][d]]
                if len(outside) > 1 and (rank, index) not in seen:
                    memory[index] = None  # May come along with what lies beside it.
        for rank, index, value in news:
            self.memory[rank][index] = value

    def reduce_shadow(self, widths, periodic, orthogonal):
        added = []
        for rank, index, source, _ in self.shadows(widths, periodic, orthogonal):
            if source is not None:
                added.append((self.twin(rank, source), source, self.memory[rank][index]))
        for rank, index, value in added:
            self.memory[rank][index] += value
        self.forget_shadows()

    def forget_shadows(self):
        for rank, memory in enumerate(self.memory):
            for index in memory:
                if not self.owns(rank, index):
                    memory[index] = None


def positions(section):
    """The elements of a section: of each dimension an index or (first, count, step)."""
    return list(itertools.product(*([s] if isinstance(s, int) else
                                    [s[0] + k * s[2] for k in range(s[1])] for s in section)))


def shape(section):
    return [s[1] for s in section if not isinstance(s, int)]


def factors(count, dimensions):
    """All shapes of so many nodes."""
    if dimensions == 1:
        return [(count,)]
    return [(k, *rest) for k in range(1, count + 1) if count % k == 0
            for rest in factors(count // k, dimensions - 1)]


def ceiling(a, b):
    return math.ceil(a / b)
