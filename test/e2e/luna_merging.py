# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of LuNA programs that become fewer on devices (`merge` at an import): the same bits, and as few calls as
the program allows; what must not be merged is not; -fcheck finds annotations that are wrong."""
import re

from luna import FOLDER, build, compiled, require, run
from luna_devices import ONE, TWO, counted

PARTS, SIZE, STEPS = 12, 16, 20
MERGE = "@ { merge count; bulk u, v; left left, lo; right right, hi; }"
CORES = {"TUTTI_DEVICE": "cpu"}

# A sum that goes from fragment to fragment: a call waits for the one before it, of the same step.
CARRY = r"""import c_carry(int n, value x, value before, name y, name sum) as carry @ { merge n; bulk x, y; left before; right sum; };
import c_fill(int n, int first, name x) as fill;
import c_zero(name s) as zero;
import c_show(value s) as show;
sub main()
{
  df x, s;
  for i = 0..7
    fill(100, i * 100, x[0][i]);
  for t = 0..4 {
    zero(s[t][-1]);
    for i = 0..7
      carry(100, x[t][i], s[t][i - 1], x[t + 1][i], s[t][i]);
    show(s[t][7]);
  }
}
"""
# What call i makes depends on how many cells there are.
WRONG = r"""import c_share(int n, value x, name y) as share @ { merge n; bulk x, y; };
import c_fill(int n, int first, name x) as fill;
import c_sum(value x, name s) as sum;
import c_show(value s) as show;
sub main()
{
  df x, s;
  for i = 0..3
    fill(10000, i, x[0][i]);
  for t = 0..2
    for i = 0..3
      share(10000, x[t][i], x[t + 1][i]);
  sum(x[3][2], s);
  show(s);
}
"""
CODE = r"""#include "ucenv.h"
extern "C" {
void c_fill(int n, int first, OutputDF &x) {
  int *d = x.create<int>(n);
  for (int i = 0; i < n; i++) d[i] = first + i;
}
void c_zero(OutputDF &s) { *s.create<int>(1) = 0; }
void c_carry(int n, const InputDF &x, const InputDF &before, OutputDF &y, OutputDF &sum) {
  const int *a = x.getData<int>(), *b = before.getData<int>();
  int *d = y.create<int>(n), *s = sum.create<int>(1);
  for (int i = 0; i < n; i++) d[i] = a[i] + b[0];
  s[0] = d[n - 1];
}
void c_share(int n, const InputDF &x, OutputDF &y) {
  const int *a = x.getData<int>();
  int *d = y.create<int>(n);
  for (int i = 0; i < n; i++) d[i] = a[i] + n;
}
void c_sum(const InputDF &x, OutputDF &s) {
  int all = 0;
  for (size_t i = 0; i < x.getSize() / sizeof(int); i++) all += x.getData<int>()[i];
  *s.create<int>(1) = all;
}
void c_show(const InputDF &s) { printf("%d\n", s.getData<int>()[0]); }
}
"""


def heat(workshop, stem, *changes):
    """04 in more fragments on a rope, whose steps may be merged."""
    text = (FOLDER / "04_heat1d.fa").read_text()
    # The same 64 * 3 cells whatever is merged, so the digest is that of the program without the annotation.
    for old, new in (("#define PARTS 4", f"#define PARTS {PARTS}"), ("#define STEPS 20", f"#define STEPS {STEPS}"),
                     ("as heat_step;", f"as heat_step {MERGE};"), ("locator_cyclic: i;", "locator_rope: i;"),
                     ("locator_cyclic u[t][i] => i;", "rope_length: $PARTS; locator_rope u[t][i] => i;"),
                     ("locator_cyclic lo[t][i]", "locator_rope lo[t][i]"),
                     ("locator_cyclic hi[t][i]", "locator_rope hi[t][i]"), *changes):
        require(old in text, f"{old} is not in the program")
        text = text.replace(old, new)
    result, program = compiled(workshop, workshop.written(f"{stem}.fa", text))
    require(result.status == 0 and result.errors == "", result.errors)
    return program


def digest(workshop):
    """Of the program as it is on cores, where nothing is merged."""
    def make():
        result = run(workshop, heat(workshop, "heat_apart", (f" {MERGE}", "")), [], 1, CORES)
        require(result.status == 0, result.errors)
        return result.output
    return workshop.cached("heat_apart digest", make)


def shows(workshop, program, ranks, environment):
    """Prints the digest; the number of calls on devices, with those that others have made for them: which of two
    walls is the first to be known, if they run side by side, is not always the same."""
    result = run(workshop, program, [], ranks, {"TUTTI_WORKERS": "2", "TUTTI_ROPE": "", **environment, "TUTTI_STATS": "json"})
    require(result.status == 0, f"exit status {result.status}\n{result.errors}")
    require(result.output == digest(workshop), f"printed\n{result.output}")
    devices = counted(result.errors)["fragments"]["devices"]
    return devices["calls"] + devices["repeats"]


def apart(workshop, ranks, environment):
    """Calls on devices of the program without the annotation."""
    return shows(workshop, heat(workshop, "heat_apart", (f" {MERGE}", "")), ranks, environment)


def merges(workshop, ranks, devices, rope, fewer):
    """`fewer` calls a step than there are without the annotation, over all ranks; the first step's show that devices
    take them."""
    environment = {**devices, "TUTTI_ROPE": rope}
    calls = shows(workshop, heat(workshop, "heat_merged"), ranks, environment)
    before = apart(workshop, ranks, environment)
    require(before - calls == (STEPS - 1) * fewer, f"{calls} calls on devices, {before} apart")


def keeps_apart(workshop, name, *changes):
    """What is read elsewhere is not left out."""
    program = heat(workshop, f"heat_{name}", *changes)
    require(shows(workshop, program, 1, ONE) >= STEPS * PARTS, "calls were merged")


def says_what_is_missing(workshop, ranks):
    """Calls that wait for one another are not what a program is told that can never end."""
    program = heat(workshop, "heat_missing", ("wall(hi[t][-1]);", "if t != 5 wall(hi[t][-1]);"))
    result = run(workshop, program, [], ranks, {**ONE, "TUTTI_ROPE": ""})
    require(result.status == 1 and "waits for 'hi[5][-1]', which no fragment produced" in result.errors
            and result.errors.count("no fragment produced") == 1, f"exit status {result.status}\n{result.errors}")


def built(workshop, name, text, code, *options):
    """A program of two files."""
    def make():
        program = workshop.folder / f"luna-{name}"
        result = build(workshop, program, *options, text, code)
        require(result.status == 0 and result.errors == "", result.errors)
        return program
    return workshop.cached(f"luna-merging-{name}", make)


def built_with_code(workshop, name, text, *options):
    return built(workshop, name, workshop.written(f"{name}.fa", text), workshop.written("merged_code.cpp", CODE), *options)


def check_finds_nothing(workshop, ranks):
    heat(workshop, "heat_merged")
    program = built(workshop, "heat_checked", workshop.folder / "heat_merged.fa", FOLDER / "ucodes.cpp", "-fcheck")
    for environment in (CORES, ONE):
        shows(workshop, program, ranks, environment)


def calls_that_wait_for_one_another_run(workshop, ranks):
    program = built_with_code(workshop, "carry", CARRY)
    shown = []
    for environment in (CORES, {**ONE, "TUTTI_ROPE": ""}):
        result = run(workshop, program, [], ranks, {**environment, "TUTTI_WORKERS": "2"})
        require(result.status == 0, f"exit status {result.status}\n{result.errors}")
        shown.append(sorted(result.output.splitlines()))
    require(shown[0] == shown[1] and len(shown[0]) == 5, f"printed {shown}")


def check_finds_what_differs(workshop, ranks):
    program = built_with_code(workshop, "wrong_merge", WRONG, "-fcheck")
    result = run(workshop, program, [], ranks, CORES)
    require(result.status == 1, f"exit status {result.status}\n{result.errors}")
    require(re.search(r":12: run-time error: merged and separate results of 'share' differ.*\[E-MERGE\]", result.errors),
            result.errors)


def all_checks():
    """Pairs (name, function of the workshop)."""
    # Ranks, devices, division, and calls that are saved a step.
    for number, (ranks, devices, rope, fewer) in enumerate((
            (1, ONE, "", PARTS - 1), (3, ONE, "", PARTS - 3), (1, TWO, "", PARTS - 2),
            (1, ONE, "drag=1,portions=3", PARTS - 3), (1, ONE, "cpu=0.25,drag=0.5,portions=3", (6 - 3) + (3 - 1)),
            (2, ONE, "cpu=0.5", PARTS // 2 - 2), (1, ONE, "cpu=1", 0))):
        yield (f"merging/{number}/{ranks}",
               lambda w, a=(ranks, devices, rope, fewer): merges(w, *a))
    yield ("merging/borders_that_others_read", lambda w: keeps_apart(
        w, "others_read", ("digest_start(h[0]);", "digest_start(h[0]); digest_add(h[0], hi[3][5], h[-1]);"),
        ("--> (u[t][i], hi[t][i - 1], lo[t][i + 1])", "")))
    yield ("merging/places_that_move", lambda w: keeps_apart(
        w, "places_move", ("locator_rope: i;", "locator_rope: (i + t) % $PARTS;")))
    yield ("merging/borders_of_another_step", lambda w: keeps_apart(
        w, "other_step", ("$SIZE, u[t][i], hi[t]", "$SIZE, u[t][i], hi[t + 0]")))
    for ranks in (1, 3):
        yield f"merging/check_finds_nothing/{ranks}", lambda w, r=ranks: check_finds_nothing(w, r)
        yield f"merging/says_what_is_missing/{ranks}", lambda w, r=ranks: says_what_is_missing(w, r)
    for ranks in (1, 2):
        yield (f"merging/calls_that_wait_for_one_another_run/{ranks}",
               lambda w, r=ranks: calls_that_wait_for_one_another_run(w, r))
    yield "merging/check_finds_what_differs/1", lambda w: check_finds_what_differs(w, 1)
