# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made at random: constructs in which one thread divides loops into tasks, in a loop over time,
under conditions and in functions that it calls, beside what it does alone and beside worksharing loops.

Iterations are independent, but for loops that are one task by a clause: their iterations keep their order.
"""
import random

from generator import Generator

HEAD = """#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long Word;

static Word global = 1;
static int one = 1;

static Word mix(Word x, Word by) { return (x ^ x >> 7) * 3 + by; }

static void mapped(Word *to, const Word *from, long n, Word by) {
#pragma omp taskloop
  for (long i = 0; i < n; ++i) {
    to[i] += mix(from[i], by);
  }
}

static void mapped_twice(Word *to, const Word *from, int n, Word by) {
  mapped(to, from, n, by);
  if (by & 1) {
#pragma omp taskloop num_tasks(9)
    for (int i = n - 1; i >= 0; i -= 2) {
      to[i] ^= from[i];
    }
  }
}

static Word summed(const Word *from, long n, Word by) {
  Word sum = by, odd = 1;
#pragma omp taskloop reduction(+ : sum) reduction(^ : odd)
  for (long i = 0; i < n; ++i) {
    sum += from[i];
    odd ^= from[i] * by;
  }
  return sum ^ odd;
}
"""

MAIN = """
static void print(const char *name, const Word *a, long n) {
  Word sum = 0;
  for (long i = 0; i < n; ++i) {
    sum = sum * 31 + a[i];
  }
  printf("%%s %%lx\\n", name, sum);
}

int main(void) {
  const long n = %(size)d;
  Word *a = malloc(3 * (size_t)n * sizeof *a), *b = a + n, *c = b + n;
  for (long i = 0; i < 3 * n; ++i) {
    a[i] = (Word)i * 37 %% 1009;
  }
%(calls)s
  printf("%%lx\\n", global);
  free(a);
  return 0;
}
"""

ARRAYS = ["a", "b", "c"]
COUNTERS = ["int", "long", "unsigned", "size_t", "short"]


class Writer(Generator):
    """One function: shared arrays a to c and scalars s and t, which the one thread changes alone."""

    def __init__(self, choices):
        super().__init__(choices)
        self.inside = 0

    def arrays(self):
        names = ARRAYS.copy()
        self.choices.shuffle(names)
        return names

    def value(self):
        return self.pick("1", "s", "t", "(Word)step", "s + t", "global", "local", "many[step & 3]")

    def clauses(self):
        how = self.pick("", "", "", " grainsize(5)", " grainsize(one)", " num_tasks(3)", " num_tasks(one + 3)",
                        " if (one)", " if (step & 1)", " untied", " priority(1)", " grainsize(n / 3)")
        return how + self.pick("", "", "", " firstprivate(local)", " firstprivate(many)")

    def head(self, extra="", name="taskloop"):
        self.say(f"#pragma omp {name}{self.clauses()}{extra}")
        kind = self.choices.choice(COUNTERS)
        if self.chance(0.2) and kind in ("int", "long", "short"):
            self.open(f"for ({kind} i = ({kind})n - 1; i >= 0; i -= 3)")
        else:
            self.open(f"for ({kind} i = {self.pick(0, 0, 2)}; i < ({kind})n; i += {self.pick(1, 1, 1, 3)})")

    def loop(self):
        to, source, other = self.arrays()
        by = self.value()
        what = self.pick("map", "map", "inner", "nest", "sum", "ordered", "private", "atomic")
        if what == "map":
            self.head(name=self.pick("taskloop", "taskloop", "taskloop simd"))
            self.say(f"{to}[i] = mix({source}[n - 1 - i], {by}) + {other}[i];")
        elif what == "inner":
            self.head()
            self.say(f"for (int j = 0; j < 4; ++j) {to}[i] += {source}[(i + j) % n] * ({by});")
        elif what == "nest":
            self.say(f"#pragma omp taskloop collapse(2){self.clauses()}")
            self.open(f"for ({self.pick('int', 'long')} i = 0; i < n / 8; ++i) for (int j = 0; j < 8; ++j)")
            self.say(f"{to}[i * 8 + j] += {source}[j * (n / 8) + i] ^ ({by});")
        elif what == "sum":
            which = self.pick("s", "t")
            self.head(f" reduction(+ : {which})" + self.pick("", " reduction(^ : global)"))
            self.say(f"{which} += {source}[i] % 5 + {to}[n - 1 - i];")
        elif what == "ordered":
            self.say("#pragma omp taskloop " + self.pick("num_tasks(one)", "grainsize(n)", "if (!one)"))
            self.open("for (int i = 1; i < n; ++i)")
            self.say(f"{to}[i] += {to}[i - 1] * 3 + {by};")
        elif what == "private":
            self.head(self.pick(" private(own)", " lastprivate(own)"))
            self.say(f"own = {source}[i] + 3;")
            self.say(f"{to}[i] += own * own;")
        else:
            self.head()
            self.say("#pragma omp atomic")
            self.say("counts[i & 7] += i;" if self.chance(0.5) else f"{to}[i / 2] += {source}[i];")
        self.close()

    def alone(self):
        which = self.choices.choice(ARRAYS)
        self.say(self.pick(f"{which}[n / 2] += s;", "s = s * 5 + 1;", f"t += {which}[0];",
                           "global += s + t;", f'printf("%lx\\n", {which}[n - 1]);', "many[step & 3] += t;",
                           "local = local * 3 + s;", "s ^= counts[3];"))

    def group(self):
        self.say("#pragma omp taskgroup")
        self.open("")
        to, source, _ = self.arrays()
        self.say("#pragma omp taskloop nogroup")
        self.open("for (int i = 0; i < n; ++i)")
        self.say(f"{to}[i] ^= {source}[i] << 1;")
        self.close()
        self.close()

    def nowait(self):
        """Tasks that are waited for later; what is done meanwhile does not mind."""
        to, source, other = self.arrays()
        self.say(f"#pragma omp taskloop nogroup{self.pick('', ' num_tasks(4)', ' firstprivate(many)')}")
        self.open("for (int i = 0; i < n; ++i)")
        self.say(f"{to}[i] += {source}[i] * many[i & 3];")
        self.close()
        self.say(self.pick("local += 3;", f"{other}[n - 1] += local;", "t = t * 3 + 1;"))
        self.say("#pragma omp taskwait")

    def call(self):
        to, source, _ = self.arrays()
        self.say(self.pick(f"mapped({to}, {source}, n, {self.value()});",
                           f"mapped_twice({to}, {source}, n, {self.value()});",
                           f"s += summed({source}, n, {self.value()});"))

    def own_sum(self):
        """A variable of the one thread that a loop reduces."""
        _, source, _ = self.arrays()
        self.open("")
        self.say(f"Word found = {self.value()};")
        self.head(" reduction(+ : found)")
        self.say(f"found += {source}[i] ^ 3;")
        self.close()
        self.say(f"{self.pick('t', 'local')} += found;")
        self.close()

    def condition(self):
        self.open(f"if ({self.pick('s & 1', 'step % 2 == 0', 't > 100', 'a[1] & 2')})")
        self.items(2)
        self.close()

    def items(self, most):
        self.inside += 1
        for _ in range(self.choices.randrange(1, most + 1)):
            kinds = [self.loop] * 6 + [self.alone] * 3 + [self.group, self.nowait, self.call, self.call, self.own_sum]
            self.choices.choice(kinds + [self.condition] * (self.inside < 3))()
        self.inside -= 1

    def one(self):
        """What one thread does."""
        how = self.pick("single", "single", "master", "masked")
        self.say(f"#pragma omp {how}")
        self.open("")
        is_repeated = self.chance(0.6)
        if is_repeated:
            self.open(f"for (step = 0; step < {self.pick(2, 3)}; ++step)")
        self.items(4)
        if is_repeated:
            self.close()
        self.close()
        if how != "single":
            self.say("#pragma omp barrier")

    def function(self, name):
        self.open(f"static void {name}(Word *a, Word *b, Word *c, const long n)")
        self.say("Word s = 3, t = 5, local = 2, own = 0, counts[8] = {0}, many[4] = {1, 2, 3, 4};")
        self.say("int step = 0;")
        if self.chance(0.2):
            to, source, _ = self.arrays()
            self.say(f"#pragma omp parallel master taskloop{self.clauses().replace('step', 'one')}")
            self.open("for (int i = 0; i < n; ++i)")
            self.say(f"{to}[i] += {source}[i] * s;")
            self.close()
        self.say("#pragma omp parallel" + self.pick("", "", " if (n > 4)", " num_threads(2)"))
        self.open("")
        for _ in range(self.pick(1, 1, 2)):
            self.one()
            if self.chance(0.3):
                to, source, _ = self.arrays()
                self.say("#pragma omp for")
                self.say(f"for (long i = 0; i < n; ++i) {to}[i] += {source}[i];")
        self.close()
        self.say(f'printf("{name} %lx %lx %lx %lx\\n", s, t, local + own, counts[2] + many[1]);')
        self.close()
        return "\n".join(self.lines)


def language(_):
    return "c"


def program(seed, count):
    """The text of a program with `count` functions; the same for the same seed."""
    choices = random.Random(seed)
    names = [f"phase{number}" for number in range(count)]
    functions = [Writer(choices).function(name) for name in names]
    calls = []
    for name in names:
        calls += [f"  {name}(a, b, c, n);", '  print("a", a, 3 * n);']
    size = choices.choice([8, 64, 400, 1000])
    return "\n\n".join([HEAD, *functions]) + "\n" + MAIN % {"size": size, "calls": "\n".join(calls)}
