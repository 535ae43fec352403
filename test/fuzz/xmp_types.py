# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of elements. The model knows whole numbers; each type says what stands for one of them."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Type:
    name: str
    word: str  # In names of C.
    bits: int = 0  # Of integers; 0: others.
    is_signed: bool = True
    adds: bool = True
    is_ordered: bool = True

    def norm(self, value):
        """What an element has that `value` was written to."""
        if not self.bits:
            return value
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.is_signed and value >> (self.bits - 1) else value

    @property
    def is_integer(self):
        return self.bits > 0

    def of(self, text):
        return f"{self.word}_of({text})"


LONG = Type("long", "long", 64)
INT = Type("int", "int", 32)
COMPLEX = (Type("float _Complex", "cfloat", is_ordered=False),
           Type("double _Complex", "cdouble", is_ordered=False))
DOUBLE = Type("double", "double")
RECORD = Type("record", "record", adds=False, is_ordered=False)
TYPES = (LONG, INT, Type("char", "char", 8), Type("unsigned char", "uchar", 8, False),
         Type("short", "short", 16), Type("unsigned short", "ushort", 16, False),
         Type("unsigned", "uint", 32, False), Type("long long", "llong", 64),
         Type("float", "float"), DOUBLE, *COMPLEX, RECORD)


def sum_of(kind):
    """A type in which sums of such elements are exact."""
    return COMPLEX[1] if kind in COMPLEX else LONG if kind.is_integer else DOUBLE


def in_c():
    """Of each type what makes an element of a number, compares, and gives a number to be shown."""
    lines = ["typedef struct { int a; char b; double c; } record;"]
    for each in TYPES:
        value, same, shown = "(T)v", "x == y", "(long)x"
        if each in COMPLEX:
            value = "v + 3 * v * 1.0i"
        elif each is RECORD:
            value = "(record){v, v, v}"
            same, shown = "x.a == y.a && x.b == y.b && x.c == y.c", "x.a"
        for line in (f"T {each.word}_of(long v) {{ return {value}; }}",
                     f"int {each.word}_is(T x, T y) {{ return {same}; }}",
                     f"long {each.word}_shown(T x) {{ return {shown}; }}"):
            lines.append("__attribute__((unused)) static " + line.replace("T ", each.name + " ")
                         .replace("(T)", f"({each.name})"))
        if each in COMPLEX:  # (1 + 3i) (1 + 3i)
            lines.append(f"__attribute__((unused)) static {each.name} {each.word}_product(long v) "
                         "{ return -8 * v + 6 * v * 1.0i; }")
    return "\n".join(lines) + "\n"
