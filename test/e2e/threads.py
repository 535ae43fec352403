# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs made at random: parallel constructs whose threads divide their work by their numbers, with
barriers, worksharing loops, `single`, `master` and updates in turns between. Some keep what is a
thread's in a thread-private array.

What a construct finds depends on how many threads it has, which it asks for.
"""
import random
import re

from generator import Generator

HEAD = """#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long Word;

static Word global;

static void print(const char *name, const Word *a, long n) {
  Word sum = 0;
  for (long i = 0; i < n; ++i) {
    sum = sum * 31 + a[i];
  }
  printf("%s %lx\\n", name, sum);
}

static Word mix(Word x, Word by) { return (x ^ x >> 7) * 3 + by; }

static int order(const void *a, const void *b) {
  const Word x = *(const Word *)a, y = *(const Word *)b;
  return x < y ? -1 : x > y;
}

static int who(void) { return omp_get_thread_num(); }

static void add(Word *to, const Word *from, long n) {
  for (long i = who(); i < n; i += omp_get_num_threads()) {
    to[i] += from[i];
  }
}

static void shared(Word *to, const Word *from, long n, Word by) {
#pragma omp for schedule(static)
  for (long i = 0; i < n; ++i) {
    to[i] = mix(from[i], by);
  }
}
"""

THREAD_PRIVATE = """static Word mine[4];
#pragma omp threadprivate(mine)
"""

MAIN = """
int main(void) {
  const long n = %(size)d;
  Word *a = malloc(4 * (size_t)n * sizeof *a), *b = a + n, *c = b + n, *d = c + n;
  Word *f = calloc(8 * 8, sizeof *f);
  omp_set_num_threads(4);
  for (long i = 0; i < 4 * n; ++i) {
    a[i] = (Word)i * 37 %% 1009;
  }
%(calls)s
  print("all", a, 4 * n);
  print("found", f, 64);
  printf("%%lx\\n", global);
  free(a);
  free(f);
  return 0;
}
"""

ARRAYS = ["a", "b", "c", "d"]


class Writer(Generator):
    """One function: shared arrays a to d, eight elements of f for each thread, scalars s and t; each
    thread's own id, first, end, own, k, some and heap. Threads meet before and behind each item."""

    def __init__(self, choices):
        super().__init__(choices)
        self.inside = 0

    def arrays(self):
        names = ARRAYS.copy()
        self.choices.shuffle(names)
        return names

    def value(self):
        return self.pick("1", "own", "k", "(Word)id", "(Word)step", "some[step & 3]", "s", "t",
                         "f[id * 8]", "f[(id + 1) % threads * 8 + 1]", "own * 3 + k")

    def over(self):
        """The iterations of one thread."""
        return self.pick("for (long i = first; i < end; ++i)",
                         "for (long i = id; i < n; i += threads)",
                         "for (long i = n - 1 - id; i >= 0; i -= threads)",
                         "for (int i = (int)(id * n / threads); i < (id + 1) * n / threads; i++)",
                         "for (long i = id == threads - 1 ? 0 : n; i < n; ++i)")

    def part(self):
        to, source, other, _ = self.arrays()
        self.open(self.over())
        self.say(self.pick(f"{to}[i] = mix({source}[n - 1 - i], {self.value()}) + {other}[i];",
                           f"{to}[i] += {source}[i] * ({self.value()});",
                           f"if ({source}[i] & 1) {to}[i] ^= {other}[(i + 3) % n];"))
        self.close()

    def collect(self):
        source = self.choices.choice(ARRAYS)
        self.open(self.over())
        self.say(self.pick(f"own += {source}[i];", f"own = mix(own, {source}[i]);",
                           f"some[i & 3] += {source}[i];", f"k ^= {source}[i] + own;",
                           f"f[id * 8 + 2] += {source}[i];",
                           f"f[id * 8 + {source}[i] % 8]++;",
                           f"heap[{source}[i] % 8] += k;"))
        self.close()

    def loop(self):
        to, source, other, _ = self.arrays()
        schedule = self.pick("", " schedule(static)", " schedule(static, 5)", " schedule(static, 1)",
                             " schedule(static) nowait")
        what = self.pick("alike", "alike", "own", "element", "sum", "last", "collect")
        if what == "sum":
            self.say("#pragma omp for reduction(+ : s)" + schedule)
            self.open("for (long i = 0; i < n; ++i)")
            self.say(f"s += {source}[i] % 5" + self.pick("", " + own", " * (Word)id") + ";")
        elif what == "last":
            self.say("#pragma omp for lastprivate(t) schedule(static)")
            self.open("for (long i = 0; i < n; ++i)")
            self.say(f"t = {source}[i] + (Word)i" + self.pick("", " + own") + ";")
        else:
            self.say("#pragma omp for" + schedule)
            self.open("for (long i = 0; i < n; ++i)")
            self.say({"alike": f"{to}[i] = mix({source}[i], s) + {other}[n - 1 - i];",
                      "own": f"{to}[i] += {source}[i] * (own + (Word)id);",
                      "element": f"f[id * 8 + {source}[i] % 8] += {other}[i];",
                      "collect": f"own += {source}[i] ^ k;"}[what])
        self.close()

    def dynamic(self):
        to, source, _, _ = self.arrays()
        self.say("#pragma omp for schedule" + self.pick("(dynamic, 7)", "(guided)", "(dynamic)"))
        if self.chance(0.5):
            self.say(f"for (long i = 0; i < n; ++i) {to}[i] += mix({source}[i], t);")
            return
        self.open("for (long i = 0; i < n; ++i)")  # Who gets which is left open, and does not show.
        self.say(f"f[id * 8 + 5] = {source}[i];")
        self.say(f"{to}[i] += f[id * 8 + 5] * 3;")
        self.close()
        self.say("f[id * 8 + 5] = 1;")

    def others(self):
        """What other threads have found."""
        self.say(self.pick("own += f[(id + 1) % threads * 8];",
                           "for (int j = 0; j < id; ++j) own += f[j * 8 + 2];",
                           "for (int j = 0; j < threads; ++j) k += f[j * 8 + 1] * (Word)j;",
                           "some[1] = f[(threads - 1 - id) * 8 + 3];"))

    def leave(self):
        self.say(self.pick("f[id * 8] = own;", "f[id * 8 + 1] += k;", "f[8 * id + 3] = some[id & 3];",
                           "for (int j = 0; j < 4; ++j) f[id * 8 + 4 + j] = some[j] + own;"))

    def alone(self):
        self.say(self.pick("own = own * 5 + k;", "k += some[(id + 1) & 3];", "some[step & 3] ^= own;",
                           "if (id & 1) own += 7; else k += 3;", "if (id == 2) some[0] = own;",
                           "for (int j = 0; j < id; ++j) some[j & 3] += k;",
                           "Word *kept = p; p = q; q = kept;", "first = (first + end) / 2;",
                           "add(p, q, n);"))

    def library(self):
        """What loops over ranks cannot call."""
        self.say(self.pick("qsort(f + id * 8, 8, sizeof *f, order);",
                           "qsort(heap, 8, sizeof *heap, order);",
                           'sprintf((char *)(f + id * 8 + 6), "%lu", own % 1000);',
                           "memmove(f + id * 8, heap, 8 * sizeof *f);",
                           "own += heap[id & 7] * heap[step & 3];",
                           "strncpy((char *)(f + id * 8 + 2), own & 1 ? \"odd\" : \"even\", 8);"))

    def alike(self):
        """What all threads find alike, though one of them might have changed it just before."""
        which = self.choices.choice(ARRAYS)
        self.say(f"if ({which}[n - 1] == 1234567890123 && id == 1) {which}[0] = 1;")
        self.say(f"const Word seen = {which}[0] + 1;")
        self.say("#pragma omp barrier")
        self.open("if (seen & 1)")
        self.items(1)
        self.close()

    def one(self):
        how = self.pick("#pragma omp single", "#pragma omp master", "if (id == 0)", "#pragma omp masked")
        words = ['printf("%lx %d\\n", s, threads);', "s = s * 5 + 1;", "t += f[8] + f[2];",
                 "global += s + (Word)step;", f"{self.choices.choice(ARRAYS)}[step] += t;"]
        self.choices.shuffle(words)
        if how.startswith("#"):
            self.say(how)
            how = ""
        self.open(how)
        for word in words[:self.choices.randrange(1, 3)]:
            self.say(word)
        self.close()

    def turn(self):
        # What is updated so must not be looked at in the same construct.
        if self.chance(0.5):
            self.say("#pragma omp atomic")
            self.say(self.pick("told += own;", "told += 1;", "told ^= k;"))
        else:
            self.say("#pragma omp critical")
            self.say(self.pick("if (own > most) most = own;", "{ most += own; }"))

    def call(self):
        to, source, _, _ = self.arrays()
        self.say(self.pick(f"add({to}, {source}, n);", f"shared({to}, {source}, n, s);",
                           f"shared({to}, {source}, n, own);"))

    def condition(self):
        test = self.pick("s & 1", "step % 2 == 0", f"{self.choices.choice(ARRAYS)}[1] & 2")
        self.say(f"const int yes = ({test}) != 0;")
        self.say("#pragma omp barrier")
        self.open("if (yes)")
        self.items(2)
        self.close()

    def items(self, most):
        self.inside += 1
        for _ in range(self.choices.randrange(1, most + 1)):
            kinds = [self.part] * 4 + [self.collect] * 3 + [self.loop] * 3 + [self.others] * 2 + [
                self.leave] * 2 + [self.alone] * 2 + [self.one, self.call, self.dynamic, self.library]
            self.open("")
            self.choices.choice(kinds + [self.condition, self.alike] * (self.inside < 3))()
            self.close()
            self.say("#pragma omp barrier")
        self.inside -= 1

    def function(self, name):
        self.open(f"static void {name}(Word *a, Word *b, Word *c, Word *d, Word *f, long n)")
        self.say("Word s = 3, t = 5, own = 2, k = 1, told = 0, most = 0, sum = 0;")
        self.say("Word *p = a, *q = b;")
        self.say("int step = 0;")
        self.say("#pragma omp parallel firstprivate(own, k, p, q) private(step)"
                 + self.pick("", "", " if (n > 4)") + self.pick("", " num_threads(3)")
                 + self.pick("", " reduction(+ : sum)"))
        self.open("")
        self.say("const int id = " + self.pick("omp_get_thread_num()", "who()") + ";")
        self.say("const int threads = omp_get_num_threads();")
        self.say(self.pick("long first = id * n / threads, end = (id + 1) * n / threads;",
                           "long share = n / threads, first = id * share;\n"
                           "  long end = id == threads - 1 ? n : first + share;",
                           "long share = (n + threads - 1) / threads, first = id * share;\n"
                           "  long end = first + share < n ? first + share : n;"))
        self.say("Word some[4] = {1, 2, 3, 4};")
        has_heap = self.chance(0.4)
        self.say("Word *heap = malloc(8 * sizeof *heap);" if has_heap else "Word heap[8];")
        self.say("for (int j = 0; j < 8; ++j) heap[j] = (Word)(j * j + 1);")
        self.say("step = 1;")
        if self.chance(0.3):
            self.items(2)
        repeated = self.chance(0.5)
        if repeated:
            self.open(f"for (step = 0; step < {self.pick(1, 3, 5)}; ++step)")
        self.items(4)
        if repeated:
            self.close()
        if self.chance(0.3):
            self.items(2)
        if "reduction" in " ".join(self.lines[:8]):
            self.say(self.pick("sum += own;", "sum = k + (Word)id;"))
        if self.chance(0.4):
            self.turn()
        if has_heap:
            self.say("free(heap);")
        self.say("(void)end, (void)first, (void)some, (void)heap, (void)p, (void)q;")
        self.close()
        self.say(f'printf("{name} %lx %lx %lx %lx %lx\\n", s, t, told, most, sum);')
        self.close()
        return "\n".join(self.lines)


def with_thread_private(function):
    """The same with a thread-private array in place of the private one."""
    function = function.replace("Word some[4] = {1, 2, 3, 4};",
                                "for (int j = 0; j < 4; ++j) mine[j] = (Word)j + 1;")
    return re.sub(r"\bsome\b", "mine", function)


def language(_):
    return "c"


def program(seed, count):
    """The text of a program with `count` functions; the same for the same seed."""
    choices = random.Random(seed)
    names = [f"phase{number}" for number in range(count)]
    functions = [Writer(choices).function(name) for name in names]
    functions[1::3] = map(with_thread_private, functions[1::3])
    calls = []
    for name in names:
        calls += [f"  {name}(a, b, c, d, f, n);", '  print("a", a, 4 * n);', '  print("f", f, 64);']
    size = choices.choice([8, 64, 400, 1000])
    return "\n\n".join([HEAD, THREAD_PRIVATE, *functions]) + "\n" + MAIN % {"size": size, "calls": "\n".join(calls)}
