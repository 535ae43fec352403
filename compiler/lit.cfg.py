# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the compiler's tests: python3 lit.py --param plugin=build/release/lib/tutti/libtutti_compiler.so compiler
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(__file__))
import lit_formats

config.name = "tutti-compiler"
config.test_format = lit_formats.SourcesAndOptions(execute_external=False)
config.suffixes = [".c", ".cpp", ".fa", ".ll"]
config.test_source_root = os.path.dirname(__file__)
plugin = os.path.abspath(lit_config.params["plugin"])
frontend = os.path.join(os.path.dirname(plugin), "libtutti_frontend.so")
config.test_exec_root = os.path.join(os.path.dirname(plugin), os.pardir, os.pardir, "lit")
llvm = lit_config.params.get("llvm", "/usr/lib/llvm-19")
clang = os.path.join(llvm, "bin", "clang")
tutti_clang = os.path.join(os.path.dirname(plugin), "tutti-clang")
tools = os.path.join(os.path.dirname(plugin), os.pardir, os.pardir, "bin")
config.environment["PATH"] = os.pathsep.join([os.path.join(llvm, "bin"), tools, os.environ["PATH"]])
ptxas = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
config.substitutions += [
    ("%plugin", plugin),
    ("%frontend", frontend),
    # What the drivers run, less linking; remarks go to standard error.
    ("%tutticc", f"{tutti_clang} {clang} -O3 -fopenmp -Rpass=tutti -Rpass-missed=tutti"),
    ("%tuttic\\+\\+", f"{tutti_clang} {clang} --driver-mode=g++ -O3 -fopenmp -Rpass=tutti -Rpass-missed=tutti"),
    ("%tutti-luna", os.path.join(os.path.dirname(plugin), "tutti-luna-cpp")),
    ("%tutti-xmp", tutti_clang + " --xmp"),
    # Kernels in C (compiler/target/test/kernel.h) as LLVM IR; and whether a GPU's assembler takes
    # what became of them, where there is one.
    ("%kernel-ir", "clang -O2 -fno-vectorize -fno-slp-vectorize -S -emit-llvm"),
    ("%ptxas", f"{ptxas} -arch=sm_75 -o {os.devnull}" if ptxas else "true"),
]
