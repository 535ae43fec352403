// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Says which expressions of a function some run may evaluate.
#pragma once

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseSet.h"

namespace tutti::compiler::xmp {

/// Operands of `sizeof`, branches whose condition is constant, and what stands behind a `return`
/// are never evaluated.
class ReachableCode {
public:
  /// Looks at a function the first time that it is asked for.
  bool contains(const clang::FunctionDecl *function, const clang::Stmt *statement,
                clang::ASTContext &context);

private:
  const clang::FunctionDecl *function_ = nullptr;
  llvm::DenseSet<const clang::Stmt *> reachable_;
};

} // namespace tutti::compiler::xmp
