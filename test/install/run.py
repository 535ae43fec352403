#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs Tutti into a fresh folder and builds users' projects there, told nothing but CC and CXX.

Prints one line per failure and "N passed, N failed" at the end.
"""
import argparse
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import limits  # noqa: E402

SECONDS = 600  # Every command takes a few, where nothing hangs.


def run(command, folder, environment=None):
    result = limits.run(command, SECONDS, environment, folder=folder)
    if result.returncode != 0:
        text = "\n".join([*result.stdout.splitlines()[-25:], *result.stderr.splitlines()[-25:]])
        raise RuntimeError(f"{' '.join(map(str, command))}\nstatus {result.returncode}\n{text}")
    return result.stdout + result.stderr


def build_cmake(folder, compilers):
    run(["cmake", "-S", ".", "-B", "out", "-DCMAKE_BUILD_TYPE=Release"], folder, compilers)
    run(["cmake", "--build", "out"], folder)
    return folder / "out/heat"


def build_make(folder, compilers):
    run(["make", f"CC={compilers['CC']}"], folder)
    return folder / "heat"


def build_autoconf(folder, compilers):
    run(["autoconf"], folder)
    run(["./configure"], folder, compilers)
    run(["make"], folder)
    return folder / "heat"


PROJECTS = [("cmake_project", build_cmake), ("make_project", build_make),
            ("autoconf_project", build_autoconf), ("ompss_project", build_make)]


def check(name, build, prefix, work):
    tutti = {"CC": str(prefix / "bin/tutticc"), "CXX": str(prefix / "bin/tuttic++")}
    clang = {"CC": "clang-19", "CXX": "clang++-19"}
    outputs = []
    for kind, compilers in (("clang", clang), ("tutti", tutti)):
        folder = work / f"{name}-{kind}"
        shutil.copytree(HERE / name, folder)
        program = build(folder, compilers)
        if kind == "clang":
            outputs.append(run([program], folder))
            continue
        for ranks in (1, 2):
            outputs.append(run([prefix / "bin/tuttirun", "-n", str(ranks), program], folder,
                               {"TUTTI_DISTRIBUTE": "always"}))
    if len(set(outputs)) != 1:
        raise RuntimeError(f"outputs differ: {outputs}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", help="taken for the sake of uniformity")
    parser.add_argument("--first", action="store_true", help="build only the first project")
    arguments = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="tutti-install-") as temporary:
        work = pathlib.Path(temporary)
        prefix = work / "a prefix, moved"
        try:
            run(["cmake", "--install", arguments.build.resolve(), "--prefix", work / "first"], work)
            (work / "first").rename(prefix)
        except (RuntimeError, limits.OutOfTime) as error:
            print(f"FAIL install\n{error}")
            print("install: 0 passed, 1 failed")
            return 1
        # Autoconf and make take a compiler with spaces in its path for several words.
        plain = work / "tutti"
        plain.symlink_to(prefix)
        for name, build in PROJECTS[:1] if arguments.first else PROJECTS:
            try:
                check(name, build, plain, work)
                passed += 1
            except (RuntimeError, limits.OutOfTime) as error:
                print(f"FAIL install/{name}\n    " + str(error).replace("\n", "\n    "))
                failed += 1
    print(f"install: {passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
