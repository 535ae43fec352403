// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tells the compiler that the arrays of a nest do not overlap. It sees pointers where the program
/// has arrays, and would keep what is added up in an element of one of them in memory while it
/// reads another one.
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// What a statement stores to, if it stores at all.
Expr *storedBy(Stmt *statement) {
  auto *unary = dyn_cast<UnaryOperator>(statement);
  auto *binary = dyn_cast<BinaryOperator>(statement);
  return unary && unary->isIncrementDecrementOp() ? unary->getSubExpr()
         : binary && binary->isAssignmentOp()     ? binary->getLHS()
                                                  : nullptr;
}

} // namespace

/// The program's arrays whose elements are named in `statement`, by what stands for their first
/// elements, and whether any is stored to.
/// What a pointer or a parameter leads to may be part of another array.
void Lowering::findArrays(Stmt *statement, std::map<std::string, bool> &arrays) {
  if (!statement) {
    return;
  }
  const auto note = [&](Expr *expr, bool isStored) {
    const auto chain = chainOf(expr);
    const Entity *array = chain ? chain->entity : nullptr;
    if (array && array->storage == Entity::Storage::Own && array->variable &&
        !array->isReassigned && usesConstants(*chain->entity)) {
      arrays[baseOf(*chain->entity)] |= isStored;
    }
  };
  if (Expr *target = storedBy(statement)) {
    target = target->IgnoreParens();
    for (auto *member = dyn_cast<MemberExpr>(target); member && !member->isArrow();
         member = dyn_cast<MemberExpr>(target)) {
      target = member->getBase()->IgnoreParens();
    }
    if (isa<ArraySubscriptExpr>(target)) {
      note(target, /*isStored=*/true);
    }
  }
  if (auto *access = dyn_cast<ArraySubscriptExpr>(statement)) {
    note(access, /*isStored=*/false);
  }
  llvm::for_each(statement->children(), [&](Stmt *part) { findArrays(part, arrays); });
}

/// What says so in front of the nest: of each array that it stores to and each other one.
std::string Lowering::separateArrays(Stmt *body) {
  // More say less each, and cost as much.
  constexpr unsigned kMostPairs = 12;
  std::map<std::string, bool> arrays;
  findArrays(body, arrays);
  std::vector<std::string> pairs;
  for (auto one = arrays.begin(); one != arrays.end(); ++one) {
    for (auto other = std::next(one); other != arrays.end(); ++other) {
      if (one->second || other->second) {
        pairs.push_back("__builtin_assume_separate_storage(" + one->first + ", " + other->first +
                        "); ");
      }
    }
  }
  return pairs.size() > kMostPairs ? "" : llvm::join(pairs, "");
}

} // namespace tutti::compiler::xmp
