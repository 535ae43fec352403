# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trees of what the threads of a team execute, and what keeps them free of races.

A node says what it accesses. `Settler` goes over the ways through a tree, loops until nothing new is
found, with the accesses since the last barrier.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Use:
    """An access of one thread: what to; how ("read", "write", "atomic", or of a private variable "use",
    "set", "spoil"); and of loops that give equal iterations to equal threads, which elements."""
    name: str
    how: str
    key: str = ""


@dataclasses.dataclass(eq=False)
class Step:
    """What all threads execute, or divide among themselves."""
    lines: list
    uses: list
    ends: bool = False        # With a barrier.
    leaves: bool = False      # It may leave the sequential loop around it.
    swaps: tuple = ()         # Pairs of pointers that have changed places.


@dataclasses.dataclass(eq=False)
class Block:
    """A sequential loop, or a condition with its two ways."""
    head: str
    uses: list
    body: list
    other: list = None
    repeats: bool = False
    tail: str = ""
    first: bool = False       # The body comes before the condition.


@dataclasses.dataclass(eq=False)
class Call:
    """A call of a function that has a tree of its own."""
    line: str
    uses: list
    label: str
    body: list


class Changed(Exception):
    """The tree has one more step, or one less."""


class Settler:
    """Makes a tree free of races: adds barriers where a team can wait, and elsewhere leaves out what
    would need one."""

    def __init__(self, can_wait, resets):
        self.can_wait = can_wait
        self.resets = resets  # Of private variables, by name.

    def settle(self, tree):
        while True:
            try:
                self.walk(tree, frozenset(), [])
                return
            except Changed:
                pass

    @staticmethod
    def conflict(state, use):
        """What stands in the way of `use`: a use before it, or None."""
        if use.how in ("set", "spoil"):
            return None
        for other in state:
            if other.name != use.name:
                continue
            if use.how == "use":
                return other
            if (use.how != "read" or other.how != "read") and \
                    not use.how == other.how == "atomic" and not (use.key and use.key == other.key):
                return other
        return None

    def check(self, state, uses, body, index, culprit=None):
        """`state` after the uses; where one of them conflicts, `body` is changed at `index`."""
        for use in uses:
            if not self.conflict(state, use):
                continue
            if use.how == "use":
                body.insert(index, Step([self.resets[use.name]], [Use(use.name, "set")]))
            elif self.can_wait:
                body.insert(index, Step(["#pragma omp barrier"], [], ends=True))
            else:
                body.remove(culprit or body[-1])
            raise Changed
        for use in uses:
            if use.how == "set":
                state = frozenset(o for o in state if o.name != use.name)
            elif use.how != "use":
                state |= {use}
        return state

    @staticmethod
    def waited(state):
        """What remains of `state` behind a barrier."""
        return frozenset(use for use in state if use.how == "spoil")

    def walk(self, body, state, exits):
        for index, node in enumerate(body):
            if isinstance(node, Call):
                state = self.check(state, node.uses, body, index, node)
                state = frozenset(u for u in state if not u.name.startswith(node.label + ":"))
                state = self.walk(node.body, state, [])
            elif isinstance(node, Step):
                state = self.check(state, node.uses, body, index, node)
                if node.ends:
                    state = self.waited(state)
                if node.leaves:
                    exits.append(state)
                for a, b in node.swaps:
                    names = {a: b, b: a}
                    state = frozenset(dataclasses.replace(u, name=names.get(u.name, u.name))
                                      for u in state)
            elif node.repeats:
                state = self.repeated(node, state, body, index)
            else:
                state = self.check(state, node.uses, body, index, node)
                state = self.walk(node.body, state, exits) | self.walk(node.other or [], state, exits)
        return state

    def repeated(self, node, state, body, index):
        if not node.first:
            state = self.check(state, node.uses, body, index, node)
        leaving = []
        while True:
            after = self.walk(node.body, state, leaving)
            after = self.check(after, node.uses, node.body, len(node.body))
            if after <= state:
                break
            state |= after
        return frozenset().union(after if node.first else state, *leaving)
