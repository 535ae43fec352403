// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

/// What `p->a` has in common with all variables of its structure; null if it is no global array.
Entity *Lowering::prototypeOf(const Expr *expr) const {
  const auto *access = dyn_cast<MemberExpr>(expr);
  const auto *field = access ? dyn_cast<FieldDecl>(access->getMemberDecl()) : nullptr;
  const auto member = field && access->isArrow() ? members_.find(field) : members_.end();
  return member == members_.end() ? nullptr : member->second.prototype;
}

/// Nothing if the base is no global array.
std::optional<Chain> Lowering::chainOf(Expr *expr) const {
  Chain chain;
  expr = expr->IgnoreParenImpCasts();
  while (auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
    chain.accesses.insert(chain.accesses.begin(), access);
    expr = access->getBase()->IgnoreParenImpCasts();
  }
  chain.entity = scopes_.find(expr);
  chain.entity = chain.entity ? chain.entity : prototypeOf(expr);
  chain.base = expr;
  return chain.entity ? std::optional(chain) : std::nullopt;
}

/// Declarations of constants with the layout of an array, for code behind them.
std::string Lowering::constantsOf(const Entity &array, const std::string &base) const {
  const std::string &handle = array.handle;
  std::string text = handle + "_t *const " + handle + "_base = " + base + "; const long ";
  for (unsigned i = 0; i < array.rank; ++i) {
    const std::string number = std::to_string(i);
    const auto add = [&](const char *shortName, const char *member) {
      text += handle + shortName + number + " = " + handle + "->axis[" + number + "]." + member;
    };
    text += i > 0 ? ", " : "";
    add("_f", "first");
    if (i + 1 < array.rank) {
      text += ", ";
      add("_s", "stride");
    }
    if (array.isPacked(i)) {
      text += ", ";
      add("_w", "width");
      text += ", ";
      add("_c", "cycle");
      text += ", ";
      add("_o", "origin");
    }
  }
  return text + ";";
}

/// Whether constants will be there for an access at this place.
bool Lowering::usesConstants(Entity &array) {
  if (inAcc_) { // The loop brings them; what stands around it has those of the host's array.
    inAcc_ = false;
    usesConstants(array);
    inAcc_ = true;
    return true;
  }
  if (array.isReady) {
    return true;
  }
  if (array.storage == Entity::Storage::Pointer || array.isReassigned) {
    const bool isStill =
        changesInLoop_ && !(array.variable && changesInLoop_->assigns(array.variable));
    if (isStill) {
      usedInLoop_.insert(&array);
    }
    return isStill;
  }
  if (array.isAtFileScope && function_) {
    usedInFunction_.insert(&array);
    return true;
  }
  return false;
}

std::string Lowering::baseOf(Entity &array) {
  if (usesConstants(array)) {
    return array.handle + "_base";
  }
  return array.isAtFileScope ? "(*" + array.handle + "_at)"
                             : "((" + array.handle + "_t *)" + array.name + ")";
}

/// What stands for an array without subscripts.
std::string Lowering::localName(const Entity &array) const {
  return inAcc_ ? array.handle + "_base" : array.name;
}

std::string Lowering::axisText(Entity &array, unsigned dimension, const char *shortName,
                               const char *member) {
  const std::string number = std::to_string(dimension);
  return usesConstants(array) ? array.handle + shortName + number
                              : array.handle + "->axis[" + number + "]." + member;
}

/// Of `(a[i])[j]`, whose subscripts become one.
void Lowering::eraseParentheses(const Expr *expr) {
  expr = expr->IgnoreImpCasts();
  while (const auto *outer = dyn_cast<ParenExpr>(expr)) {
    edits_.erase(program_.at(outer->getLParen()), program_.at(outer->getLParen()) + 1);
    edits_.erase(program_.at(outer->getRParen()), program_.at(outer->getRParen()) + 1);
    expr = outer->getSubExpr()->IgnoreImpCasts();
  }
}

/// `a[i][j]` becomes `base[((i) - first0) * stride0 + ((j) - first1)]`, and `a[i]` the row, from
/// the first element on that is stored of it.
void Lowering::rewrite(const Chain &chain) {
  Entity &array = *chain.entity;
  const unsigned count = std::min<std::size_t>(chain.accesses.size(), array.rank);
  const bool isWhole = count == array.rank;
  const unsigned name = program_.at(chain.base->getBeginLoc());
  const unsigned begin = program_.at(chain.accesses[0]->getBeginLoc());
  if (array.isPrototype) {
    usesConstants(array);
    edits_.before(name, "((" + array.handle + "_t *)(");
    edits_.after(program_.at(chain.base->getEndLoc()), "))");
  } else {
    edits_.erase(name, program_.at(chain.base->getEndLoc()) + 1);
    edits_.replace(name, baseOf(array));
  }
  if (!isWhole) { // An array of its own, to be passed on or asked for its size.
    std::string type = array.handle + "_t (*)";
    for (unsigned i = count; i < array.rank; ++i) {
      type += "[" + array.extents[i] + "]";
    }
    edits_.before(begin, "(*(" + type + ")(");
  }
  for (unsigned i = 0; i < count; ++i) {
    ArraySubscriptExpr *access = chain.accesses[i];
    constants_.access(array, i, access, !isWhole || chain.accesses.back() == addressOf_);
    if (access->getLHS() != access->getBase()) {
      error(access->getRBracketLoc(), "a global array must stand in front of its subscript");
      return;
    }
    if (i > 0) {
      eraseParentheses(access->getBase());
    }
    const unsigned open = program_.at(access->getLHS()->getEndLoc()) + 1;
    const unsigned close = program_.at(access->getRBracketLoc());
    const bool isPacked = array.isPacked(i);
    std::string front = i > 0 ? "+ " : isWhole ? "[" : "+ ";
    front += isPacked ? "tutti_xmp_position((" : "((";
    std::string back = ") - " + axisText(array, i, "_f", "first") + ")";
    if (isPacked) {
      back = "), " + axisText(array, i, "_f", "first") + ", " + axisText(array, i, "_w", "width") +
             ", " + axisText(array, i, "_c", "cycle") + ", " + axisText(array, i, "_o", "origin") +
             ")";
    }
    if (i + 1 < array.rank) {
      back += " * " + axisText(array, i, "_s", "stride");
    }
    if (i + 1 == count) {
      back += isWhole ? "]" : "))";
    }
    edits_.replace(open, front);
    edits_.replace(close, back);
  }
}

/// An array of file scope that is aligned in a function is a global array in it alone.
void Lowering::checkFunction(const Entity *array, SourceLocation place) {
  if (array && array->function && array->function != function_) {
    error(place, "'%0' is aligned in function '%1', and can be used there only")
        << array->name << array->function->getName();
    note(array->place, "the 'align' is here");
  }
}

bool Lowering::TraverseArraySubscriptExpr(ArraySubscriptExpr *access, DataRecursionQueue *) {
  const auto chain = chainOf(access);
  checkFunction(chain ? chain->entity : nullptr, access->getBase()->getExprLoc());
  if (!chain) {
    noteUseAsC(access->getBase()->IgnoreParenImpCasts(), true);
    return Base::TraverseArraySubscriptExpr(access);
  }
  for (ArraySubscriptExpr *part : chain->accesses) {
    TraverseStmt(part->getIdx());
  }
  if (chain->entity->isPrototype) {
    if (inAcc_) {
      error(chain->base->getExprLoc(), "a loop with 'acc' cannot reach a member through a pointer");
    }
    TraverseStmt(cast<MemberExpr>(chain->base)->getBase());
  }
  rewrite(*chain);
  return true;
}

bool Lowering::VisitDeclStmt(DeclStmt *statement) {
  for (const Decl *declaration : statement->decls()) {
    if (const auto *variable = dyn_cast<VarDecl>(declaration)) {
      membersOf(variable);
    }
  }
  return true;
}

/// An array without subscripts, as C means it: a pointer to its first row.
std::string Lowering::decayed(const Entity &array) const {
  std::string type = array.handle + (array.rank == 1 ? "_t *" : "_t (*)");
  for (unsigned i = 1; i < array.rank; ++i) {
    type += "[" + array.extents[i] + "]";
  }
  return "((" + type + ")" + localName(array) + ")";
}

bool Lowering::VisitMemberExpr(MemberExpr *access) {
  const auto *field = dyn_cast<FieldDecl>(access->getMemberDecl());
  const Entity *array = scopes_.find(access);
  if (array && access->getType()->isArrayType() && program_.has(access->getBeginLoc())) {
    const unsigned begin = program_.at(access->getBeginLoc());
    edits_.erase(begin, program_.at(access->getEndLoc()) + 1);
    edits_.before(begin, decayed(*array));
  } else if (field && members_.contains(field) && !array) {
    error(access->getMemberLoc(),
          "%select{global array '%1' can be reached through a variable of its structure only, "
          "which is declared behind the 'align'|only elements of global array '%1' can be reached "
          "through a pointer}0")
        << access->isArrow() << field->getName();
  } else if (!array) {
    noteUseAsC(access, false);
  }
  return true;
}

/// `&a` is the address of the local part, as the whole array.
bool Lowering::TraverseUnaryOperator(UnaryOperator *operation, DataRecursionQueue *) {
  const Expr *operand = operation->getSubExpr()->IgnoreParens();
  const Entity *array = operation->getOpcode() == UO_AddrOf && operand->getType()->isArrayType()
                            ? scopes_.find(operand)
                            : nullptr;
  if (!array) {
    const Expr *target = operation->getOpcode() == UO_AddrOf ? operand : addressOf_;
    const Expr *outer = std::exchange(addressOf_, target);
    Base::TraverseUnaryOperator(operation);
    addressOf_ = outer;
    return true;
  }
  std::string type = array->handle + "_t (*)";
  for (const std::string &extent : array->extents) {
    type += "[" + extent + "]";
  }
  const unsigned begin = program_.at(operation->getBeginLoc());
  edits_.erase(begin, program_.at(operation->getEndLoc()) + 1);
  edits_.before(begin, "((" + type + ")" + localName(*array) + ")");
  return true;
}

bool Lowering::VisitDeclRefExpr(DeclRefExpr *reference) {
  const Entity *array = scopes_.find(reference->getDecl());
  checkFunction(array, reference->getLocation());
  if (!array) {
    noteUseAsC(reference, false);
  }
  if (!array || !program_.has(reference->getBeginLoc())) {
    return true;
  }
  if (!reference->getType()->isArrayType() || (array->rank == 1 && array->named == 0)) {
    if (inAcc_) {
      edits_.replace(program_.at(reference->getBeginLoc()), localName(*array));
    }
    return true;
  }
  edits_.replace(program_.at(reference->getBeginLoc()), decayed(*array));
  return true;
}

bool Lowering::TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *trait,
                                                DataRecursionQueue *) {
  if (trait->getKind() != UETT_SizeOf || trait->isArgumentType()) {
    return Base::TraverseUnaryExprOrTypeTraitExpr(trait);
  }
  const auto chain = chainOf(trait->getArgumentExpr());
  const bool isArray = chain && chain->accesses.size() < chain->entity->rank &&
                       trait->getArgumentExpr()->getType()->isArrayType();
  if (!isArray) {
    return Base::TraverseUnaryExprOrTypeTraitExpr(trait);
  }
  const Entity &array = *chain->entity;
  std::string size = "(sizeof(" + array.handle + "_t)";
  for (unsigned i = chain->accesses.size(); i < array.rank; ++i) {
    size += " * (unsigned long)" + array.extents[i];
  }
  const unsigned begin = program_.at(trait->getBeginLoc());
  edits_.erase(begin, program_.at(trait->getEndLoc()) + 1);
  edits_.before(begin, size + ")");
  return true;
}

bool Lowering::TraverseBinaryOperator(BinaryOperator *operation, DataRecursionQueue *) {
  if (isArrayAssignment(operation)) {
    return arrayAssignment(nullptr, operation);
  }
  return Base::TraverseBinaryOperator(operation);
}

bool Lowering::TraverseCompoundAssignOperator(CompoundAssignOperator *operation,
                                              DataRecursionQueue *) {
  if (isArrayAssignment(operation)) {
    return arrayAssignment(nullptr, operation);
  }
  return Base::TraverseCompoundAssignOperator(operation);
}

} // namespace tutti::compiler::xmp
