// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The declarations of arrays as programs have them.
#pragma once

#include "compiler/frontend/xmp/constants.h"

#include "clang/AST/Decl.h"
#include "clang/AST/TypeLoc.h"

namespace tutti::compiler::xmp {

/// The dimensions of an array as its declaration has them, outermost first.
struct Declarator {
  bool isPointer = false;
  llvm::SmallVector<clang::ArrayTypeLoc, 7> brackets;   ///< A pointer's are those behind it.
  llvm::SmallVector<const clang::ArrayType *, 7> named; ///< Behind them, of a type that has a name.

  unsigned rank() const { return (isPointer ? 1 : 0) + brackets.size() + named.size(); }
};

Declarator declaratorOf(const clang::DeclaratorDecl *variable, const clang::ASTContext &context);

/// The type that the program has written, before C makes a pointer of a parameter.
clang::QualType writtenType(const clang::DeclaratorDecl *variable);

} // namespace tutti::compiler::xmp
