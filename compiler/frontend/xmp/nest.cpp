// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

const VarDecl *variableIn(const Expr *expr) {
  const auto *reference = expr ? dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts()) : nullptr;
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

/// The control variable and its first value; nulls if `init` is neither form.
std::pair<const VarDecl *, const Expr *> initOf(const Stmt *init) {
  if (const auto *declared = dyn_cast_or_null<DeclStmt>(init);
      declared && declared->isSingleDecl()) {
    const auto *variable = dyn_cast<VarDecl>(declared->getSingleDecl());
    return {variable, variable ? variable->getInit() : nullptr};
  }
  const auto *assignment = dyn_cast_or_null<BinaryOperator>(init);
  if (assignment && assignment->getOpcode() == BO_Assign) {
    return {variableIn(assignment->getLHS()), assignment->getRHS()};
  }
  return {nullptr, nullptr};
}

void collectLoops(const Stmt *statement, llvm::SmallVectorImpl<const ForStmt *> &loops) {
  if (!statement) {
    return;
  }
  if (const auto *loop = dyn_cast<ForStmt>(statement)) {
    loops.push_back(loop);
  }
  for (const Stmt *child : statement->children()) {
    collectLoops(child, loops);
  }
}

/// Notes the first and the last iteration, where constants show them.
void setIndices(NestLoop &loop, Constant first, Constant bound) {
  const Constant step = loop.stepValue;
  const Constant distance = difference(bound, first);
  const bool isEmpty = distance && step && *distance != 0 && (*distance < 0) != (*step < 0);
  if (!distance || !step || *step == 0 || isEmpty) {
    return; // Without an iteration there is none that could be wrong.
  }
  loop.firstIndex = first;
  loop.lastIndex = sum(first, product(*distance / *step, step));
}

bool contains(const Stmt *statement, const Stmt *inner) {
  return statement == inner ||
         (statement && llvm::any_of(statement->children(),
                                    [&](const Stmt *child) { return contains(child, inner); }));
}

/// Whether an iteration of a loop around `inner` may pass it by: there is a branch around it, or
/// one that leaves something.
bool isGuarded(const Stmt *statement, const ForStmt *inner) {
  if (!statement || statement == inner) {
    return false;
  }
  const bool isBranch = isa<IfStmt, SwitchStmt, WhileStmt>(statement) && contains(statement, inner);
  const bool isJump = isa<ContinueStmt, BreakStmt, GotoStmt, ReturnStmt>(statement);
  return isBranch || isJump || llvm::any_of(statement->children(), [&](const Stmt *child) {
           return isGuarded(child, inner);
         });
}

/// Whether an expression names a variable that `changes` says changes.
template <typename Predicate> bool mentions(const Stmt *statement, const Predicate &changes) {
  if (!statement) {
    return false;
  }
  if (const auto *reference = dyn_cast<DeclRefExpr>(statement)) {
    return changes(reference->getDecl());
  }
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return mentions(child, changes); });
}

} // namespace

/// `i++`, `i += c`, `i = i + c` and the like.
bool Lowering::readStep(NestLoop &loop) {
  const Expr *step = nullptr;
  bool isMinus = false;
  bool isUnit = false;
  const Expr *inc = loop.loop->getInc() ? loop.loop->getInc()->IgnoreParens() : nullptr;
  if (const auto *unary = dyn_cast_or_null<UnaryOperator>(inc)) {
    isUnit = unary->isIncrementDecrementOp() && variableIn(unary->getSubExpr()) == loop.variable;
    isMinus = unary->isDecrementOp();
  } else if (const auto *operation = dyn_cast_or_null<BinaryOperator>(inc)) {
    const bool isOurs = variableIn(operation->getLHS()) == loop.variable;
    const auto *sum = dyn_cast<BinaryOperator>(operation->getRHS()->IgnoreParenImpCasts());
    if (isOurs && operation->getOpcode() == BO_AddAssign) {
      step = operation->getRHS();
    } else if (isOurs && operation->getOpcode() == BO_SubAssign) {
      step = operation->getRHS();
      isMinus = true;
    } else if (isOurs && operation->getOpcode() == BO_Assign && sum && sum->isAdditiveOp()) {
      isMinus = sum->getOpcode() == BO_Sub;
      step = variableIn(sum->getLHS()) == loop.variable               ? sum->getRHS()
             : !isMinus && variableIn(sum->getRHS()) == loop.variable ? sum->getLHS()
                                                                      : nullptr;
    }
  }
  if (!isUnit && !step) {
    error(inc ? inc->getBeginLoc() : loop.loop->getForLoc(),
          "'%0' must be changed by a constant amount, as in '%0++' or '%0 += c'")
        << loop.variable->getName();
    return false;
  }
  loop.stepValue = isUnit ? Constant(1) : constantOf(step, context_);
  loop.stepValue = isMinus ? difference(0, loop.stepValue) : loop.stepValue;
  loop.step = isUnit ? (isMinus ? "-1" : "1")
                     : std::string(isMinus ? "-" : "") + "(long)(" + text(step) + ")";
  Expr::EvalResult value;
  loop.isConstantStep = isUnit || step->EvaluateAsInt(value, context_);
  if (loop.isConstantStep) {
    const bool isNegative = isUnit ? isMinus : value.Val.getInt().isNegative() != isMinus;
    const auto *condition = dyn_cast_or_null<BinaryOperator>(
        loop.loop->getCond() ? loop.loop->getCond()->IgnoreParenImpCasts() : nullptr);
    if (condition && condition->getOpcode() == BO_NE) {
      loop.isUp = !isNegative;
    } else if ((!isUnit && value.Val.getInt() == 0) || isNegative == loop.isUp) {
      error(inc->getBeginLoc(), "'%0' never reaches its bound") << loop.variable->getName();
      return false;
    }
  }
  return true;
}

/// Whether bounds and step are the same in all iterations of the nest that `body` begins.
bool Lowering::hasFixedBounds(const NestLoop &loop, const Expr *first, const Expr *bound,
                              Stmt *body) {
  if (loop.loop == body) {
    return true; // It is entered once.
  }
  llvm::SmallVector<const ForStmt *, 8> loops;
  collectLoops(body, loops);
  const unsigned begin = program_.at(body->getBeginLoc());
  const unsigned end = statementEnd(body);
  const auto changes = [&](const ValueDecl *value) {
    const bool isInside = program_.has(value->getLocation()) &&
                          program_.at(value->getLocation()) >= begin &&
                          program_.at(value->getLocation()) < end;
    return value != loop.variable && (isInside || llvm::any_of(loops, [&](const ForStmt *other) {
                                        return initOf(other->getInit()).first == value;
                                      }));
  };
  Changes nest(body, loop.loop);
  if (loop.isOnDevice) {
    nest.ignoreCalls(); // What they change there are not the host's variables.
  }
  const auto isExposed = [&](const VarDecl *variable) {
    return takesAddress(function_->getBody(), variable);
  };
  const auto isFixed = [&](const Stmt *expr) {
    return !mentions(expr, changes) && !nest.mayChange(expr, isExposed);
  };
  return isFixed(first) && isFixed(bound) && (loop.isConstantStep || isFixed(loop.loop->getInc()));
}

/// Fills in what a loop of the nest that `body` begins does. `variable` and `loop` are known.
bool Lowering::readLoop(NestLoop &loop, Stmt *body) {
  const Expr *first = initOf(loop.loop->getInit()).second;
  const auto *condition = dyn_cast_or_null<BinaryOperator>(
      loop.loop->getCond() ? loop.loop->getCond()->IgnoreParenImpCasts() : nullptr);
  const bool isLeft = condition && variableIn(condition->getLHS()) == loop.variable;
  const bool isRight = condition && !isLeft && variableIn(condition->getRHS()) == loop.variable;
  if (!condition || (!isLeft && !isRight) ||
      !(condition->isRelationalOp() || condition->getOpcode() == BO_NE)) {
    error(condition ? condition->getBeginLoc() : loop.loop->getForLoc(),
          "the condition of a distributed loop must compare '%0' with a bound")
        << loop.variable->getName();
    return false;
  }
  const BinaryOperatorKind kind =
      isLeft ? condition->getOpcode() : BinaryOperator::reverseComparisonOp(condition->getOpcode());
  loop.isUp = kind == BO_LT || kind == BO_LE;
  if (!readStep(loop)) {
    return false;
  }
  if (Changes(loop.loop->getBody(), nullptr).assigns(loop.variable)) {
    error(loop.loop->getForLoc(), "the variable '%0' of a distributed loop is changed in its body")
        << loop.variable->getName();
    return false;
  }
  const Expr *bound = isLeft ? condition->getRHS() : condition->getLHS();
  loop.lower = "(long)(" + text(first) + ")";
  loop.last = "(long)(" + text(bound) + ")";
  Constant last = constantOf(bound, context_);
  if (kind == BO_LT || kind == BO_GT || kind == BO_NE) {
    loop.last += loop.isUp ? " - 1" : " + 1";
    last = sum(last, loop.isUp ? -1 : 1);
  }
  const Constant begin = constantOf(first, context_);
  setIndices(loop, begin, last);
  loop.hasConstantBounds = begin && last && loop.isConstantStep;
  loop.isInvariant = hasFixedBounds(loop, first, bound, body);
  return true;
}

/// The loops of the indices, outermost first.
bool Lowering::findNest(const Directive &directive, Stmt *body, std::vector<NestLoop> &nest) {
  llvm::SmallVector<const ForStmt *, 8> loops;
  collectLoops(body, loops);
  if (!isa<ForStmt>(body)) {
    error(directive.place, "'#pragma xmp loop' must be followed by a 'for' loop");
    return false;
  }
  for (const Token &index : directive.indices) {
    const auto found = llvm::find_if(loops, [&](const ForStmt *loop) {
      const VarDecl *variable = initOf(loop->getInit()).first;
      return variable && variable->getName() == wordOf(index);
    });
    if (found == loops.end()) {
      error(index.getLocation(), "there is no loop over '%0' here") << wordOf(index);
      return false;
    }
    const auto *other = std::find_if(std::next(found), loops.end(), [&](const ForStmt *loop) {
      const VarDecl *variable = initOf(loop->getInit()).first;
      return variable && variable->getName() == wordOf(index);
    });
    if (other != loops.end()) {
      error(index.getLocation(),
            "there are several loops over '%0' here, of which one can be meant")
          << wordOf(index);
      note((*other)->getForLoc(), "another one is here");
      return false;
    }
    NestLoop loop;
    loop.loop = *found;
    loop.isOnDevice = directive.isAcc;
    loop.variable = initOf((*found)->getInit()).first;
    const auto &items = directive.on->subscripts.items;
    for (unsigned axis = 0; axis < items.size(); ++axis) {
      if (items[axis].kind != Item::Kind::Dummy || items[axis].name != wordOf(index)) {
        continue;
      }
      if (loop.item) {
        error(items[axis].place.getLocation(), "index '%0' is used twice") << items[axis].name;
        return false;
      }
      loop.item = &items[axis];
      loop.axis = axis;
    }
    if (!loop.item) {
      error(index.getLocation(), "index '%0' is not used in the subscripts of '%1'")
          << wordOf(index) << wordOf(directive.on->name);
      return false;
    }
    if (!loop.variable->getType()->isIntegerType()) {
      error(loop.loop->getForLoc(), "the variable '%0' of a distributed loop must be an integer")
          << loop.variable->getName();
      return false;
    }
    nest.push_back(loop);
  }
  if (nest.empty()) {
    error(directive.on->name.getLocation(), "no subscript of '%0' is the variable of a loop")
        << wordOf(directive.on->name);
    return false;
  }
  llvm::sort(nest, [&](const NestLoop &left, const NestLoop &right) {
    return llvm::find(loops, left.loop) < llvm::find(loops, right.loop);
  });
  return llvm::all_of(nest, [&](NestLoop &loop) { return readLoop(loop, body); });
}

/// Bounds behind a branch may have no meaning where it is not taken, as what a null pointer points
/// to. Such loops compute theirs themselves, but where widths, orders or devices need them earlier.
void Lowering::delayGuarded(const Directive &directive, const Stmt *body,
                            std::vector<NestLoop> &nest) {
  if (directive.widths.isGiven || directive.isAcc ||
      llvm::any_of(directive.reductions, isOrdered)) {
    return;
  }
  for (NestLoop &loop : nest) {
    if (!loop.hasConstantBounds && isGuarded(body, loop.loop)) {
      loop.isInvariant = false;
    }
  }
}

/// Finds the loops of `body` around `inner` and with it, outermost first; false after an error.
bool Lowering::findLoopsAround(const ForStmt *inner, Stmt *body, std::vector<NestLoop> &around) {
  if (const auto *loop = dyn_cast<ForStmt>(body)) {
    NestLoop &found = around.emplace_back();
    found.loop = loop;
    found.variable = initOf(loop->getInit()).first;
    if (loop == inner) {
      return true;
    }
  }
  for (Stmt *child : body->children()) {
    llvm::SmallVector<const ForStmt *, 8> loops;
    collectLoops(child, loops);
    if (!llvm::is_contained(loops, inner)) {
      continue;
    }
    const auto *repeated = dyn_cast<WhileStmt>(body);
    if (isa<DoStmt>(body) || (repeated && !directiveOf(repeated->getCond()))) {
      error(body->getBeginLoc(), "only 'for' loops can stand around one that is distributed, where "
                                 "a reduction looks for the first or the last iteration");
      return false;
    }
    return findLoopsAround(inner, child, around);
  }
  return true;
}

} // namespace tutti::compiler::xmp
