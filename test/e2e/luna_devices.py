# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LuNA programs on OpenCL's devices: the same bits as on cores for every division of the rope, and only what
has to move moves."""
import itertools
import json
import re

from luna import FOLDER, build, compiled, require, run

ONE = {"TUTTI_DEVICE": "opencl", "POCL_DEVICES": "pthread"}
TWO = {"TUTTI_DEVICE": "opencl", "POCL_DEVICES": "pthread pthread"}
EXAMPLES = ("03_sum_fragments", "04_heat1d", "05_reduction_tree", "06_while_converge", "07_gpu_heat")
PARTS = ("cpu=1", "drag=1,portions=3", "cpu=0.25,drag=0.5,portions=3,pieces=2", "cpu=0.5", "cpu=0.25,drag=0.25,follow=1")
STEPS = (10, 30)
DRAGGED_CELLS = 24000
LARGE_CELLS = 3 << 17  # Three times the device's memory, of one level in time.
LITTLE_MEMORY = "1M"
LARGE_PARTS = ("", "drag=1,portions=16", "cpu=0.25,drag=0.5,portions=16", "cpu=0.5")

# Procedures of many forms: on cores, and from versions for devices.
FORMS = r"""import fill(int first, int n, name x) as fill;
import mix(int n, real a, value x, value y, name z, name ends) as mix;
import product(int n, value x, value y, name z) as product;
import turn(int n, value x, name y) as turn;
import narrow(int n, value x, name y, name count) as narrow;
import chain(value x, name y) as chain;
import edges(int n, value x, value w, name y) as edges;
import slab(int n, int step, value x, name y, name first, name second, name last, name mark) as slab;
import ends(value x, value y, name z) as ends;
import again(value x, name y) as again;
import show(value x, value y) as show;
sub main()
{
  df x, y, z, e, p, q, r, c, h, g, s, a;
  fill(1, 64, x);
  fill(-7, 64, y);
  mix(64, 0.5, x, y, z, e);
  product(8, x, z, p);
  turn(8, p, q);
  narrow(64, q, r, c);
  chain(r, h);
  show(h, c);
  let d = e { chain(d, h[1]); show(h[1], c); }
  edges(64, z, e, g);
  chain(g, h[2]);
  show(h[2], c);
  for k = 0..3 {
    slab(k < 3 ? 20 * k : 15, k < 3 ? 1 : 2, z, s[5 * k], s[5 * k + 1], s[5 * k + 2], s[5 * k + 3], s[5 * k + 4]);
    for i = 5 * k..5 * k + 4 { chain(s[i], h[3 + i]); show(h[3 + i], c); }
  }
  ends(r, c, a[0]);
  again(a[0], a[1]);
  for i = 0..1 { chain(a[i], h[i - 2]); show(h[i - 2], c); }
}
"""
FORMS_CODE = r"""#include "ucenv.h"
#include <algorithm>
extern "C" {
void fill(int first, int n, OutputDF &x) {
  double *d = x.create<double>(n, 2.0);
  for (int i = n - 1; i >= 0; i--) d[i] += first + 3 * i;
}
void mix(int n, double a, const InputDF &x, const InputDF &y, OutputDF &z, OutputDF &ends) {
  const double *p = x.getData<double>(), *q = y.getData<double>();
  double *d = z.create<double>(n), *e = ends.create<double>(3);
  for (int i = 0; i < n; i += 2) {
    d[i] = a * p[i] + q[n - 1 - i];
    d[i + 1] = i % 4 == 0 ? p[i] : q[0] - p[0];
  }
  e[0] = d[0] + d[n - 1];
  e[2] = e[0] * a;
  e[1] = d[1];
}
void product(int n, const InputDF &x, const InputDF &y, OutputDF &z) {
  const double *a = x.getData<double>(), *b = y.getData<double>();
  double *c = z.create<double>(n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
void turn(int n, const InputDF &x, OutputDF &y) {
  double *d = y.create<double>(n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) d[i * n + j] = x.getData<double>()[j * n + i];
}
void narrow(int n, const InputDF &x, OutputDF &y, OutputDF &count) {
  int *d = y.create<int>(n);
  for (int i = 0; i < n; i++) d[i] = (int)x.getData<double>()[i] & 255;
  count.setValue(n);
}
void edges(int n, const InputDF &x, const InputDF &w, OutputDF &y) {
  const double *a = x.getData<double>(), *b = w.getData<double>();
  double *d = y.create<double>(n);
  d[0] = a[0] + 0.25 * (b[0] - 2 * a[0] + a[1]);
  for (int i = 1; i < n - 1; i++) d[i] = a[i] + 0.25 * (a[i - 1] - 2 * a[i] + a[i + 1]);
  d[n - 1] = a[n - 1] + 0.25 * (a[n - 2] - 2 * a[n - 1] + fabs(b[1]));
}
// Some of what is stored behind the loop no iteration may have made.
void slab(int n, int step, const InputDF &x, OutputDF &y, OutputDF &first, OutputDF &second, OutputDF &last,
          OutputDF &mark) {
  const double *a = x.getData<double>();
  double *d = y.create<double>(n + 22), *m = mark.create<double>(2);
  m[0] = m[1] = 5;
  for (int i = 0; i < 22; i++) d[n + i] = i;
  for (int i = 0; i < n; i++) {
    d[i] = 3 * a[i];
    if (i == step * 7) {
      d[i] -= 1;
      m[1] = d[i] + m[0];
    }
  }
  *first.create<double>(1) = d[0];
  *second.create<double>(1) = d[21];
  *last.create<double>(1) = d[n > 0 ? n - 1 : 0];
}
// Both ask more than once where a fragment is, of which one is a number and one an output.
void ends(const InputDF &x, const InputDF &y, OutputDF &z) {
  size_t n = x.getSize() / sizeof(int);
  int *d = z.create<int>(n + 1);
  d = std::copy(x.getData<int>(), x.getData<int>() + n, d);
  std::copy(y.getData<int>(), y.getData<int>() + 1, d);
}
void again(const InputDF &x, OutputDF &y) {
  int n = x.getSize() / sizeof(int);
  y.create<int>(n);
  int *d = y.getData<int>();
  for (int i = 0; i < n; i++) d[i] = 3 * x.getData<int>()[i];
  for (int i = 0; i < n; i++) d[i] += i;
}
void chain(const InputDF &x, OutputDF &y) {
  unsigned long long h = 1469598103934665603ull;
  for (size_t i = 0; i < x.getSize(); i++) h = (h ^ x.getData<unsigned char>()[i]) * 1099511628211ull;
  *y.create<unsigned long long>(1) = h;
}
void show(const InputDF &x, const InputDF &y) {
  printf("%llx %d\n", *x.getData<unsigned long long>(), y.getValue<int>());
}
}
"""


def counted(errors):
    return json.loads(re.search(r"^tutti-stats: (.*)$", errors, re.M)[1])


def prints_the_same(workshop, stem, ranks, devices, rope):
    result, program = compiled(workshop, FOLDER / f"{stem}.fa")
    require(result.status == 0, result.errors)
    result = run(workshop, program, [], ranks,
                 {**devices, "TUTTI_ROPE": rope, "TUTTI_WORKERS": "2", "TUTTI_STATS": "json"})
    require(result.status == 0, f"exit status {result.status}\n{result.errors}")
    expected = (FOLDER / "expected" / f"{stem}.txt").read_text()
    require(result.output == expected, f"printed\n{result.output}")
    counters = counted(result.errors)
    calls = counters["fragments"]["devices"]["calls"]
    require((counters["recuts"] > 0) == ("follow" in rope), f"borders moved {counters['recuts']} times")
    if stem in ("04_heat1d", "07_gpu_heat"):
        require((calls > 0) == (rope != "cpu=1"), f"{calls} calls on devices")


def heat_of(workshop, steps, cells):
    """The program of 07 with so many steps and cells."""
    text = (FOLDER / "07_gpu_heat.fa").read_text()
    require("#define STEPS 20" in text and "#define CELLS 64" in text, "07_gpu_heat.fa is not what it was")
    text = text.replace("#define STEPS 20", f"#define STEPS {steps}").replace("#define CELLS 64", f"#define CELLS {cells}")
    result, program = compiled(workshop, workshop.written(f"gpu_heat_of_{cells}_cells_in_{steps}_steps.fa", text))
    require(result.status == 0, result.errors)
    return program


def per_step(workshop, ranks, rope, cells=64, environment=None):
    """What one more step adds to what the devices count."""
    found = []
    for steps in STEPS:
        program = heat_of(workshop, steps, cells)
        result = run(workshop, program, [], ranks, {**ONE, "TUTTI_ROPE": rope, "TUTTI_WORKERS": "1",
                                                    "TUTTI_STATS": "json", **(environment or {})})
        require(result.status == 0, result.errors)
        wanted = workshop.cached(f"heat on cores {cells} {steps}",
                                 lambda p=program: run(workshop, p, [], 1, {"TUTTI_DEVICE": "cpu"}).output)
        require(result.output == wanted and "digest" in wanted, f"printed {result.output} for {wanted}")
        statistics = counted(result.errors)
        found.append({**statistics["fragments"]["devices"],
                      "in": statistics["devices"]["in"]["bytes"],
                      "out": statistics["devices"]["out"]["bytes"],
                      "protections": statistics["protections"],
                      "requests": statistics["fragments"]["pushes"]["bytes"]})
    return {key: (found[1][key] - found[0][key]) / (STEPS[1] - STEPS[0]) for key in found[0]}


def only_borders_move(workshop, ranks):
    """All of the rope stays on devices: over the bus go the borders of ranks."""
    step = per_step(workshop, ranks, "")
    borders = 2 * (ranks - 1) * 8  # Of each pair of neighbours, in each direction.
    for key in ("in", "out", "requests"):
        require(step[key] == borders, f"{key}: {step[key]} bytes in each step, borders are {borders}")
    require(step["border"] == 2 * borders, f"counted as borders: {step['border']}")
    require(step["spill"] == 0 and step["drag"] == 0, f"{step}")


def drag_moves_its_share(workshop, share):
    """In each step so much of the domain goes to the device, and comes back."""
    step = per_step(workshop, 1, f"drag={share},portions=3", DRAGGED_CELLS)
    wanted = share * DRAGGED_CELLS * 8
    for key in ("in", "out"):
        require(abs(step[key] - wanted) <= 0.05 * wanted, f"{key}: {step[key]} bytes in each step, not {wanted}")
    require(abs(step["drag"] - 2 * wanted) <= 0.05 * 2 * wanted, f"counted as drag: {step['drag']}")
    require(step["spill"] == 0, f"{step}")
    # No page is closed for what goes through, or opened; where the device keeps a part, its border goes to and fro.
    most = 0 if share == 1 else 6
    require(step["protections"] <= most, f"{step['protections']} protections in each step")


def runs_in_little_memory(workshop, ranks, rope):
    """Pieces that a device cannot hold at once come and go: all but the cores' part runs there."""
    step = per_step(workshop, ranks, rope, LARGE_CELLS, {"TUTTI_DEVICE_MEMORY": LITTLE_MEMORY})
    require(step["spill"] == 0 and step["spills"] == 0, f"{step}")
    cores = float((re.search(r"cpu=([\d.]+)", rope) or [0, 0])[1])
    least = (1 - cores) * 8 * LARGE_CELLS - (1 << 20)  # A level, less what may stay.
    for key in ("in", "out"):
        require(step[key] >= least, f"{key}: {step[key]} bytes in each step, which is less than {least}")
    require(step["calls"] >= 4, f"{step['calls']} calls on devices in each step")


def a_large_fragment_keeps_no_other_off(workshop):
    """One that no device has room for runs on a core, with one line, and smaller ones on the device."""
    path = workshop.folder / "large_fragment.fa"
    path.write_text("""import fill(int n, name x) as fill;
import twice(int n, value x, name y) as twice;
import show(int n, value x) as show;
sub main()
{
  df x, y;
  for i = 0..3 {
    let n = i == 1 || i == 2 ? 200000 : 10000 {
      fill(n, x[i]);
      twice(n, x[i], y[i]);
      show(n, y[i]);
    }
  }
}
""")
    code = workshop.folder / "large_fragment.cpp"
    code.write_text("""#include "ucenv.h"
extern "C" {
void fill(int n, OutputDF &x) {
  double *d = x.create<double>(n);
  for (int i = 0; i < n; ++i) d[i] = i;
}
void twice(int n, const InputDF &x, OutputDF &y) {
  double *d = y.create<double>(n);
  for (int i = 0; i < n; ++i) d[i] = 2 * x.getData<double>()[i];
}
void show(int n, const InputDF &x) { printf("%d %g\\n", n, x.getData<double>()[n - 1]); }
}
""")
    program = workshop.folder / "large_fragment"
    result = build(workshop, program, path, code)
    require(result.status == 0, result.errors)
    result = run(workshop, program, [], 1, {**ONE, "TUTTI_DEVICE_MEMORY": LITTLE_MEMORY, "TUTTI_STATS": "json",
                                            "TUTTI_WORKERS": "1"})
    wanted = ["10000 19998"] * 2 + ["200000 399998"] * 2
    require(result.status == 0 and sorted(result.output.splitlines()) == wanted, f"{result.output}{result.errors}")
    calls = counted(result.errors)["fragments"]["devices"]["calls"]
    require(calls == 4, f"{calls} calls on devices")
    for name in ("fill", "twice"):
        require(result.errors.count(f"'{name}' runs on the cores where it needs") == 1, result.errors)


def forms_are_the_same(workshop):
    path = workshop.folder / "forms.fa"
    path.write_text(FORMS)
    code = workshop.folder / "forms.cpp"
    code.write_text(FORMS_CODE)
    program = workshop.folder / "forms"
    result = build(workshop, program, path, code)
    require(result.status == 0, result.errors)
    shown = []
    for environment in ({"TUTTI_DEVICE": "cpu"}, ONE, TWO, {**ONE, "TUTTI_ROPE": "drag=1"}):
        result = run(workshop, program, [], 1, {**environment, "TUTTI_STATS": "json"})
        require(result.status == 0, result.errors)
        shown.append(sorted(result.output.splitlines()))
        calls = counted(result.errors)["fragments"]["devices"]["calls"]
        # All but those that show, and those that go through bytes one after the other.
        require(calls == (0 if environment["TUTTI_DEVICE"] == "cpu" else 13), f"{calls} calls on devices")
    require(all(each == shown[0] for each in shown), f"printed {shown}")


IN_PLACE = """C++ head ${<END}
static double half(double x) { return x * 0.5; }
END
C++ sub fill(int n, name x) ${{
  double *d = x.create<double>(n);
  for (int i = 0; i < n; i++) d[i] = i;
$}}
C++ sub step(int n, value u, name v) ${{
  const double *a = u.getData<double>();
  double *d = v.create<double>(n);
  for (int i = 0; i < n; i++) d[i] = half(a[i]) + (i > 0 ? a[i - 1] : 1.0);
$}}
C++ sub scan(int n, value u, name v) ${{
  double *d = v.create<double>(n);
  d[0] = u.getData<double>()[0];
  for (int i = 1; i < n; i++) d[i] = d[i - 1] + u.getData<double>()[i];
$}}
C++ sub show(int n, value u) ${{ printf("%.17g %.17g\\n", u.getData<double>()[0], u.getData<double>()[n - 1]); $}}
C++ sub unused(int n, name x) ${{ x = n; $}}
sub main()
{
  df x, y;
  fill(9000, x[0]);
  for t = 0..4
    step(9000, x[t], x[t + 1]);
  scan(9000, x[5], y);
  show(9000, y);
}
"""


def procedures_in_place_run_on_devices(workshop):
    """Where their iterations are independent; a name that another object has as well is none of theirs."""
    path = workshop.folder / "in_place.fa"
    path.write_text(IN_PLACE)
    other = workshop.folder / "in_place_other.cpp"
    other.write_text('extern "C" void in_place_step() {}\nextern "C" void fill() {}\n')
    program = workshop.folder / "in_place"
    result = build(workshop, program, "-Rpass-missed=tutti", path, other)
    require(result.status == 0 and "procedure 'scan' has no version for devices" in result.errors, result.errors)
    require("procedure 'step'" not in result.errors, result.errors)
    shown = []
    for environment, wanted in (({"TUTTI_DEVICE": "cpu"}, 0), (ONE, 6)):
        result = run(workshop, program, [], 1, {**environment, "TUTTI_STATS": "json"})
        require(result.status == 0, result.errors)
        shown.append(result.output)
        calls = counted(result.errors)["fragments"]["devices"]["calls"]
        require(calls == wanted, f"{calls} calls on devices")
    require(shown[0] == shown[1], f"printed {shown}")


BORDERS = """import c_fill(int first, int n, name x, name lo, name hi) as fill;
import c_step(int n, value x, real l, real r, name y, name lo, name hi, name k) as step;
import c_show(int i, value y, real lo, real hi, int k) as show;
C++ sub number(real a, name r) ${{ r = a; $}}
sub main(int n)
{
  df x, lo, hi, k;
  for i = 0..2 {
    fill(i * n, n, x[0][i], lo[0][i], hi[0][i]);
    show(i, x[4][i], lo[4][i], hi[4][i], k[4][i]);
  }
  for t = 0..3 {
    number(0.0, hi[t][-1]);
    number(1.0, lo[t][3]);
    for i = 0..2
      step(n, x[t][i], hi[t][i - 1], lo[t][i + 1], x[t + 1][i], lo[t + 1][i], hi[t + 1][i], k[t + 1][i]);
  }
}
"""
BORDERS_CODE = """#include "ucenv.h"
extern "C" {
void c_fill(int first, int n, OutputDF &x, OutputDF &lo, OutputDF &hi) {
  double *d = x.create<double>(n);
  for (int i = 0; i < n; i++) d[i] = (first + i) % 17;
  lo = d[0];
  hi.setValue(2 * d[n - 1]);
}
void c_step(int n, const InputDF &x, double l, double r, OutputDF &y, OutputDF &lo, OutputDF &hi, OutputDF &k) {
  const double *a = x.getData<double>();
  double *d = y.create<double>(n);
  for (int i = 0; i < n; i++) d[i] = 0.5 * a[i] + 0.25 * ((i ? a[i - 1] : l) + (i < n - 1 ? a[i + 1] : r));
  lo = d[0];
  hi = d[n - 1];
  k = n;
  k.setValue((int)(d[n / 2] * 100) % 1000 - n);
}
void c_show(int i, const InputDF &y, double lo, double hi, int k) {
  printf("%d %.17g %.17g %.17g %d\\n", i, y.getData<double>()[1], lo, hi, k);
}
}
"""


def numbers_come_from_devices(workshop, ranks):
    """Borders that are numbers: the steps run on devices, and eight or four bytes come home for each."""
    def make():
        program = workshop.folder / "luna-borders"
        result = build(workshop, program, workshop.written("luna_borders.fa", BORDERS),
                       workshop.written("luna_borders.cpp", BORDERS_CODE))
        require(result.status == 0, result.errors)
        return program
    program = workshop.cached("luna-borders", make)
    shown = []
    for environment in ({"TUTTI_DEVICE": "cpu"}, ONE, {**ONE, "TUTTI_ROPE": "cpu=0.4,drag=0.3"}):
        result = run(workshop, program, ["200"], ranks, {**environment, "TUTTI_STATS": "json"})
        require(result.status == 0, result.errors)
        shown.append(sorted(result.output.splitlines()))
        found = counted(result.errors)
        if environment is ONE and ranks == 1:
            require(found["fragments"]["devices"]["calls"] == 15, f"{found}")
            wanted = 3 * 200 * 8 + 3 * 2 * 8 + 12 * (2 * 8 + 4)
            require(found["devices"]["out"]["bytes"] == wanted, f"{found['devices']['out']} for {wanted}")
    require(shown[0] == shown[1] == shown[2], f"printed {shown}")


# In each of five steps the same two walls, one that differs from step to step, and one with an array.
WALLS = """import wall(real height, int n, name x) as wall;
import join(value a, value b, value c, value d, name x) as join;
import show(value x) as show;
sub main()
{
  df a, b, c, d, x;
  for t = 0..4 {
    wall(0.5, 2, a[t]);
    wall(-3.0, 2, b[t]);
    wall(0.5 + t, 3, c[t]);
    wall(7.0, 5000, d[t]);
    join(a[t], b[t], c[t], d[t], x[t]);
    show(x[t]);
  }
}
"""
WALLS_CODE = """#include "ucenv.h"
extern "C" {
void wall(double height, int n, OutputDF &x) {
  double *d = x.create<double>(n);
  for (int i = 0; i < n; i++) d[i] = height + 10 * i;
}
void join(const InputDF &a, const InputDF &b, const InputDF &c, const InputDF &d, OutputDF &x) {
  double *e = x.create<double>(2);
  for (int i = 0; i < 2; i++)
    e[i] = a.getData<double>()[i] + b.getData<double>()[i] + c.getData<double>()[i + 1] + d.getData<double>()[i];
}
void show(const InputDF &x) { printf("%g %g\\n", x.getData<double>()[0], x.getData<double>()[1]); }
}
"""


def numbers_make_the_same_once(workshop, devices, ranks, rope):
    """What gets the same numbers as before, and nothing else, is not computed again, if it is small; what is dragged
    through is."""
    def make():
        program = workshop.folder / "luna-walls"
        result = build(workshop, program, workshop.written("luna_walls.fa", WALLS),
                       workshop.written("luna_walls.cpp", WALLS_CODE))
        require(result.status == 0, result.errors)
        return program
    result = run(workshop, workshop.cached("luna-walls", make), [], ranks,
                 {**devices, "TUTTI_ROPE": rope, "TUTTI_STATS": "json", "TUTTI_WORKERS": "1"})
    lines = sorted(f"{15 + t:g} {55 + t:g}" for t in range(5))
    require(result.status == 0 and sorted(result.output.splitlines()) == lines, f"{result.output}{result.errors}")
    found = counted(result.errors)["fragments"]["devices"]
    # Without a locator what belongs to one index lives on one rank.
    wanted = {"": 8, "drag=1": 0}[rope] if ranks == 1 else None
    require(wanted is None or found["repeats"] == wanted, f"{found}")
    require(found["calls"] + found["repeats"] == 20, f"{found}")  # All walls.


def wrong_divisions_are_refused(workshop):
    result, program = compiled(workshop, FOLDER / "07_gpu_heat.fa")
    result = run(workshop, program, [], 1, {"TUTTI_ROPE": "cpu=0.6,drag=0.6"})
    require(result.status != 0 and "cpu and drag are more than 1" in result.errors, result.errors)


def tuning_keeps_what_it_finds(workshop):
    """In a profile, of which later runs of the same program on the same devices make use."""
    result, program = compiled(workshop, FOLDER / "07_gpu_heat.fa")
    profile = workshop.folder / "gpu_heat_profile.json"
    profile.unlink(missing_ok=True)
    settings = {**ONE, "TUTTI_PROFILE": str(profile), "TUTTI_STATS": "json"}

    def start(*options):
        result = workshop.execute([str(workshop.bin / "tuttirun"), *options, str(program)], settings, "")
        require(result.status == 0, f"exit status {result.status}\n{result.errors}")
        require(result.output == (FOLDER / "expected/07_gpu_heat.txt").read_text(), f"printed {result.output}")
        return result.errors

    said = re.search(r"^tuttirun: TUTTI_ROPE=(\S+) is the best of 4 runs: [\d.]+ ms a step$", start("--tune=4"), re.M)
    found = json.loads(profile.read_text())
    require(said and found["rope"] == said[1] and found["probes"] == 4, f"{found}")
    require((found["program"], found["arguments"], found["ranks"]) == (program.name, [], 1), f"{found}")
    for rope, is_on_cores in (("cpu=1,drag=0,portions=8", True), ("cpu=0,drag=0,portions=8", False)):
        profile.write_text(profile.read_text().replace(found["rope"], rope))
        found["rope"] = rope
        calls = counted(start())["fragments"]["devices"]["calls"]
        require((calls == 0) == is_on_cores, f"{calls} calls on devices with {rope}")


# Each step says so, in runs whose output is not shown, too.
TUNED = """import c_first(name x) as first;
import c_step(value x, name y) as step;
import c_show(value x) as show;
sub main(int n)
{
  df x;
  first(x[0]);
  for t = 0..n - 1
    step(x[t], x[t + 1]);
  show(x[n]);
} @ {
  rope_length: 1;
  locator_rope x[t] => 0;
}
"""
TUNED_CODE = """#include "ucenv.h"
#include <cstdio>
extern "C" {
void c_first(OutputDF &x) { *x.create<double>(1) = 0; }
void c_step(const InputDF &x, OutputDF &y) {
  fputs("step\\n", stderr);
  *y.create<double>(1) = *x.getData<double>() + 1;
}
void c_show(const InputDF &x) { printf("%g\\n", *x.getData<double>()); }
}
"""


def tuning_takes_six_steps_of_each_run(workshop):
    """And all of them of the run behind it."""
    (workshop.folder / "tuned.fa").write_text(TUNED)
    (workshop.folder / "tuned.cpp").write_text(TUNED_CODE)
    program = workshop.folder / "tuned"
    result = build(workshop, program, f"{program}.fa", f"{program}.cpp")
    require(result.status == 0, result.errors)
    # Another worker may have begun with the next step when a run ends. There is one run that probes, for
    # later ones are given up where they take much longer than it, as they may on a busy machine.
    for ranks, fewest, most in ((1, 6 + 100, 7 + 100), (2, 2 * 100, 2 * 100)):
        result = workshop.execute([str(workshop.bin / "tuttirun"), "-n", str(ranks), "--tune=1", str(program), "100"],
                                  {**ONE, "TUTTI_WORKERS": "2"}, "")
        require(result.status == 0 and result.output == "100\n", f"{result.output}{result.errors}")
        count = result.errors.count("step\n")
        require(fewest <= count <= most, f"{count} steps on {ranks} ranks, not {fewest} to {most}")


def all_checks():
    """Pairs (name, function of the workshop)."""
    for stem, ranks in itertools.product(EXAMPLES, (1, 4)):
        yield (f"on_devices/{stem}/{ranks}",
               lambda w, s=stem, r=ranks: prints_the_same(w, s, r, ONE, ""))
    for rope, ranks in itertools.product(PARTS, (1, 3)):
        yield (f"in_parts/{rope.replace(',', '_')}/{ranks}",
               lambda w, p=rope, r=ranks: prints_the_same(w, "07_gpu_heat", r, ONE, p))
    yield "on_two_devices/07_gpu_heat", lambda w: prints_the_same(w, "07_gpu_heat", 1, TWO, "")
    for ranks in (1, 2, 4):
        yield f"only_borders_move/{ranks}", lambda w, r=ranks: only_borders_move(w, r)
    for share in (0.25, 1):
        yield f"drag_moves_its_share/{share}", lambda w, s=share: drag_moves_its_share(w, s)
    for ranks, rope in ((1, rope) for rope in LARGE_PARTS):
        yield (f"runs_in_little_memory/{rope.replace(',', '_')}/{ranks}",
               lambda w, r=ranks, p=rope: runs_in_little_memory(w, r, p))
    yield "a_large_fragment_keeps_no_other_off", a_large_fragment_keeps_no_other_off
    yield "forms_are_the_same", forms_are_the_same
    yield "procedures_in_place_run_on_devices", procedures_in_place_run_on_devices
    for ranks in (1, 2):
        yield f"numbers_come_from_devices/{ranks}", lambda w, r=ranks: numbers_come_from_devices(w, r)
    for rope, ranks, devices in (("", 1, ONE), ("", 1, TWO), ("", 3, ONE), ("drag=1", 1, ONE)):
        kind = "two" if devices is TWO else "one"
        yield (f"numbers_make_the_same_once/{kind}/{rope}/{ranks}",
               lambda w, d=devices, r=ranks, p=rope: numbers_make_the_same_once(w, d, r, p))
    yield "tuning_keeps_what_it_finds", tuning_keeps_what_it_finds
    yield "tuning_takes_six_steps_of_each_run", tuning_takes_six_steps_of_each_run
    yield "wrong_divisions_are_refused", wrong_divisions_are_refused
