// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reductions of static data members of classes. Clang refuses them in `in_reduction`, so the body
/// of the construct is changed: where it names such a member, it asks the runtime for the task's
/// private copy.
///
///     #pragma oss task reduction(+: C::total)
///     C::total += x;                              // *(long *)tutti_task_private(&C::total) += x;
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <map>

namespace tutti::compiler::ompss {

class StaticMembers {
public:
  /// The construct whose directive stands at `where` reduces the member: of a template, that of all
  /// its instances.
  void add(clang::SourceLocation where, const clang::VarDecl &member);

  /// Changes the bodies of constructs in new declarations. Idempotent.
  ///
  /// Order: before code is made of them.
  void makePrivate(clang::Sema &sema, clang::DeclGroupRef group);

private:
  using Members = llvm::SmallVector<const clang::VarDecl *, 2>;

  std::map<clang::SourceLocation, Members> members_;
  llvm::SmallPtrSet<const clang::Stmt *, 8> names_; ///< What has been changed already.
};

} // namespace tutti::compiler::ompss
