# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What happens when something goes wrong: one line with rank and cause, and a quick end."""
import os
import pathlib
import re
import select
import shlex
import signal
import subprocess
import time

from commands import SECONDS_TO_START, jacobi, ranks_of, require
from harness import ROOT, Failure, Program, Result, limits, tail

SECONDS_TO_END = 5

ALLOCATION = r"""
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
static volatile std::size_t big = std::size_t{64} << 20;
static void *volatile kept;
template <typename F> static void show(const char *name, F allocate) {
  errno = 0;
  kept = allocate();
  asm volatile("" ::: "memory"); // Clang takes it that malloc leaves errno alone.
  std::printf("%s %s %s\n", name, kept ? "memory" : "null", errno == ENOMEM ? "ENOMEM" : "-");
}
int main(int argc, char **) {
  show("malloc", [] { return malloc(big); });
  show("calloc", [] { return calloc(big / 8, 8); });
  char *text = static_cast<char *>(malloc(1000));
  std::strcpy(text, "kept");
  show("realloc", [&] { return realloc(text, big); });
  show("aligned_alloc", [] { return aligned_alloc(64, big); });
  void *aligned = nullptr;
  std::printf("posix_memalign %d\n", posix_memalign(&aligned, 64, big) == ENOMEM);
  try {
    kept = new char[big];
    std::puts("new memory");
  } catch (const std::bad_alloc &) {
    std::puts("new bad_alloc");
  }
  show("nothrow", [] { return new (std::nothrow) char[big]; });
  std::puts(text);
  std::fflush(stdout);
  if (argc > 1) {
    kept = new char[big];
  }
  return 7;
}
"""
ALLOCATION_PRINTS = """malloc null ENOMEM
calloc null ENOMEM
realloc null ENOMEM
aligned_alloc null ENOMEM
posix_memalign 1
new bad_alloc
nothrow null ENOMEM
kept
"""

# An MPI library that is asked for MPI_THREAD_MULTIPLE and gives less.
SERIALIZED = """
#include <mpi.h>
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  (void)required;
  const int code = PMPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, provided);
  *provided = *provided > MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED : *provided;
  return code;
}
"""

# One loop, whose first launch needs all that a device does.
SUMS = """
#include <stdio.h>
static double weights[50000], values[50000];
int main(void) {
  for (int i = 0; i < 50000; ++i) {
    weights[i] = i % 17;
    values[i] = 1;
  }
  double sum = 0;
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 50000; ++i) {
      values[i] += weights[i] * (round + 1);
      sum += values[i];
    }
  }
  printf("%.0f %.0f\\n", sum, values[49999]);
}
"""
SUMS_PRINTS = "4149790 13\n"

RANK = "${OMPI_COMM_WORLD_RANK-$PMI_RANK}"


class Patience:
    """Counts time while this process runs too: a machine that stands still is not late."""

    def __init__(self, seconds):
        self.left = seconds
        self.last = time.monotonic()

    def is_over(self):
        now = time.monotonic()
        self.left -= min(now - self.last, 0.3)
        self.last = now
        return self.left < 0


class Run:
    """A run of tuttirun with all of its processes."""

    def __init__(self, workshop, ranks, words, environment=None):
        self.mark = limits.Mark()
        self.command = [str(workshop.bin / "tuttirun"), "-n", str(ranks), *map(str, words)]
        self.settings = environment or {}
        self.process = subprocess.Popen(
            self.command, cwd=workshop.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
            env={**os.environ, **self.settings, **self.mark.environment})

    def stop(self):
        self.mark.kill()
        self.process.communicate()

    def finish(self, is_ending=False):
        """The result; fails unless all ends soon from now on, or after the first complaint."""
        files = {self.process.stdout: b"", self.process.stderr: b""}
        opened = list(files)
        patience = Patience(SECONDS_TO_END if is_ending else SECONDS_TO_START)
        while opened or self.mark.processes():
            if patience.is_over():
                left = limits.where(self.mark.processes())
                self.stop()
                raise Failure(f"{self.again()}\nno end in time of\n{left}\n"
                              f"{tail(files[self.process.stderr].decode())}")
            for file in select.select(opened, [], [], 0.1)[0]:
                data = os.read(file.fileno(), 65536)
                files[file] += data
                if not data:
                    opened.remove(file)
                elif file is self.process.stderr and not is_ending:
                    is_ending = True
                    patience = Patience(SECONDS_TO_END)
        status = self.process.wait()
        for file in files:
            file.close()
        output, errors = (data.decode(errors="replace") for data in files.values())
        return Result(status, output, errors)

    def again(self):
        settings = " ".join(f"{k}={v}" for k, v in self.settings.items())
        return f"{settings} {shlex.join(self.command)}"


def one_line(result, pattern, status=None):
    """Standard error is one line that matches, and the status says failure, or `status`."""
    lines = result.errors.splitlines()
    require(len(lines) == 1 and re.search(pattern, lines[0]) is not None,
            f"not one line like '{pattern}'\n{tail(result.errors)}")
    require(result.status != 0 if status is None else result.status == status,
            f"status {result.status}")


def script(workshop, name, text):
    """An executable shell script."""
    def make():
        path = workshop.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path
    return workshop.cached(("script", name), make)


def a_killed_rank_in_a_time_loop(workshop, victim):
    binary = workshop.compiled(jacobi(), tutti=True)
    run = Run(workshop, 3, [binary, "400", "400", "100000000"], {"TUTTI_DISTRIBUTE": "always"})
    ranks = {}
    patience = Patience(SECONDS_TO_START)
    # All ranks are in the time loop when they have worked for a while.
    while len(ranks) < 3 or any(seconds_used(pid) < 0.5 for pid in ranks.values()):
        if patience.is_over() or run.process.poll() is not None:
            run.stop()
            raise Failure(f"{run.again()}\nthe ranks did not start")
        time.sleep(0.1)
        ranks = ranks_of(run.process.pid, binary)
    os.kill(ranks[victim], signal.SIGKILL)
    one_line(run.finish(is_ending=True),
             rf"^tutti: rank {victim} on host \S+: killed by signal 9 \(Killed\)$")


def seconds_used(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0


def allocation(workshop):
    def make():
        path = workshop.folder / "allocation_fails.cpp"
        path.write_text(ALLOCATION)
        return path
    source = workshop.cached("allocation_fails", make)
    return workshop.compiled(Program("allocation_fails", [source]), tutti=True)


HEAP_IS_FULL = (r"^tutti: rank 0: the heap of \d+ bytes is full: cannot allocate \d+ bytes; "
                "raise TUTTI_HEAP$")


def a_full_heap_is_an_error_of_the_allocation(workshop):
    result = Run(workshop, 2, [allocation(workshop)], {"TUTTI_HEAP": "16M"}).finish()
    require(result.output == ALLOCATION_PRINTS, f"printed\n{result.output}")
    one_line(result, HEAP_IS_FULL, status=7)


def a_bad_alloc_that_nobody_catches_is_one_line(workshop):
    result = Run(workshop, 2, [allocation(workshop), "throw"], {"TUTTI_HEAP": "16M"}).finish()
    lines = [line for line in result.errors.splitlines() if line.startswith("tutti")]
    require(len(lines) == 2 and re.search(HEAP_IS_FULL, lines[0]) is not None and
            re.search(r"^tutti: rank 0 on host \S+: killed by signal 6 ", lines[1]) is not None,
            result.errors)
    require(result.status == 128 + signal.SIGABRT, f"status {result.status}")


def a_check_that_fails_in_a_loop(workshop, arguments, told, victim):
    source = ROOT / "test/e2e/features/checks.cpp"
    binary = workshop.compiled(Program("checks", [source]), tutti=True)
    result = Run(workshop, 3, [binary, *arguments], {"TUTTI_DISTRIBUTE": "always"}).finish()
    lines = result.errors.splitlines()
    require(len(lines) == 2 and told in lines[0] and
            re.search(rf"^tutti: rank {victim} on host \S+: killed by signal 6 ", lines[1]),
            result.errors)
    require(result.status == 128 + signal.SIGABRT, f"status {result.status}")
    require(result.output.startswith("before\n"), f"printed\n{result.output}")


def a_fault_of_the_program(workshop, ranks, where):
    """One line says what was touched, and in which loop."""
    source = ROOT / "test/e2e/features/faults_in_a_loop.c"
    binary = workshop.compiled(Program("faults_in_a_loop", [source], flags=["-O2", "-g"]), tutti=True)
    result = Run(workshop, ranks, [binary, where], {"TUTTI_DISTRIBUTE": "always"}).finish()
    loop = r" while the loop at \S*faults_in_a_loop\.c:14:1 runs" if where == "loop" else ""
    said = [line for line in result.errors.splitlines() if "segmentation fault" in line]
    require(said, result.errors)
    for line in said:
        require(re.fullmatch(r"tutti: rank \d+: segmentation fault: 0x[0-9a-f]+ is written" + loop +
                             r", by the instruction at 0x[0-9a-f]+ \(addr2line -e PROGRAM tells its "
                             r"line\)", line), line)
    # On one rank the program takes the place of tuttirun.
    require(result.status in (128 + signal.SIGSEGV, -signal.SIGSEGV), f"status {result.status}")


def nothing_is_left_in_shared_memory(workshop):
    """libomp marks each process there that it serves."""
    binary = workshop.compiled(jacobi(), tutti=True)
    wrapper = script(workshop, "says_its_process.sh", f'#!/bin/sh\necho "process $$"\nexec {binary} "$@"\n')
    result = Run(workshop, 3, [wrapper, "20", "20", "2"]).finish()
    processes = re.findall(r"^process (\d+)$", result.output, re.M)
    require(len(processes) == 3, result.output)
    left = [path.name for path in pathlib.Path("/dev/shm").iterdir()
            if any(path.name.startswith(f"__KMP_REGISTERED_LIB_{pid}_") for pid in processes)]
    require(not left, f"left {left}")


def another_executable_on_one_rank(workshop):
    binary = workshop.compiled(jacobi(), tutti=True)
    other = workshop.folder / "jacobi-other"
    other.write_bytes(binary.read_bytes() + b"\0")
    other.chmod(0o755)
    wrapper = script(workshop, "differs.sh",
                     f'#!/bin/sh\nif [ "{RANK}" = 1 ]; then exec {other} "$@"; fi\n'
                     f'exec {binary} "$@"\n')
    result = Run(workshop, 3, [wrapper, "20", "20", "2"]).finish()
    require(result.output == "", f"printed '{result.output}'")
    one_line(result, r"^tutti: rank 0: not the same program as on rank 1: another executable$")


def an_mpi_without_thread_multiple(workshop, ranks):
    def make():
        source = workshop.folder / "serialized.c"
        source.write_text(SERIALIZED)
        library = workshop.folder / "libserialized.so"
        result = workshop.execute(["mpicc", "-shared", "-fPIC", str(source), "-o", str(library)],
                                  {"OMPI_CC": "clang-19", "MPICH_CC": "clang-19"}, "")
        require(result.status == 0, tail(result.errors))
        return library
    library = workshop.cached("serialized", make)
    binary = workshop.compiled(jacobi(), tutti=True)
    words = ["env", f"LD_PRELOAD={library}", binary, "20", "20", "2"]
    result = Run(workshop, ranks, words).finish()
    require(result.output == "", f"printed '{result.output}'")
    one_line(result, "^tutti: rank 0: this MPI library provides thread level 2 of 3 on every rank; "
                     "MPI_THREAD_MULTIPLE is needed$")


def a_bad_setting(workshop, name, value, ranks):
    binary = workshop.compiled(jacobi(), tutti=True)
    result = Run(workshop, ranks, [binary, "20", "20", "2"], {name: value}).finish()
    require(result.output == "", f"printed '{result.output}'")
    rank = "rank 0: " if ranks > 1 else ""
    one_line(result, rf"^tutti: {rank}{name}={re.escape(value)}: expected ", status=1)


def a_bad_setting_on_another_rank(workshop):
    binary = workshop.compiled(jacobi(), tutti=True)
    wrapper = script(workshop, "setting.sh",
                     f'#!/bin/sh\nif [ "{RANK}" = 2 ]; then export TUTTI_HEAP=plenty; fi\n'
                     f'exec {binary} "$@"\n')
    one_line(Run(workshop, 3, [wrapper, "20", "20", "2"]).finish(),
             r"^tutti: rank 2: TUTTI_HEAP=plenty: expected ")


def an_unknown_setting_is_ignored_with_one_line(workshop, ranks):
    binary = workshop.compiled(jacobi(), tutti=True)
    result = Run(workshop, ranks, [binary, "20", "20", "2"],
                 {"TUTTI_DISTRBUTE": "always", "TUTTI_HEEP": "1G"}).finish()
    require(result.output != "", "printed nothing")
    one_line(result, r"^tutti: ignored unknown environment variables TUTTI_DISTRBUTE, TUTTI_HEEP$",
             status=0)


def a_fork_on_several_ranks(workshop):
    source = workshop.folder / "forks.c"
    source.write_text("""
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("%d\\n", WEXITSTATUS(status));
}
""")
    binary = workshop.compiled(Program("forks", [source]), tutti=True)
    require(Run(workshop, 1, [binary]).finish().output == "3\n", "one rank may fork")
    one_line(Run(workshop, 2, [binary]).finish(), r"^tutti: rank 0: fork\(\) is not possible here: ",
             status=1)


def a_sanitizer(workshop, option, name):
    """On one rank it does its work; several are refused."""
    source = workshop.folder / f"{option}.c"
    source.write_text("""
#include <stdlib.h>
int main(int argc, char **argv) {
  double *a = malloc(100 * sizeof *a);
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) {
    a[i] = i;
  }
  a[argc > 1 ? 100 : 0] = 1;
  free(a);
  return argv == NULL;
}
""")
    binary = workshop.compiled(Program(option, [source], ["-O1", f"-fsanitize={option}"]), True)
    if option == "address":
        alone = Run(workshop, 1, [binary]).finish()
        require((alone.status, alone.errors) == (0, ""), alone)
        require("heap-buffer-overflow" in Run(workshop, 1, [binary, "over"]).finish().errors,
                "an overflow is not found")
    one_line(Run(workshop, 2, [binary]).finish(),
             f"^tutti: rank 0: a program with {name} runs on one rank only$", status=1)


def a_missing_launcher(workshop):
    binary = workshop.compiled(jacobi(), tutti=True)
    one_line(Run(workshop, 2, [binary], {"TUTTI_MPIRUN": "/absent/mpirun"}).finish(),
             "^tuttirun: TUTTI_MPIRUN=/absent/mpirun is not a program$", status=1)


def a_launcher_that_refuses_an_option(workshop, ranks):
    """Also for one rank: the option may say where that is to run."""
    binary = workshop.compiled(jacobi(), tutti=True)
    result = Run(workshop, ranks, ["--hostfile", "/absent/hosts", binary, "20", "20", "2"]).finish()
    require(result.status != 0 and result.output == "" and "/absent/hosts" in result.errors, result)


def a_launcher_of_another_mpi(workshop):
    """One whose ranks know no others."""
    binary = workshop.compiled(jacobi(), tutti=True)
    result = workshop.execute([str(binary), "20", "20", "2"], {"PMI_RANK": "0", "PMI_SIZE": "2"}, "")
    require(result.output == "", f"printed '{result.output}'")
    one_line(result, "^tutti: rank 0: 2 ranks were started, but this MPI library knows of none: ",
             status=1)


def slurm_without_mpi(workshop):
    binary = workshop.compiled(jacobi(), tutti=True)
    for rank in "0", "1":
        result = workshop.execute([str(binary), "20", "20", "2"],
                                  {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": rank}, "")
        require(result.status == 0 and result.output != "", result)
        require(result.errors.count("\n") == (rank == "0"), result)


def a_launcher_that_starts_nothing(workshop):
    binary = workshop.compiled(jacobi(), tutti=True)
    for program in "/bin/true", "/bin/false":
        one_line(Run(workshop, 2, [binary], {"TUTTI_MPIRUN": program}).finish(),
                 f"^tuttirun: no rank was started: {program} does not seem to be an MPI launcher$",
                 status=1)


def a_launcher_of_the_users_own(workshop):
    """A script that answers no questions, but starts ranks; of a program that knows no MPI."""
    launcher = script(workshop, "own-launcher.sh",
                      '#!/bin/sh\n[ "$1" = --version ] || exec mpirun "$@"\n')
    result = Run(workshop, 2, ["/bin/echo", "played"], {"TUTTI_MPIRUN": launcher}).finish()
    require((result.output, result.errors, result.status) == ("played\n" * 2, "", 0), result)


def a_program_that_cannot_start(workshop, ranks):
    plain = workshop.folder / f"plain-{ranks}"
    plain.write_text("text\n")
    folder = workshop.folder / f"folder-{ranks}"
    folder.mkdir(exist_ok=True)
    stale = script(workshop, "stale.sh", "#!/absent/interpreter\n")
    for program, line, status in [
            ("./absent", r"^tuttirun: \./absent does not exist$", 127),
            ("absent-from-path", "^tuttirun: absent-from-path is not in PATH$", 127),
            (plain, f"^tuttirun: {plain} is not an executable program$", 126),
            (folder, f"^tuttirun: {folder} is not an executable program$", 126),
            (stale, rf"^tutti(run|: rank \d on host \S+): cannot start {stale}: No such", 127)]:
        one_line(Run(workshop, ranks, [program]).finish(), line, status)


def on_a_mock_device(workshop, ranks, victim, **settings):
    """Runs a loop with a mock device on one of the ranks."""
    def make():
        source = workshop.folder / "sums.c"
        source.write_text(SUMS)
        return source
    binary = workshop.compiled(Program("sums", [workshop.cached("sums", make)]), tutti=True)
    # On the other ranks nobody looks for devices.
    mine = "TUTTI_MOCK_DEVICES=1 TUTTI_DEVICE=gpu"
    wrapper = script(workshop, "mock.sh",
                     f'#!/bin/sh\n[ "${{OMPI_COMM_WORLD_RANK-${{PMI_RANK-0}}}}" = "$VICTIM" ] && '
                     f'export {mine}\nexec "$@"\n')
    return Run(workshop, ranks, [wrapper, binary],
               {"TUTTI_DISTRIBUTE": "always", "VICTIM": str(victim), **settings}).finish()


def goes_on(result, pattern):
    require(result.output == SUMS_PRINTS, f"printed '{result.output}'\n{tail(result.errors)}")
    one_line(result, pattern, status=0)


def a_device_that_is_lost_in_a_first_launch(workshop, ranks, victim, operation):
    goes_on(on_a_mock_device(workshop, ranks, victim, TUTTI_MOCK_LOSE=str(operation)),
            rf"^tutti: {f'rank 0: a device of rank {victim}' if ranks > 1 else 'a device'} is used no more: "
            f"mock 0 is lost at operation {operation}$")


def a_device_that_refuses(workshop, ranks, victim, setting, words):
    """A kernel or memory."""
    rank = f"rank {victim}: " if victim > 0 else ""
    goes_on(on_a_mock_device(workshop, ranks, victim, **{setting: "1"}),
            rf"^tutti: {'rank 0: ' if ranks > 1 else ''}the loop at \S+ is kept off devices: {rank}.*"
            f"mock 0 {words}")


def all_checks():
    """(name, function of the workshop)"""
    plain = [a_full_heap_is_an_error_of_the_allocation, a_bad_alloc_that_nobody_catches_is_one_line,
             nothing_is_left_in_shared_memory, another_executable_on_one_rank, a_bad_setting_on_another_rank, a_fork_on_several_ranks,
             a_missing_launcher, a_launcher_of_another_mpi, slurm_without_mpi,
             a_launcher_that_starts_nothing, a_launcher_of_the_users_own]
    checks = [(f.__name__, f) for f in plain]
    for victim in (0, 1, 2):
        checks.append((f"a_killed_rank_in_a_time_loop-{victim}",
                       lambda w, v=victim: a_killed_rank_in_a_time_loop(w, v)))
    for iteration, victim in ("10", 0), ("490", 2):
        for kind, arguments, told in (
                ("assert", [iteration], "Assertion `i != wrong' failed"),
                ("message", ["-1", iteration], f"iteration {iteration} has -{iteration}")):
            checks.append((f"a_check_that_fails_in_a_loop-{kind}-{victim}",
                           lambda w, a=arguments, t=told, v=victim:
                           a_check_that_fails_in_a_loop(w, a, t, v)))
    for ranks, where in (1, "loop"), (1, "behind"), (2, "loop"), (2, "behind"):
        checks.append((f"a_fault_of_the_program-{where}-{ranks}",
                       lambda w, r=ranks, p=where: a_fault_of_the_program(w, r, p)))
    for ranks in (1, 2):
        checks.append((f"a_launcher_that_refuses_an_option-{ranks}",
                       lambda w, r=ranks: a_launcher_that_refuses_an_option(w, r)))
    for option, name in ("address", "AddressSanitizer"), ("thread", "ThreadSanitizer"):
        checks.append((f"a_sanitizer-{option}",
                       lambda w, o=option, n=name: a_sanitizer(w, o, n)))
    for ranks in (1, 3):
        for test in (an_unknown_setting_is_ignored_with_one_line, a_program_that_cannot_start):
            checks.append((f"{test.__name__}-{ranks}", lambda w, t=test, r=ranks: t(w, r)))
        for name, value in [("TUTTI_HEAP", "plenty"), ("TUTTI_HEAP", "1K"), ("TUTTI_HEAP", "-1G"),
                            ("TUTTI_HEAP", "99T"), ("TUTTI_DISTRIBUTE", "maybe"),
                            ("TUTTI_STATS", "loud"), ("TUTTI_DEVICE", "abacus"),
                            ("TUTTI_DEVICE_MEMORY", "1K"), ("TUTTI_DEVICE_MEMORY", "most")]:
            checks.append((f"a_bad_setting-{name}={value}-{ranks}",
                           lambda w, n=name, v=value, r=ranks: a_bad_setting(w, n, v, r)))
    for ranks, victim in (1, 0), (2, 0), (2, 1), (3, 2):
        # The second operation makes a queue, the sixth starts the kernel on rank 0.
        for operation in range(2, 7):
            checks.append((f"a_device_that_is_lost_in_a_first_launch-{operation}-{victim}-{ranks}",
                           lambda w, r=ranks, v=victim, o=operation:
                           a_device_that_is_lost_in_a_first_launch(w, r, v, o)))
        for setting, words in (("TUTTI_MOCK_REFUSE", "refuses all images$"),
                               ("TUTTI_MOCK_FAIL_COMMIT", r"has no \d+ bytes$")):
            checks.append((f"a_device_that_refuses-{setting}-{victim}-{ranks}",
                           lambda w, r=ranks, v=victim, s=setting, t=words:
                           a_device_that_refuses(w, r, v, s, t)))
    for ranks in (2, 3):
        checks.append((f"an_mpi_without_thread_multiple-{ranks}",
                       lambda w, r=ranks: an_mpi_without_thread_multiple(w, r)))
    return checks
