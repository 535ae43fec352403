#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks XcalableMP directives at random: each mistake must be an error at its line, never a crash.

Each broken directive has a function of its own, and many share a file. Those that are wrong for certain
must get an error at their lines. Others may have stayed, or become, legal: what the front end accepts
must be C that Clang accepts. What has an error is taken out and the rest is tried again, since errors
of C hide those of meaning.

Prints what fails, and "N passed, N failed" at the end.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PER_FILE = 250
SECONDS = 120
HEAD = """
#define N 16
struct S { double s[N]; };
int a[N], b[N], c[N][N], d[N][N], local[N], square[N][N], map[4] = {4, 4, 4, 4};
double real[N]; long total; int place, other, i, j, k; int *pointer;
#pragma xmp nodes p[4]
#pragma xmp nodes g(2, 2)
#pragma xmp template t[N]
#pragma xmp template u[N][N]
#pragma xmp template v[:]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute u[block][gblock((int[2]){8, 8})] onto g
#pragma xmp distribute v[block] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp align c[i][j] with u[i][j]
#pragma xmp align d[i][j] with u[j][i]
#pragma xmp align S.s[i] with t[i]
#pragma xmp align pointer[i] with v[i]
#pragma xmp shadow a[1]
#pragma xmp shadow c[1:2][*]
"""
HEAD = HEAD.replace("gblock((int[2]){8, 8})", "block")
LOOP = "for (i = 1; i < N - 1; i++) a[i] = b[i];"
NEST = "for (i = 0; i < N; i++) for (j = 0; j < N; j++) c[i][j] = i;"
# The directive, and what follows it.
LEGAL = [
    ("nodes q[4]", ";"), ("nodes q(2, *)", ";"), ("nodes q[2] = p[0:2]", ";"), ("nodes q[*] = *", ";"),
    ("nodes q(2) = g(1, :)", ";"), ("nodes [2][2] :: q, r", ";"),
    ("template q[N]", ";"), ("template q(0:N-1, 1:4)", ";"), ("template [8][4] :: q, r", ";"),
    ("template_fix v[N]", ";"), ("template_fix[block] v[0:N]", ";"),
    ("task on p[0]", "{ k = 1; }"), ("task on g(1, *) nocomm", "k = 1;"), ("task on t[2:4]", "{ }"),
    ("tasks", "{ }"),
    ("loop on t[i]", LOOP), ("loop (i) on t[i] reduction(+:total)",
                             "for (i = 0; i < N; i++) total += a[i];"),
    ("loop (i, j) on u[i][j]", NEST), ("loop [j][i] on u(j, i) expand(1, 0:1)", NEST),
    ("loop on t[i + 1] reduction(max:k) reduction(+:total)",
     "for (i = 0; i < N - 1; i++) { total += i; if (i > k) k = i; }"),
    ("loop on t[i] reduction(firstmax:k/place, other/)",
     "for (i = 0; i < N; i++) if (a[i] > k) { k = a[i]; place = i; }"),
    ("loop on t[i] margin(-1) profile", LOOP), ("loop on t[i] peel_and_wait(1, -1)", LOOP),
    ("loop on p[i]", "for (i = 0; i < 4; i++) k = i;"),
    ("array on t[0:8]", "a[0:8] = b[0:8];"), ("array on u[:][:]", "c[:][:] = 1;"),
    ("reflect (a)", ""), ("reflect (a, c) async(3)", ""), ("reflect (a) width(/periodic/1:1)", ""),
    ("reflect (c) width(1:2, 1) orthogonal", ""), ("reduce_shadow (a) width(1)", ""),
    ("gmove", "a[0:4] = b[4:4];"), ("gmove in", "local[:] = a[:];"), ("gmove out", "a[:] = local[:];"),
    ("gmove async(2)", "c[:][:] = d[:][:];"),
    ("barrier", ""), ("barrier on p[1:2]", ""), ("reduction(+: total, k)", ""),
    ("reduction(max: k/place, other/) on g(1, *)", ""), ("reduction(*: real) async(7)", ""),
    ("bcast (k, local[2:4])", ""), ("bcast (real) from p[2] on p", ""),
    ("bcast (local) from t[3]", ""), ("wait_async(1, 2)", ""), ("wait_async(k) on p", ""),
    ("template, distribute[block] onto p :: q[N], r(1:N)", ";"),
    ("distribute(cyclic(2)) onto p, template[N] :: q, r", ";"), ("nodes :: q[4], r(1) = p(2:2)", ";"),
    ("acc replicate (a, k)", "{ }"), ("acc reflect (a)", ""), ("gmove", "local[::-1] = a[:];"),
]
# What constants show to be wrong, with the numbers that make it so.
WRONG = [
    ("barrier on p[%d]", "", 4, 99), ("barrier on p(%d)", "", 5, 99), ("barrier on p[%d:2]", "", 3, 99),
    ("barrier on g(1, %d)", "", 3, 99), ("barrier on g(%d, 1)", "", -9, 0),
    ("task on t[%d]", "k = 1;", 16, 99), ("task on u[%d][0]", "k = 1;", -9, -1),
    ("reflect (a) width(%d)", "", 2, 9), ("reflect (c) width(%d:0, 0)", "", 2, 9),
    ("reduce_shadow (a) width(%d)", "", -9, -1), ("bcast (k) from p[0:%d]", "", 2, 4),
    ("bcast (local[%d:2])", "", 15, 99), ("reduction (+: real[0:%d])", "", 17, 99),
    ("gmove", "a[0:4] = b[0:%d];", 5, 16), ("gmove", "c[0][:] = b[0:%d];", 1, 15),
    ("gmove", "a[%d] = b[0];", 16, 99), ("gmove in", "local[0:%d] = a[:];", 1, 15),
    ("array on t[0:8]", "a[0:8] = b[1:%d];", 1, 7), ("array on t[0:%d]", "a[:] = 1;", 17, 99),
    ("loop on t[i]", "for (i = 0; i < N; i++) b[%d] = i;", 16, 99),
    ("loop (i) on u[i][*] expand(0, %d)", "for (i = 0; i < N; i++) k = i;", 1, 9),
    ("nodes q[%d]", ";", -9, 0), ("nodes q[2] = p[0:%d]", ";", 3, 4), ("template q[%d]", ";", -9, 0),
    ("template_fix v[%d]", ";", -9, 0), ("template, distribute[block(%d)] onto p :: q[N]", ";", 1, 3),
]
TOKEN = re.compile(r"\w+|::|\s+|[^\w\s]")
WORDS = ["p", "g", "t", "u", "v", "a", "c", "k", "i", "j", "on", "from", "async", "width", "block", "0",
         "1", "-1", "N", "*", ":", "[", "]", "(", ")", ",", "+", "/", "=", "::", "loop", "reduction",
         "max", "in", "acc", "total", "1.5", "'c'", "sizeof", "{", "}", "\"s\"", "#", "S", "&k"]
JUNK = ["@", "$$", "`", "}", "]", "nosuchname", ";", "?", "=="]


def tokens_of(text):
    return TOKEN.findall(text)


def mutant(choices):
    """The directive, its statement, and whether it is wrong for certain."""
    if choices.randrange(9) == 0:
        text, statement, least, most = choices.choice(WRONG)
        number = choices.randint(least, most)
        return (text % number, statement, True) if "%d" in text else (text, statement % number, True)
    text, statement = choices.choice(LEGAL)
    words = tokens_of(text)
    solid = [k for k, word in enumerate(words) if not word.isspace()]
    at = choices.choice(solid)
    kind = choices.randrange(8)
    if kind == 0 and any(words[k] in "[]()" for k in solid):
        bracket = choices.choice([k for k in solid if words[k] in "[]()"])
        del words[bracket]
        return "".join(words), statement, True
    if kind == 1:
        junk = choices.choice(JUNK)
        words.insert(choices.choice([solid[0] + 1, len(words)]), f" {junk} ")
        return "".join(words), statement, True
    if kind == 2:
        words[at] += "q_"
        declares = any(word in words for word in ("nodes", "template", "loop"))
        return "".join(words), statement, words[at][0].isalpha() and not declares or at == 0
    if kind == 3:
        del words[at]
    elif kind == 4:
        words[at] = choices.choice(WORDS)
    elif kind == 5:
        words.insert(at, f" {choices.choice(WORDS)} ")
    elif kind == 6:
        other = choices.choice(solid)
        words[at], words[other] = words[other], words[at]
    else:
        for _ in range(3):
            words.insert(choices.randrange(len(words) + 1), f" {choices.choice(WORDS)} ")
    if choices.random() < 0.2:
        statement = choices.choice(LEGAL)[1]
    return "".join(words), statement, False


def written(mutants):
    """The file, and the number of the mutant at each line."""
    lines, at = HEAD.splitlines(), {}
    for number, (text, statement, _) in mutants.items():
        first = len(lines) + 1
        lines += [f"int f{number}(void) {{", f"#pragma xmp {text}", f"  {statement}", "  return 0;", "}"]
        at.update((line, number) for line in range(first, len(lines) + 1))
    return "\n".join(lines) + "\n", at


def attempt(build, folder, mutants):
    """Status, what was said, and the numbers of the mutants that have errors."""
    source, output = folder / "broken.c", folder / "broken.i"
    text, at = written(mutants)
    source.write_text(text)
    command = [build / "lib/tutti/tutti-clang", "--xmp", output, "clang", "-w", "-ferror-limit=0",
               "-fbracket-depth=1024", source]
    done = subprocess.run(command, text=True, capture_output=True, timeout=SECONDS)
    if done.returncode == 0:
        done = subprocess.run(["clang-19", "-w", "-ferror-limit=0", "-fsyntax-only", "-x", "cpp-output",
                               output], text=True, capture_output=True, timeout=SECONDS)
        if done.returncode != 0:
            return "not C", done.stderr, errors_at(done.stderr, source, at)
    return done.returncode, done.stderr, errors_at(done.stderr, source, at)


def errors_at(text, source, at):
    lines = re.findall(rf"^{re.escape(str(source))}:(\d+):\d+: (?:fatal )?error: ", text, re.M)
    return {at[int(line)] for line in lines if int(line) in at}


def one_by_one(build, folder, mutants):
    """Those that crash the front end alone, or make it write what is not C."""
    for number, mutant_ in mutants.items():
        status, said, _ = attempt(build, folder, {number: mutant_})
        if status not in (0, 1):
            yield number, said


def failures(build, folder, mutants):
    """Numbers of the mutants that are not treated as they should be, with the reasons."""
    rest = dict(mutants)
    while rest:
        status, said, found = attempt(build, folder, rest)
        if status not in (0, 1):
            crashed = list(one_by_one(build, folder, rest))
            for number, why in crashed:
                yield number, "\n".join(why.splitlines()[:6])
                del rest[number]
            if not crashed:
                yield next(iter(rest)), "together with others: " + "\n".join(said.splitlines()[:6])
                return
        elif status == 0:
            break
        elif not found:
            yield next(iter(rest)), "an error at no line of the program: " + said[:300]
            return
        for number in found:
            rest.pop(number, None)
    for number, (_, _, is_wrong) in rest.items():
        if is_wrong:
            yield number, "accepted"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--jobs", type=int, default=1, help="not used")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", action="store_true", help="run only a few")
    arguments = parser.parse_args()
    choices = random.Random(arguments.seed)
    count = 20 if arguments.first else arguments.count
    bad = 0
    with tempfile.TemporaryDirectory(prefix="tutti-fuzz-") as temporary:
        folder = pathlib.Path(temporary)
        for first in range(0, count, PER_FILE):
            mutants = {n: mutant(choices) for n in range(first, min(first + PER_FILE, count))}
            for number, why in failures(arguments.build.resolve(), folder, mutants):
                text, statement, _ = mutants[number]
                print(f"FAIL #pragma xmp {text}\n     {statement}\n{why}", flush=True)
                bad += 1
    print(f"directives: {count - bad} passed, {bad} failed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
