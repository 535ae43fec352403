# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files in languages of devices, as tutticc takes them. Those of CUDA only where there is nvcc."""
import os
import re
import shutil
import tempfile

from commands import require
from harness import ROOT, tail

FOLDER = ROOT / "test/e2e/languages"
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
FOUND = "stub 1, library 1, size 3\n"


def tutticc(workshop, folder, *words, environment=None, compiler="tutticc"):
    """Runs it in `folder`; must succeed and say nothing."""
    command = ["env", "-C", folder, str(workshop.bin / compiler), *map(str, words)]
    result = workshop.execute(command, environment or {}, "")
    require(result.status == 0 and result.errors == "", f"{words}\n{tail(result.errors)}")


def printed(workshop, program):
    result = workshop.execute([program], {}, "")
    require(result.status == 0, tail(result.errors))
    return result.output


def texts_of(*names):
    return "".join(f"== {name}\n{(FOLDER / name).read_text()}" for name in names)


def copied(folder, *names):
    for name in names:
        shutil.copy(FOLDER / name, folder)


def texts_travel_in_the_program(workshop):
    with tempfile.TemporaryDirectory(dir=workshop.folder) as folder:
        copied(folder, "first.cl", "second.cl")
        tutticc(workshop, folder, "-I", ROOT, FOLDER / "texts.c", "first.cl", "second.cl", "-o", "all")
        shown = printed(workshop, f"{folder}/all")
        require(shown == texts_of("first.cl", "second.cl"), shown)

        tutticc(workshop, folder, "-c", "first.cl")
        tutticc(workshop, folder, "-c", "second.cl", "-o", "other.o")
        require(sorted(os.listdir(folder)) == ["all", "first.cl", "first.o", "other.o", "second.cl"],
                os.listdir(folder))
        tutticc(workshop, folder, "-I", ROOT, "-ffunction-sections", "-Wl,--gc-sections",
                FOLDER / "texts.c", "other.o", "first.o", "-o", "parts", compiler="tutticc")
        shown = printed(workshop, f"{folder}/parts")
        require(shown == texts_of("second.cl", "first.cl"), shown)


def programs_without_texts_have_none(workshop):
    with tempfile.TemporaryDirectory(dir=workshop.folder) as folder:
        tutticc(workshop, folder, "-I", ROOT, FOLDER / "texts.c", "-o", "none")
        require(printed(workshop, f"{folder}/none") == "", "a text")


def nothing_temporary_is_left(workshop):
    with tempfile.TemporaryDirectory(dir=workshop.folder) as folder:
        copied(folder, "first.cl")
        os.mkdir(f"{folder}/temporary")
        tutticc(workshop, folder, "-I", ROOT, FOLDER / "texts.c", "first.cl", "-o", "a",
                environment={"TMPDIR": f"{folder}/temporary"})
        require(os.listdir(f"{folder}/temporary") == [], os.listdir(f"{folder}/temporary"))


def mistakes_are_one_clear_line(workshop):
    with tempfile.TemporaryDirectory(dir=workshop.folder) as folder:
        copied(folder, "first.cl")
        for words, expected in ((["missing.cl"], "missing.cl: no such file"),
                                (["-c", "missing.cu"], "missing.cu: no such file"),
                                (["-S", "first.cl"], "-c")):
            command = ["env", "-C", folder, str(workshop.bin / "tutticc"), *words]
            result = workshop.execute(command, {}, "")
            require(result.status == 1 and len(result.errors.splitlines()) == 1
                    and result.errors.startswith("tutticc: error: ") and expected in result.errors,
                    f"{result.status}\n{result.errors}")


def errors_of_other_files_are_the_commands(workshop):
    with tempfile.TemporaryDirectory(dir=workshop.folder) as folder:
        copied(folder, "first.cl")
        with open(f"{folder}/wrong.c", "w") as file:
            file.write("int main(void) { return undeclared; }\n")
        result = workshop.execute(["env", "-C", folder, str(workshop.bin / "tutticc"), "wrong.c",
                                   "first.cl"], {}, "")
        require(result.status == 1 and "undeclared" in result.errors, result.errors)


def kernels_of_cuda_bring_their_library(workshop):
    with tempfile.TemporaryDirectory(dir=workshop.folder) as folder:
        copied(folder, "axpy.cu", "axpy.h", "stubs.c")
        for compiler in "tutticc", "tuttic++":
            language = ["-x", "c", "stubs.c", "-x", "none"] if compiler == "tuttic++" else ["stubs.c"]
            tutticc(workshop, folder, "-fompss-2", *language, "axpy.cu", "-o", "whole",
                    compiler=compiler)
            require(printed(workshop, f"{folder}/whole") == FOUND, "no stub or no library")
        tutticc(workshop, folder, "-c", "axpy.cu", "-O2", "-g", "-std=gnu++17", "-fPIC", "-Wall",
                "-DWITH_FACTOR", "-D", "FACTOR=2", "-arch=sm_80", "-MD", "-MF", "axpy.d")
        with open(f"{folder}/axpy.d") as file:
            require(re.search(r"axpy\.h", file.read()) is not None, "no dependence on axpy.h")
        for libraries in [], ["-lcudart"]:
            tutticc(workshop, folder, "-fompss-2", "stubs.c", "axpy.o", "-o", "parts", *libraries)
            require(printed(workshop, f"{folder}/parts") == FOUND, "no stub or no library")


LISTED = """
#include "abi/tasks.h"
#include <stdio.h>
extern const tutti_task_text __start_tutti_listings[] __attribute__((weak));
extern const tutti_task_text __stop_tutti_listings[] __attribute__((weak));
int main(void) {
  for (const tutti_task_text *text = __start_tutti_listings; text != __stop_tutti_listings; ++text)
    printf("== %s\\n%s", text->file, text->text);
}
"""


def code_of_kernels_travels_in_the_program(workshop):
    """As text; of what has calls that nothing is known."""
    with tempfile.TemporaryDirectory(dir=workshop.folder) as folder:
        for name, text in (("two.cu", "__device__ __noinline__ void other(float *x) { *x += clock(); }\n"
                                      "extern \"C\" __global__ void calls(float *x) { other(x); }\n"
                                      "namespace n { template <class T> __global__ void set(T *x) { x[threadIdx.x] = 1; } }\n"
                                      "void use(int *x, float *y) { n::set<<<1, 4>>>(x); n::set<<<1, 4>>>(y); }\n"),
                           ("one.cu", "extern \"C\" __global__ void one(int *x) { x[blockIdx.x] = 1; }\n"),
                           ("main.c", LISTED)):
            with open(f"{folder}/{name}", "w") as file:
                file.write(text)
        for words in (["one.cu", "two.cu"], ["-lineinfo", "-arch=sm_90", "one.cu", "two.cu"]):
            tutticc(workshop, folder, "-I", ROOT, "main.c", *words, "-o", "whole")
            shown = printed(workshop, f"{folder}/whole")
            require(re.findall(r"^== (.*)$", shown, re.M) == ["one.cu", "two.cu"], shown)
            require(sorted(re.findall(r"^\.entry (\w+)", shown, re.M)) ==
                    ["_ZN1n3setIfEEvPT_", "_ZN1n3setIiEEvPT_", "calls", "one"], shown)
            require(".entry calls()\n{\n}\n" in shown, shown)
            require(".loc" not in shown and "//" not in shown, shown)
        tutticc(workshop, folder, "-c", "two.cu", "-o", "object.o")
        tutticc(workshop, folder, "-I", ROOT, "main.c", "object.o", "-o", "parts")
        require("_ZN1n3setIfEEvPT_" in printed(workshop, f"{folder}/parts"), "no listing in an object")


def errors_of_kernels_are_the_commands(workshop):
    with tempfile.TemporaryDirectory(dir=workshop.folder) as folder:
        with open(f"{folder}/wrong.cu", "w") as file:
            file.write("__global__ void axpy() { undeclared = 1; }\n")
        result = workshop.execute(["env", "-C", folder, str(workshop.bin / "tutticc"), "-c",
                                   "wrong.cu"], {}, "")
        require(result.status != 0 and "undeclared" in result.errors + result.output,
                f"{result.status}\n{result.errors}")
        require(not os.path.exists(f"{folder}/wrong.o"), "an object")


def all_checks():
    """(name, function of the workshop)"""
    checks = [texts_travel_in_the_program, programs_without_texts_have_none,
              nothing_temporary_is_left, mistakes_are_one_clear_line,
              errors_of_other_files_are_the_commands]
    if NVCC:
        checks += [kernels_of_cuda_bring_their_library, code_of_kernels_travels_in_the_program, errors_of_kernels_are_the_commands]
    return [(check.__name__, check) for check in checks]
