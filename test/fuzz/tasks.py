#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs of nested OmpSs-2 tasks on one to four ranks, beside the same programs without
their pragmas.

Prints what differs and how to see it again, and "N passed, N failed", counted in programs, at the end.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "test"), str(ROOT / "test/e2e")]
import limits  # noqa: E402
import ompss  # noqa: E402

TOGETHER = 10  # In a file, so that starting ranks is not most of the time.
SECONDS = 300
NAMES = re.compile(r"\b(m|s\d|busy|main)\b")


def text_of(seeds):
    """The programs of all seeds in one."""
    parts = []
    for seed in seeds:
        text = ompss.Writer(seed).program().replace("#include <stdio.h>\n", "")
        parts.append(NAMES.sub(rf"\1_{seed}", text))
    calls = "".join(f'  printf("seed {seed}\\n");\n  main_{seed}();\n' for seed in seeds)
    return "#include <stdio.h>\n" + "\n".join(parts) + f"int main(void) {{\n{calls}}}\n"


def outputs(output):
    """What each program has printed."""
    found = re.split(r"^seed (\d+)\n", output, flags=re.M)
    return dict(zip(map(int, found[1::2]), found[2::2]))


def launch(command, folder, environment):
    try:
        return limits.run([str(word) for word in command], SECONDS, environment, "", folder)
    except limits.OutOfTime as error:
        print(f"FAIL {error}", flush=True)
        return None


def failing(build, folder, seeds):
    """The seeds of which something differs."""
    source = folder / f"tasks_{seeds[0]}.c"
    source.write_text(text_of(seeds))
    expected, actual = (folder / f"{name}_{seeds[0]}" for name in ("expected", "actual"))
    for flag, binary in (("-fno-ompss-2", expected), ("-fompss-2", actual)):
        built = launch([build / "bin/tutticc", "-O1", "-w", flag, source, "-o", binary], folder, {})
        if built is None or built.returncode != 0:
            print(f"FAIL {flag}: {source} is not compiled\n{built and built.stderr}", flush=True)
            return set(seeds)
    wanted = outputs(launch([expected], folder, {}).stdout)
    failed = set()
    for ranks in (1, 2, 3, 4):
        workers = 1 + (seeds[0] // len(seeds) + ranks) % 4 if ranks == 1 else 1 + ranks % 2
        done = launch([build / "bin/tuttirun", "-n", ranks, actual], folder, {"TUTTI_WORKERS": str(workers)})
        found = outputs(done.stdout) if done else {}
        wrong = {seed for seed in seeds if found.get(seed) != wanted[seed]}
        if done and done.returncode != 0 and not wrong:
            wrong = set(seeds)
        for seed in sorted(wrong):
            print(f"FAIL test/fuzz/tasks.py --seeds {seed}:1, in the file of {seeds[0]}, on {ranks} ranks with {workers} "
                  f"workers, status {done and done.returncode}\n{done and done.stderr[-500:]}", flush=True)
        failed |= wrong
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    parser.add_argument("--seeds", metavar="FIRST:COUNT", default="5001:50", help="so many programs")
    parser.add_argument("--keep", help="build the programs here and leave them")
    parser.add_argument("--first", action="store_true", help="run only one program")
    arguments = parser.parse_args()
    first, count = map(int, arguments.seeds.split(":"))
    seeds = list(range(first, first + (1 if arguments.first else count)))
    failed = set()
    with tempfile.TemporaryDirectory(prefix="tutti-fuzz-") as temporary:
        folder = pathlib.Path(os.path.realpath(arguments.keep or temporary))
        folder.mkdir(parents=True, exist_ok=True)
        files = [seeds[begin:begin + TOGETHER] for begin in range(0, len(seeds), TOGETHER)]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for found in pool.map(lambda file: failing(arguments.build.resolve(), folder, file), files):
                failed |= found
    print(f"tasks: {len(seeds) - len(failed)} passed, {len(failed)} failed")
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
