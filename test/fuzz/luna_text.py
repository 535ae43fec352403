# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of the trees of luna_model.py: statements of a block in any order, no more parentheses
than are needed, or some more."""
from luna_model import Block, Call, For, If, Let, While

LEVELS = [("||",), ("&&",), ("<", "<=", ">", ">=", "==", "!="), ("+", "-"), ("*", "/", "%")]
LEVEL = {op: at + 1 for at, ops in enumerate(LEVELS) for op in ops}
UNARY = len(LEVELS) + 1


class Writer:
    def __init__(self, random):
        self.random = random

    def expression(self, node, least=0):
        kind = node[0]
        if kind == "binary":
            level = LEVEL[node[1]]
            text = f"{self.expression(node[2], level)} {node[1]} {self.expression(node[3], level + 1)}"
        elif kind == "cond":
            level = 0
            text = " ".join([self.expression(node[1], 1), "?", self.expression(node[2]), ":",
                             self.expression(node[3])])
        elif kind in ("not", "minus") or (kind in ("int", "real") and node[1] < 0):
            level = UNARY
            inner = (kind, -node[1]) if kind in ("int", "real") else node[1]
            text = f"{'!' if kind == 'not' else '-'}({self.expression(inner)})"
        else:
            return self.primary(node)
        return f"({text})" if level < least or self.random.random() < 0.1 else text

    def primary(self, node):
        if node[0] == "df":
            return node[1] + "".join(f"[{self.expression(each)}]" for each in node[2])
        if node[0] == "macro":
            return f"${node[1]}({', '.join(self.expression(each) for each in node[2])})"
        if node[0] == "parameter":
            return f"(${node[1]})"
        return repr(node[1]) if node[0] == "real" else str(node[1])

    def rules(self, rules):
        return " @ { " + " ".join(rules) + " }" if rules else ""

    def ids(self, nodes):
        return ", ".join(self.expression(each) for each in nodes)

    def block(self, block: Block, depth):
        pad = "  " * depth
        lines = [f"{pad}df {name};" for name, _ in block.names]
        parts = [self.statement(each, depth) for each in block.statements]
        self.random.shuffle(parts)
        rules = [f"locator_cyclic {name}{''.join(f'[{i}]' for i in indices)} => {self.expression(value)};"
                 for name, indices, value in block.rules]
        return "\n".join(["{", *lines, *parts, "  " * (depth - 1) + "}" + self.rules(rules)])

    def call(self, call: Call):
        text = f"{call.callee}({self.ids(call.arguments)})"
        if call.signals:
            text += f" >> ({self.ids(call.signals)})"
        if call.arrows:
            text += f" --> ({self.ids(call.arrows)})"
        rules = [f"locator_cyclic: {self.expression(value)};" if name == "locator" else
                 f"req_count {self.expression(name)} = {self.expression(value)};"
                 for name, value in call.rules]
        rules += [f"delete {self.expression(node)};" for node in call.deletes]
        return text + self.rules(rules) + ";" + (f" // {call.mark}" if call.mark else "")

    def statement(self, one, depth):
        pad = "  " * depth
        if isinstance(one, Call):
            return pad + self.call(one)
        if isinstance(one, For):
            head = f"for {one.counter} = {self.expression(one.first)}..{self.expression(one.last)} "
        elif isinstance(one, While):
            head = (f"while {self.expression(one.condition)}, {one.counter} = "
                    f"{self.expression(one.first)}..out {self.expression(one.result)} ")
        elif isinstance(one, Let):
            head = f"let {one.name} = {self.expression(one.value)} "
        else:
            assert isinstance(one, If)
            text = f"{pad}if {self.expression(one.condition)} {self.block(one.then, depth + 1)}"
            if one.mark:
                text = text.replace("{\n", f"{{ // {one.mark}\n", 1)
            return text + (f" else {self.block(one.otherwise, depth + 1)}" if one.otherwise else "")
        return pad + head + self.block(one.body, depth + 1)

    def sub(self, sub):
        parameters = ", ".join(f"{kind} {name}" for kind, name in sub.parameters)
        return f"sub {sub.name}({parameters}) {self.block(sub.body, 1)}\n"
