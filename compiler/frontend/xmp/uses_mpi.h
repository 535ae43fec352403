// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether a program may use MPI besides directives: if it does not, <xmp.h> need not bring
/// <mpi.h>, whose declarations take longer to read than most programs.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace clang {
class PreprocessorOptions;
}

namespace tutti::compiler::xmp {

/// Looks at the text of the main file and at the options: false only if it is certain that no name
/// of MPI is used. Headers of the program's own are not read, so they may use it.
bool mayUseMpi(llvm::StringRef text, const clang::PreprocessorOptions &options);

} // namespace tutti::compiler::xmp
