// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/conducted_code.h"

#include "compiler/analysis/endings.h"
#include "compiler/analysis/filled_variables.h"
#include "compiler/analysis/loop_sequence.h"
#include "compiler/analysis/missing_functions.h"
#include "compiler/analysis/told_values.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/library_functions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Where the decisions end that depend on `answer`: the ways that its branch or switch takes.
void addWays(Instruction &answer, SmallVectorImpl<BasicBlock *> &blocks) {
  SmallSetVector<Instruction *, 8> work;
  work.insert(&answer);
  for (unsigned at = 0; at < work.size(); ++at) {
    for (User *user : work[at]->users()) {
      if (isa<CmpInst, BranchInst, SwitchInst>(user)) {
        work.insert(cast<Instruction>(user));
      }
    }
    if (work[at]->isTerminator()) {
      append_range(blocks, successors(work[at]->getParent()));
    }
  }
}

/// The instructions that close `calls`, and the blocks that are left by then.
SmallSetVector<Instruction *, 8> closing(const SequencedLoop &calls,
                                         SmallVectorImpl<BasicBlock *> &blocks) {
  SmallSetVector<Instruction *, 8> found;
  found.insert(calls.ends.begin(), calls.ends.end());
  found.insert(calls.reduce.begin(), calls.reduce.end());
  for (User *user : calls.lastFlag()->users()) {
    if (auto *load = dyn_cast<LoadInst>(user)) {
      found.insert(load);
    }
  }
  for (Instruction *inst : found) {
    blocks.push_back(inst->getParent());
    if (!is_contained(calls.ends, inst)) {
      addWays(*inst, blocks);
    }
  }
  return found;
}

/// The blocks of `loop` in front of `end`.
void flood(ConductedLoop &loop, const BasicBlock *end) {
  loop.blocks.clear();
  SmallVector<BasicBlock *, 16> work{loop.first};
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    if (block != end && loop.blocks.insert(block).second) {
      append_range(work, successors(block));
    }
  }
}

/// Gives `loop` a last block in front of `join`, which others may reach, too.
bool joinWays(ConductedLoop &loop, BasicBlock &join) {
  flood(loop, &join);
  SmallVector<BasicBlock *, 4> ways;
  for (BasicBlock *block : predecessors(&join)) {
    if (loop.blocks.contains(block)) {
      ways.push_back(block);
    }
  }
  loop.last = ways.empty() ? nullptr : SplitBlockPredecessors(&join, ways, ".done");
  if (!loop.last) {
    return false;
  }
  for (PHINode &phi : make_early_inc_range(loop.last->phis())) {
    if (Value *same = phi.hasConstantValue()) {
      phi.replaceAllUsesWith(same);
      phi.eraseFromParent();
    }
  }
  loop.exit = &join;
  return true;
}

/// Functions that say what time it is, and no more.
bool isClock(const Function &callee) {
  return callee.isDeclaration() &&
         StringSwitch<bool>(callee.getName())
             .Cases("omp_get_wtime", "omp_get_wtick", "clock", "clock_gettime", "time", true)
             .Cases("gettimeofday", "getrusage", "times", true)
             .Default(false);
}

/// Functions of libraries that one thread may call for all, once: they know nothing of teams.
bool isCallOfOne(const Function &callee, const TargetLibraryInfo &library) {
  LibFunc known;
  return (callee.isDeclaration() && library.getLibFunc(callee, known)) || callee.doesNotReturn() ||
         isClock(callee) || callee.getName() == "fflush";
}

/// Functions that every thread may as well call as one: they give values, and keep no memory.
bool isCallOfEach(const CallBase &call, const TargetLibraryInfo &library) {
  const Function *callee = call.getCalledFunction();
  LibFunc known;
  const bool isOfNumbers =
      callee && callee->isDeclaration() && argumentUse(call) &&
      none_of(call.args(), [](const Use &arg) { return arg->getType()->isPointerTy(); });
  return isOfNumbers || call.doesNotReturn() || (call.onlyReadsMemory() && !call.isInlineAsm()) ||
         (callee && ((library.getLibFunc(*callee, known) && library.hasOptimizedCodeGen(known)) ||
                     isClock(*callee)));
}

/// Whether `function`, or one that it calls, holds constructs, such as tasks, that a team would
/// run.
bool holdsConstructs(const Function &function) {
  return any_of(calledFunctions(function), [](const Function *called) {
    return any_of(instructions(*called), [](const Instruction &inst) {
      return kindOf(inst) != CallKind::None && kindOf(inst) != CallKind::ThreadNumber;
    });
  });
}

bool isHarmlessIntrinsic(const IntrinsicInst &call) {
  const auto *memory = dyn_cast<MemIntrinsic>(&call);
  return (memory && !memory->isVolatile()) || call.isLifetimeStartOrEnd() ||
         call.isAssumeLikeIntrinsic() || !call.mayHaveSideEffects() ||
         call.getIntrinsicID() == Intrinsic::stacksave ||
         call.getIntrinsicID() == Intrinsic::stackrestore;
}

/// Whether `call` is one of a function with a conductor of its own, whose loops may get `pointer`.
bool givesToLoops(const CallBase &call, const Value &pointer) {
  return isCallOfConductor(call) && any_of(call.args(), [&](const Use &argument) {
           const AttributeSet said = call.getCalledFunction()->getAttributes().getParamAttrs(
               call.getArgOperandNo(&argument));
           return argument == &pointer && !said.hasAttribute(kBesideLoops);
         });
}

/// Who does what with a private variable: numbers of loops, or that of what is beside them.
struct VariableUses {
  SmallVector<Instruction *, 8> beside;
  SmallVector<Instruction *, 16> accesses; ///< Of loops.
  SmallSetVector<int, 4> readers;
  SmallSetVector<int, 4> writers;
  SmallSetVector<int, 4> keepers; ///< Of its address.
  bool isDerivedBeside = false;   ///< Pointers into it are computed beside the loops.
};

class Conducted {
public:
  Conducted(Function &function, std::vector<ConductedLoop> &loops,
            FunctionAnalysisManager &analyses)
      : function_(function), loops_(loops), analyses_(analyses),
        library_(analyses.getResult<TargetLibraryAnalysis>(function)), dominators_(function),
        last_(findLastBlocks(function)) {}

  std::string check();
  std::string checkCuts();

private:
  static constexpr int kBeside = -1;

  int owner(const Instruction &inst) const;
  std::string checkAnywhere(const Instruction &inst) const;
  std::string checkBeside(const Instruction &inst) const;
  std::string checkCall(const CallBase &call) const;
  std::string checkInputs(const Instruction &inst, int own) const;
  void fileUse(Instruction &inst, const Value &pointer, VariableUses &uses) const;
  VariableUses usesOf(AllocaInst &variable) const;
  std::string checkVariable(AllocaInst &variable);
  std::string checkVariables();
  std::string giveEachOwn(AllocaInst &variable, ConductedLoop &loop, ArrayRef<Instruction *> beside,
                          ArrayRef<Instruction *> accesses);
  bool isStoredBefore(const StoreInst &store, const ConductedLoop &loop) const;
  bool beginsAnew(const AllocaInst &variable, const ConductedLoop &loop) const;
  bool isFilledFirst(const AllocaInst &variable, ArrayRef<Instruction *> accesses);
  bool isOfOne(const Instruction &inst) const;

  Function &function_;
  std::vector<ConductedLoop> &loops_;
  FunctionAnalysisManager &analyses_;
  const TargetLibraryInfo &library_;
  DominatorTree dominators_;
  SmallVector<BasicBlockEdge, 8> ofOne_; ///< Ways that one thread takes for all.
  SmallPtrSet<BasicBlock *, 8> last_;    ///< From where the program ends: once is enough.
  ToldValues told_;
};

int Conducted::owner(const Instruction &inst) const {
  for (unsigned index = 0; index < loops_.size(); ++index) {
    if (loops_[index].contains(inst)) {
      return index;
    }
  }
  return kBeside;
}

/// Whether one thread executes `inst` for all.
bool Conducted::isOfOne(const Instruction &inst) const {
  return any_of(ofOne_, [&](const BasicBlockEdge &edge) {
    return dominators_.dominates(edge, inst.getParent());
  });
}

std::string Conducted::checkCall(const CallBase &call) const {
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    return isHarmlessIntrinsic(*intrinsic) ? "" : "it does more than compute outside of its loops";
  }
  switch (kindOf(call)) {
  case CallKind::None:
    break;
  case CallKind::Barrier:
  case CallKind::ThreadNumber:
  case CallKind::CopyPrivate:
  case CallKind::Flush:
    return {};
  case CallKind::Single: {
    const auto *filter =
        call.arg_size() > 2 ? dyn_cast<ConstantInt>(call.getArgOperand(2)) : nullptr;
    return call.arg_size() <= 2 || (filter && filter->isZero())
               ? ""
               : "another thread than the first has a part of its own";
  }
  default:
    return told_.turns.contains(&call) ? "" : "it holds another construct outside of its loops";
  }
  const Function *callee = call.getCalledFunction();
  if (isCallOfConductor(call) || isCallOfEach(call, library_) || last_.contains(call.getParent()) ||
      (callee && isOfOne(call) &&
       (isCallOfOne(*callee, library_) ||
        (isCallOfStranger(call, library_) && !holdsConstructs(*callee))))) {
    return {};
  }
  return "it calls " + (callee ? "'" + callee->getName().str() + "'" : "a function pointer") +
         " outside of its loops";
}

/// What the conductor executes once, and each thread would have executed.
std::string Conducted::checkBeside(const Instruction &inst) const {
  if (const auto *call = dyn_cast<CallBase>(&inst)) {
    return checkCall(*call);
  }
  const bool isUpdateOfOne = isa<AtomicRMWInst>(inst) && isOfOne(inst);
  if ((inst.isAtomic() || inst.isVolatile()) && !isUpdateOfOne && !told_.turns.contains(&inst)) {
    return "its threads count or wait outside of its loops";
  }
  if (inst.isEHPad() && !isa<UnreachableInst>(inst.getParent()->getTerminator())) {
    return "it handles exceptions outside of its loops";
  }
  return {};
}

std::string Conducted::checkAnywhere(const Instruction &inst) const {
  if (isa<IndirectBrInst>(inst)) {
    return "it jumps to computed places";
  }
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
  if ((intrinsic && intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address) ||
      kindOf(inst) == CallKind::ThreadPrivate) {
    return "it uses thread-private variables";
  }
  switch (kindOf(inst)) {
  case CallKind::Fork:
  case CallKind::ForkTeams:
  case CallKind::OtherFork:
  case CallKind::SerialFork:
    return "it holds another parallel construct";
  case CallKind::Task:
  case CallKind::Other:
    return "it holds a construct of another kind";
  default:
    return {};
  }
}

/// What comes into a loop, or goes out of it, beside memory.
std::string Conducted::checkInputs(const Instruction &inst, int own) const {
  for (const Use &use : inst.uses()) {
    const int user = owner(*cast<Instruction>(use.getUser()));
    if (user == own) {
      continue;
    }
    if (own != kBeside) {
      return "one of its loops leaves a private value to what follows";
    }
    const auto *call = dyn_cast<CallBase>(use.getUser());
    if (isThreadOfCalls(inst)) {
      if (!call || kindOf(*call) == CallKind::None) {
        return "it uses the number of the thread";
      }
      continue;
    }
    Type *type = inst.getType();
    if (!type->isPointerTy() && !type->isFloatTy() && !type->isDoubleTy() &&
        !(type->isIntegerTy() && type->getIntegerBitWidth() <= 64)) {
      return "one of its loops uses a private value of an unusual type";
    }
  }
  return {};
}

/// Whether `loop` finds in each execution what `store` has stored for it.
bool Conducted::isStoredBefore(const StoreInst &store, const ConductedLoop &loop) const {
  return store.isSimple() && store.getParent() == loop.before;
}

/// Whether `variable`, which nothing but `loop` touches, holds nothing whenever `loop` begins: it
/// is executed once, or its scope begins or ends between two executions.
bool Conducted::beginsAnew(const AllocaInst &variable, const ConductedLoop &loop) const {
  SmallPtrSet<const BasicBlock *, 8> scopes;
  for (const User *user : variable.users()) {
    const auto *marker = dyn_cast<IntrinsicInst>(user);
    if (marker && marker->isLifetimeStartOrEnd() && !loop.contains(*marker)) {
      scopes.insert(marker->getParent());
    }
  }
  SmallVector<const BasicBlock *, 16> work{loop.exit};
  SmallPtrSet<const BasicBlock *, 16> seen;
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (block == loop.first) {
      return false;
    }
    if (!scopes.contains(block) && seen.insert(block).second) {
      work.append(succ_begin(block), succ_end(block));
    }
  }
  return true;
}

/// Whether whatever `accesses`, of one loop, find in `variable` has been stored there in the same
/// iteration: no execution of a loop sees what another one has left.
bool Conducted::isFilledFirst(const AllocaInst &variable, ArrayRef<Instruction *> accesses) {
  return isSetBeforeRead(variable, accesses, dominators_,
                         analyses_.getResult<LoopAnalysis>(function_),
                         analyses_.getResult<ScalarEvolutionAnalysis>(function_));
}

std::string Conducted::giveEachOwn(AllocaInst &variable, ConductedLoop &loop,
                                   ArrayRef<Instruction *> beside,
                                   ArrayRef<Instruction *> accesses) {
  const auto size = variable.getAllocationSize(function_.getDataLayout());
  const auto isWhole = [&](const Instruction *inst) {
    const auto *store = dyn_cast<StoreInst>(inst);
    const auto *fill = dyn_cast<MemIntrinsic>(inst);
    if (fill) {
      const auto *length = dyn_cast<ConstantInt>(fill->getLength());
      return length && fill->getRawDest() == &variable && size && length->getZExtValue() == *size;
    }
    return store && store->getPointerOperand() == &variable && size &&
           function_.getDataLayout().getTypeStoreSize(store->getValueOperand()->getType()) == *size;
  };
  const auto beginsWith = [&](const Instruction *begin) {
    return all_of(accesses, [&](const Instruction *access) {
      return begin == access || dominators_.dominates(begin, access);
    });
  };
  const bool isList = any_of(loop.calls.reduce, [&](const CallInst *call) {
    return operandOf(*call, Role::List)->stripPointerCasts() == &variable;
  });
  if (!variable.isStaticAlloca()) {
    return "one of its loops changes a private array of unknown size";
  }
  if (beside.empty() && (isList || any_of(accesses, [&](const Instruction *access) {
                           return isWhole(access) && beginsWith(access);
                         }))) {
    loop.own[&variable] = nullptr;
    return {};
  }
  if (beside.empty() && (beginsAnew(variable, loop) || isFilledFirst(variable, accesses))) {
    loop.own[&variable] = nullptr;
    return {};
  }
  for (const User *user : variable.users()) {
    const auto *marker = dyn_cast<IntrinsicInst>(user);
    if (beside.empty() && marker && marker->getIntrinsicID() == Intrinsic::lifetime_start &&
        loop.contains(*marker) && beginsWith(marker)) {
      loop.own[&variable] = nullptr;
      return {};
    }
  }
  if (beside.size() == 1 && isa<StoreInst>(beside.front()) && isWhole(beside.front()) &&
      isStoredBefore(*cast<StoreInst>(beside.front()), loop)) {
    loop.own[&variable] = cast<StoreInst>(beside.front());
    return {};
  }
  return "one of its loops changes a private variable that it has not set";
}

/// Files what `inst` does with `pointer`, which leads to the variable.
void Conducted::fileUse(Instruction &inst, const Value &pointer, VariableUses &uses) const {
  const int own = owner(inst);
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
  const auto *store = dyn_cast<StoreInst>(&inst);
  if ((intrinsic && intrinsic->isLifetimeStartOrEnd()) || isa<ICmpInst>(inst)) {
    return;
  }
  if (own == kBeside) {
    uses.beside.push_back(&inst);
  } else {
    uses.accesses.push_back(&inst);
  }
  const auto *copy = dyn_cast<MemTransferInst>(&inst);
  if (isa<LoadInst>(inst) || (copy && copy->getRawDest() != &pointer)) {
    uses.readers.insert(own);
    return;
  }
  uses.writers.insert(own);
  if (store && store->getValueOperand() != &pointer) {
    return;
  }
  uses.readers.insert(own);
  const auto *call = dyn_cast<CallBase>(&inst);
  const bool isKept =
      own == kBeside ? call && (isCallOfStranger(*call, library_) || givesToLoops(*call, pointer))
                     : kindOf(inst) == CallKind::None && !isa<AnyMemIntrinsic>(inst);
  if (!call || isKept) {
    uses.keepers.insert(own);
  }
}

VariableUses Conducted::usesOf(AllocaInst &variable) const {
  VariableUses uses;
  SetVector<Instruction *> pointers;
  pointers.insert(&variable);
  for (unsigned at = 0; at < pointers.size(); ++at) {
    for (User *user : pointers[at]->users()) {
      auto *inst = cast<Instruction>(user);
      if (!isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(inst)) {
        fileUse(*inst, *pointers[at], uses);
        continue;
      }
      const int own = owner(*inst);
      uses.isDerivedBeside |= own == kBeside;
      pointers.insert(inst);
      if (!inst->getType()->isPointerTy()) {
        uses.keepers.insert(own);
      }
    }
  }
  return uses;
}

/// A private variable is the conductor's, which loops only read, or one loop's.
std::string Conducted::checkVariable(AllocaInst &variable) {
  const VariableUses uses = usesOf(variable);
  const auto combines = [&](int own) {
    return own != kBeside && loops_[own].combined.contains(&variable);
  };
  SmallSetVector<int, 4> loops;
  for (const auto *owners : {&uses.readers, &uses.writers, &uses.keepers}) {
    for (const int own : *owners) {
      if (own != kBeside && !combines(own)) {
        loops.insert(own);
      }
    }
  }
  if (uses.keepers.contains(kBeside) || (!uses.keepers.empty() && loops.size() > 1)) {
    return "it keeps the address of a private variable";
  }
  const int writer = loops.size() == 1 ? loops.front() : kBeside;
  if (none_of(uses.writers, [&](int own) { return own != kBeside && !combines(own); })) {
    return {};
  }
  if (loops.size() > 1 && uses.beside.empty() && uses.keepers.empty() && !uses.isDerivedBeside &&
      variable.isStaticAlloca() && all_of(loops, [&](int own) {
        SmallVector<Instruction *, 16> accesses;
        copy_if(uses.accesses, std::back_inserter(accesses),
                [&](const Instruction *access) { return owner(*access) == own; });
        return isFilledFirst(variable, accesses);
      })) {
    for (const int own : loops) {
      loops_[own].own[&variable] = nullptr;
    }
    return {};
  }
  if (loops.size() > 1 || uses.readers.contains(kBeside) || uses.isDerivedBeside) {
    return "one of its loops leaves a private value to what follows";
  }
  return giveEachOwn(variable, loops_[writer], uses.beside, uses.accesses);
}

std::string Conducted::checkVariables() {
  for (Instruction &inst : instructions(function_)) {
    if (auto *variable = dyn_cast<AllocaInst>(&inst)) {
      if (std::string reason = checkVariable(*variable); !reason.empty()) {
        return reason;
      }
    }
  }
  return {};
}

std::string Conducted::check() {
  told_ = findToldValues(function_, loops_, dominators_);
  if (!told_.reason.empty()) {
    return told_.reason;
  }
  for (Instruction &inst : instructions(function_)) {
    if (kindOf(inst) != CallKind::Single || inst.getType()->isVoidTy()) {
      continue;
    }
    for (User *user : inst.users()) {
      const auto *compare = dyn_cast<ICmpInst>(user);
      const auto *zero = compare ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
      if (!zero || !compare->isEquality()) {
        continue;
      }
      const bool isOnTrue = (compare->getPredicate() == ICmpInst::ICMP_NE) == zero->isZero();
      for (const User *decision : compare->users()) {
        if (const auto *branch = dyn_cast<BranchInst>(decision)) {
          ofOne_.emplace_back(branch->getParent(), branch->getSuccessor(isOnTrue ? 0 : 1));
        }
      }
    }
  }
  for (Instruction &inst : instructions(function_)) {
    const int own = owner(inst);
    std::string reason = checkAnywhere(inst);
    if (own != kBeside && isCallOfConductor(inst)) {
      reason = "one of its loops has an unusual form";
    }
    if (reason.empty() && own == kBeside) {
      reason = checkBeside(inst);
    }
    if (reason.empty() && !isa<AllocaInst>(inst)) {
      reason = checkInputs(inst, own);
    }
    if (!reason.empty()) {
      return reason;
    }
  }
  for (unsigned index = 0; index < kThreadArguments; ++index) {
    for (const User *user : function_.getArg(index)->users()) {
      if (index > 0 || !isa<LoadInst>(user) || any_of(user->users(), [](const User *reader) {
            return kindOf(*cast<Instruction>(reader)) == CallKind::None;
          })) {
        return "it uses the number of the thread";
      }
    }
  }
  return checkVariables();
}

/// Whatever is beside the loops, each thread goes on to execute it.
std::string Conducted::checkCuts() {
  for (Instruction &inst : instructions(function_)) {
    if (isa<AllocaInst>(inst) || isThreadOfCalls(inst)) {
      continue;
    }
    if (std::string reason = checkInputs(inst, owner(inst)); !reason.empty()) {
      return reason;
    }
  }
  return checkVariables();
}

} // namespace

bool isThreadOfCalls(const Value &value) {
  if (const auto *load = dyn_cast<LoadInst>(&value)) {
    const auto *argument = dyn_cast<Argument>(load->getPointerOperand());
    return argument && argument->getArgNo() == 0;
  }
  const auto *inst = dyn_cast<Instruction>(&value);
  return inst && kindOf(*inst) == CallKind::ThreadNumber;
}

bool isCallOfStranger(const CallBase &call, const TargetLibraryInfo &library) {
  const Function *callee = call.getCalledFunction();
  return callee && !callee->isIntrinsic() && !isCallOfConductor(call) &&
         kindOf(call) == CallKind::None && !callee->getName().starts_with("omp_") &&
         !callee->getName().starts_with("__kmp") && !isCallOfEach(call, library) &&
         !isCallOfOne(*callee, library);
}

bool isCallOfConductor(const Instruction &inst) {
  const auto *call = dyn_cast<CallBase>(&inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->hasFnAttribute(kOwnConductor);
}

bool isCallForItself(const CallBase &call, const TargetLibraryInfo &library) {
  const Function *callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic() || !isCallOfOne(*callee, library) || call.doesNotReturn() ||
      callee->doesNotReturn() || call.hasFnAttr(Attribute::ReturnsTwice)) {
    return false;
  }
  // Locks, buffers and positions that a later call finds again.
  const bool isRemembered =
      StringSwitch<bool>(callee->getName())
          .Cases("flockfile", "funlockfile", "ftrylockfile", "setbuf", "setvbuf", "strtok", true)
          .Default(false);
  return !isRemembered && all_of(call.args(), [](const Use &argument) {
    const auto *back = dyn_cast<Function>(argument->stripPointerCasts());
    return !back || (!back->isDeclaration() && !back->isInterposable() &&
                     none_of(instructions(*back), [](const Instruction &inst) {
                       return isa<CallBase>(inst) && !isa<IntrinsicInst>(inst);
                     }));
  });
}

bool bracketLoop(Function &function, const SequencedLoop &calls, ConductedLoop &loop) {
  loop.calls = calls;
  loop.before = calls.init->getParent();
  loop.first = loop.before->splitBasicBlock(calls.init->getIterator(), "conducted");
  SmallVector<BasicBlock *, 8> ways;
  const SmallSetVector<Instruction *, 8> closes = closing(calls, ways);
  BasicBlock *join = ways.empty() ? nullptr : ways.front();
  if (!all_equal(ways)) {
    const PostDominatorTree postDominators(function);
    for (BasicBlock *way : ways) {
      join = join ? postDominators.findNearestCommonDominator(join, way) : nullptr;
    }
  }
  if (!join) {
    return false;
  }
  Instruction *final = nullptr;
  for (Instruction &inst : *join) {
    final = closes.contains(&inst) ? &inst : final;
  }
  if (!final) {
    return joinWays(loop, *join);
  }
  loop.last = join;
  loop.exit = join->splitBasicBlock(std::next(final->getIterator()), ".after");
  return true;
}

bool isolateLoop(Function &function, const SequencedLoop &calls, ConductedLoop &loop) {
  if (!bracketLoop(function, calls, loop)) {
    return false;
  }
  collectBlocks(loop);
  return all_of(loop.blocks, [&](BasicBlock *block) {
    const bool isEntered =
        all_of(predecessors(block), [&](BasicBlock *from) { return loop.blocks.contains(from); });
    const bool isLeft = block != loop.last && is_contained(successors(block), loop.exit);
    return !isLeft && (isEntered || block == loop.first);
  });
}

void collectBlocks(ConductedLoop &loop) { flood(loop, loop.exit); }

std::string whyNotConducted(Function &function, std::vector<ConductedLoop> &loops,
                            FunctionAnalysisManager &analyses) {
  return Conducted(function, loops, analyses).check();
}

std::string whyNotCut(Function &function, std::vector<ConductedLoop> &loops,
                      FunctionAnalysisManager &analyses) {
  return Conducted(function, loops, analyses).checkCuts();
}

} // namespace tutti::compiler
