# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles programs with Clang and with Tutti, runs them and compares what they print."""
import collections
import contextlib
import dataclasses
import json
import pathlib
import re
import shlex
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "test"))
import limits  # noqa: E402

# Limits are for programs that hang. What a machine takes that is busy with other work, or compiles all
# kernels of a program for the first time, shows in the time that the program's compilation took.
SECONDS_AT_LEAST = 120
SECONDS_PER_SECOND_OF_EFFORT = 60
SECONDS_TO_COMPILE = 600
COMPILERS = ("tutticc", "tuttic++", "tuttic-luna", "tutti-luna")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(nan|inf)")


class Failure(Exception):
    """A test that did not hold; the message says why and how to see it again."""


@dataclasses.dataclass
class Result:
    status: int
    output: str
    errors: str


@dataclasses.dataclass
class Program:
    """A program and how to run it. Feature programs say it in `// KEY: value` lines at their top."""
    name: str
    sources: list
    flags: list = dataclasses.field(default_factory=lambda: ["-O3"])
    tutti_flags: list = dataclasses.field(default_factory=list)  # Of tutticc alone.
    libraries: list = dataclasses.field(default_factory=list)
    arguments: list = dataclasses.field(default_factory=list)
    stdin: str = ""
    status: int = 0
    tolerance: float = 1e-8
    threads: int = 0  # Most threads in each team of a league, where that matters.

    @staticmethod
    def read(path):
        sources = [path]
        if path.is_dir():
            sources = sorted(path.glob("*.c")) + sorted(path.glob("*.cpp"))
        head = "\n".join(s.read_text()[:2000] for s in sources)
        keys = dict(re.findall(r"^// ([A-Z]+): (.*)$", head, re.M))
        return Program(name=path.stem, sources=sources,
                       flags=shlex.split(keys.get("FLAGS", "-O3")),
                       libraries=shlex.split(keys.get("LIBS", "")),
                       arguments=shlex.split(keys.get("ARGS", "")),
                       stdin=keys.get("STDIN", ""), status=int(keys.get("EXIT", "0")),
                       tolerance=float(keys.get("TOLERANCE", "1e-8")),
                       threads=int(keys.get("THREADS", "0")))

    @property
    def environment(self):
        """libomp has as many threads in all teams as there are processors, unless it is told."""
        return {"OMP_NUM_THREADS": str(self.threads), "KMP_TEAMS_THREAD_LIMIT": "256",
                "OMP_WAIT_POLICY": "passive"} if self.threads else {}

    @property
    def is_cxx(self):
        return any(s.suffix == ".cpp" for s in self.sources)


class Workshop:
    """Where programs are built, each once, and run. Safe to use from several threads."""

    def __init__(self, build, folder):
        self.bin = pathlib.Path(build).resolve() / "bin"
        self.folder = pathlib.Path(folder)
        self.lock = threading.Lock()
        self.once = {}
        self.effort = collections.Counter()

    def cached(self, key, make):
        """The value of make(), computed once per key; its failure too."""
        with self.lock:
            entry = self.once.setdefault(key, {"lock": threading.Lock()})
        with entry["lock"]:
            if "value" not in entry and "error" not in entry:
                try:
                    entry["value"] = make()
                except Failure as error:
                    entry["error"] = error
        if "error" in entry:
            raise entry["error"]
        return entry["value"]

    def written(self, name, text):
        """The path of a file of that name and text, written once: checks that share it run side by side, and one
        may compile what another would begin to write again."""
        def make():
            path = self.folder / name
            path.write_text(text)
            return path, text
        path, before = self.cached(("written", name), make)
        if before != text:
            raise Failure(f"two checks write unlike texts to {name}")
        return path

    def compiled(self, program, tutti):
        return self.cached((program.name, tutti), lambda: self.compile(program, tutti))

    def compile(self, program, tutti):
        if tutti:
            compiler = [str(self.bin / ("tuttic++" if program.is_cxx else "tutticc")),
                        *program.tutti_flags]
        else:
            compiler = ["clang++-19" if program.is_cxx else "clang-19", "-fopenmp"]
        if program.is_cxx:
            compiler.append("-std=c++20")
        output = self.folder / f"{program.name}-{'tutti' if tutti else 'clang'}"
        command = [*compiler, *program.flags, "-w", *map(str, program.sources), "-o", str(output),
                   *program.libraries, "-lm"]
        with self.measured(program):
            result = self.execute(command, {}, "", SECONDS_TO_COMPILE)
        if result.status != 0:
            raise Failure(f"{shlex.join(command)}\nexit status {result.status}\n"
                          f"{tail(result.errors)}")
        return output

    def reference(self, program, arguments):
        def make():
            binary = self.compiled(program, tutti=False)
            limit = self.limit(program)
            with self.measured(program):
                # With threads of its own for `target nowait` libomp ends one run in ten by an assertion
                # of its own; without them, leagues of many threads do so each time.
                helpers = {} if program.threads else {"LIBOMP_USE_HIDDEN_HELPER_TASK": "0"}
                return self.execute([str(binary), *arguments],
                                    {"OMP_NUM_THREADS": "2", **helpers, **program.environment},
                                    program.stdin, limit)
        return self.cached((program.name, "reference", tuple(arguments)), make)

    def launch(self, program, arguments, ranks, environment=None):
        """Runs the Tutti build of a program; a crash of any kind is left to the caller to judge."""
        binary = self.compiled(program, tutti=True)
        command = [str(self.bin / "tuttirun"), "-n", str(ranks), str(binary), *arguments]
        return self.execute(command, {**program.environment, **(environment or {})}, program.stdin,
                            self.limit(program))

    @contextlib.contextmanager
    def measured(self, program):
        """What is done inside counts as effort for the program."""
        start = time.monotonic()
        yield
        with self.lock:
            self.effort[program.name] += time.monotonic() - start

    def limit(self, program):
        """After how many seconds a run of the program hangs."""
        return SECONDS_AT_LEAST + SECONDS_PER_SECOND_OF_EFFORT * self.effort[program.name]

    def execute(self, command, environment, stdin, seconds=None):
        if seconds is None:
            compiles = any(name in str(word) for word in command for name in COMPILERS)
            seconds = SECONDS_TO_COMPILE if compiles else SECONDS_AT_LEAST
        try:
            done = limits.run(command, seconds, environment, stdin + "\n" if stdin else "",
                              self.folder)
        except limits.OutOfTime as error:
            raise Failure(str(error)) from None
        return Result(done.returncode, done.stdout, done.stderr)

    def statistics(self, program, arguments, ranks, environment=None):
        """The counters of a run that must succeed. Cuts do not follow times, which differ from run
        to run."""
        result = self.launch(program, arguments, ranks,
                             {"TUTTI_DISTRIBUTE": "always", "TUTTI_STATS": "json",
                              "TUTTI_BALANCE": "off",
                              **(environment or {})})
        if result.status != program.status:
            raise Failure(f"exit status {result.status}\n{tail(result.errors)}")
        return counters(result)


def counters(result):
    """Of a run with TUTTI_STATS=json."""
    found = re.search(r"^tutti-stats: (\{.*\})$", result.errors, re.M)
    if found is None:
        raise Failure(f"no line 'tutti-stats: ...' on standard error\n{tail(result.errors)}")
    return json.loads(found[1])


def tail(text, lines=12):
    return "\n".join(text.splitlines()[-lines:])


def same_number(expected, actual, tolerance):
    if expected == actual:
        return True
    if not (NUMBER.fullmatch(expected) and NUMBER.fullmatch(actual)):
        return False
    if not any(c in expected + actual for c in ".eE"):
        return False  # Integers are exact.
    a, b = float(expected), float(actual)
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def difference(expected, actual, tolerance):
    """The first line in which two outputs differ, or None."""
    left, right = expected.splitlines(), actual.splitlines()
    for number, (a, b) in enumerate(zip(left, right), 1):
        words_a, words_b = a.split(), b.split()
        if len(words_a) != len(words_b) or not all(
                same_number(x, y, tolerance) for x, y in zip(words_a, words_b)):
            return f"line {number}: expected '{a[:160]}', printed '{b[:160]}'"
    if len(left) != len(right):
        return f"expected {len(left)} lines, printed {len(right)}"
    return None


def compare(workshop, program, arguments, ranks, environment=None):
    """Fails unless Tutti on `ranks` ranks prints what Clang's program prints."""
    environment = {"TUTTI_DISTRIBUTE": "always", **(environment or {})}
    expected = workshop.reference(program, arguments)
    if expected.status != program.status:
        raise Failure(f"the reference ends with status {expected.status}")
    actual = workshop.launch(program, arguments, ranks, environment)
    settings = " ".join(f"{k}={v}" for k, v in environment.items())
    binary = workshop.folder / f"{program.name}-tutti"
    again = f"{settings} tuttirun -n {ranks} {shlex.join([str(binary), *arguments])}"
    if actual.status != program.status:
        raise Failure(f"{again}\nexit status {actual.status}\n{tail(actual.errors)}")
    found = difference(expected.output, actual.output, program.tolerance)
    if found:
        raise Failure(f"{again}\n{found}\n{tail(actual.errors, 4)}")
