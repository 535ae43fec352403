// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/changes.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// What distinguishes types of values that cannot lie in one place: integers with and without sign
/// are one.
const Type *kindOf(QualType type) {
  const Type *kind = type.getCanonicalType()->getBaseElementTypeUnsafe();
  return kind->getUnqualifiedDesugaredType();
}

bool isBehindPointer(const Expr *expr) {
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(expr)) {
    const auto *base = dyn_cast<CastExpr>(subscript->getBase());
    return !base || base->getCastKind() != CK_ArrayToPointerDecay;
  }
  if (const auto *member = dyn_cast<MemberExpr>(expr)) {
    return member->isArrow();
  }
  const auto *unary = dyn_cast<UnaryOperator>(expr);
  return unary && unary->getOpcode() == UO_Deref;
}

} // namespace

const VarDecl *variableOf(const Expr *expr) {
  while (true) {
    expr = expr->IgnoreParenCasts();
    if (const auto *reference = dyn_cast<DeclRefExpr>(expr)) {
      return dyn_cast<VarDecl>(reference->getDecl());
    }
    if (isBehindPointer(expr)) {
      return nullptr;
    }
    if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(expr)) {
      expr = subscript->getBase();
    } else if (const auto *member = dyn_cast<MemberExpr>(expr)) {
      expr = member->getBase();
    } else {
      return nullptr;
    }
  }
}

Changes::Changes(const Stmt *nest, const ForStmt *entered) { collect(nest, entered); }

void Changes::collectTarget(const Expr *target) {
  if (const VarDecl *variable = variableOf(target)) {
    assigned_.insert(variable);
    assignsGlobals_ |= variable->hasGlobalStorage();
    return;
  }
  const QualType type = target->getType();
  storesBytes_ |= type->isAnyCharacterType() || type->isRecordType();
  stored_.insert(kindOf(type));
}

/// Functions of the program may change all that others can reach; those of the C library what they
/// get the address of.
void Changes::collectArguments(const Stmt *call) {
  const auto *called = cast<CallExpr>(call);
  const FunctionDecl *callee = called->getDirectCallee();
  calls_ |= !callee || (callee->getBuiltinID() == 0 && !callee->getName().starts_with("__tutti"));
  for (const Expr *argument : called->arguments()) {
    const VarDecl *variable = variableOf(argument);
    if (variable && variable->getType()->isArrayType()) {
      named_.insert(variable);
    }
    storesBytes_ |= !variable && argument->getType()->isPointerType();
  }
}

void Changes::collect(const Stmt *statement, const ForStmt *entered) {
  if (!statement) {
    return;
  }
  if (statement == entered) {
    collect(entered->getBody(), entered);
    return;
  }
  if (const auto *operation = dyn_cast<BinaryOperator>(statement);
      operation && operation->isAssignmentOp()) {
    collectTarget(operation->getLHS());
  }
  if (const auto *unary = dyn_cast<UnaryOperator>(statement)) {
    const VarDecl *variable = variableOf(unary->getSubExpr());
    if (unary->isIncrementDecrementOp()) {
      collectTarget(unary->getSubExpr());
    } else if (unary->getOpcode() == UO_AddrOf && variable) {
      named_.insert(variable);
    }
  }
  if (isa<CallExpr>(statement)) {
    collectArguments(statement);
  }
  for (const Stmt *child : statement->children()) {
    collect(child, entered);
  }
}

bool Changes::mayStoreTo(QualType type) const {
  return storesBytes_ || stored_.contains(kindOf(type));
}

bool Changes::mayChange(const Stmt *expr,
                        llvm::function_ref<bool(const VarDecl *)> isExposed) const {
  if (!expr) {
    return false;
  }
  if (const auto *reference = dyn_cast<DeclRefExpr>(expr)) {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    if (!variable) {
      return false;
    }
    const bool isReached = calls_ || mayStoreTo(variable->getType());
    return assigned_.contains(variable) || (isReached && !variable->getType().isConstQualified() &&
                                            (variable->hasGlobalStorage() || isExposed(variable)));
  }
  if (const auto *value = dyn_cast<Expr>(expr);
      value && isBehindPointer(value) && (calls_ || mayStoreTo(value->getType()))) {
    return true;
  }
  if (isa<CallExpr>(expr) && (calls_ || assignsGlobals_ || storesBytes_ || !stored_.empty())) {
    return true;
  }
  return llvm::any_of(expr->children(),
                      [&](const Stmt *child) { return mayChange(child, isExposed); });
}

} // namespace tutti::compiler::xmp
