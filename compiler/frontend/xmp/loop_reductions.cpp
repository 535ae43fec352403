// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

void findAssignments(const Stmt *statement, const ValueDecl *variable,
                     llvm::SmallVectorImpl<const BinaryOperator *> &found) {
  if (!statement) {
    return;
  }
  const auto *assignment = dyn_cast<BinaryOperator>(statement);
  const auto *target = assignment && assignment->isAssignmentOp()
                           ? dyn_cast<DeclRefExpr>(assignment->getLHS()->IgnoreParens())
                           : nullptr;
  if (target && target->getDecl() == variable) {
    found.push_back(assignment);
  }
  for (const Stmt *child : statement->children()) {
    findAssignments(child, variable, found);
  }
}

} // namespace

/// Sets of nodes that reduce together: those along the dimensions that indices name.
std::string Lowering::reductionRef(const Directive &directive, const Entity &set) const {
  const Items &list = directive.on->subscripts;
  std::string subscripts;
  for (const Item &item : list.items) {
    subscripts += subscripts.empty() ? "" : ", ";
    subscripts += item.kind == Item::Kind::Dummy ? "{TUTTI_XMP_ALL, 0, 0, 1}"
                  : item.kind == Item::Kind::Colon || item.kind == Item::Kind::Star
                      ? "{TUTTI_XMP_MINE, 0, 0, 1}"
                      : subscript(directive, item, list.isRound, set.kind == Entity::Kind::Nodes);
  }
  return "&(const tutti_xmp_ref){" + set.handle + ", " + std::to_string(list.size()) + ", " +
         listText("tutti_xmp_subscript", subscripts) + "}";
}

/// Whether the address of the variable is taken in the statement, directives aside: those only name
/// it.
bool Lowering::takesAddress(const Stmt *statement, const VarDecl *variable) {
  if (!statement || directiveOf(statement)) {
    return false;
  }
  const auto *address = dyn_cast<UnaryOperator>(statement);
  if (address && address->getOpcode() == UO_AddrOf) {
    const auto *target = dyn_cast<DeclRefExpr>(address->getSubExpr()->IgnoreParens());
    return target && target->getDecl() == variable;
  }
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return takesAddress(child, variable); });
}

/// Text that declares variables of the loop's own in the place of what it reduces, and sets `copy`
/// to what hands their values on. The runtime knows the addresses of the function's variables, so
/// each store to an array might change them, and they would not be kept in registers. Nobody else
/// knows the addresses, so nobody can tell the difference.
std::string Lowering::ownReduced(const Directive &directive, std::string &copy) {
  std::string addresses;
  std::string variables;
  std::string values;
  llvm::SmallPtrSet<const VarDecl *, 4> seen;
  for (const ReductionClause &clause : directive.reductions) {
    for (const Operand &operand : clause.operands) {
      if (!operand.locations.empty()) {
        return {}; // Assignments to it note where they are.
      }
      const auto *named = dyn_cast_or_null<DeclRefExpr>(directive[operand.expression].expr);
      const auto *variable = named ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
      if (!variable || !variable->hasLocalStorage() || !variable->getType()->isArithmeticType() ||
          variable->getType().isVolatileQualified() || !seen.insert(variable).second ||
          takesAddress(function_->getBody(), variable)) {
        continue;
      }
      const std::string name = variable->getName().str();
      const std::string outer = unique(name);
      addresses += "__typeof__(" + name + ") *const " + outer + " = &" + name + "; ";
      variables += "__typeof__(*" + outer + ") " + name + " = *" + outer + "; ";
      values += "*" + outer + " = " + name + "; ";
    }
  }
  copy = values;
  return addresses + variables;
}

/// Reads a loop that is not distributed, and around one that is; false after an error.
bool Lowering::checkOrder(NestLoop &loop, Stmt *body) {
  if (!loop.variable || !loop.variable->getType()->isIntegerType()) {
    error(loop.loop->getForLoc(), "a loop around one that is distributed must have an integer "
                                  "variable, where a reduction looks for the first or the last "
                                  "iteration");
    return false;
  }
  if (!readLoop(loop, body)) {
    return false;
  }
  if (!loop.isInvariant) {
    error(loop.loop->getForLoc(), "the bounds of '%0' must be the same in all iterations")
        << loop.variable->getName();
  }
  return loop.isInvariant;
}

/// The number of an iteration in sequential order, as C text; nothing after an error. Loops in the
/// innermost distributed one do not count: no two nodes run the same iterations of the others.
std::optional<std::string> Lowering::positionText(Stmt *body, llvm::ArrayRef<NestLoop> nest,
                                                  const std::string &name) {
  std::vector<NestLoop> around;
  if (!findLoopsAround(nest.back().loop, body, around)) {
    return std::nullopt;
  }
  std::string position;
  for (NestLoop &loop : around) {
    const auto *dealt =
        llvm::find_if(nest, [&](const NestLoop &other) { return other.loop == loop.loop; });
    if (dealt == nest.end() && !checkOrder(loop, body)) {
      return std::nullopt;
    }
    const std::string index = name + "[" + std::to_string(dealt - nest.begin()) + "].";
    const bool isDealt = dealt != nest.end();
    const std::string lower = isDealt ? index + "lower" : "(" + loop.lower + ")";
    const std::string last = isDealt ? index + "last" : "(" + loop.last + ")";
    const std::string step = isDealt ? index + "step" : "(" + loop.step + ")";
    const std::string own =
        "((long)" + loop.variable->getName().str() + " - " + lower + ") / " + step;
    position = position.empty() ? own
                                : "(" + position + ") * ((" + last + " - " + lower + ") / " + step +
                                      " + 1) + " + own;
  }
  return position;
}

/// Notes, for FIRSTMAX and the like, in which iteration a variable was set; false after an error.
bool Lowering::trackPositions(const Directive &directive, Stmt *body, llvm::ArrayRef<NestLoop> nest,
                              const std::string &name) {
  if (llvm::none_of(directive.reductions, isOrdered)) {
    return true;
  }
  const auto text = positionText(body, nest, name);
  if (!text) {
    return false;
  }
  const std::string &position = *text;
  unsigned number = 0;
  for (const ReductionClause &clause : directive.reductions) {
    for (const Operand &operand : clause.operands) {
      const unsigned own = number++;
      const auto *target = dyn_cast_or_null<DeclRefExpr>(directive[operand.expression].expr);
      if (!isOrdered(clause) || !target) {
        continue;
      }
      llvm::SmallVector<const BinaryOperator *, 4> assignments;
      findAssignments(body, target->getDecl(), assignments);
      for (const BinaryOperator *assignment : assignments) {
        edits_.before(program_.at(assignment->getBeginLoc()),
                      "(" + name + "_p[" + std::to_string(own) + "] = " + position + ", ");
        edits_.after(program_.at(assignment->getEndLoc()), ")");
      }
    }
  }
  return true;
}

} // namespace tutti::compiler::xmp
