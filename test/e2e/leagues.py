# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made at random: leagues of teams that ask for their numbers, whose parallel constructs are those of
`threads`. Each team has data of its own, partly in its own memory, and an element of what all share.

What is printed depends on how many teams and threads there are: the program asks for both.
"""
import random

import threads
from threads import ARRAYS

MOST = 64

HEAD = "// THREADS: 4\n" + threads.HEAD + """
enum { kMost = %d };
""" % MOST

MAIN = """
int main(void) {
  const long n = %(size)d, teams = %(teams)d, all = n * teams;
  Word *a = malloc(4 * (size_t)all * sizeof *a), *b = a + all, *c = b + all, *d = c + all;
  Word *f = calloc(teams * 64, sizeof *f), *found = calloc(teams * 8, sizeof *found);
  for (long i = 0; i < 4 * all; ++i) {
    a[i] = (Word)i * 37 %% 1009;
  }
%(calls)s
  free(a);
  free(f);
  free(found);
  return 0;
}
"""


class Writer(threads.Writer):
    """One function: arrays a to d, eight elements of f for each thread, and s, t, told and most are the
    team's. Teams are those that the program asks for, or iterations of a loop that is distributed."""

    def __init__(self, choices):
        super().__init__(choices)
        self.asks = True

    def one(self):
        how = self.pick("#pragma omp single", "#pragma omp master", "if (id == 0)", "#pragma omp masked")
        words = ["s = s * 5 + 1;", "t += f[8] + f[2];", "s += (Word)team;", "t ^= (Word)threads;",
                 f"{self.choices.choice(ARRAYS)}[step] += t;"]
        self.choices.shuffle(words)
        if how.startswith("#"):
            self.say(how)
            how = ""
        self.open(how)
        for word in words[:self.choices.randrange(1, 3)]:
            self.say(word)
        self.close()

    def library(self):  # One call keeps a whole league on rank 0.
        self.say("own += heap[id & 7] * heap[step & 3];")

    def value(self):
        mine = super().value()
        return self.pick(mine, "(Word)team", *["(Word)omp_get_team_num()",
                                               "(Word)omp_get_num_teams()"] * self.asks)

    def construct(self):
        reduction = self.pick("", " reduction(+ : sum)")
        self.say("#pragma omp parallel firstprivate(own, k, p, q) private(step)"
                 + self.pick("", "", " num_threads(3)") + reduction)
        self.open("")
        self.say("const int id = " + self.pick("omp_get_thread_num()", "who()") + ";")
        self.say("const int threads = omp_get_num_threads();")
        self.say(self.pick("long first = id * n / threads, end = (id + 1) * n / threads;",
                           "long share = n / threads, first = id * share;\n"
                           "  long end = id == threads - 1 ? n : first + share;"))
        self.say("Word some[4] = {1, 2, 3, 4}, heap[8] = {1, 2};")
        self.say("step = 1;")
        repeated = self.chance(0.5)
        if repeated:
            self.open(f"for (step = 0; step < {self.pick(1, 3, 5)}; ++step)")
        self.items(4)
        if repeated:
            self.close()
        if self.chance(0.3):
            self.items(2)
        if self.chance(0.4):
            self.turn()
        if reduction:
            self.say(self.pick("sum += own;", "sum = k + (Word)id;"))
        self.say("(void)end, (void)first, (void)some, (void)heap, (void)p, (void)q;")
        self.close()

    def distributed(self):
        """A loop that teams divide."""
        to, source, other, _ = [name.upper() for name in self.arrays()]
        kind = self.pick("", "", " parallel for", " parallel for schedule(static, 1)",
                         " dist_schedule(static, 3)", " parallel for schedule(dynamic, 2)")
        self.say("#pragma omp distribute" + kind)
        self.open("for (long i = 0; i < all; ++i)")
        self.say(self.pick(f"E[i] = mix({source}[i], {other}[i]);", f"E[i] += {to}[i] * 3;"))
        self.close()

    def function(self, name):
        self.open(f"static void {name}(Word *A, Word *B, Word *C, Word *D, Word *F, Word *E, Word *found,"
                  " long n, int teams)")
        self.say("const long all = n * teams;")
        self.say("const int limit = n > 0 ? 4 : 1;")
        self.asks = self.chance(0.7)
        league = self.pick("target teams", "teams") + " distribute" * (not self.asks)
        self.say(f"#pragma omp {league} num_teams(teams) thread_limit({self.pick('4', '4', 'limit')})")
        self.open("" if self.asks else "for (int team = 0; team < teams; ++team)")
        if self.asks:
            self.say("const int team = omp_get_team_num();")
        own = [array for array in ARRAYS if self.chance(0.4)]
        for array in ARRAYS:
            first = f"{array.upper()} + team * n"
            if array in own:
                self.say(f"Word {array}[kMost];")
                self.say(f"for (long i = 0; i < n; ++i) {array}[i] = ({first})[i];")
            else:
                self.say(f"Word *{array} = {first};")
        self.say("Word *f = F + team * 64;")
        self.say("Word s = 3 + (Word)team, t = 5, own = 2, k = 1, told = 0, most = 0, sum = 0;")
        self.say("Word *p = a, *q = b;")
        self.say("int step = 0;")
        self.construct()
        if self.chance(0.3):
            self.say("own += s ^ t;")
            self.construct()
        for array in own:
            self.say(f"for (long i = 0; i < n; ++i) ({array.upper()} + team * n)[i] = {array}[i];")
        for number, value in enumerate(["s", "t", "told", "most", "sum"]):
            self.say(f"found[team * 8 + {number}] = {value};")
        self.close()
        if self.chance(0.4):  # Teams do not meet: what they divide is a league of its own.
            self.say("#pragma omp teams num_teams(teams) thread_limit(4)")
            self.open("")
            self.say("const Word by = (Word)omp_get_num_teams();")
            self.distributed()
            if self.chance(0.5):
                self.say("#pragma omp distribute")
                self.say("for (long i = 0; i < teams; ++i) found[i * 8 + 6] += by;")
            self.close()
        self.close()
        return "\n".join(self.lines)


def language(_):
    return "c"


def program(seed, count):
    """The text of a program with `count` functions; the same for the same seed."""
    choices = random.Random(seed)
    names = [f"league{number}" for number in range(count)]
    functions = [Writer(choices).function(name) for name in names]
    calls = ["  Word *e = calloc(all, sizeof *e);"]
    for name in names:
        calls += [f"  {name}(a, b, c, d, f, e, found, n, teams);", '  print("a", a, 4 * all);',
                  '  print("f", f, 64 * teams);', '  print("e", e, all);',
                  '  print("found", found, 8 * teams);']
    calls.append("  free(e);")
    return "\n\n".join([HEAD, *functions]) + "\n" + MAIN % {
        "size": choices.choice([8, 20, MOST]), "teams": choices.choice([2, 3, 7]),
        "calls": "\n".join(calls)}
