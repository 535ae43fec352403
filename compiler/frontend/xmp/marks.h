// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds the marking calls of the plain program in the AST.
#pragma once

#include "clang/AST/Expr.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tutti::compiler::xmp {

/// The number in a call of one of the marking functions; nothing for all else.
std::optional<unsigned> numberOfMark(const clang::Stmt *statement, llvm::StringRef function);

} // namespace tutti::compiler::xmp
