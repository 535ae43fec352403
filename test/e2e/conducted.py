# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made at random: parallel constructs that hold a loop over time, worksharing loops of their
own and of functions that they call, `single`, `master`, `masked`, `sections` and barriers.

Every construct means the same for any number of threads. What threads would do more often than once,
too late, or with a value that another has, shows as another sum.
"""
import random

from generator import Generator

HEAD = """#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long Word;
typedef struct {
  Word by[4];
  int at;
} Row;

static Word global;

static void print(const char *name, const Word *a, long n) {
  Word sum = 0;
  for (long i = 0; i < n; ++i) {
    sum = sum * 31 + a[i];
  }
  printf("%s %lx\\n", name, sum);
}

static Word mix(Word x, Word by) { return (x ^ x >> 7) * 3 + by; }

static void orphaned(Word *to, const Word *from, long n, Word by) {
#pragma omp for
  for (long i = 0; i < n; ++i) {
    to[i] = mix(from[i], by);
  }
}

static void orphaned_twice(Word *to, Word *through, const Word *from, long n, Word by) {
  orphaned(through, from, n, by + 1);
  if (by % 3 != 1) {
#pragma omp for schedule(dynamic, 16)
    for (long i = 0; i < n; ++i) {
      to[i] += through[n - 1 - i] * by;
    }
  }
}

static void through_scratch(Word *to, const Word *from, long n, Word by) {
  Word scratch[8];
#pragma omp for
  for (long i = 0; i < n / 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      scratch[j] = mix(from[8 * i + j], by);
    }
    for (int j = 0; j < 8; ++j) {
      to[8 * i + j] += scratch[7 - j] * by;
    }
  }
}

static __attribute__((noinline)) void once(Word *a, long n, Word by) {
#pragma omp single
  {
    a[by % (Word)n] += by;
    global += a[0];
  }
}
"""

MAIN = """
int main(void) {
  const long n = %(size)d;
  Word *a = malloc(4 * (size_t)n * sizeof *a), *b = a + n, *c = b + n, *d = c + n;
  for (long i = 0; i < 4 * n; ++i) {
    a[i] = (Word)i * 37 %% 1009;
  }
%(calls)s
  print("all", a, 4 * n);
  printf("%%lx\\n", global);
  free(a);
  return 0;
}
"""

ARRAYS = ["a", "b", "c", "d"]
SCHEDULES = ["", "", " schedule(static)", " schedule(static, 5)", " schedule(dynamic, 7)",
             " schedule(guided)"]


class Writer(Generator):
    """One function: shared arrays a to d and scalars s and t; each thread's own p, q and k."""

    def __init__(self, choices):
        super().__init__(choices)
        self.inside = 0

    def arrays(self):
        names = ARRAYS.copy()
        self.choices.shuffle(names)
        return names

    def value(self):
        return self.pick("1", "s", "t", "own", "(Word)step", "x[0]", "row.by[step % 4]", "own + s")

    def loop(self):
        to, source, other, _ = self.arrays()
        by = self.value().replace("x[0]", f"{source}[0]")
        schedule = self.pick(*SCHEDULES)
        what = self.pick("map", "map", "nest", "sum", "last", "private", "early", "local", "set")
        if what == "map":
            self.say(f"#pragma omp for{schedule}")
            self.open("for (long i = 0; i < n; ++i)")
            at = self.pick("i", "n - 1 - i", "(i + 1) % n")
            self.say(f"{to}[i] = mix({source}[{at}], {by}) + {other}[i];")
        elif what == "nest":
            self.say(f"#pragma omp for collapse(2){schedule}")
            self.open("for (long i = 0; i < n / 8; ++i) for (long j = 0; j < 8; ++j)")
            self.say(f"{to}[i * 8 + j] += {source}[j * (n / 8) + i] * ({by});")
        elif what == "sum":
            which = self.pick("s", "t")
            self.say(f"#pragma omp for reduction(+ : {which}){schedule}")
            self.open("for (long i = 0; i < n; ++i)")
            self.say(f"{which} += {source}[i] % 5 + {to}[n - 1 - i];")
        elif what == "last":
            which = self.pick("s", "t")
            # With dynamic schedules clang's own program differs from run to run.
            self.say(f"#pragma omp for lastprivate({which}) schedule(static)")
            self.open("for (long i = 0; i < n; ++i)")
            self.say(f"{which} = {source}[i] + (Word)i;")
            self.say(f"{to}[i] ^= {which};")
        elif what == "private":
            self.say(f"#pragma omp for private(later){schedule}")
            self.open("for (long i = 0; i < n; ++i)")
            self.say(f"later = {source}[i] + {by.replace('own', 'k')};")
            self.say(f"{to}[i] += later * later;")
        elif what == "early":
            self.say(f"#pragma omp for firstprivate(s){schedule}")
            self.open("for (long i = 0; i < n; ++i)")
            self.say(f"{to}[i] += s * {source}[i] + own;")
        elif what == "set":
            self.say(f"#pragma omp for{schedule}")
            self.open("for (long i = 0; i < n; ++i)")
            self.say(f"later = {source}[i] ^ k;")
            self.say(f"{to}[i] += later;")
        else:
            self.say(f"#pragma omp for{schedule}")
            self.open("for (long i = 0; i < n; ++i)")
            self.say("Word some[6];")
            self.open("for (int j = 0; j < 6; ++j)")
            self.say(f"some[j] = {source}[(i + j) % n] + (Word)j;")
            self.close()
            self.say(f"{to}[i] = some[i % 6] + some[{to}[i] % 6] + {by};")
        self.close()

    def nowait(self):
        """Loops of which no thread minds that others are behind."""
        to, source, other, last = self.arrays()
        self.say("#pragma omp for nowait schedule(static)")
        self.open("for (long i = 0; i < n; ++i)")
        self.say(f"{to}[i] = {source}[i] * 3 + k;")
        self.close()
        self.say("#pragma omp for schedule(static)")
        self.open("for (long i = 0; i < n; ++i)")
        self.say(f"{other}[i] += {to}[i] + {source}[n - 1 - i] + {last}[i];")
        self.close()

    def single(self):
        which = self.choices.choice(ARRAYS)
        words = [f"{which}[{self.pick('0', 'n - 1', 'step')}] += {self.pick('1', 's', 'k')};",
                 "s = s * 5 + 1;", f't += {which}[n / 2]; printf("%lx\\n", t);',
                 "global += s + (Word)step;", f"memset({which}, step & 1, 24);"]
        self.choices.shuffle(words)
        how = self.pick("single", "single", "single copyprivate", "master", "masked")
        if how == "single copyprivate":
            self.say("#pragma omp single copyprivate(own)")
            self.say(f"own = own * 3 + s;")
            return
        if how != "single":
            self.say("#pragma omp barrier")
        self.say(f"#pragma omp {how}")
        self.open("")
        for word in words[:self.choices.randrange(1, 3)]:
            self.say(word)
        self.close()
        if how != "single":
            self.say("#pragma omp barrier")

    def sections(self):
        to, source, other, _ = self.arrays()
        self.say("#pragma omp sections")
        self.open("")
        for which, value in ((to, "1"), (other, "2")):
            self.say("#pragma omp section")
            self.say(f"for (long i = 0; i < n; ++i) {which}[i] += {value} + {source}[i];")
        self.close()

    def own(self):
        """What every thread computes for itself."""
        self.say("#pragma omp barrier")
        source = self.choices.choice(ARRAYS)
        self.say(self.pick(f"own += {source}[n / 3];", "k = k * 7 + own;", "own ^= s + t;",
                           f"for (int j = 0; j < 4; ++j) row.by[j] = {source}[j] + k;",
                           f"if ({source}[0] & 1) own += 5; else k += 3;",
                           "row.at = (row.at + 1) & 3;", "own += row.by[row.at];"))
        self.say("#pragma omp barrier")

    def call(self):
        to, source, other, _ = self.arrays()
        what = self.pick("one", "two", "scratch", "once")
        if what == "one":
            self.say(f"orphaned({to}, {source}, n, {self.pick('k', 'own', '7')});")
        elif what == "two":
            self.say(f"orphaned_twice({to}, {other}, {source}, n, {self.pick('k', '(Word)step')});")
        elif what == "scratch":
            self.say(f"through_scratch({to}, {source}, n, {self.pick('k', 'own', '5')});")
        else:
            self.say(f"once({to}, n, {self.pick('k', 'own', '3')});")

    def swap(self):
        """Each thread swaps its own pointers, or one thread all threads'."""
        if self.chance(0.5):
            self.say("Word *kept = p; p = q; q = kept;")
            self.say("#pragma omp for")
            self.open("for (long i = 0; i < n; ++i)")
            self.say("p[i] = q[n - 1 - i] + q[i] * 3;")
        else:
            self.say("#pragma omp single")
            self.say("{ Word *kept = x; x = y; y = kept; }")
            self.say("#pragma omp for")
            self.open("for (long i = 0; i < n; ++i)")
            self.say("x[i] = y[i] + y[n - 1 - i];")
        self.close()

    def condition(self):
        self.say("#pragma omp barrier")
        test = self.pick("s & 1", "step % 2 == 0", "own > t", f"{self.choices.choice(ARRAYS)}[1] & 2")
        self.say(f"const int yes = ({test}) != 0;")
        self.say("#pragma omp barrier")
        self.open("if (yes)")
        self.items(2)
        self.close()

    def items(self, most):
        self.inside += 1
        for _ in range(self.choices.randrange(1, most + 1)):
            kinds = [self.loop] * 6 + [self.single] * 3 + [self.own] * 2 + [
                self.call, self.call, self.nowait, self.sections, self.swap]
            self.open("")
            self.choices.choice(kinds + [self.condition] * (self.inside < 3))()
            self.close()
        self.inside -= 1

    def function(self, name):
        self.open(f"static void {name}(Word *a, Word *b, Word *c, Word *d, long n)")
        self.say("Word s = 3, t = 5, own = 2, k = 1, later;")
        self.say("Row row = {{1, 2, 3, 4}, 0};")
        self.say("Word *x = a, *y = b, *p = c, *q = d;")
        self.say("int step = 0;")
        self.say("#pragma omp parallel firstprivate(own, k, p, q, row) private(step, later)"
                 + self.pick("", "", " if (n > 4)"))
        self.open("")
        repeated = self.chance(0.8)
        self.say("step = 1;")
        if self.chance(0.3):
            self.items(2)
        if repeated:
            self.open(f"for (step = 0; step < {self.pick(1, 3, 5)}; ++step)")
        self.items(5)
        if repeated:
            self.close()
        if self.chance(0.3):
            self.items(2)
        self.close()
        self.say(f'printf("{name} %lx %lx %d\\n", s, t, x == a);')
        self.say("(void)later, (void)row, (void)y, (void)p, (void)q;")
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
        calls += [f"  {name}(a, b, c, d, n);", '  print("a", a, 4 * n);']
    size = choices.choice([8, 64, 400, 1000])
    return "\n\n".join([HEAD, *functions]) + "\n" + MAIN % {"size": size, "calls": "\n".join(calls)}
