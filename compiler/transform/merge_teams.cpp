// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/merge_teams.h"

#include "compiler/analysis/teams.h"
#include "compiler/analysis/thread_stretches.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/forks.h"
#include "compiler/transform/before_fork.h"
#include "compiler/transform/number_loop.h"
#include "compiler/transform/serial_forks.h"
#include "compiler/transform/team_threads.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// The upper bound of the number of teams that `request` asks for.
Value *teamsOf(const CallInst &request) { return operandOf(request, Role::Number); }

/// The upper bound of the number of threads in a team.
Value *limitOf(const CallInst &request) { return operandOf(request, Role::Limit); }

/// Gives each thread a range where clang's loop steps by the stride alone: schedule(static, 1)
/// below `distribute`. Returns false if that loop has another form than expected.
bool stepPlainly(Function &part) {
  CallInst *init = initOf(part);
  if (!init || !stepsByStride(*init)) {
    return init != nullptr;
  }

  constexpr unsigned kBoundArgument = kThreadArguments + 1;
  SmallVector<LoadInst *, 2> strides;
  for (User *user : operandOf(*init, Role::Stride)->users()) {
    if (auto *load = dyn_cast<LoadInst>(user)) {
      strides.push_back(load);
    }
  }
  SmallVector<Value *, 4> bounds{part.getArg(kBoundArgument)};
  for (User *user : part.getArg(kBoundArgument)->users()) {
    if (isa<TruncInst>(user)) {
      bounds.push_back(user);
    }
  }
  SmallVector<std::pair<ICmpInst *, unsigned>, 2> tests;
  DominatorTree tree(part);
  for (Value *bound : bounds) {
    for (Use &use : bound->uses()) {
      if (auto *test = dyn_cast<ICmpInst>(use.getUser()); test && tree.dominates(init, test)) {
        tests.emplace_back(test, use.getOperandNo());
      }
    }
  }
  if (strides.size() != 1 || tests.size() != 1) {
    return false;
  }
  Type *type = strides.front()->getType();
  setSchedule(*init, Schedule::Even);
  strides.front()->replaceAllUsesWith(ConstantInt::get(type, 1));
  IRBuilder<> build(init->getNextNode());
  Value *upper = build.CreateLoad(type, operandOf(*init, Role::Upper));
  // As in the other loops of clang, so that an upper bound of -1 ends a share of no iteration.
  const auto [test, operand] = tests.front();
  const bool isUnsigned = frontendOf(*init).isUnsigned(init->getCalledFunction()->getName());
  Type *compared = test->getOperand(0)->getType();
  test->setOperand(operand, isUnsigned ? build.CreateZExtOrTrunc(upper, compared)
                                       : build.CreateSExtOrTrunc(upper, compared));
  test->setPredicate(isUnsigned ? test->getUnsignedPredicate() : test->getSignedPredicate());
  return true;
}

/// The branch that an `if` clause makes, to a parallel and a serial successor; or null.
BranchInst *findCondition(Function &teams) {
  for (Instruction &inst : instructions(teams)) {
    if (kindOf(inst) == CallKind::SerialFork) {
      BasicBlock *serial = inst.getParent();
      BasicBlock *before = serial->getSinglePredecessor();
      auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
      const bool isFound = branch && branch->isConditional() && branch->getSuccessor(1) == serial;
      return isFound ? branch : nullptr;
    }
  }
  return nullptr;
}

void decide(BranchInst &branch, bool isTrue) {
  branch.setCondition(ConstantInt::getBool(branch.getContext(), isTrue));
  Function &function = *branch.getFunction();
  ConstantFoldTerminator(branch.getParent());
  removeUnreachableBlocks(function);
}

/// Whether `function` asks for the number of its team, or for how many there are.
bool asksForNumbers(Function &function) {
  return any_of(instructions(function), [](const Instruction &inst) {
    const auto *call = dyn_cast<CallInst>(&inst);
    return call && (isCallOf(*call, kTeamNumber) || isCallOf(*call, kTeamCount));
  });
}

/// One teams function on its way to a parallel loop.
class Merger {
public:
  Merger(CallInst &fork, FunctionAnalysisManager &analyses)
      : fork_(fork), analyses_(analyses),
        teams_(*cast<Function>(operandOf(fork, Role::Outlined)->stripPointerCasts())) {}

  /// The merged function, or null if the construct is none that can be merged.
  Function *merge();

  /// The program's condition for more than one thread, computed before the fork; null if there is
  /// none.
  Value *condition() const { return condition_; }

  /// Whether the merged function has one more capture: the most threads in a team, an i64.
  bool takesLimit() const;

private:
  void liftCondition();
  bool allowsManyTeams();
  bool allowsManyThreads();
  bool transform(Teams &found);
  bool joinLoops(Teams &found, CallInst &inner);
  Value *limit();

  Function *copyOf(Function &function) {
    return promotedCopy(function, function.getName() + ".part", analyses_);
  }

  CallInst &fork_;
  FunctionAnalysisManager &analyses_;
  Function &teams_;
  Function *merged_ = nullptr;
  Value *condition_ = nullptr;
};

Function *Merger::merge() {
  Function *more =
      takesLimit() ? withCaptures(teams_, Type::getInt64Ty(teams_.getContext())) : nullptr;
  merged_ = promotedCopy(more ? *more : teams_, teams_.getName() + ".merged", analyses_);
  if (more) {
    more->eraseFromParent();
  }
  liftCondition();
  Teams found = findTeams(*merged_);
  if (!found.distribute || !transform(found)) {
    merged_->eraseFromParent();
    return nullptr;
  }
  return merged_;
}

/// Of an `if` clause the merged function keeps the parallel branch alone. A second clause is left,
/// and keeps the construct from being merged.
void Merger::liftCondition() {
  if (BranchInst *branch = findCondition(*merged_)) {
    condition_ = computeBefore(fork_, branch->getCondition());
    if (condition_) {
      decide(*branch, true);
    }
  }
}

/// A single team executes the iterations in their order, and the program may count on it.
bool Merger::allowsManyTeams() {
  CallInst *request = requestFor(fork_);
  Value *teams = request ? teamsOf(*request) : nullptr;
  if (!teams) {
    return true;
  }
  if (const auto *count = dyn_cast<ConstantInt>(teams)) {
    return !count->isOne();
  }
  IRBuilder<> build(&fork_);
  Value *many = build.CreateICmpNE(teams, ConstantInt::get(teams->getType(), 1));
  condition_ = condition_ ? build.CreateAnd(condition_, many) : many;
  return true;
}

/// The same of a single team with a single thread.
bool Merger::allowsManyThreads() {
  CallInst *request = requestFor(fork_);
  if (!request) {
    return true;
  }
  IRBuilder<> build(&fork_);
  const auto isOne = [&](Value *count) {
    return build.CreateICmpEQ(count, ConstantInt::get(count->getType(), 1));
  };
  Value *isAlone = isOne(limitOf(*request));
  for (Instruction &inst : instructions(*merged_)) {
    if (kindOf(inst) == CallKind::RequestThreads) {
      Value *threads = computeBefore(fork_, operandOf(cast<CallInst>(inst), Role::Number));
      isAlone = build.CreateOr(isAlone, threads ? isOne(threads) : build.getTrue());
    }
  }
  Value *isSingle = build.CreateAnd(isOne(teamsOf(*request)), isAlone);
  if (const auto *known = dyn_cast<ConstantInt>(isSingle)) {
    return known->isZero();
  }
  Value *many = build.CreateNot(isSingle);
  condition_ = condition_ ? build.CreateAnd(condition_, many) : many;
  return true;
}

bool Merger::takesLimit() const {
  Value *limit = threadLimitOf(requestFor(fork_));
  return limit && !isa<Constant>(limit) &&
         any_of(instructions(teams_), [](const Instruction &inst) {
           const auto *call = dyn_cast<CallInst>(&inst);
           const Function *inner =
               call && kindOf(inst) == CallKind::Fork ? outlinedOf(*call) : nullptr;
           return inner && asksForThreads(*inner);
         });
}

/// As the merged function knows it.
Value *Merger::limit() {
  if (!takesLimit()) {
    auto *known = dyn_cast_or_null<Constant>(threadLimitOf(requestFor(fork_)));
    return known;
  }
  IRBuilder<> build(&*merged_->getEntryBlock().getFirstInsertionPt());
  return build.CreateTrunc(merged_->getArg(merged_->arg_size() - 1), build.getInt32Ty(), "limit");
}

bool Merger::transform(Teams &found) {
  if (found.forks.size() == 1 && handsOutIterations(*found.forks.front(), *found.distribute)) {
    return allowsManyThreads() && joinLoops(found, *found.forks.front());
  }
  if (!allowsManyTeams()) {
    return false;
  }
  const bool isEven = scheduleOf(*found.distribute) == Schedule::TeamsEven;
  setSchedule(*found.distribute, isEven ? Schedule::Even : Schedule::Chunked);
  return executeTeamForks(*merged_, limit(), analyses_).empty() && !asksForNumbers(*merged_);
}

/// The teams' loop runs once, over all iterations, and the threads' loop inside divides them.
bool Merger::joinLoops(Teams &found, CallInst &inner) {
  Function *part = copyOf(*cast<Function>(operandOf(inner, Role::Outlined)->stripPointerCasts()));
  const InnerReduction reduction = checkInner(*part, inner);
  if (reduction == InnerReduction::Unknown) {
    part->eraseFromParent();
    return false;
  }
  DominatorTree tree(*merged_);
  LoopInfo loops(tree);
  Loop *loop = loops.getLoopFor(inner.getParent());
  BasicBlock *exit = loop ? loop->getUniqueExitBlock() : nullptr;
  if (!exit || loop->getParentLoop() || !exit->phis().empty()) {
    part->eraseFromParent();
    return false;
  }
  if (reduction == InnerReduction::IntoPrivate) {
    answerOne(*part);
  }
  if (!stepPlainly(*part)) {
    part->eraseFromParent();
    return false;
  }
  // The thread that executes the last iteration stands for the team that would.
  Value *last = operandOf(*found.distribute, Role::Last);
  Value *innerLast = lastFlagOf(*part);
  constexpr const char *kFlag = "tutti.last";
  if (auto *flag = dyn_cast_or_null<AllocaInst>(innerLast)) {
    flag->setMetadata(kFlag, MDNode::get(flag->getContext(), {}));
  }
  found.distribute->eraseFromParent();
  eraseCalls(*merged_,
             [](CallKind kind) { return kind == CallKind::StaticEnd || isThreadRequest(kind); });
  BasicBlock *block = inner.getParent();
  BasicBlock *rest = SplitBlock(block, inner.getNextNode());
  for (BasicBlock *successor : successors(rest)) {
    successor->removePredecessor(rest);
  }
  rest->getTerminator()->eraseFromParent();
  IRBuilder<>(rest).CreateBr(exit);
  if (!inlineFork(inner, *part)) {
    return false;
  }
  for (Instruction &inst : make_early_inc_range(instructions(*merged_))) {
    if (isa<AllocaInst>(inst) && inst.hasMetadata(kFlag)) {
      inst.setMetadata(kFlag, nullptr);
      eraseLifetimes(inst);
      eraseLifetimes(*cast<Instruction>(last));
      last->replaceAllUsesWith(&inst);
    }
  }
  removeUnreachableBlocks(*merged_);
  // The teams that remain are those for which the condition does not hold.
  BranchInst *branch = condition_ && teams_.hasOneUse() ? findCondition(teams_) : nullptr;
  if (branch) {
    decide(*branch, false);
  }
  return true;
}

/// Forks `merged` in place of teams, or if there is a `condition`, where that holds.
void replaceFork(CallInst &fork, Function &merged, Value *condition, bool takesLimit) {
  Module &module = *fork.getModule();
  FunctionCallee callee = frontendOf(fork).declare(module, CallKind::Fork);
  SmallVector<Value *, 16> operands(fork.args());
  operands[operandNumber(fork, Role::Outlined)] = &merged;
  CallInst *request = requestFor(fork);
  Value *limit = request ? limitOf(*request) : nullptr;
  Instruction *place = &fork;
  if (condition) {
    Instruction *otherwise = nullptr;
    SplitBlockAndInsertIfThenElse(condition, &fork, &place, &otherwise);
    fork.moveBefore(otherwise);
    if (request) {
      request->moveBefore(&fork);
    }
  } else if (request) {
    request->eraseFromParent();
  }
  IRBuilder<> build(place);
  if (takesLimit) {
    operands[kFirstCapture - 2] = build.getInt32(fork.arg_size() - kFirstCapture + 1);
    operands.push_back(build.CreateZExt(limit, build.getInt64Ty()));
  }
  build.CreateCall(callee, operands)->setDebugLoc(fork.getDebugLoc());
  if (!condition) {
    fork.eraseFromParent();
  }
}

} // namespace

PreservedAnalyses MergeTeamsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  if (calleesOf(module, CallKind::ForkTeams).empty()) {
    return PreservedAnalyses::all();
  }
  for (CallInst *fork : findForks(module, CallKind::ForkTeams)) {
    Merger merger(*fork, functions);
    const bool takesLimit = merger.takesLimit();
    if (Function *merged = merger.merge()) {
      replaceFork(*fork, *merged, merger.condition(), takesLimit);
    }
  }
  return PreservedAnalyses::none();
}

} // namespace tutti::compiler
