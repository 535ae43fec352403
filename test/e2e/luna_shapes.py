# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LuNA programs of many shapes: `luna_shapes/NAME.fa`, whose first line may say with which arguments it runs,
must print the lines of `NAME.txt` in any order. A plain program has computed these; for ropes with a loaded end
it is what one rank prints, which has no borders. And borders must follow the load."""
import json
import re
import shlex

from harness import ROOT
from luna import build, require, run

FOLDER = ROOT / "test/e2e/luna_shapes"
DEVICES = {"TUTTI_DEVICE": "opencl", "POCL_DEVICES": "pthread"}
ROPES = ("", "cpu=0.3,drag=0.3", "drag=1")

# Beads of which one in six takes much longer, where `peak` is 1.
LOADED = r"""C++ head ${<END}
static volatile long sum;
END
C++ sub seed(int i, name r) ${{ r = i; $}}
C++ sub step(int i, int peak, int a, int b, name r) ${{
  for (long k = peak && i < 8 ? 900000 : 30000; k > 0; --k) sum = sum + k;
  r = (a + b) % 97;
$}}
C++ sub show(int i, int v) ${{ printf("%d %d\n", i, v); fflush(stdout); $}}
sub main(int steps, int beads, int peak)
{
  df x;
  for i = 0..beads - 1 {
    seed(i, x[0][i]);
    show(i, x[steps][i]);
  }
  for t = 0..steps - 1 {
    seed(1, x[t][-1]);
    for i = 0..beads - 1
      step(i, peak, x[t][i], x[t][i - 1], x[t + 1][i]);
  }
} @ {
  rope_length: beads;
  locator_rope x[t][i] => i;
}
"""
STEPS, BEADS = 48, 48


def compiled(workshop, path):
    def make():
        program = workshop.folder / f"luna-shape-{path.stem}"
        result = build(workshop, program, path, level="-O1")
        require(result.status == 0, result.errors)
        proved = re.findall(r".*\[E-\w+\]", result.errors)
        require(not proved, f"warns of a right program: {proved}")
        return program
    return workshop.cached(f"luna-shape-{path.stem}", make)


def prints_what_a_plain_program_does(workshop, path, ranks, environment):
    first = path.read_text().splitlines()[0]
    arguments = shlex.split(first[len("// run:"):]) if first.startswith("// run:") else []
    result = run(workshop, compiled(workshop, path), arguments, ranks, environment)
    require(result.status == 0, f"exit status {result.status}\n{result.errors}")
    wanted = path.with_suffix(".txt").read_text().splitlines()
    require(sorted(result.output.splitlines()) == sorted(wanted), f"printed\n{result.output}")


def beads_in_order():
    beads = list(range(BEADS))
    for _ in range(STEPS):
        beads = [(bead + (beads[i - 1] if i > 0 else 1)) % 97 for i, bead in enumerate(beads)]
    return sorted(f"{i} {bead}" for i, bead in enumerate(beads))


def borders_follow_the_load(workshop, ranks, balance):
    """Calls of the loaded beads are not left to the rank that had them first."""
    program = compiled(workshop, workshop.written("loaded.fa", LOADED))
    result = run(workshop, program, [str(STEPS), str(BEADS), "1"], ranks,
                 {"TUTTI_WORKERS": "1", "TUTTI_STATS": "json", "TUTTI_BALANCE": balance})
    require(result.status == 0, f"exit status {result.status}\n{result.errors}")
    require(sorted(result.output.splitlines()) == beads_in_order(), f"printed\n{result.output}")
    moved = json.loads(re.search(r"^tutti-stats: (.*)$", result.errors, re.M)[1])["recuts"]
    require(moved > 0 if balance == "auto" else moved == 0, f"borders have moved {moved} times")


def all_checks():
    """Pairs (name, function of the workshop)."""
    for number, path in enumerate(sorted(FOLDER.glob("*.fa"))):
        for turn, ranks in enumerate((1 + number % 4, 1 + (number + 2) % 4)):
            environment = {"TUTTI_WORKERS": "4" if (number // 4 + turn) % 2 else "1"}
            if (number + turn) % 3 == 0:
                environment.update(DEVICES, TUTTI_ROPE=ROPES[number % len(ROPES)])
            yield (f"luna_shape/{path.stem}/{ranks}", lambda w, p=path, r=ranks, e=environment:
                   prints_what_a_plain_program_does(w, p, r, e))
    for ranks, balance in ((2, "auto"), (3, "off"), (4, "auto")):
        yield (f"luna_borders_follow_the_load/{ranks}/{balance}",
               lambda w, r=ranks, b=balance: borders_follow_the_load(w, r, b))
