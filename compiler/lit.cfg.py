# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the compiler's tests: python3 lit.py --param plugin=build/release/lib/tutti/libtutti_compiler.so compiler
import os

import lit.formats

config.name = "tutti-compiler"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".ll"]
config.excludes = [name for folder, _, names in os.walk(os.path.dirname(__file__))
                   if os.path.basename(folder) != "test" for name in names]
config.test_source_root = os.path.dirname(__file__)
plugin = os.path.abspath(lit_config.params["plugin"])
config.test_exec_root = os.path.join(os.path.dirname(plugin), os.pardir, os.pardir, "lit")
llvm = lit_config.params.get("llvm", "/usr/lib/llvm-19")
config.environment["PATH"] = os.pathsep.join([os.path.join(llvm, "bin"), os.environ["PATH"]])
config.substitutions += [
    ("%plugin", plugin),
    # What the drivers run, less linking; remarks go to standard error.
    ("%tutticc", f"clang -O3 -fopenmp -fpass-plugin={plugin} -Rpass=tutti -Rpass-missed=tutti"),
    ("%tuttic\\+\\+", f"clang++ -O3 -fopenmp -fpass-plugin={plugin} -Rpass=tutti -Rpass-missed=tutti"),
]
