// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/team_loops.h"

#include "compiler/analysis/construct_code.h"
#include "compiler/analysis/source_names.h"
#include "compiler/analysis/teams.h"
#include "compiler/analysis/thread_stretches.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/forks.h"
#include "compiler/transform/before_fork.h"
#include "compiler/transform/number_loop.h"
#include "compiler/transform/team_threads.h"
#include "compiler/transform/thread_share.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

SmallVector<CallInst *, 4> callsOf(Function &function, CallKind kind) {
  SmallVector<CallInst *, 4> calls;
  for (Instruction &inst : instructions(function)) {
    if (kindOf(inst) == kind) {
      calls.push_back(cast<CallInst>(&inst));
    }
  }
  return calls;
}

/// One league on its way to a loop over the numbers of its teams.
class TeamLooper {
public:
  TeamLooper(CallInst &fork, FunctionAnalysisManager &functions)
      : fork_(fork), functions_(functions), teams_(*outlinedOf(fork)) {}

  /// The function of the loop; null if the league is left as it was. It has two more captures: the
  /// number of teams, and the most threads in each.
  Function *create();

private:
  std::string transform();
  std::string enclose();
  std::string shareLoops();
  std::string whyNotByTeams();
  void answer();
  void explain(const std::string &reason);

  CallInst &fork_;
  FunctionAnalysisManager &functions_;
  Function &teams_;
  Function *copy_ = nullptr;
  Instruction *number_ = nullptr; ///< Which team this is.
  Value *count_ = nullptr;        ///< How many there are.
  Value *limit_ = nullptr;        ///< How many threads each may have; null if that is open.
  DebugLoc place_;
};

/// Lets a worksharing loop over all numbers execute everything but what makes variables.
std::string TeamLooper::enclose() {
  const BasicBlock::iterator place = gatherVariables(*copy_);
  BasicBlock &entry = copy_->getEntryBlock();
  BasicBlock *first = entry.splitBasicBlock(place, "team");
  SmallVector<ReturnInst *, 2> returns;
  for (BasicBlock &block : *copy_) {
    if (auto *leave = dyn_cast<ReturnInst>(block.getTerminator())) {
      returns.push_back(leave);
    }
  }
  if (returns.empty()) {
    return "it does not end";
  }
  LLVMContext &context = copy_->getContext();
  BasicBlock *header = BasicBlock::Create(context, "number", copy_, first);
  BasicBlock *latch = BasicBlock::Create(context, "next", copy_);
  BasicBlock *end = BasicBlock::Create(context, "done", copy_);
  for (ReturnInst *leave : returns) {
    BranchInst::Create(latch, leave->getParent());
    leave->eraseFromParent();
  }
  entry.getTerminator()->eraseFromParent();
  IRBuilder<> build(&entry);
  Argument *count = copy_->getArg(copy_->arg_size() - 2);
  Value *self = build.CreateLoad(build.getInt32Ty(), copy_->getArg(0), "self");
  Value *final = build.CreateNSWSub(count, build.getInt64(1));
  count_ = build.CreateTrunc(count, build.getInt32Ty(), "teams", /*IsNUW=*/true, /*IsNSW=*/true);
  limit_ = threadLimitOf(requestFor(fork_));
  if (limit_ && !isa<Constant>(limit_)) {
    limit_ = build.CreateTrunc(copy_->getArg(copy_->arg_size() - 1), build.getInt32Ty(), "limit");
  }
  const NumberShare share = shareNumbers(build, fork_, *self, *final);
  build.CreateCondBr(build.CreateICmpSGT(share.first, share.last), end, header);

  build.SetInsertPoint(header);
  PHINode *iteration = build.CreatePHI(build.getInt64Ty(), 2, "iteration");
  number_ = cast<Instruction>(build.CreateTrunc(iteration, build.getInt32Ty(), "number",
                                                /*IsNUW=*/true, /*IsNSW=*/true));
  build.CreateBr(first);

  build.SetInsertPoint(latch);
  Value *next = build.CreateNSWAdd(iteration, build.getInt64(1));
  build.CreateCondBr(build.CreateICmpSLT(iteration, share.last), header, end);
  iteration->addIncoming(share.first, &entry);
  iteration->addIncoming(next, latch);

  build.SetInsertPoint(end);
  endNumbers(build, fork_, *self);
  build.CreateRetVoid();
  for (CallInst *call : callsOf(*copy_, CallKind::ThreadNumber)) {
    call->replaceAllUsesWith(self);
    call->eraseFromParent();
  }
  return {};
}

/// Each team takes its share of the loops that are distributed.
std::string TeamLooper::shareLoops() {
  for (const SequencedLoop &loop : sequencedLoops(*copy_)) {
    const Schedule schedule = scheduleOf(*loop.init);
    if (schedule != Schedule::TeamsEven && schedule != Schedule::TeamsChunked) {
      continue; // The loop over teams.
    }
    setSchedule(*loop.init, schedule == Schedule::TeamsEven ? Schedule::Even : Schedule::Chunked);
    if (std::string reason = takeShare(loop, *number_, *count_); !reason.empty()) {
      place_ = placeOf(*loop.init);
      return reason;
    }
  }
  return {};
}

/// What the team asks for, and its first thread outside of parallel constructs.
void TeamLooper::answer() {
  nameTeams(*copy_);
  IRBuilder<> build(copy_->getContext());
  for (Instruction &inst : make_early_inc_range(instructions(*copy_))) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (!call) {
      continue;
    }
    Value *known = isCallOf(*call, kTeamNumber)  ? number_
                   : isCallOf(*call, kTeamCount) ? count_
                   : asksForThread(*call)        ? build.getInt32(0)
                   : asksForTeam(*call)          ? build.getInt32(1)
                                                 : nullptr;
    if (known) {
      call->replaceAllUsesWith(known);
      call->eraseFromParent();
    }
  }
}

/// Why teams know each other in more ways than a loop over their numbers lets them.
std::string TeamLooper::whyNotByTeams() {
  for (Instruction &inst : instructions(*copy_)) {
    place_ = inst.getDebugLoc();
    if (inst.isEHPad() || isa<InvokeInst>(inst)) {
      return "it handles exceptions";
    }
    if (isa<IndirectBrInst>(inst)) {
      return "it jumps to computed places";
    }
    if (isa<FenceInst>(inst) || inst.isVolatile() ||
        (inst.isAtomic() && isa<LoadInst, StoreInst>(inst))) {
      return "its teams may wait for each other's variables";
    }
    auto *call = dyn_cast<CallInst>(&inst);
    if (!call) {
      continue;
    }
    place_ = placeOf(*call);
    switch (kindOf(*call)) {
    case CallKind::None:
      if (asksForTeams(*call)) {
        return describeCall(*call);
      }
      break;
    case CallKind::StaticInit:
    case CallKind::StaticEnd:
    case CallKind::ThreadNumber:
    case CallKind::Critical:
      break;
    default:
      return describeCall(*call);
    }
  }
  place_ = {};
  return {};
}

std::string TeamLooper::transform() {
  std::string reason = enclose();
  reason = reason.empty() ? executeTeamForks(*copy_, limit_, functions_) : reason;
  if (!reason.empty()) {
    return reason;
  }
  answer();
  reason = shareLoops();
  return reason.empty() ? whyNotByTeams() : reason;
}

/// The constructs of the teams are what is said to stay home.
void TeamLooper::explain(const std::string &reason) {
  for (CallInst *inner : callsOf(teams_, CallKind::Fork)) {
    Function *outlined = outlinedOf(*inner);
    if (outlined && !outlined->hasFnAttribute(kNotByNumbers)) {
      outlined->addFnAttr(kNotByNumbers, reason);
    }
  }
}

Function *TeamLooper::create() {
  Type *i64 = Type::getInt64Ty(teams_.getContext());
  Function *more = withCaptures(teams_, {i64, i64});
  copy_ = promotedCopy(*more, teams_.getName() + ".numbers", functions_);
  more->eraseFromParent();
  dropLandings(*copy_);
  const std::string reason = transform();
  functions_.clear(*copy_, copy_->getName());
  if (!reason.empty()) {
    explain(reason + describePlace(place_));
    copy_->eraseFromParent();
    return nullptr;
  }
  const ConstantRange range(APInt(64, 1), APInt::getOneBitSet(64, 31));
  copy_->getArg(copy_->arg_size() - 2)
      ->addAttr(Attribute::get(copy_->getContext(), Attribute::Range, range));
  SROAPass(SROAOptions::ModifyCFG).run(*copy_, functions_);
  functions_.clear(*copy_, copy_->getName());
  return copy_;
}

/// Forks `looped` in place of the teams that `request` asks for.
void replaceFork(CallInst &fork, CallInst &request, Function &looped) {
  IRBuilder<> build(&fork);
  Value *teams = build.CreateBinaryIntrinsic(Intrinsic::smax, operandOf(request, Role::Number),
                                             build.getInt32(1));
  SmallVector<Value *, 16> operands(fork.args());
  operands[operandNumber(fork, Role::Outlined)] = &looped;
  operands[kFirstCapture - 2] = build.getInt32(fork.arg_size() - kFirstCapture + 2);
  operands.push_back(build.CreateZExt(teams, build.getInt64Ty(), "teams"));
  operands.push_back(build.CreateZExt(operandOf(request, Role::Limit), build.getInt64Ty()));
  build.CreateCall(frontendOf(fork).declare(*fork.getModule(), CallKind::Fork), operands)
      ->setDebugLoc(fork.getDebugLoc());
  request.eraseFromParent();
  fork.eraseFromParent();
}

/// Whether the program says how many teams there are. One alone is a loop if its threads ask for
/// numbers.
bool saysTeams(CallInst &fork, const CallInst &request) {
  const auto *known = dyn_cast<ConstantInt>(operandOf(request, Role::Number));
  return !known || known->getSExtValue() > 1 ||
         (known->isOne() && any_of(callsOf(*outlinedOf(fork), CallKind::Fork), [](CallInst *inner) {
            return outlinedOf(*inner) && asksForThreads(*outlinedOf(*inner));
          }));
}

} // namespace

PreservedAnalyses TeamLoopsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool changed = false;
  for (CallInst *fork : findForks(module, CallKind::ForkTeams)) {
    CallInst *request = requestFor(*fork);
    if (!request || !saysTeams(*fork, *request)) {
      continue;
    }
    changed = true;
    TeamLooper looper(*fork, functions);
    if (Function *looped = looper.create()) {
      replaceFork(*fork, *request, *looped);
    }
  }
  for (const char *name : {kTeamNumber, kTeamCount}) {
    if (Function *function = module.getFunction(name)) {
      function->eraseFromParent();
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
