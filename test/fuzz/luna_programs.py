# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random LuNA programs and what they print, and programs with a planted mistake.

A statement is made at random and kept if the program is still right with it, as the interpreter says.
"""
import random
import sys

from luna_model import (Block, Call, For, If, Interpreter, Let, PROCEDURES, Sub, While, Wrong)
from luna_text import Writer

PROCEDURES_TEXT = """#include "ucenv.h"
extern "C" {
void c_init(int a, OutputDF &r) { r = a; }
void c_initr(double a, OutputDF &r) { r = a; }
void c_mix(const InputDF &a, const InputDF &b, OutputDF &r) { r = (a.get_int() * 3 + b.get_int() * 5 + 1) % 1009; }
void c_two(const InputDF &a, int k, OutputDF &r, OutputDF &s) {
  r = (a.get_int() + k) % 1009;
  s = a.get_int() * (k % 1009) % 1009;
}
void c_mean(double a, double b, OutputDF &r) { r = a * 0.5 + b * 0.25; }
void c_vec(int n, int s, OutputDF &r) {
  int *data = r.create<int>(n);
  for (int j = 0; j < n; ++j) data[j] = s % 1009 + j * j;
}
void c_vsum(const InputDF &v, OutputDF &r) {
  int sum = 0;
  for (size_t j = 0; j < v.getSize() / sizeof(int); ++j) sum += v.getData<int>()[j];
  r = sum % 1009;
}
void c_vadd(const InputDF &v, int k, OutputDF &r) {
  const size_t n = v.getSize() / sizeof(int);
  int *data = r.create<int>(n);
  for (size_t j = 0; j < n; ++j) data[j] = (v.getData<int>()[j] + k % 1009) % 1009;
}
void c_show(int tag, const InputDF &x) { printf("%d %d\\n", tag, x.get_int()); }
void c_showr(int tag, double x) { printf("%d %.17g\\n", tag, x); }
void c_unset(OutputDF &) {}
void c_takes(int) {}
}
"""
sys.setrecursionlimit(20000)  # Programs recur.
KINDS = {"int": ("init", "mix", "two", "vsum"), "real": ("initr", "mean"), "vec": ("vec", "vadd")}
MACROS = {
    "TWICE": (("a",), ("binary", "*", ("int", 2), ("parameter", "a"))),
    "NEAR": (("a", "b"), ("binary", "+", ("parameter", "a"),
                          ("binary", "%", ("parameter", "b"), ("int", 3)))),
    "BOTH": (("a", "b"), ("macro", "NEAR", (("parameter", "b"), ("macro", "TWICE", (("parameter", "a"),))))),
}


class Context:
    """What may be named: integers, and data fragments as (name, kind, number of indices)."""

    def __init__(self, integers=(), names=()):
        self.integers = list(integers)
        self.names = list(names)

    def deeper(self, integers=(), names=()):
        return Context([*self.integers, *integers], [*self.names, *names])


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.fresh = 0
        self.tag = 0
        self.subs = {}
        self.root = None

    def name(self, letter):
        self.fresh += 1
        return f"{letter}{self.fresh}"

    def chance(self, percent):
        return self.random.random() * 100 < percent

    # Expressions.

    def index(self, context):
        pick = self.random.random()
        if context.integers and pick < 0.65:
            node = ("var", context.integers[-1] if self.chance(70) else self.random.choice(context.integers))
            if self.chance(35):
                node = ("binary", self.random.choice("+-"), node, ("int", self.random.randint(1, 2)))
            return node
        return ("int", self.random.randint(-1, 4)) if pick < 0.93 else self.integer(context, 1)

    def fragment(self, context, kind):
        found = [each for each in context.names if each[1] == kind]
        if not found:
            raise Wrong("no name")
        name, _, count = self.random.choice(found)
        return ("df", name, tuple(self.index(context) for _ in range(count)))

    def integer(self, context, depth=2):
        pick = self.random.random()
        if depth == 0 or pick < 0.35:
            if context.integers and self.chance(50):
                return ("var", self.random.choice(context.integers))
            if self.chance(50) and any(each[1] == "int" for each in context.names):
                return self.fragment(context, "int")
            return ("int", self.random.randint(-3, 9))
        inner = lambda: self.integer(context, depth - 1)  # noqa: E731
        if pick < 0.75:
            return ("binary", self.random.choice(["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=",
                                                  "&&", "||"]), inner(), inner())
        if pick < 0.83:
            return ("cond", inner(), inner(), inner())
        if pick < 0.9:
            return (self.random.choice(["minus", "not"]), inner())
        name = self.random.choice(list(MACROS))
        return ("macro", name, tuple(inner() for _ in MACROS[name][0]))

    def real(self, context):
        pick = self.random.random()
        if pick < 0.3:
            return ("real", self.random.randint(-20, 20) / 8)
        if pick < 0.8 and any(each[1] == "real" for each in context.names):
            node = self.fragment(context, "real")
            return ("binary", "+", node, self.integer(context, 1)) if self.chance(30) else node
        return self.integer(context, 1)

    # Statements.

    def call(self, context):
        kind = self.random.choice(["int", "int", "int", "real", "vec"])
        callee = self.random.choice(KINDS[kind])
        arguments = []
        for at, each in enumerate(PROCEDURES[callee][0]):
            if each == "name":
                arguments.append(self.fragment(context, kind))
            elif each == "value":
                arguments.append(self.fragment(context, "vec" if callee in ("vsum", "vadd") else "int"))
            elif each == "int":
                arguments.append(("int", self.random.randint(0, 5)) if callee == "vec" and at == 0
                                 else self.integer(context))
            else:
                arguments.append(self.real(context))
        if callee == "two" and arguments[2] == arguments[3]:
            raise Wrong("an output twice")
        call = Call(callee, arguments)
        if self.chance(12):
            call.signals.append(self.fragment(context, "int"))
        return call

    def show(self, context):
        self.tag += 1
        tag = ("int", self.tag * 100)
        if context.integers:
            tag = ("binary", "+", tag, ("var", context.integers[-1]))
        if self.chance(25):
            return Call("showr", [tag, self.real(context)])
        return Call("show", [tag, self.fragment(context, "int") if self.chance(75) else self.integer(context)])

    def sub_call(self, context):
        sub = self.random.choice(list(self.subs.values()))
        return Call(sub.name, [("int", self.random.randint(0, 4)) if kind == "int" else
                               self.fragment(context, "int") for kind, _ in sub.parameters])

    def rules(self, one, context):
        """Locators on what has been kept."""
        if isinstance(one, Call) and one.callee in PROCEDURES and self.chance(25):
            try:
                one.rules.append(("locator", self.integer(context, 1)))
                self.check()
            except Wrong:
                one.rules.clear()

    def statement(self, context, depth):
        pick = self.random.random()
        if depth <= 0 or pick < 0.5:
            return self.call(context) if pick < 0.3 or not self.subs or self.chance(70) \
                else self.sub_call(context)
        if pick < 0.6:
            return self.show(context)
        if pick < 0.78:
            counter = self.name("i")
            first = self.random.randint(-1, 2)
            last = ("int", first + self.random.randint(-1, 4)) if self.chance(75) else self.integer(context, 1)
            return (For(counter, ("int", first), last, Block()), context.deeper([counter]))
        if pick < 0.88:
            return (If(self.integer(context), Block(), Block() if self.chance(50) else None), context)
        if pick < 0.94:
            name = self.name("l")
            return (Let(name, self.integer(context), Block()), context.deeper([name]))
        counter = self.name("w")
        node = ("binary", "<", ("var", counter), self.integer(context, 1))
        if self.chance(50):
            node = ("binary", "&&", ("binary", "<", ("var", counter), ("int", self.random.randint(0, 6))),
                    ("binary", "<", self.fragment(context, "int"), ("int", self.random.randint(0, 900))))
        return (While(node, counter, ("int", self.random.randint(0, 2)), self.fragment(context, "int"), Block()),
                context.deeper([counter]))

    def check(self):
        return Interpreter(self.subs, MACROS).run(self.root)

    def fill(self, block, context, count, depth):
        names = []
        for _ in range(self.random.randint(1, 3) if depth > 1 or self.chance(30) else 0):
            kind = self.random.choice(["int", "int", "real", "vec"])
            names.append((self.name("x"), kind, self.random.choice([0, 0, 1, 1, 1, 2])))
        block.names = [(name, [f"p{at}" for at in range(indices)]) for name, _, indices in names]
        inner = context.deeper((), names)
        for _ in range(count):
            for _ in range(8):
                if self.keep(block, inner, depth):
                    break
        for name, indices in block.names:
            if self.chance(25):
                value = ("int", self.random.randint(0, 5)) if not indices else ("var", indices[0])
                if indices and self.chance(40):
                    value = ("binary", "+", value, ("var", indices[-1]))
                block.rules.append((name, indices, value))

    def keep(self, block, context, depth):
        """Whether a statement could be added."""
        try:
            made = self.statement(context, depth)
        except Wrong:
            return False
        one, inner = made if isinstance(made, tuple) else (made, None)
        block.statements.append(one)
        try:
            if id(one) not in self.check().executed and self.chance(85):
                raise Wrong("never runs")
        except Wrong:
            block.statements.pop()
            return False
        self.rules(one, context)
        if inner is None:
            return True
        bodies = [one.then, one.otherwise] if isinstance(one, If) else [one.body]
        for body in bodies:
            if body is not None:
                self.fill(body, inner, self.random.randint(1, 4), depth - 1)
        return True

    # Subs.

    def make_sub(self):
        """Made while a program runs it."""
        outer = Block([("a", []), ("r", [])], [Call("init", [("int", 3), ("df", "a", ())])])
        name = self.name("s")
        body = Block()
        sub = Sub(name, [("int", "n"), ("name", "a"), ("name", "r")], body)
        outer.statements.append(Call(name, [("int", 2), ("df", "a", ()), ("df", "r", ())]))
        self.root = Sub("main", [], outer)
        self.subs[name] = sub
        out = ("df", "r", ())
        if self.chance(50):  # Recursion.
            body.names = [("u", [])]
            deeper = [Call("mix", [("df", "a", ()), ("df", "a", ()), ("df", "t", ())]),
                      Call(name, [("binary", "-", ("var", "n"), ("int", 1)), ("df", "t", ()), out])]
            last = [Call("two", [("df", "a", ()), ("var", "n"), out, ("df", "u", ())])]
            body.statements.append(If(("binary", ">", ("var", "n"), ("int", 0)),
                                      Block([("t", [])], deeper), Block([], last)))
        else:
            body.statements.append(Call("mix", [("df", "a", ()), ("df", "a", ()), out]))
        inner = Block()
        body.statements.append(If(("int", 1), inner))
        self.fill(inner, Context(["n"], [("a", "int", 0)]), self.random.randint(1, 4), 1)

    def advise(self):
        """Deletions and counts of requests, where the interpreter has seen that they are right."""
        trace = self.check()
        fragments = {id(each): each for base in trace.bases for each in base.values()}
        readers = {}
        for fragment in fragments.values():
            for call in set(map(id, fragment.readers)):
                readers.setdefault(call, []).append(fragment)
        taken = set()
        for call in list(self.calls()):
            self.count_requests(call, trace, taken)
        for call in list(self.calls()):
            self.delete(call, readers.get(id(call), []), taken)

    def count_requests(self, call, trace, taken):
        outputs = [node for kind, node in zip(PROCEDURES[call.callee][0], call.arguments) if kind == "name"]
        for at, node in enumerate(outputs):
            made = [each[at] for each in trace.made.get(id(call), [])]
            counts = {len(each.readers) for each in made}
            if made and len(counts) == 1 and not any(each.structure for each in made) and self.chance(30):
                call.rules.append((node, ("int", counts.pop())))
                taken.update(map(id, made))

    def delete(self, call, read, taken):
        nodes = {node for kind, node in zip(PROCEDURES[call.callee][0], call.arguments)
                 if kind == "value" and node[0] == "df"}
        if len(nodes) == 1 and read and self.chance(60) and all(
                set(map(id, each.readers)) == {id(call)} and len(each.readers) == self.times(call) and
                each.is_free_behind_readers() and id(each) not in taken for each in read):
            (call.arrows if self.chance(30) else call.deletes).append(nodes.pop())

    def times(self, call):
        """How often one execution reads its input, if each reads another one."""
        return sum(kind == "value" for kind in PROCEDURES[call.callee][0])

    def calls(self):
        """Calls of procedures in all that runs."""
        open_blocks = [self.root.body, *(each.body for each in self.subs.values())]
        while open_blocks:
            for one in open_blocks.pop().statements:
                if isinstance(one, Call):
                    if one.callee in PROCEDURES:
                        yield one
                elif isinstance(one, If):
                    open_blocks += [one.then] + ([one.otherwise] if one.otherwise else [])
                else:
                    open_blocks.append(one.body)


def make(seed, count):
    """A maker with a program that is right, and what the program prints."""
    maker = Maker(seed)
    for _ in range(maker.random.randint(0, 2)):
        maker.make_sub()
    maker.root = Sub("main", [], Block())
    maker.fill(maker.root.body, Context(), count, 3)
    maker.advise()
    return maker, sorted(maker.check().output)


def text_of(maker):
    writer = Writer(maker.random)
    lines = []
    for name, (types, _) in PROCEDURES.items():
        lines.append(f"import c_{name}({', '.join(types)}) as {name};")
    lines += ["import c_unset(name) as unset;", "import c_takes(int) as takes;"]
    for name, (parameters, body) in MACROS.items():
        lines.append(f"#define {name}({', '.join(parameters)}) {writer.expression(body, 9)}")
    subs = [*maker.subs.values(), maker.root]
    maker.random.shuffle(subs)
    return "\n".join(lines) + "\n" + "".join(map(writer.sub, subs))


def right(seed, count=10):
    maker, output = make(seed, count)
    return text_of(maker), output


# Mistakes: statements, and pieces of the message; the line is that of one of the marked calls.

def at(name, *indices):
    return ("df", name, tuple(("int", each) for each in indices))


def mistakes(rng):
    k = rng.randint(-2, 5)
    number = ("int", k)
    bad, other, signal = at("bad", k), at("other"), at("signal")
    init = Call("init", [number, bad])
    marked = lambda callee, arguments, **more: Call(callee, arguments, mark="mark", **more)  # noqa: E731
    shown = f"bad[{k}]"
    return [
        ("E-HANG", f"waits for '{shown}', which no fragment produced", [marked("show", [number, bad])]),
        ("E-HANG", f"waits for '{shown}'", [If(("binary", ">", bad, ("int", 0)),
                                              Block([], [Call("init", [number, other])]), mark="mark"),
                                           marked("show", [number, other])]),
        ("E-HANG", "would produce", [marked("mix", [other, other, bad]), marked("mix", [bad, bad, other])]),
        ("E-TWICE", f"data fragment '{shown}' is assigned twice",
         [marked("init", [number, bad]), marked("init", [number, bad])]),
        ("E-UNSET", f"returned without a value for its output '{shown}'", [marked("unset", [bad])]),
        ("E-TYPE", "argument 1 of 'takes' is int", [Call("initr", [("real", 1.5), bad]), marked("takes", [bad])]),
        ("E-DEL", f"data fragment '{shown}' is requested after its deletion",
         [init, Call("show", [number, bad], deletes=[bad], signals=[signal]),
          If(signal, Block([], [marked("show", [number, bad])]))]),
        ("E-COUNT", f"'{shown}' was requested 2 times, req_count says 1",
         [marked("init", [number, bad], rules=[(bad, ("int", 1))]), marked("show", [number, bad]),
          marked("show", [number, bad])]),
        ("", "zero", [init, marked("init", [("binary", "/", ("int", 7), ("binary", "-", bad, number)), other])]),
    ]


def wrong(seed):
    """A program with a mistake, the message's code, a piece of it, and the lines it may name."""
    maker, _ = make(seed, 6)
    code, says, statements = maker.random.choice(mistakes(maker.random))
    block = Block([("bad", ["p0"]), ("other", []), ("signal", [])], statements)
    for _ in range(maker.random.randint(0, 2)):
        around = maker.random.choice([
            lambda b: If(("int", 1), b), lambda b: For(maker.name("q"), ("int", 2), ("int", 2), b),
            lambda b: Let(maker.name("q"), ("int", 2), b)])
        block = Block([], [around(block)])
    if maker.chance(40):
        maker.subs["planted"] = Sub("planted", [("int", "n")], block)
        block = Block([], [Call("planted", [("int", 1)])])
    maker.root.body.statements.append(If(("int", 1), block))
    text = text_of(maker)
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("// mark")]
    return text, code, says, lines
