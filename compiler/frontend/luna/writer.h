// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes a program that has been checked as C++: the tables of abi/luna.h, a stub for each
/// procedure, and what the program has in place.
#pragma once

#include "compiler/frontend/luna/ast.h"

#include <string>

namespace tutti::compiler::luna {

struct WrittenProgram {
  std::string code;
  /// Procedures of other files that the program calls, one a line: name, then where it is imported
  /// (file, line, column) and the letters of its types, with tabs between them. A version for
  /// devices has a line of its own, with the letters `QVN` for the classes of ucenv_gpu.h.
  std::string imports;
  /// What their versions for devices are to be, for those who compile them: included in front of
  /// whatever is in their files.
  std::string natives;
  /// Those that the program has in place: a file in their own language. Empty if it calls none.
  std::string inPlace;
};

WrittenProgram write(const Program &program, const PreprocessedProgram &text,
                     const Sources &sources, bool checksRun);

} // namespace tutti::compiler::luna
