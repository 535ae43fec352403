// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which variables of a construct are shared and which are copied: a question of types and of the
/// constructs around it, which can be asked only while the parser reads the construct.
/// Source: OmpSs-2 specification, data sharing.
#pragma once

#include "compiler/frontend/ompss/construct.h"

#include "clang/AST/Decl.h"
#include "clang/Sema/Scope.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tutti::compiler::ompss {

/// The constructs that the parser is in, and what they share.
class Nesting {
public:
  /// Decides for a construct and remembers what it shares. Reports items of which it cannot be
  /// known whether they are an object or what a pointer leads to.
  ///
  /// Order: while the parser is in `scope`, in which the construct stands.
  Sharing share(clang::Sema &sema, clang::Scope *scope, const Construct &construct);

private:
  using Variables = llvm::SmallPtrSet<clang::VarDecl *, 8>;

  /// What the construct shares that was opened last in a context: the one that the parser is in, if
  /// it is in one.
  llvm::DenseMap<const clang::DeclContext *, Variables> shared_;
};

} // namespace tutti::compiler::ompss
