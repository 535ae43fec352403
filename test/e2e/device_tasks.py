# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OmpSs-2 programs with tasks on devices, which must print what they print without their pragmas; such
programs made at random; and what is said of wrong ones."""
import json
import os
import re
import subprocess

import ompss
from commands import require
from harness import ROOT, Program, compare

FOLDER = ROOT / "test/e2e/device_tasks"
SEEDS = 20
DEVICE = {"TUTTI_DEVICE": "opencl"}
TOUCH = """
#ifdef _OMPSS_2
#pragma oss task device(opencl) ndrange(1, 1) inout(m[first;count]) in(m[from;length])
void touch_cells(unsigned *m, int first, int count, int from, int length, unsigned v);
#else
static void touch_cells(unsigned *m, int first, int count, int from, int length, unsigned v) {
  for (int i = from; i < from + length; i++) v = v * 31 + m[i];
  for (int i = first; i < first + count; i++) m[i] = m[i] * 17 + v + i;
}
#endif
"""


class Writer(ompss.Writer):
    """Some of the tasks that make none are kernels."""

    def task(self, depth, owned):
        writable = [each for each in owned if each[2]]
        if not writable or self.random.random() < 0.5:
            super().task(depth, owned)
            return
        self.left -= 1
        first, last, _ = self.part(writable)
        begin, end, _ = self.part(owned)
        value = self.random.randrange(1, 100)
        self.line(depth, f"touch_cells(m, {first}, {last - first}, {begin}, {end - begin}, {value});")

    def program(self):
        """In variables, or in an allocation."""
        text = super().program()
        array = f"static unsigned m[{ompss.CELLS}];"
        if self.random.random() < 0.5:
            text = text.replace(array, "#include <stdlib.h>\nstatic unsigned *m;")
            text = text.replace("int main(void) {", f"int main(void) {{\n  m = calloc({ompss.CELLS}, sizeof *m);")
        return text.replace("static void busy(void)", TOUCH + "static void busy(void)")


def random_program(workshop, seed):
    def make():
        path = workshop.folder / f"device_tasks_{seed}.c"
        path.write_text(Writer(seed).program())
        program = Program.read(path)
        program.flags = ["-O1"]
        program.tutti_flags = ["-fompss-2", str(FOLDER / "touch_cells.cl")]
        return program
    return workshop.cached(("device_tasks", seed), make)


def kernels(level, name="kernels"):
    program = Program.read(FOLDER / f"{name}.c")
    program.name = f"device-{name}{level}"
    program.flags = [level, "-g", "-Wno-unknown-pragmas"]
    program.tutti_flags = ["-fompss-2", "-fopenmp", str(FOLDER / "kernels.cl")]
    return program


def counts(workshop, text, environment=None):
    """What the device did in a program of `text`."""
    path = workshop.folder / f"device_tasks_{abs(hash(text))}.c"
    path.write_text(text)
    program = Program.read(path)
    program.flags = ["-O1", f"-I{FOLDER}"]
    program.tutti_flags = ["-fompss-2", str(FOLDER / "kernels.cl")]
    result = workshop.launch(program, [], 1, {**DEVICE, "TUTTI_STATS": "json", **(environment or {})})
    require(result.status == 0, result.errors)
    found = re.search(r"^tutti-stats: (.*)$", result.errors, re.M)
    require(found, result.errors)
    return json.loads(found[1])["devices"]


SAXPY = """
#include "kernels.h"
#include <stdlib.h>
enum { kBlocks = 8, kBlock = 4096 };
int main(void) {
  double *x = calloc(kBlocks * kBlock, sizeof *x), *y = calloc(kBlocks * kBlock, sizeof *y);
  for (int round = 0; round < ROUNDS; ++round)
    for (int b = 0; b < kBlocks; ++b) axpy(kBlock, 1.0, x + b * kBlock, y + b * kBlock);
  double sum = 0;
#pragma oss task in(y[0;kBlocks * kBlock]) shared(sum)
  for (int i = 0; i < kBlocks * kBlock; ++i) sum += y[i];
#pragma oss taskwait
  return sum != 0;
}
"""
BYTES = 8 * 4096 * 8


def kernels_by_blocks_move_each_byte_once_each_way(workshop):
    counters = counts(workshop, SAXPY.replace("ROUNDS", "1"))
    require(counters["in"]["bytes"] == 2 * BYTES, counters)
    require(counters["out"]["bytes"] == BYTES, counters)
    require(counters["kernels"] == 8, counters)


def kernels_on_data_that_is_there_move_nothing(workshop):
    counters = counts(workshop, SAXPY.replace("ROUNDS", "25"))
    require(counters["in"]["bytes"] == 2 * BYTES, counters)
    require(counters["out"]["bytes"] == BYTES, counters)
    require(counters["kernels"] == 200, counters)


TWO = {"POCL_DEVICES": "pthread pthread"}
# All blocks lie on one device at first; then each has a task that takes milliseconds.
SPREAD = """
#include "kernels.h"
#include <stdlib.h>
enum { kBlocks = 12, kBlock = 8192 };
#pragma oss task device(opencl) ndrange(1, 1) inout([kBlock]x)
void grind(long turns, double *x);
int main(void) {
  double *x = calloc(kBlocks * kBlock, sizeof *x), *y = calloc(kBlocks * kBlock, sizeof *y);
  axpy(kBlocks * kBlock, 1.0, x, y);
#pragma oss taskwait
  for (int b = 0; b < kBlocks; ++b) grind(TURNS, y + b * kBlock);
#pragma oss taskwait
  for (int b = 0; b < kBlocks; ++b)
    if (y[b * kBlock] < 1.999 || y[b * kBlock] > 2.001) return 1;
  return 0;
}
"""


def kernels_that_wait_anyway_keep_to_the_device_that_has_their_data(workshop):
    counters = counts(workshop, SAXPY.replace("ROUNDS", "25").replace("kBlocks = 8", "kBlocks = 1"), TWO)
    between = 4096  # A copy may take along what lies between both.
    require(2 * BYTES / 8 <= counters["in"]["bytes"] <= 2 * BYTES / 8 + between, counters)
    require(counters["out"]["bytes"] == BYTES / 8, counters)
    require(counters["kernels"] == 25, counters)


def kernels_go_to_another_device_rather_than_wait(workshop):
    """Some blocks move, and not all of them."""
    everything = 2 * 12 * 8192 * 8
    counters = counts(workshop, SPREAD.replace("TURNS", "3000000"), TWO)
    moved = counters["in"]["bytes"] - everything
    require(0 < moved < everything / 2, f"{moved} bytes: {counters}")


# A stencil by blocks, each of which names one cell of both its neighbours.
BORDERS = """
#include <stdlib.h>
enum { kBlocks = 6, kBlock = 8192, kRounds = 20, kCells = kBlocks * kBlock };
#pragma oss task device(opencl) ndrange(1, n) in([n]from) inout(to[1;n - 2])
void smooth(long n, const double *from, double *to);
int main(void) {
  double *x = calloc(kCells + 2, sizeof *x), *y = calloc(kCells + 2, sizeof *y);
  for (int i = 0; i < kCells + 2; ++i) x[i] = y[i] = i % 11;
  for (int round = 0; round < kRounds; ++round)
    for (int b = 0; b < kCells; b += kBlock)
      round % 2 ? smooth(kBlock + 2, y + b, x + b) : smooth(kBlock + 2, x + b, y + b);
#pragma oss taskwait
  double *plain = calloc(kCells + 2, sizeof *plain), *next = calloc(kCells + 2, sizeof *next);
  for (int i = 0; i < kCells + 2; ++i) plain[i] = next[i] = i % 11;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 1; i <= kCells; ++i) next[i] = (plain[i - 1] + plain[i] + plain[i + 1]) / 4;
    double *swapped = plain;
    plain = next, next = swapped;
  }
  for (int i = 0; i < kCells + 2; ++i)
    if (x[i] != plain[i]) return 1;
  return 0;
}
"""


def borders_alone_cross_between_devices(workshop):
    """Blocks may change their device as a whole, when it has less to do than the one that has them."""
    cell, block, rounds, blocks = 8, 8192 * 8, 20, 6
    counters = counts(workshop, BORDERS, TWO)
    crossed = counters["in"]["bytes"] - 2 * (blocks * block + 2 * cell)
    moved, borders = divmod(crossed, block)
    require(crossed % cell == 0 and borders <= 2 * (blocks - 1) * rounds * cell and moved < blocks * rounds / 2,
            f"{moved} blocks and {borders} bytes: {counters}")
    require(counters["kernels"] == blocks * rounds, counters)


def kernels_find_room_on_a_small_device(workshop):
    compare(workshop, kernels("-O2"), [], 1, {**DEVICE, "TUTTI_DEVICE_MEMORY": "128K"})


def locked(workshop, environment):
    """Runs tasks over large memory on the driver that tests have in place of CUDA's."""
    program = Program.read(FOLDER / "locked.c")
    program.flags = ["-O2"]
    program.tutti_flags = ["-fompss-2", "-rdynamic", "-ldl"]
    fake = workshop.bin.parent / "runtime/device/cuda/test/fake"
    return workshop.launch(program, [], 1, {"TUTTI_DEVICE": "cuda", "LD_LIBRARY_PATH": str(fake), **environment})


def memory_is_locked_before_kernels_need_it(workshop):
    result = locked(workshop, {"TUTTI_WORKERS": "2"})
    require(result.status == 0 and result.output == "0 wrong, 0 buffers\n", f"{result.output}\n{result.errors}")


def a_task_whose_device_is_lost_says_so(workshop):
    """It is when the task is given to the device that its loss is met."""
    result = locked(workshop, {"TUTTI_WORKERS": "1", "FAKE_CUDA_FAIL": "cuEventQuery 700 0"})
    require(result.status == 1 and re.search(r"task at \S*locked.c:\d+: GPU 0 .* failed", result.errors), result.errors)


def what_kernels_surely_write_is_not_copied_in(workshop, only):
    """`only`: some of the cells, as the kernel decides."""
    program = Program.read(FOLDER / "listed.c")
    program.name = f"device-listed{'-some' if only else ''}"
    program.flags = ["-O2", f"-I{ROOT}"] + (["-DSOME"] if only else [])
    program.tutti_flags = ["-fompss-2", "-rdynamic", "-ldl"]
    fake = workshop.bin.parent / "runtime/device/cuda/test/fake"
    result = workshop.launch(program, [], 1, {"TUTTI_DEVICE": "cuda", "LD_LIBRARY_PATH": str(fake), "TUTTI_STATS": "json"})
    cells = 1 << 16
    expected = sum((i % 7 if not only or i % 7 > 3 else -1) * (i % 5 + 1) for i in range(cells))
    require(result.status == 0 and result.output == f"{expected:g}\n", f"{result} {expected}")
    counters = json.loads(re.search(r"^tutti-stats: (.*)$", result.errors, re.M)[1])["devices"]
    require(counters["in"]["bytes"] == (2 if only else 1) * 8 * cells, counters)
    require(counters["out"]["bytes"] == 8 * cells, counters)


# A vendor's runtime library, as far as it is needed, and a program that uses it.
LIBRARY = """
#include <stdio.h>
#include <sys/mman.h>
int cudaMallocManaged(void **memory, size_t bytes, unsigned flags) {
  puts("managed");
  *memory = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return flags != 1;
}
int cudaFree(void *memory) { return puts(memory ? "freed" : "nothing") < 0; }
"""
MANAGING = """
#include <stdio.h>
#include "kernels.h"
int cudaMallocManaged(void **memory, size_t bytes, unsigned flags);
int cudaFree(void *memory);
enum { kCells = 5000 };
int main(int count, char **words) {
  double *x, *y;
  if (cudaMallocManaged((void **)&x, kCells * sizeof *x, 1) != 0 ||
      cudaMallocManaged((void **)&y, kCells * sizeof *y, 1) != 0) {
    return 2;
  }
  for (int i = 0; i < kCells; ++i) {
    x[i] = i;
    y[i] = 1;
  }
  if (count > 1) {
    axpy(kCells, 2, x, y);
#pragma oss taskwait
  }
  printf("%g\\n", y[kCells - 1]);
  return cudaFree(x) + cudaFree(y) + cudaFree(0);
}
"""
MANAGED = {  # Environment, arguments, output.
    "driver": ({"TUTTI_MANAGED": "driver"}, [], "managed\nmanaged\n1\nfreed\nfreed\nnothing\n"),
    "unified": ({"TUTTI_MANAGED": "unified"}, ["kernel"], "9999\nnothing\n"),
}


def managing_program(workshop):
    toolkit = workshop.folder / "toolkit"
    for path, text in (("include/cuda_runtime.h", ""), ("bin/nvcc", "#!/bin/sh\n"), ("library.c", LIBRARY),
                       ("program.c", MANAGING)):
        (toolkit / path).parent.mkdir(parents=True, exist_ok=True)
        (toolkit / path).write_text(text)
    (toolkit / "bin/nvcc").chmod(0o755)
    (toolkit / "lib64").mkdir()
    for command in (["clang-19", "-shared", "-fPIC", "library.c", "-o", "lib64/libcudart.so"],
                    [workshop.bin / "tutticc", "-O1", "-fompss-2", "-w", f"-I{FOLDER}", "program.c",
                     FOLDER / "kernels.cl", "-lcudart", "-o", "program"]):
        made = subprocess.run([str(word) for word in command], cwd=toolkit, text=True, capture_output=True,
                              timeout=120, env={**os.environ, "CUDA_HOME": str(toolkit)})
        require(made.returncode == 0, made.stderr)
    return toolkit / "program"


def managed_memory_is_what_was_asked_for(workshop, how):
    environment, words, output = MANAGED[how]
    program = workshop.cached("managing", lambda: managing_program(workshop))
    result = workshop.execute([str(program), *words], {**DEVICE, **environment, "TUTTI_STATS": "json"}, "", 60)
    require(result.status == 0 and result.output == output, f"{result}")
    counters = re.search(r"^tutti-stats: (.*)$", result.errors, re.M)
    moved = json.loads(counters[1])["devices"]["in"]["bytes"] if counters else 0
    require(moved >= 2 * 8 * 5000 if words else moved == 0, f"{moved} bytes to the device")


WRONG = {
    "unknown_kernel": ("""
#pragma oss task device(opencl) ndrange(1, 4) inout([4]y) label("lost")
void nowhere(int *y);
int main(void) { static int y[4]; nowhere(y); }
""", r"task lost \(.*:2\): .*nowhere"),
    "impossible_grid": ("""
#pragma oss task device(opencl) grid(1, 1, n) inout([4]y)
void number(int *y, int n);
int main(void) { static int y[4]; number(y, -5); }
""", r"the task at .*:2: .*-5"),
    "unnamed_memory": ("""
#pragma oss task device(opencl) ndrange(1, 4)
void number(int *y);
int main(void) { static int y[4]; number(y); }
""", r"the task at .*:2: argument 1 points to memory"),
    "concurrent": ("""
#pragma oss task device(opencl) ndrange(1, 4) concurrent([4]y)
void number(int *y);
int main(void) {
  int y[4] = {0};
#pragma oss task firstprivate(y)
  { number(y);
#pragma oss taskwait
  }
#pragma oss taskwait
  return 0;
}
""", r"the task at .*:2: it names 16 bytes .* as concurrent"),
    "arguments": ("""
#pragma oss task device(opencl) ndrange(1, 4) inout([4]y)
void number(int n, int *y);
int main(void) { static int y[4]; number(3, y); }
""", r"the task at .*:2: .*number"),
}


def says_what_is_wrong(workshop, name):
    text, expected = WRONG[name]
    path = workshop.folder / f"device_task_{name}.c"
    path.write_text(text)
    program = Program.read(path)
    program.tutti_flags = ["-fompss-2", str(FOLDER / "kernels.cl")]
    result = workshop.launch(program, [], 1, DEVICE)
    require(result.status not in (0, None) and re.search(expected, result.errors), result.errors)


CHECKED = """
#include <stdio.h>
#include <stdlib.h>
#pragma oss task device(opencl) ndrange(1, n) NAMES label("negate")
void later(long first, long n, double *x);
#pragma oss task device(opencl) ndrange(1, n) in([n - 1]from) inout([n]to)
void smooth(long n, const double *from, double *to);
#pragma oss task device(opencl) ndrange(1, n) inout([n]y)
void axpy(long n, double a, const double *x, double *y);
int main(void) {
  double *x = malloc(1000 * sizeof *x), *y = malloc(1000 * sizeof *y);
  for (int i = 0; i < 1000; i++) x[i] = i, y[i] = 2;
  CALL;
#pragma oss taskwait
  printf("%g %g\\n", x[500], y[500]);
}
"""
CHECKED_CALLS = {
    "written": ("inout(x[first;n - 1])", "later(500, 100, x)",
                [r"task negate \(\S+:4\) writes 0x\w+, byte 47\d\d of the allocation at 0x\w+, which it does not name$"]),
    "read": ("inout(x[first;n])", "later(0, 1000, x); smooth(501, x, y)",
             [r"task \S+:6 reads 0x\w+, byte 400\d of the allocation"]),
    "given": ("inout(x[first;n])", "later(0, 1000, x); axpy(1000, 2, x, y)",
              [r"task \S+:8 is given 0x\w+, byte 0 of the allocation",
               r"task \S+:8 reads 0x\w+, byte \d+ of the allocation"]),
    "nothing": ("inout(x[first;n])", "later(500, 100, x); smooth(400, x, y)", []),
}


def checking_finds_what_is_not_named(workshop, name):
    names, call, expected = CHECKED_CALLS[name]
    path = workshop.folder / f"device_tasks_checked_{name}.c"
    path.write_text(CHECKED.replace("NAMES", names).replace("CALL", call))
    program = Program.read(path)
    program.tutti_flags = ["-fompss-2", str(FOLDER / "kernels.cl")]
    usual = workshop.launch(program, [], 1, DEVICE)
    result = workshop.launch(program, [], 1, {**DEVICE, "TUTTI_CHECK": "accesses"})
    require(result.status == 0 and (name == "given" or result.output == usual.output), f"{result} {usual}")
    said = result.errors.splitlines()
    require(len(said) == len(expected) and all(map(re.search, expected, said)), result.errors)


def managed_memory_may_be_left_to_its_driver(workshop):
    compare(workshop, kernels("-O2"), [], 1, {**DEVICE, "TUTTI_MANAGED": "driver"})
    result = workshop.launch(kernels("-O2"), [], 1, {**DEVICE, "TUTTI_MANAGED": "sometimes"})
    require(result.status == 1 and "TUTTI_MANAGED=sometimes: expected one of prefetch, driver, unified" in result.errors,
            result.errors)


BELOW = """
#include "kernels.h"
#include <stdio.h>
enum { kCells = 1000 };
static double x[kCells], y[kCells];
static void add(void) { axpy(kCells, 2, x, y); }
int main(void) {
#pragma oss task out(x) node(1)
  for (int i = 0; i < kCells; ++i) x[i] = i;
#pragma oss task in(x) inout(y) node(1)
  {
    y[3] = 1;
    add();
  }
#pragma oss taskwait
  printf("%g %g\\n", y[3], y[kCells - 1]);
}
"""


MANY_WRONG = """
#include <stdlib.h>
#pragma oss task device(opencl) ndrange(1, 1) inout([1]y)
void nowhere(int *y);
int main(void) {
  int *y = calloc(1000, sizeof *y);
  for (int i = 0; i < 1000; i++) {
#pragma oss task inout(y[i])
    {
      for (volatile int k = 0; k < 2000; k++) {}
      if (i > 300) nowhere(y + i);
    }
  }
#pragma oss taskwait
}
"""


def the_first_mistake_is_the_last_line(workshop):
    path = workshop.folder / "device_tasks_many_wrong.c"
    path.write_text(MANY_WRONG)
    program = Program.read(path)
    program.tutti_flags = ["-fompss-2"]
    for _ in range(3):  # Several workers come to it at once, mostly.
        result = workshop.launch(program, [], 1, {"TUTTI_DEVICE": "cpu", "TUTTI_WORKERS": "4"})
        said = [line for line in result.errors.splitlines() if "has no device" in line]
        require(result.status == 1 and len(said) == 1, f"status {result.status}: {result.errors}")


def tasks_that_make_kernels_stay_where_devices_are(workshop):
    path = workshop.folder / "device_tasks_below.c"
    path.write_text(BELOW)
    program = Program.read(path)
    program.flags = ["-O1", f"-I{FOLDER}", "-Wno-unknown-pragmas"]
    program.tutti_flags = ["-fompss-2", str(FOLDER / "kernels.cl")]
    compare(workshop, program, [], 2, DEVICE)
    result = workshop.launch(program, [], 2, {**DEVICE, "TUTTI_STATS": "text"})
    require("1 task stayed on rank 0: it makes tasks for devices" in result.errors, result.errors)
    require("1 task has run on other ranks" in result.errors, result.errors)


def says_that_there_is_no_device(workshop):
    result = workshop.launch(kernels("-O2"), [], 1, {"TUTTI_DEVICE": "cpu"})
    require(result.status == 1 and "has no device" in result.errors, result.errors)


def all_checks():
    """Pairs (name, function of the workshop)."""
    checks = [(check.__name__, check) for check in (
        kernels_by_blocks_move_each_byte_once_each_way, kernels_on_data_that_is_there_move_nothing,
        kernels_that_wait_anyway_keep_to_the_device_that_has_their_data,
        kernels_go_to_another_device_rather_than_wait, borders_alone_cross_between_devices, kernels_find_room_on_a_small_device,
        memory_is_locked_before_kernels_need_it, a_task_whose_device_is_lost_says_so,
        managed_memory_may_be_left_to_its_driver,
        tasks_that_make_kernels_stay_where_devices_are, the_first_mistake_is_the_last_line, says_that_there_is_no_device)]
    checks += [(f"managed/{how}", lambda w, h=how: managed_memory_is_what_was_asked_for(w, h)) for how in MANAGED]
    checks += [(f"listed/{'some' if only else 'all'}",
                lambda w, o=only: what_kernels_surely_write_is_not_copied_in(w, o)) for only in (False, True)]
    checks += [(f"wrong/{name}", lambda w, n=name: says_what_is_wrong(w, n)) for name in WRONG]
    checks += [(f"kernels{level}/{workers}/{ranks}",
                lambda w, l=level, k=workers, r=ranks:
                compare(w, kernels(l), [], r, {**DEVICE, "TUTTI_WORKERS": str(k)}))
               for level in ("-O0", "-O2") for workers, ranks in ((1, 1), (4, 1), (2, 2))]
    checks += [(f"own{level}/{workers}/{ranks}",
                lambda w, l=level, k=workers, r=ranks:
                compare(w, kernels(l, "own"), [], r, {**DEVICE, "TUTTI_WORKERS": str(k)}))
               for level in ("-O0", "-O2") for workers, ranks in ((1, 1), (4, 1), (2, 2))]
    checks += [(f"checked/{name}", lambda w, n=name: checking_finds_what_is_not_named(w, n)) for name in CHECKED_CALLS]
    checks += [(f"checked/generated/{seed}",
                lambda w, s=seed: compare(w, random_program(w, s), [], 1, {**DEVICE, "TUTTI_CHECK": "accesses"}))
               for seed in range(1, 4)]
    return checks + random_checks(range(1, SEEDS + 1))


def random_checks(seeds):
    return [(f"generated/{seed}",
             lambda w, s=seed: compare(w, random_program(w, s), [], 1 + (s % 5 == 0),
                                       {**DEVICE, **(TWO if s % 3 == 0 else {}),
                                        "TUTTI_WORKERS": str(1 + s % 4)})) for seed in seeds]
