// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/uses_mpi.h"

#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace tutti::compiler::xmp {

namespace {

/// Of MPI's own names, and of those functions of <xmp.h> that have to do with it.
bool mentions(llvm::StringRef text) {
  static constexpr llvm::StringRef kParts[] = {"MPI",   "mpi_",     "_mpi",
                                               "mpi.h", "xmp_init", "xmp_finalize"};
  return llvm::any_of(kParts, [&](llvm::StringRef part) { return text.contains(part); });
}

/// Whether a header is known, and has nothing to do with MPI.
bool isPlain(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", true)
      .Cases("limits.h", "locale.h", "math.h", "setjmp.h", "signal.h", "stdarg.h", "stdbool.h",
             true)
      .Cases("stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "tgmath.h", "time.h", true)
      .Cases("sys/time.h", "sys/types.h", "unistd.h", "omp.h", "xmp.h", true)
      .Default(false);
}

/// Whether a line includes a header that may use MPI.
bool includesOther(llvm::StringRef line) {
  line = line.ltrim();
  if (!line.consume_front("#")) {
    return false;
  }
  line = line.ltrim();
  if (!line.consume_front("include")) {
    return line.starts_with("\\") || line.starts_with("/"); // Whatever comes in between.
  }
  line = line.ltrim();
  return !line.consume_front("<") || !isPlain(line.take_until([](char c) { return c == '>'; }));
}

} // namespace

bool mayUseMpi(llvm::StringRef text, const clang::PreprocessorOptions &options) {
  const bool areMacrosPlain =
      llvm::none_of(options.Macros, [](const auto &macro) { return mentions(macro.first); });
  if (!options.Includes.empty() || !options.MacroIncludes.empty() ||
      !options.ImplicitPCHInclude.empty() || !areMacrosPlain || mentions(text)) {
    return true;
  }
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    if (includesOther(line)) {
      return true;
    }
    text = rest;
  }
  return false;
}

} // namespace tutti::compiler::xmp
