#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random LuNA programs against an interpreter, on one to four ranks with one and four workers.

A program runs on two numbers of ranks, with --all on four.

Every third program has a mistake planted, and must say so and end. Prints what differs and how to see
it again, and "N passed, N failed", counted in programs, at the end.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

import luna_programs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "test"))
import limits  # noqa: E402

SECONDS = 60
MOST_SHOWN = 12
RANKS = (1, 2, 3, 4)
ROPES = ("", "drag=1", "cpu=0.5", "cpu=0.3,drag=0.3", "cpu=0.3,follow=1")  # Of runs with devices, in turn.


class Differs(Exception):
    """The message says how."""


def execute(command, environment, folder):
    try:
        return limits.run([str(word) for word in command], SECONDS, environment, "", folder)
    except limits.OutOfTime as error:
        raise Differs(str(error)) from error


def shown(text):
    return "\n".join(text.splitlines()[:MOST_SHOWN])


class Programs:
    def __init__(self, build, folder, keep, is_all, device):
        self.build = build
        self.folder = folder
        self.keep = keep
        self.is_all = is_all
        self.device = device
        self.procedures = folder / "procedures.o"
        self.headers = folder / "ucenv.pch"
        self.compile_what_all_need()

    def compile_what_all_need(self):
        source = self.folder / "procedures.cpp"
        source.write_text(luna_programs.PROCEDURES_TEXT)
        include = self.build / "include/tutti/luna"
        for words in (["-I", include, "-c", source, "-o", self.procedures],
                      ["-DTUTTI_LUNA", "-x", "c++-header", include / "ucenv.h", "-o", self.headers]):
            done = execute([self.build / "bin/tuttic++", "-O1", *words], {}, self.folder)
            if done.returncode != 0:
                raise Differs(f"procedures do not compile\n{shown(done.stderr)}")

    def compile(self, seed, text):
        source, binary = self.folder / f"luna_{seed}.fa", self.folder / f"luna_{seed}"
        source.write_text(text)
        done = execute([self.build / "bin/tuttic-luna", "-O1", "-include-pch", self.headers, source, self.procedures,
                        "-o", binary], {}, self.folder)
        if done.returncode != 0:
            raise Differs(f"does not compile\n{shown(done.stderr)}")
        return binary

    def devices(self, number):
        return {"TUTTI_DEVICE": self.device, "TUTTI_ROPE": ROPES[number % len(ROPES)]} if self.device else {}

    def runs(self, seed, binary):
        """What each run says, with other numbers of workers at other seeds."""
        for ranks in RANKS if self.is_all else (1 + seed % 4, 1 + (seed + 1 + seed // 4) % 4):
            workers = 4 if (seed // 4 + ranks) % 2 else 1
            done = execute([self.build / "bin/tuttirun", "-n", ranks, binary],
                           {"TUTTI_WORKERS": str(workers), **self.devices(seed + ranks)}, self.folder)
            yield f"{ranks} ranks, {workers} workers: ", done

    def check_right(self, seed):
        text, output = luna_programs.right(seed)
        for where, done in self.runs(seed, self.compile(seed, text)):
            if done.returncode != 0:
                raise Differs(f"{where}status {done.returncode}\n{shown(done.stderr)}")
            printed = sorted(done.stdout.splitlines())
            if printed != output:
                raise Differs(f"{where}lacks {sorted(set(output) - set(printed))[:MOST_SHOWN]}, prints "
                              f"{sorted(set(printed) - set(output))[:MOST_SHOWN]}, "
                              f"{len(printed)} lines for {len(output)}")

    def check_wrong(self, seed):
        text, code, says, lines = luna_programs.wrong(seed)
        for where, done in self.runs(seed, self.compile(seed, text)):
            found = re.search(rf"luna_{seed}\.fa:(\d+): run-time error: (.*)", done.stderr, re.S)
            if done.returncode != 1 or not found or int(found[1]) not in lines or \
                    says not in found[2] or (code and f"[{code}]" not in found[2]):
                raise Differs(f"{where}status {done.returncode}, does not say at one of {lines}: "
                              f"{says} [{code}]\n{shown(done.stderr)}")

    def run(self, seed):
        """Whether all went well."""
        try:
            (self.check_wrong if seed % 3 == 0 else self.check_right)(seed)
        except Differs as error:
            print(f"FAIL test/fuzz/luna.py --seeds {seed}:1: {error}", flush=True)
            return False
        finally:
            if not self.keep:
                for path in self.folder.glob(f"luna_{seed}*"):
                    if re.fullmatch(rf"luna_{seed}(\..*)?", path.name):
                        path.unlink()
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--jobs", type=int, default=1, help="so many programs at a time")
    parser.add_argument("--seeds", metavar="FIRST:COUNT", default="1:30", help="so many programs")
    parser.add_argument("--all", action="store_true", help="on all numbers of ranks")
    parser.add_argument("--device", metavar="KIND", help="with devices, as TUTTI_DEVICE says")
    parser.add_argument("--keep", help="build the programs here and leave them")
    parser.add_argument("--first", action="store_true", help="run only one program")
    arguments = parser.parse_args()
    first, count = map(int, arguments.seeds.split(":"))
    seeds = range(first, first + (1 if arguments.first else count))
    with tempfile.TemporaryDirectory(prefix="tutti-fuzz-") as temporary:
        folder = pathlib.Path(os.path.realpath(arguments.keep or temporary))
        folder.mkdir(parents=True, exist_ok=True)
        programs = Programs(arguments.build.resolve(), folder, arguments.keep, arguments.all, arguments.device)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            failed = list(pool.map(programs.run, seeds)).count(False)
    print(f"fuzz: {len(seeds) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
