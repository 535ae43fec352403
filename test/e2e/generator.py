# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the modules that make programs at random have in common: text with indentation, new names,
and choices."""


class Generator:
    """Writes the lines of a program; all that it does is decided by `choices`, a random.Random."""

    def __init__(self, choices, depth=0):
        self.choices = choices
        self.lines = []
        self.depth = depth
        self.numbers = 0

    def say(self, line):
        self.lines.append("  " * self.depth + line)

    def open(self, line):
        self.say((line + " {").lstrip())
        self.depth += 1

    def close(self, tail=""):
        self.depth -= 1
        self.say("}" + tail)

    def fresh(self, prefix):
        self.numbers += 1
        return f"{prefix}{self.numbers}"

    def chance(self, probability):
        return self.choices.random() < probability

    def pick(self, *values):
        return self.choices.choice(values)
