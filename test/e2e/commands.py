# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the commands promise beside running programs: files they make, status, signals, messages."""
import os
import re
import signal
import subprocess
import tempfile
import time

from harness import ROOT, Failure, Program, limits, tail

SECONDS_TO_START = 60
# Says that code needs no stack that can be executed.
STACK = '.section .note.GNU-stack,"",@progbits\n'


def require(condition, message):
    if not condition:
        raise Failure(message)


def jacobi():
    return Program.read(ROOT / "examples/jacobi/jacobi.c")


def heat3d():
    return Program.read(ROOT / "examples/heat3d/heat3d.c")


def zeroed_arrays_take_no_room_in_the_file(workshop):
    binary = workshop.compiled(heat3d(), tutti=True)
    sections = subprocess.run(["readelf", "-SW", binary], text=True, capture_output=True).stdout
    found = re.search(r"\.llvm\.linkonce\.b\.tutti\s+(\S+)\s+\S+ \S+ (\S+)", sections)
    require(found is not None, f"no section for zeroed variables\n{sections}")
    require(found[1] == "NOBITS", f"zeroed variables are {found[1]}")
    require(int(found[2], 16) > 3 * 66**3 * 8, f"only 0x{found[2]} bytes between the pads")
    require(os.path.getsize(binary) < 2_000_000, f"{os.path.getsize(binary)} bytes")


def executables_have_fixed_addresses(workshop):
    binary = workshop.compiled(jacobi(), tutti=True)
    header = subprocess.run(["readelf", "-hW", binary], text=True, capture_output=True).stdout
    require(re.search(r"Type:\s+EXEC", header) is not None, header)


def remarks_name_the_loop(workshop):
    source = ROOT / "examples/jacobi/jacobi.c"
    command = [str(workshop.bin / "tutticc"), "-O3", "-Rpass=tutti", "-Rpass-missed=tutti", "-c",
               str(source), "-o", os.devnull]
    result = workshop.execute(command, {}, "")
    require(result.status == 0, tail(result.errors))
    require(re.search(r"jacobi\.c:\d+:\d+: remark: .*-Rpass=tutti", result.errors) is not None,
            f"no remark\n{tail(result.errors)}")


def a_wrong_clang_is_one_clear_line(workshop):
    command = [str(workshop.bin / "tutticc"), "-c", "a.c"]
    result = workshop.execute(command, {"TUTTI_CLANG": "/bin/true"}, "")
    require(result.status == 1, f"status {result.status}")
    require(len(result.errors.splitlines()) == 1 and "TUTTI_CLANG" in result.errors, result.errors)


def unknown_targets_are_one_clear_line(workshop):
    command = [str(workshop.bin / "tutticc"), "-c", "a.c"]
    result = workshop.execute(command, {"TUTTI_TARGETS": "ptx,spirv"}, "")
    require(result.status == 1, f"status {result.status}")
    require(re.fullmatch(r"tutticc: error: TUTTI_TARGETS=ptx,spirv: expected .*\n", result.errors)
            is not None, result.errors)


def assembly_and_several_sources_compile(workshop):
    """Clang's own assembler, and more than one compilation in a command."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("one.s", ".globl one\none:\n  mov $1, %eax\n  ret\n" + STACK),
                           ("two.S", "#define TWO 2\n.globl two\ntwo:\n  mov $TWO, %eax\n  ret\n" + STACK),
                           ("three.c", "int three(void) { return 3; }\n"),
                           ("main.c", "int one(void), two(void), three(void);\n"
                                      "int main(void) { return one() + two() + three(); }\n")):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        sources = [os.path.join(folder, name) for name in ("one.s", "two.S", "three.c", "main.c")]
        program = os.path.join(folder, "program")
        result = workshop.execute([str(workshop.bin / "tutticc"), "-O2", *sources, "-o", program], {}, "")
        require(result.status == 0 and result.errors == "", tail(result.errors))
        require(workshop.execute([program], {}, "").status == 6, "wrong sum")


def commands_are_shown_and_not_run(workshop, source):
    """Also where a step in front of Clang makes what Clang reads."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        result = workshop.execute([str(workshop.bin / "tutticc"), "-###", "-O2", str(ROOT / source), "-o", program],
                                  {"TMPDIR": folder}, "")
        require(result.status == 0 and "error:" not in result.errors, tail(result.errors))
        require(program in result.errors, tail(result.errors))
        require(os.listdir(folder) == [], str(os.listdir(folder)))


def crashes_of_the_compiler_leave_what_a_report_needs(workshop):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "crash.c")
        with open(source, "w") as file:
            file.write("#pragma clang __debug parser_crash\n")
        result = workshop.execute([str(workshop.bin / "tutticc"), "-c", source, "-o", os.devnull],
                                  {"TMPDIR": folder}, "")
        require(result.status != 0, "status 0")
        require("PLEASE ATTACH THE FOLLOWING FILES" in result.errors, tail(result.errors))
        require(any(name.endswith(".sh") for name in os.listdir(folder)), str(os.listdir(folder)))


def start_long_run(workshop, ranks):
    binary = workshop.compiled(jacobi(), tutti=True)
    command = [str(workshop.bin / "tuttirun"), "-n", str(ranks), str(binary), "400", "400",
               "100000000"]
    process = subprocess.Popen(command, text=True, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, start_new_session=True,
                               env=dict(os.environ, TUTTI_DISTRIBUTE="always"))
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        ranks_found = ranks_of(process.pid, binary)
        if len(ranks_found) == ranks:
            time.sleep(1.5)  # Into the time loop.
            return process, ranks_found
        time.sleep(0.1)
    stop(process)
    raise Failure("the ranks did not start")


def ranks_of(ancestor, binary):
    """Processes below `ancestor` that run `binary`: {rank: pid}."""
    listing = subprocess.run(["ps", "-eo", "pid=,ppid="], text=True, capture_output=True).stdout
    children = {}
    for line in listing.splitlines():
        pid, parent = map(int, line.split())
        children.setdefault(parent, []).append(pid)
    found, todo = {}, [ancestor]
    while todo:
        for pid in children.get(todo.pop(), []):
            todo.append(pid)
            try:
                if os.readlink(f"/proc/{pid}/exe") == str(binary):
                    environment = open(f"/proc/{pid}/environ").read()
                    rank = re.search(r"OMPI_COMM_WORLD_RANK=(\d+)|PMI_RANK=(\d+)", environment)
                    found[int(rank[1] or rank[2])] = pid
            except OSError:
                continue
    return found


def stop(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def finish(process, ranks, seconds):
    start = time.monotonic()
    try:
        _, errors = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        stands = limits.where(ranks.values())
        stop(process)
        raise Failure(f"the run goes on\n{stands}") from None
    require(time.monotonic() - start < seconds, f"took {time.monotonic() - start:.1f} s to end")
    left = [pid for pid in ranks.values() if os.path.exists(f"/proc/{pid}/exe")]
    require(not left, f"processes left behind: {left}")
    return process.returncode, errors


def a_signal_to_tuttirun_ends_the_run(workshop, number):
    process, ranks = start_long_run(workshop, 3)
    os.kill(process.pid, number)
    status, _ = finish(process, ranks, 5)
    require(status == 128 + number, f"status {status}")


def a_crash_of_the_program_is_named(workshop):
    source = workshop.folder / "crash.c"
    source.write_text("#include <stdlib.h>\nint main(void) { abort(); }\n")
    result = workshop.launch(Program("crash", [source]), [], 2)
    require(result.status == 128 + signal.SIGABRT, f"status {result.status}")
    require(re.fullmatch(r"tutti: rank 0 on host \S+: killed by signal 6 \(Aborted\)\n",
                         result.errors) is not None, result.errors)


UNREAD = """#include <stdlib.h>

int main(int argc, char **argv) {
  unsigned short *b = calloc(240000, sizeof *b);
  const long m = 8 + argc;
  for (long n = 20; n < 300; n *= 12) {
#pragma omp parallel for
    for (long i = 0; i < n; ++i) {
      for (unsigned char j = 0; j < (unsigned char)m; ++j) {
        for (int k = j; k < m; ++k) {
          b[i * 1000 + 10 * j + k] ^= b[i * 1000 + 20];
          b[i * 1000 + j] ^= b[i * 1000 + k + 10];
        }
      }
    }
  }
  if (argc > 1) {
    exit(3);
  }
  return 0;
}
"""


def kernels_are_done_before_exit_handlers(workshop, arguments, status):
    """PoCL compiles for a new size of groups when the kernel is to run; its compiler has handlers."""
    source = workshop.written("unread.c", UNREAD)
    with tempfile.TemporaryDirectory(prefix="tutti-pocl-") as cache:
        result = workshop.launch(Program("unread", [source]), arguments, 1,
                                 {"TUTTI_DISTRIBUTE": "always", "TUTTI_DEVICE": "opencl",
                                  "POCL_CACHE_DIR": cache})
    require((result.status, result.errors) == (status, ""), f"{result}")


def an_allocator_in_a_library(workshop, ranks):
    """Linked, or in front of all others."""
    folder = ROOT / "test/e2e/features/own_allocator"
    expected = workshop.reference(Program.read(folder), []).output

    def make():
        library = workshop.folder / "libown.so"
        for command in (["clang-19", "-O2", "-w", "-shared", "-fPIC", folder / "allocator.c", "-o",
                         library],
                        [workshop.bin / "tutticc", "-O2", folder / "own_allocator.c", library,
                         "-o", workshop.folder / "linked"],
                        [workshop.bin / "tutticc", "-O2", folder / "own_allocator.c", "-o",
                         workshop.folder / "preloaded"]):
            result = workshop.execute([str(word) for word in command], {}, "")
            require(result.status == 0, tail(result.errors))
        return library

    library = workshop.cached("libown", make)
    for words in [["./linked"], ["env", f"LD_PRELOAD={library}", "./preloaded"]]:
        result = workshop.execute([str(workshop.bin / "tuttirun"), "-n", str(ranks), *words],
                                  {"TUTTI_DISTRIBUTE": "always"}, "")
        require((result.status, result.output) == (0, expected), f"{words} {result}")


def memory_of_devices_is_the_programs(workshop, ranks, device):
    program = Program.read(ROOT / "test/e2e/target_memory.c")
    result = workshop.launch(program, [], ranks,
                             {"TUTTI_DISTRIBUTE": "always", "TUTTI_DEVICE": device})
    require((result.status, result.output) == (0, "0 wrong\n"), result)


def what_the_source_asks_for_in_vain_is_named(workshop, asked, expected):
    """With OpenCL on cores only; `asked`: before the loop."""
    def make():
        source = workshop.folder / f"asks_{asked.split()[-1].strip('()')}.c"
        source.write_text("static double x[1000];\n"
                          "int main(void) {\n" + asked + "\n"
                          "#pragma omp parallel for\n"
                          "for (int i = 0; i < 1000; ++i) x[i] = i;\n"
                          "return x[999] != 999;\n}\n")
        return Program(source.stem, [source])
    program = workshop.cached(("asks", asked), make)
    result = workshop.launch(program, [], 1, {"TUTTI_DEVICE": "auto", "CUDA_VISIBLE_DEVICES": "-1"})
    line = f"tutti: the program asks for {expected}\n" if expected else ""
    require((result.status, result.errors) == (0, line), result)


def an_old_driver_is_one_line(workshop, ranks):
    """A driver library of 2019. The loop asks for a GPU, and runs on the cores."""
    def make():
        names = re.findall(r"^TUTTI_CUDA\w*\((\w+)", (ROOT / "runtime/device/cuda/functions.def")
                           .read_text(), re.M)
        stubs = "".join(f"int {name}(void) {{ return 0; }}\n" for name in names
                        if name != "cuDriverGetVersion")
        stubs += "int cuDriverGetVersion(int *version) { *version = 10010; return 0; }\n"
        folder = workshop.folder / "old_driver"
        folder.mkdir()
        (folder / "cuda.c").write_text(stubs)
        result = workshop.execute(["clang-19", "-w", "-shared", "-fPIC", str(folder / "cuda.c"), "-o",
                                   str(folder / "libcuda.so.1")], {}, "")
        require(result.status == 0, tail(result.errors))
        return folder
    folder = workshop.cached("old_driver", make)
    result = workshop.launch(heat3d(), [], ranks, {"LD_LIBRARY_PATH": str(folder),
                                                   "TUTTI_DEVICE": "cuda"})
    rank = "rank 0: " if ranks > 1 else ""
    line = re.escape(f"tutti: {rank}TUTTI_DEVICE=cuda: there is no such device: the NVIDIA driver is too "
                     "old: it is of CUDA 10.1, 11.4 or newer is needed; using ") + r"\w+ instead\n"
    require(result.status == 0 and re.fullmatch(line, result.errors), result)


def processors_of(workshop, ranks, bind):
    """Which processors each rank may use."""
    result = workshop.execute([str(workshop.bin / "tuttirun"), "-n", str(ranks), "grep", "Cpus_allowed_list",
                               "/proc/self/status"], {"TUTTI_BIND": bind}, "")
    require(result.status == 0, result.errors)
    found = []
    for line in result.output.splitlines():
        ends = [[int(end) for end in part.split("-")] for part in line.split()[1].split(",")]
        found.append({processor for each in ends for processor in range(each[0], each[-1] + 1)})
    require(len(found) == ranks, result.output)
    return found


def ranks_have_cores_of_their_own(workshop):
    """Where there are enough; else all of them may use all."""
    usable = os.sched_getaffinity(0)
    for ranks, bind in ((2, "none"), (len(usable) + 1, "cores")):
        for processors in processors_of(workshop, ranks, bind):
            require(processors == usable, f"{ranks} ranks, {bind}: {processors} of {usable}")
    first, second = processors_of(workshop, 2, "cores")
    if first != usable:  # There are two cores.
        require(not first & second and first | second == usable, f"bound: {first}, {second}")


def an_unknown_way_to_bind_is_one_clear_line(workshop):
    result = workshop.execute([str(workshop.bin / "tuttirun"), "-n", "2", "true"], {"TUTTI_BIND": "socket"}, "")
    require(result.status == 1 and result.errors == "tuttirun: TUTTI_BIND=socket: expected cores or none\n",
            f"status {result.status}: {result.errors}")


def all_checks():
    """(name, function of the workshop)"""
    plain = [zeroed_arrays_take_no_room_in_the_file, executables_have_fixed_addresses,
             remarks_name_the_loop, a_wrong_clang_is_one_clear_line,
             unknown_targets_are_one_clear_line, assembly_and_several_sources_compile,
             crashes_of_the_compiler_leave_what_a_report_needs,
             a_crash_of_the_program_is_named, ranks_have_cores_of_their_own,
             an_unknown_way_to_bind_is_one_clear_line]
    checks = [(f.__name__, f) for f in plain]
    for name, source in (("c", "examples/jacobi/jacobi.c"), ("xmp", "examples/xmp/laplace.c"),
                         ("cl", "test/e2e/languages/first.cl")):
        checks.append((f"commands_are_shown_and_not_run-{name}",
                       lambda w, s=source: commands_are_shown_and_not_run(w, s)))
    for name, arguments, status in (("return", [], 0), ("exit", ["exit"], 3)):
        checks.append((f"kernels_are_done_before_exit_handlers-{name}",
                       lambda w, a=arguments, s=status:
                       kernels_are_done_before_exit_handlers(w, a, s)))
    for ranks in (1, 2):
        checks.append((f"an_allocator_in_a_library-{ranks}",
                       lambda w, r=ranks: an_allocator_in_a_library(w, r)))
    for kind, expected in (("auto", ""), ("cpu", ""), ("opencl", ""),
                           ("gpu", "gpu: there is no such device; using cpu instead"),
                           ("cuda", "cuda: there is no such device; using cpu instead"),
                           ("hybrid", "hybrid: there is no such device; using cpu instead")):
        checks.append((f"what_the_source_asks_for_in_vain_is_named-{kind}",
                       lambda w, k=kind, e=expected: what_the_source_asks_for_in_vain_is_named(
                           w, f"#pragma tutti device({k})", e)))
    for ranks, device in ((1, "cpu"), (3, "cpu"), (1, "opencl"), (2, "hybrid")):
        checks.append((f"memory_of_devices_is_the_programs-{device}-{ranks}",
                       lambda w, r=ranks, d=device: memory_of_devices_is_the_programs(w, r, d)))
    for ranks in (1, 2):
        checks.append((f"an_old_driver_is_one_line-{ranks}",
                       lambda w, r=ranks: an_old_driver_is_one_line(w, r)))
    for number in (signal.SIGINT, signal.SIGTERM):
        checks.append((f"a_signal_to_tuttirun_ends_the_run-{number}",
                       lambda w, n=number: a_signal_to_tuttirun_ends_the_run(w, n)))
    return checks
