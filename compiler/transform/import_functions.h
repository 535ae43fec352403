// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Imports functions of other files of a program for the parallel constructs that call them, as the
/// link step does: the module is compiled again after that.
///
///   a.c: for (...) s += next(&x);          the call becomes one of
///   b.c: double next(double *x) { ... }    @next.imported, a function of a.c's own
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace tutti::compiler {

/// The module of the one file that defines a function of that name, all of it in memory, in the
/// context of the module that asks; null if there is none, or if that is not sure.
using DefinitionOf = llvm::function_ref<std::unique_ptr<llvm::Module>(llvm::StringRef name)>;

/// Gives `module` copies of functions that its parallel constructs call, directly or through
/// others, and has these call the copies. A function stays where it is if it uses static variables
/// of its file, of which there must be one in the program.
///
/// \returns whether there were any.
bool importFunctions(llvm::Module &module, DefinitionOf definitionOf);

} // namespace tutti::compiler
