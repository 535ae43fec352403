// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Says which values the statements of a loop nest may change.
#pragma once

#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace clang {
class Expr;
class ForStmt;
class QualType;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace tutti::compiler::xmp {

/// The variable that an expression stands for or is an element or a member of, or null: what lies
/// behind a pointer belongs to no variable.
const clang::VarDecl *variableOf(const clang::Expr *expr);

class Changes {
public:
  /// Collects what `nest` changes, but for what the header of the loop `entered` does.
  Changes(const clang::Stmt *nest, const clang::ForStmt *entered);

  /// Functions that are called change nothing that is asked for.
  void ignoreCalls() { calls_ = false; }

  /// Whether the value of an expression may change. `isExposed` says of a local variable whether
  /// its address is known to others.
  bool mayChange(const clang::Stmt *expr,
                 llvm::function_ref<bool(const clang::VarDecl *)> isExposed) const;

  /// Whether the statements assign to the variable by its name.
  bool assigns(const clang::VarDecl *variable) const { return assigned_.contains(variable); }

private:
  void collect(const clang::Stmt *statement, const clang::ForStmt *entered);
  void collectTarget(const clang::Expr *target);
  void collectArguments(const clang::Stmt *call);
  bool mayStoreTo(clang::QualType type) const;

  llvm::SmallPtrSet<const clang::VarDecl *, 8> assigned_; ///< By name, also a part of it.
  llvm::SmallPtrSet<const clang::VarDecl *, 8> named_;    ///< Whose address is taken.
  llvm::SmallPtrSet<const clang::Type *, 4> stored_;      ///< Through pointers.
  bool storesBytes_ = false; ///< Through pointers to characters, which may point to anything.
  bool calls_ = false;       ///< Functions of the program.
  bool assignsGlobals_ = false;
};

} // namespace tutti::compiler::xmp
