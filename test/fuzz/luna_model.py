# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LuNA programs as trees, and a plain interpreter of them.

The interpreter runs statements one after the other as they stand in the tree, which is an order that
the generator knows to be right; the program's text has them in another one.
"""
from dataclasses import dataclass, field

MOST_STEPS = 600


class Wrong(Exception):
    """The program is none that may be used."""


@dataclass
class Block:
    names: list = field(default_factory=list)  # Names of data fragments, each with its indices.
    statements: list = field(default_factory=list)
    rules: list = field(default_factory=list)


@dataclass
class Call:
    callee: str
    arguments: list
    signals: list = field(default_factory=list)
    deletes: list = field(default_factory=list)
    arrows: list = field(default_factory=list)  # Deletes, too, written with an arrow.
    rules: list = field(default_factory=list)
    mark: str = ""


@dataclass
class For:
    counter: str
    first: tuple
    last: tuple
    body: Block


@dataclass
class While:
    condition: tuple
    counter: str
    first: tuple
    result: tuple
    body: Block


@dataclass
class If:
    condition: tuple
    then: Block
    otherwise: Block | None = None
    mark: str = ""


@dataclass
class Let:
    name: str
    value: tuple
    body: Block


@dataclass
class Sub:
    name: str
    parameters: list  # Pairs (type, name).
    body: Block


@dataclass
class Fragment:
    """A data fragment, and who asked for it."""
    value: object
    readers: list = field(default_factory=list)  # Calls, once for each argument.
    structure: list = field(default_factory=list)  # Executions whose expressions have asked for it.
    around: set = field(default_factory=set)  # Executions around the last of the readers, and its own.

    def is_free_behind_readers(self):
        """Whether all else that has asked for it did so before the readers could run."""
        return self.around.issuperset(self.structure)


def remainder(a, b):
    """As in C."""
    return a - int_quotient(a, b) * b


def int_quotient(a, b):
    if b == 0:
        raise Wrong("division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def integer(value):
    if not isinstance(value, int):
        raise Wrong("no int")
    return value


def vector(value):
    if not isinstance(value, tuple):
        raise Wrong("no vector")
    return value


def real(value):
    if not isinstance(value, (int, float)):
        raise Wrong("no number")
    return float(value)


def length(value):
    if not 0 <= value <= 6:
        raise Wrong("length")
    return value


# Types of the parameters, and what comes out for what goes in.
PROCEDURES = {
    "init": (("int", "name"), lambda a: [a]),
    "initr": (("real", "name"), lambda a: [a]),
    "mix": (("value", "value", "name"),
            lambda a, b: [remainder(integer(a) * 3 + integer(b) * 5 + 1, 1009)]),
    "two": (("value", "int", "name", "name"),
            lambda a, k: [remainder(integer(a) + k, 1009), remainder(integer(a) * remainder(k, 1009), 1009)]),
    "mean": (("real", "real", "name"), lambda a, b: [a * 0.5 + b * 0.25]),
    "vec": (("int", "int", "name"), lambda n, s: [tuple(remainder(s, 1009) + j * j for j in range(length(n)))]),
    "vsum": (("value", "name"), lambda v: [remainder(sum(vector(v)), 1009)]),
    "vadd": (("value", "int", "name"), lambda v, k: [tuple(remainder(x + remainder(k, 1009), 1009) for x in vector(v))]),
    "show": (("int", "value"), None),
    "showr": (("int", "real"), None),
}


@dataclass
class Name:
    """What a name means: a base with the indices that were given when it was passed on."""
    base: dict
    indices: tuple = ()


class Interpreter:
    def __init__(self, subs, macros):
        self.subs = subs
        self.macros = macros
        self.output = []
        self.steps = 0
        self.executed = set()  # Ids of statements.
        self.bases = []
        self.executions = [0]  # Of statements, in each other; those of a `while` begin with its condition.
        self.executed_so_far = 0
        self.made = {}  # id of a call: lists of the fragments it made, one list for each output.

    def run(self, sub):
        self.block(sub.body, {})
        return self

    def execution(self):
        self.executed_so_far += 1
        return self.executed_so_far

    def step(self):
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Wrong("too long")

    # Expressions.

    def find(self, node, scope):
        name = scope[node[1]]
        if not isinstance(name, Name):
            raise Wrong("no data fragment")
        return name.base, name.indices + tuple(integer(self.value(each, scope)) for each in node[2])

    def fragment(self, node, scope):
        base, indices = self.find(node, scope)
        if indices not in base:
            raise Wrong("not there")
        return base[indices]

    def value(self, node, scope):
        kind = node[0]
        if kind in ("int", "real"):
            return node[1]
        if kind == "var":
            return scope[node[1]]
        if kind == "df":
            fragment = self.fragment(node, scope)
            fragment.structure.append(self.executions[-1])
            return fragment.value
        if kind == "macro":
            inner = dict(zip(self.macros[node[1]][0], node[2]))
            return self.value(substitute(self.macros[node[1]][1], inner), scope)
        if kind == "cond":
            return self.value(node[2] if real(self.value(node[1], scope)) else node[3], scope)
        if kind == "not":
            return int(not real(self.value(node[1], scope)))
        if kind == "minus":
            return -self.number(node[1], scope)
        return self.binary(node, scope)

    def number(self, node, scope):
        value = self.value(node, scope)
        real(value)
        return value

    def binary(self, node, scope):
        op = node[1]
        left = self.number(node[2], scope)
        if op in ("&&", "||"):
            if bool(left) == (op == "||"):
                return int(bool(left))
            return int(bool(self.number(node[3], scope)))
        right = self.number(node[3], scope)
        if op in ("/", "%"):
            result = (int_quotient if op == "/" else remainder)(integer(left), integer(right))
        else:
            result = {"+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
                      "<": lambda: int(left < right), "<=": lambda: int(left <= right),
                      ">": lambda: int(left > right), ">=": lambda: int(left >= right),
                      "==": lambda: int(left == right), "!=": lambda: int(left != right)}[op]()
        if abs(result) > 1000000:
            raise Wrong("large")
        return result

    # Statements.

    def assign(self, place, value):
        base, indices = place
        if indices in base:
            raise Wrong("assigned twice")
        base[indices] = Fragment(value)
        return base[indices]

    def block(self, block, scope):
        inner = dict(scope)
        for name, _ in block.names:
            inner[name] = Name({})
            self.bases.append(inner[name].base)
        for statement in block.statements:
            self.step()
            self.executed.add(id(statement))
            self.executions.append(self.execution())
            getattr(self, type(statement).__name__.lower() + "_")(statement, inner)
            self.executions.pop()

    def for_(self, loop, scope):
        first = integer(self.value(loop.first, scope))
        for counter in range(first, integer(self.value(loop.last, scope)) + 1):
            self.block(loop.body, {**scope, loop.counter: counter})

    def while_(self, loop, scope):
        counter = integer(self.value(loop.first, scope))
        while integer(self.value(loop.condition, {**scope, loop.counter: counter})):
            self.block(loop.body, {**scope, loop.counter: counter})
            counter += 1
            self.executions[-1] = self.execution()
        self.assign(self.find(loop.result, scope), counter)

    def if_(self, choice, scope):
        if integer(self.value(choice.condition, scope)):
            self.block(choice.then, scope)
        elif choice.otherwise:
            self.block(choice.otherwise, scope)

    def let_(self, let, scope):
        value = self.value(let.value, scope)
        self.executions[-1] = self.execution()  # It is evaluated where the name is used.
        self.block(let.body, {**scope, let.name: value})

    def call_(self, call, scope):
        if call.callee in self.subs:
            self.call_sub(call, scope)
            return
        types, procedure = PROCEDURES[call.callee]
        for name, node in call.rules:
            if name == "locator":
                integer(self.value(node, scope))
        inputs = []
        for kind, node in zip(types, call.arguments):
            if kind == "value" and node[0] == "df":
                fragment = self.fragment(node, scope)
                fragment.readers.append(call)
                fragment.around = set(self.executions)
                inputs.append(fragment.value)
            elif kind != "name":
                value = self.value(node, scope)
                inputs.append(integer(value) if kind == "int" else
                              real(value) if kind == "real" else value)
        # A call cannot wait for what it makes itself, as an index of what else it makes.
        places = [self.find(node, scope) for kind, node in zip(types, call.arguments) if kind == "name"]
        signals = [self.find(node, scope) for node in call.signals]
        if procedure is None:
            value = inputs[1]
            shown = "%.17g" % value if call.callee == "showr" else str(integer(value))
            self.output.append(f"{inputs[0]} {shown}")
        else:
            made = [self.assign(place, value) for place, value in zip(places, procedure(*inputs))]
            self.made.setdefault(id(call), []).append(made)
        for place in signals:
            self.assign(place, 1)

    def call_sub(self, call, scope):
        sub = self.subs[call.callee]
        inner = {}
        for (kind, name), node in zip(sub.parameters, call.arguments):
            inner[name] = Name(*self.find(node, scope)) if kind == "name" else \
                integer(self.value(node, scope))
        self.block(sub.body, inner)


def substitute(node, inner):
    """A macro's body with its arguments."""
    if node[0] == "parameter":
        return inner[node[1]]
    return tuple(substitute(each, inner) if isinstance(each, tuple) else each for each in node)
