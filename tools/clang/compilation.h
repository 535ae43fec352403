// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What Clang calls cc1: one source is compiled.
#pragma once

#include "llvm/ADT/SmallVector.h"

namespace tutti::tools {

/// Compiles as `clang -cc1` does, with Tutti's pragmas and passes.
///
/// Once in a process: LLVM keeps options for itself in variables, and memory is not given back.
///
/// \param arguments the program's name, `-cc1` and the rest.
/// \returns the exit status.
int compile(llvm::SmallVectorImpl<const char *> &arguments);

/// The same in a process of its own.
///
/// \returns the exit status, or -2 if the process was ended by a signal.
int compileApart(llvm::SmallVectorImpl<const char *> &arguments);

} // namespace tutti::tools
