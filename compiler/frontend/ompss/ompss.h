// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// `#pragma oss`: OmpSs-2 in C and C++. Replaces each directive by tokens of an OpenMP construct or
/// of calls, so that Clang's own parser and checks do the rest (docs/design/tasks.md).
#pragma once

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"

#include <memory>

namespace tutti::compiler::ompss {

/// Installs the handler for the translation unit that `compiler` is about to parse.
std::unique_ptr<clang::ASTConsumer> install(clang::CompilerInstance &compiler);

} // namespace tutti::compiler::ompss
