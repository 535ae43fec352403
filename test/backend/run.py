#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds a backend and a target (skeleton/) without changing a file, and uses them.

Makes a build of its own with those two alone, of the programs that show them: `tutti info`, tutticc's
choice of targets, and tutti-kernel.

usage: run.py FOLDER [OPTION...], where the build may lie, and options for CMake
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KERNEL = """
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
define void @run(ptr %arena, i64 %low, i64 %high, i64 %lower, i64 %upper, i64 %total, ptr %partials) {
  ret void
}
"""


def run(*command, status=0, **arguments):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **arguments)
    assert done.returncode == status, (command, done.returncode, done.stdout[-4000:])
    return done.stdout


def build(folder, options):
    run("cmake", "-S", ROOT, "-B", folder,
        f"-DTUTTI_EXTRA_BACKENDS={HERE / 'skeleton'}",
        "-DTUTTI_KERNEL_TARGETS=bones", "-DTUTTI_DEVICE_BACKENDS=skeleton", "-DTUTTI_BUILD_TESTS=OFF",
        "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", *options)
    run("cmake", "--build", folder, "--target", "tutti_command", "tutticc", "tutti-kernel")


def check(folder):
    commands = folder / "bin"
    devices = run(commands / "tutti", "info", env={"TUTTI_DEVICE": "skeleton"})
    assert "skeleton 0: a skeleton" in devices and "TUTTI_DEVICE=skeleton: skeleton 0" in devices, devices

    help_text = run(commands / "tutticc", "--tutti-help")
    assert "bones" in help_text, help_text
    wrong = run(commands / "tutticc", "-c", "x.c", status=1, env={"TUTTI_TARGETS": "flesh"})
    assert "flesh" in wrong and "bones" in wrong, wrong
    # It gets as far as to look for the runtime library, which this build lacks.
    right = run(commands / "tutticc", "-c", "x.c", status=1, env={"TUTTI_TARGETS": "bones"})
    assert "TUTTI_TARGETS" not in right and "libtutti.so" in right, right

    text = run(commands / "tutti-kernel", "--target=bones", input=KERNEL)
    assert text == "bones of run\n", text


def main():
    folder = pathlib.Path(sys.argv[1])
    build(folder, sys.argv[2:])
    check(folder)
    print("a backend can be added")


if __name__ == "__main__":
    main()
