// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which elements of global arrays each iteration of a distributed nest touches for certain. A node
/// that does not store them reads what nobody wrote, so the runtime compares them with what there
/// is.
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// Whether something may end an iteration before its end.
bool hasJump(const Stmt *statement) {
  return statement &&
         (isa<ReturnStmt, ContinueStmt, BreakStmt, GotoStmt, IndirectGotoStmt>(statement) ||
          llvm::any_of(statement->children(), hasJump));
}

/// Whether constants show that the body of a loop of the nest's own is executed at least once.
bool isEntered(const ForStmt &loop, ASTContext &context) {
  const auto *declared = dyn_cast_or_null<DeclStmt>(loop.getInit());
  const auto *assigned = dyn_cast_or_null<BinaryOperator>(loop.getInit());
  const auto *variable =
      declared && declared->isSingleDecl() ? dyn_cast<VarDecl>(declared->getSingleDecl()) : nullptr;
  const Expr *first = variable                                         ? variable->getInit()
                      : assigned && assigned->getOpcode() == BO_Assign ? assigned->getRHS()
                                                                       : nullptr;
  const auto *condition = dyn_cast_or_null<BinaryOperator>(loop.getCond());
  if (!first || !condition) {
    return false;
  }
  const Constant from = constantOf(first, context);
  const Constant to = constantOf(condition->getRHS(), context);
  const BinaryOperatorKind kind = condition->getOpcode();
  return from && to &&
         ((kind == BO_LT && *from < *to) || (kind == BO_LE && *from <= *to) ||
          (kind == BO_GT && *from > *to) || (kind == BO_GE && *from >= *to));
}

/// `variable + constant`: the constant.
std::optional<std::pair<const VarDecl *, std::int64_t>> sumOf(const Expr *expr,
                                                              ASTContext &context) {
  expr = expr->IgnoreParenImpCasts();
  if (const auto *reference = dyn_cast<DeclRefExpr>(expr)) {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    return variable ? std::optional(std::pair(variable, std::int64_t{0})) : std::nullopt;
  }
  const auto *operation = dyn_cast<BinaryOperator>(expr);
  if (!operation || !operation->isAdditiveOp()) {
    return std::nullopt;
  }
  const bool isMinus = operation->getOpcode() == BO_Sub;
  const Constant right = constantOf(operation->getRHS(), context);
  const Constant left = isMinus ? Constant() : constantOf(operation->getLHS(), context);
  auto sum = right  ? sumOf(operation->getLHS(), context)
             : left ? sumOf(operation->getRHS(), context)
                    : std::nullopt;
  if (sum) {
    const std::int64_t term = right ? *right : *left;
    sum->second += isMinus ? -term : term;
  }
  return sum;
}

} // namespace

/// Adds what `chain` touches, of each dimension whose subscript follows a loop of the nest.
void Lowering::addReaches(const Chain &chain, llvm::ArrayRef<NestLoop> nest, Reaches &reaches) {
  const bool isWhole = chain.accesses.size() == chain.entity->rank;
  if (!isWhole || chain.entity->isPrototype) {
    return;
  }
  for (unsigned dimension = 0; dimension < chain.entity->rank; ++dimension) {
    const auto sum = sumOf(chain.accesses[dimension]->getIdx(), context_);
    const auto loop = llvm::find_if(
        nest, [&](const NestLoop &each) { return sum && each.variable == sum->first; });
    if (loop == nest.end()) {
      continue;
    }
    const auto index = static_cast<unsigned>(loop - nest.begin());
    const auto [entry, isNew] =
        reaches.try_emplace({chain.entity, dimension, index}, sum->second, sum->second);
    entry->second.first = std::min(entry->second.first, sum->second);
    entry->second.second = std::max(entry->second.second, sum->second);
  }
}

/// Goes through what every iteration executes, if no jump ends it before.
void Lowering::findReaches(Stmt *statement, llvm::ArrayRef<NestLoop> nest, Reaches &reaches) {
  if (!statement || directiveOf(statement)) {
    return;
  }
  const auto find = [&](Stmt *part) { findReaches(part, nest, reaches); };
  if (auto *branch = dyn_cast<IfStmt>(statement)) {
    find(branch->getCond());
  } else if (auto *choice = dyn_cast<SwitchStmt>(statement)) {
    find(choice->getCond());
  } else if (auto *conditional = dyn_cast<AbstractConditionalOperator>(statement)) {
    find(conditional->getCond());
  } else if (auto *operation = dyn_cast<BinaryOperator>(statement);
             operation && operation->isLogicalOp()) {
    find(operation->getLHS());
  } else if (auto *loop = dyn_cast<ForStmt>(statement)) {
    const bool isOurs = llvm::any_of(nest, [&](const NestLoop &each) { return each.loop == loop; });
    find(isOurs || isEntered(*loop, context_) ? loop->getBody() : nullptr);
  } else if (auto *access = dyn_cast<ArraySubscriptExpr>(statement)) {
    if (const auto chain = chainOf(access)) {
      addReaches(*chain, nest, reaches);
      llvm::for_each(chain->accesses, [&](ArraySubscriptExpr *part) { find(part->getIdx()); });
    } else {
      llvm::for_each(statement->children(), find);
    }
  } else if (auto *unary = dyn_cast<UnaryOperator>(statement);
             !isa<WhileStmt, UnaryExprOrTypeTraitExpr>(statement) &&
             !(unary && unary->getOpcode() == UO_AddrOf)) {
    llvm::for_each(statement->children(), find);
  }
}

/// The call that checks a share of the nest, for behind the one that fills it in.
std::string Lowering::reachText(const Directive &directive, Stmt *body, const LoopText &text) {
  const bool isHoisted =
      llvm::all_of(text.nest, [](const NestLoop &loop) { return loop.isInvariant; });
  if (!isHoisted || hasJump(body)) {
    return {};
  }
  Reaches reaches;
  findReaches(body, text.nest, reaches);
  std::string arrays;
  std::string list;
  unsigned count = 0;
  const Entity *last = nullptr;
  for (const auto &[where, offsets] : reaches) { // Those of an array lie side by side.
    const auto &[array, dimension, loop] = where;
    if (array != last) {
      arrays += (count == 0 ? "" : ", ") + array->handle;
      ++count;
      last = array;
    }
    list += (list.empty() ? "{" : ", {") + std::to_string(count - 1) + ", \"" + array->name +
            "\", " + std::to_string(dimension) + ", " + std::to_string(loop) + ", " +
            std::to_string(offsets.first) + ", " + std::to_string(offsets.second) + "}";
  }
  if (list.empty()) {
    return {};
  }
  return "tutti_xmp_check_reach(" + source(directive.place) + ", " +
         (directive.margin == Directive::Margin::None ? "0" : "1") + ", " +
         std::to_string(text.nest.size()) + ", " + text.name + ", " +
         "(tutti_xmp_array *const[]){" + arrays + "}, " + std::to_string(reaches.size()) +
         ", ({ static const tutti_xmp_reach tutti_list[] = {" + list + "}; tutti_list; })); ";
}

} // namespace tutti::compiler::xmp
