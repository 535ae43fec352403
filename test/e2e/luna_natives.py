# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA versions that LuNA programs bring: on the driver library of runtime/device/cuda/test, whose copies
are real; and compiled with nvcc, where there is one."""
import json
import re

from harness import ROOT
from languages import NVCC
from luna import FOLDER, build, require, run

SHIFT = """import c_fill(int n, name x) as fill;
import c_shift(int n, value x, name y, name count) as shift : CUDA;
import c_show(value x, value count) as show;
sub main()
{
  df x, c;
  fill(1000, x[0]) @ { device: 0; };
  for i = 0..4
    shift(1000, x[i], x[i + 1], c[i]);
  show(x[5], c[4]);
}
"""
SHIFT_CODE = r"""#include "ucenv.h"
#include "ucenv_gpu.h"
#include <dlfcn.h>
extern "C" {
void c_fill(int n, OutputDF &x) {
  int *d = x.create<int>(n);
#ifdef ON_HOST
  asm volatile("");  // Nobody knows what this does: there is no derived version.
#endif
  for (int i = 0; i < n; i++) d[i] = i;
}
#ifndef ONLY
void c_shift(int n, const InputDF &x, OutputDF &y, OutputDF &count) {
  int *d = y.create<int>(n);
  for (int i = 0; i < n; i++) d[i] = x.getData<int>()[(i + 1) % n];
  count.setValue(n);
}
#endif
#ifdef NO_RUNTIME  // The vendor's runtime library refuses the stand-in for its driver.
const char *tutti_luna_native_error() { return nullptr; }
#endif
#ifndef NONE
void c_shift_cuda(luna::gpu::Queue &queue, int n, const luna::gpu::In &x, luna::gpu::Out &y, luna::gpu::Out &count) {
  using Copy = int(unsigned long long, unsigned long long, size_t, void *);
  static auto *copy = (Copy *)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemcpyDtoDAsync_v2");
  if (getenv("TOO_MUCH")) y.create<int>(size_t{1} << 40);
  if (getenv("THROWS")) throw 7;
  auto from = reinterpret_cast<unsigned long long>(x.data<int>());
  auto to = reinterpret_cast<unsigned long long>(y.create<int>(n));
  count.set_int(n);
  if (copy(to, from + 4, 4 * (n - 1), queue.stream()) || copy(to + 4 * (n - 1), from, 4, queue.stream())) abort();
  if (queue.device() != 0 || x.size() != 4u * n || to % 256 != 0) abort();
}
#endif
void c_show(const InputDF &x, const InputDF &count) {
  const int *d = x.getData<int>();
  int n = count.getValue<int>(), right = 0;
  for (int i = 0; i < n; i++) right += d[i] == (i + 5) % n;
  printf("%d of %d\n", right, n);
}
}
"""


def compiled(workshop, name, text, flags=(), level="-O2"):
    def make():
        path = workshop.folder / f"{name}.fa"
        path.write_text(text)
        code = workshop.folder / f"{name}_code.cpp"
        code.write_text(SHIFT_CODE)
        program = workshop.folder / name
        result = build(workshop, program, *flags, path, code, level=level)
        require(result.status == 0, result.errors)
        return program
    return workshop.cached(f"luna-natives-{name}", make)


def fake(workshop):
    return {"LD_LIBRARY_PATH": str(workshop.bin.parent / "runtime/device/cuda/test/fake"), "FAKE_CUDA_DEVICES": "1",
            "FAKE_CUDA_IDLE": "1", "TUTTI_WORKERS": "2", "TUTTI_DEVICE": "cuda", "TUTTI_STATS": "json"}


def shifted(workshop, program, environment):
    """What it counted after it had printed the right text."""
    result = run(workshop, program, [], 1, environment)
    require(result.status == 0 and result.output == "1000 of 1000\n", f"{result.output}\n{result.errors}")
    return json.loads(re.search(r"^tutti-stats: (.*)$", result.errors, re.M)[1]), result.errors


def bytes_cross_once(workshop, workers):
    trace = workshop.folder / f"shift-{workers}"
    counted, _ = shifted(workshop, compiled(workshop, "shift", SHIFT),
                         {**fake(workshop), "TUTTI_WORKERS": str(workers), "TUTTI_TRACE": str(trace)})
    require(counted["fragments"]["devices"]["calls"] == 5, counted["fragments"])
    shown = [(each["calls"], each["onDevices"]) for each in counted["calls"] if each["source"].endswith("shift.fa:9 shift")]
    require(shown == [(5, 5)], counted["calls"])
    events = json.loads(trace.with_name(f"{trace.name}.0").read_text())
    traced = [each for each in events if each["name"].endswith("shift.fa:9 shift") and each["cat"] == "device"]
    require(len(events) == 7 and len(traced) == 5 and all(each["dur"] > 0 for each in events), events)
    require(counted["devices"]["in"]["bytes"] == counted["devices"]["out"]["bytes"] == 4000, counted["devices"])


def what_is_dragged_comes_back(workshop):
    counted, _ = shifted(workshop, compiled(workshop, "shift", SHIFT), {**fake(workshop), "TUTTI_ROPE": "drag=1"})
    require(counted["devices"]["in"]["bytes"] == counted["devices"]["out"]["bytes"] == 20000, counted["devices"])


def cores_do_it_without_devices(workshop):
    counted, _ = shifted(workshop, compiled(workshop, "shift", SHIFT), {"TUTTI_DEVICE": "cpu", "TUTTI_STATS": "json"})
    require(counted["fragments"]["devices"]["calls"] == 0, counted["fragments"])


def cores_do_what_devices_have_no_room_for(workshop):
    counted, errors = shifted(workshop, compiled(workshop, "shift", SHIFT), {**fake(workshop), "TOO_MUCH": "1"})
    require(counted["fragments"]["devices"]["calls"] == 0, counted["fragments"])
    require("'shift' is kept off devices: there is no room for" in errors, errors)


def what_is_read_stays_while_it_is_computed(workshop):
    """What a call makes takes no memory from what it reads: where there is no room for both, it is the cores'."""
    program = compiled(workshop, "shift_large", SHIFT.replace("1000", "4000000"))
    for memory, calls in (("64M", 5), ("20M", 0)):
        result = run(workshop, program, [], 1, {**fake(workshop), "TUTTI_DEVICE_MEMORY": memory})
        require(result.status == 0 and result.output == "4000000 of 4000000\n", f"{result.output}\n{result.errors}")
        counted = json.loads(re.search(r"^tutti-stats: (.*)$", result.errors, re.M)[1])
        require(counted["fragments"]["devices"]["calls"] == calls, f"{memory}: {counted['fragments']}")


def exceptions_are_errors_of_the_run(workshop):
    result = run(workshop, compiled(workshop, "shift", SHIFT), [], 1, {**fake(workshop), "THROWS": "1"})
    require(result.status == 1 and "exception in 'c_shift', called for 'shift' [E-UCODE]" in result.errors,
            result.errors)


def only_for_devices(workshop):
    text = SHIFT.replace(": CUDA", ": CUDA, NOCPU")
    program = compiled(workshop, "shift_only", text, ["-DONLY"])
    for rope in ("", "cpu=1"):
        counted, _ = shifted(workshop, program, {**fake(workshop), "TUTTI_ROPE": rope})
        require(counted["fragments"]["devices"]["calls"] == 5, counted["fragments"])
    result = run(workshop, program, [], 1, {"TUTTI_DEVICE": "cpu"})
    require(result.status == 1 and ":2: run-time error: 'shift' has only a CUDA version (line 2) and no GPU is "
            "available [E-CUDA]" in result.errors, result.errors)
    result = run(workshop, program, [], 1, {**fake(workshop), "TOO_MUCH": "1", "TUTTI_STATS": ""})
    require(result.status == 1 and re.fullmatch(
        r".*:9: run-time error: fragment 'shift' needs \d{13} bytes of device memory, the budget is \d+ \[E-MEM\]\n",
        result.errors), result.errors)
    both = compiled(workshop, "shift_both", text, ["-DNONE"])
    shifted(workshop, both, {"TUTTI_DEVICE": "cpu", "TUTTI_STATS": "json"})
    neither = compiled(workshop, "shift_neither", text, ["-DONLY", "-DNONE"])
    result = run(workshop, neither, [], 1, {})
    require(result.status == 1 and "no procedure 'c_shift' (imported at line 2), nor a version of it for devices "
            "[E-CODE]" in result.errors, result.errors)


def functions_alone_find_devices(workshop):
    """No region and no derived version says that the program has something for devices."""
    program = compiled(workshop, "shift_alone", SHIFT.replace(": CUDA", ": CUDA, NOCPU"),
                       ["-DONLY", "-DON_HOST"], "-O0")
    counted, _ = shifted(workshop, program, fake(workshop))
    require(counted["fragments"]["devices"]["calls"] == 5, counted["fragments"])


IN_PLACE = SHIFT.replace("import c_shift(int n, value x, name y, name count) as shift : CUDA;", r"""
CUDA head ${<END}
#include <cstdlib>
#include <dlfcn.h>
END
CUDA sub shift(int n, value x, name y, name count) ${{
  using Copy = int(unsigned long long, unsigned long long, size_t, void *);
  static auto *copy = (Copy *)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemcpyDtoDAsync_v2");
  auto from = reinterpret_cast<unsigned long long>(x.data<int>());
  auto to = reinterpret_cast<unsigned long long>(y.create<int>(n));
  count.set_int(n);
  if (copy(to, from + 4, 4 * (n - 1), queue.stream()) || copy(to + 4 * (n - 1), from, 4, queue.stream())) abort();
$}}
""")


def versions_in_place_run(workshop):
    program = compiled(workshop, "shift_in_place", IN_PLACE, ["-DONLY", "-DNONE", "-DNO_RUNTIME"])
    counted, _ = shifted(workshop, program, fake(workshop))
    require(counted["fragments"]["devices"]["calls"] == 5, counted["fragments"])
    result = run(workshop, program, [], 1, {"TUTTI_DEVICE": "cpu"})
    require(result.status == 1 and ":7: run-time error: 'shift' has only a CUDA version (line 7) and no GPU is "
            "available [E-CUDA]" in result.errors, result.errors)
    wrong = workshop.folder / "wrong_in_place.fa"
    wrong.write_text(IN_PLACE.replace("count.set_int(n);", "count.set(n);"))
    result = workshop.execute([str(workshop.bin / "tuttic-luna"), str(wrong), "-o", str(workshop.folder / "none")],
                              {}, "")
    require(result.status == 1 and "wrong_in_place.fa(12): error" in result.errors, result.errors)


def nvcc_compiles_the_example(workshop):
    program = workshop.folder / "gpu_heat_with_cu"
    arguments = [str(workshop.bin / "tuttic-luna"), "-O2", str(FOLDER / "07_gpu_heat.fa"), str(FOLDER / "ucodes.cpp")]
    result = workshop.execute([*arguments, str(FOLDER / "gpu_ucodes.cu"), "-o", str(program)], {}, "")
    require(result.status == 0 and result.errors == "", result.errors)
    result = run(workshop, program, [], 1, {"TUTTI_DEVICE": "cpu"})
    require(result.status == 0 and result.output == (FOLDER / "expected/07_gpu_heat.txt").read_text(), result.errors)
    wrong = workshop.folder / "wrong.cu"
    wrong.write_text((FOLDER / "gpu_ucodes.cu").read_text().replace("int count, const In &u", "long count, const In &u"))
    result = workshop.execute([*arguments, str(wrong), "-o", str(program)], {}, "")
    require(result.status == 1 and ":16:8: error: 'c_heat_step_cuda' has other C++ types than the import says, "
            "(luna::gpu::Queue &, int," in result.errors and "wrong.cu(" in result.errors, result.errors)


def files_beside_take_part(workshop):
    """tutti-luna compiles them if the program imports such versions, and something here can."""
    folder = workshop.folder / "beside"
    folder.mkdir()
    (folder / "shift.fa").write_text(SHIFT)
    (folder / "shift.cpp").write_text(SHIFT_CODE)
    (folder / "shift.cu").write_text("#error this takes part\n")
    (folder / "plain.fa").write_text(SHIFT.replace(": CUDA", ""))
    command = [str(workshop.bin / "tutti-luna"), "-O0"]
    host = {"TUTTI_DEVICE": "cpu"}
    result = workshop.execute([*command, str(folder / "plain.fa")], host, "")
    require(result.status == 0 and result.output == "1000 of 1000\n" and not result.errors, result.errors)
    result = workshop.execute([*command, str(folder / "shift.fa")], host, "")
    if NVCC:
        require(result.status == 1 and "this takes part" in result.errors, result.errors)
    else:
        require(result.status == 0 and "luna: warning: " in result.errors and
                "shift.cu is left out: nothing that compiles it is found" in result.errors, result.errors)
        result = workshop.execute([*command, "-q", str(folder / "shift.fa")], host, "")
        require(result.status == 0 and not result.errors, result.errors)


def all_checks():
    """Pairs (name, function of the workshop)."""
    yield "natives/cores_do_it_without_devices", cores_do_it_without_devices
    if (ROOT / "build/release/runtime/device/cuda/test/fake").exists():
        for workers in (1, 4):
            yield f"natives/bytes_cross_once/{workers}", lambda w, n=workers: bytes_cross_once(w, n)
        for check in (what_is_dragged_comes_back, cores_do_what_devices_have_no_room_for,
                      what_is_read_stays_while_it_is_computed,
                      exceptions_are_errors_of_the_run, only_for_devices, functions_alone_find_devices):
            yield f"natives/{check.__name__}", check
    yield "natives/files_beside_take_part", files_beside_take_part
    if NVCC:
        yield "natives/nvcc_compiles_the_example", nvcc_compiles_the_example
        if (ROOT / "build/release/runtime/device/cuda/test/fake").exists():
            yield "natives/versions_in_place_run", versions_in_place_run
