// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/reduce_updates.h"

#include "compiler/analysis/construct_code.h"
#include "compiler/analysis/shared_updates.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/function_copies.h"
#include "compiler/transform/combining.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// A shared variable with the thread's copy.
struct Copied {
  UpdatedVariable variable;
  CmpInst::Predicate choice; ///< BAD_ICMP_PREDICATE: by `variable.operation`.
  CmpInst::Predicate tie;    ///< The same; between equal values.
  unsigned first;            ///< Of a choice: the number of the variable that is compared.
  AllocaInst *copy = nullptr;
};

class Reducer {
public:
  Reducer(Function &function, const TargetLibraryInfo &library)
      : function_(function), library_(library) {}

  /// False if it must stay as it is; the function is then of no use.
  bool run();

private:
  bool collect(ArrayRef<SharedUpdate> updates);
  bool findPlace(const SequencedLoop &loop, ArrayRef<SharedUpdate> updates);
  void copyVariables();
  void redirect(const SharedUpdate &update);
  void reduce(const CallInst &init);
  Function *combiner();
  void combineAll(IRBuilder<> &build, function_ref<Value *(unsigned)> ours,
                  function_ref<Value *(unsigned)> theirs, bool isLast);
  Value *addressOf(IRBuilder<> &build, const UpdatedVariable &variable) const;
  Copied &copiedOf(const UpdatedVariable &variable);

  Function &function_;
  const TargetLibraryInfo &library_;
  SmallVector<Copied, 4> copied_;
  Instruction *place_ = nullptr; ///< Before which all threads combine, once.
};

Copied &Reducer::copiedOf(const UpdatedVariable &variable) {
  return *find_if(copied_, [&](const Copied &copied) { return copied.variable == variable; });
}

/// The variables, each of which is updated in one way.
bool Reducer::collect(ArrayRef<SharedUpdate> updates) {
  for (const SharedUpdate &update : updates) {
    const unsigned first = copied_.size();
    for (const UpdatedVariable &variable : update.variables) {
      const auto *known =
          find_if(copied_, [&](const Copied &copied) { return copied.variable == variable; });
      if (known == copied_.end()) {
        copied_.push_back({variable, update.choice, update.tie, first});
      } else if (update.isChoice() || known->choice != update.choice ||
                 known->variable.operation != variable.operation ||
                 known->variable.type != variable.type) {
        return false;
      }
    }
  }
  return !copied_.empty();
}

/// Behind the loop and all updates, where every thread comes by once.
bool Reducer::findPlace(const SequencedLoop &loop, ArrayRef<SharedUpdate> updates) {
  const PostDominatorTree after(function_);
  const DominatorTree dominators(function_);
  const LoopInfo loops(dominators);
  BasicBlock *block = loop.ends.front()->getParent();
  SmallVector<Instruction *, 8> before{loop.ends.front()};
  for (const SharedUpdate &update : updates) {
    before.push_back(update.atomic ? cast<Instruction>(update.atomic) : update.end);
    const bool isInLoop = loops.getLoopFor(before.back()->getParent()) != nullptr;
    if (!isInLoop && update.isOfConstant) {
      return false; // It counts threads.
    }
    block = block ? after.findNearestCommonDominator(block, before.back()->getParent()) : nullptr;
  }
  while (block &&
         (loops.getLoopFor(block) || !after.dominates(block, &function_.getEntryBlock()))) {
    const auto *node = after.getNode(block)->getIDom();
    block = node ? node->getBlock() : nullptr;
  }
  if (!block) {
    return false;
  }
  place_ = &*block->getFirstInsertionPt();
  for (Instruction &inst : *block) {
    if (is_contained(before, &inst)) {
      place_ = inst.getNextNode();
    }
  }
  return true;
}

void Reducer::copyVariables() {
  IRBuilder<> build(&*function_.getEntryBlock().getFirstInsertionPt());
  for (auto [number, copied] : enumerate(copied_)) {
    Type *type = copied.variable.type;
    copied.copy = build.CreateAlloca(type, nullptr, "tutti.own");
    const bool isKey = copied.choice != CmpInst::BAD_ICMP_PREDICATE && copied.first == number;
    const bool isTie = copied.tie != CmpInst::BAD_ICMP_PREDICATE && copied.first + 1 == number;
    build.CreateStore(isKey   ? worst(copied.choice, type)
                      : isTie ? worst(copied.tie, type)
                              : identity(combining(copied.variable.operation), type),
                      copied.copy);
  }
}

/// Does to the thread's copies what `update` does to the variables.
void Reducer::redirect(const SharedUpdate &update) {
  if (update.atomic) {
    const Copied &copied = copiedOf(update.variables.front());
    IRBuilder<> build(update.atomic);
    Value *old = build.CreateLoad(copied.variable.type, copied.copy);
    // What is subtracted is added up first.
    Value *sum =
        combine(build, combining(copied.variable.operation), old, update.atomic->getValOperand());
    build.CreateStore(sum, copied.copy);
    update.atomic->eraseFromParent();
    return;
  }
  for (const UpdatedVariable &variable : update.variables) {
    const Copied &copied = copiedOf(variable);
    for (Use *pointer : variable.pointers) {
      pointer->set(copied.copy);
      auto *store = dyn_cast<StoreInst>(pointer->getUser());
      auto *sum = store ? dyn_cast<BinaryOperator>(store->getValueOperand()) : nullptr;
      if (sum && !update.isChoice() && combining(variable.operation) != variable.operation) {
        IRBuilder<> build(sum);
        store->setOperand(0, combine(build, combining(variable.operation), sum->getOperand(0),
                                     sum->getOperand(1)));
        sum->eraseFromParent();
      }
    }
  }
  update.begin->eraseFromParent();
  update.end->eraseFromParent();
}

/// Combines `theirs` with what is in `ours`; `isLast`: that is the program's.
void Reducer::combineAll(IRBuilder<> &build, function_ref<Value *(unsigned)> ours,
                         function_ref<Value *(unsigned)> theirs, bool isLast) {
  SmallVector<Value *, 4> isBetter(copied_.size());
  for (auto [number, copied] : enumerate(copied_)) {
    Type *type = copied.variable.type;
    Value *at = ours(number);
    Value *old = build.CreateLoad(type, at);
    Value *more = build.CreateLoad(type, theirs(number));
    Value *both = nullptr;
    if (copied.choice == CmpInst::BAD_ICMP_PREDICATE) {
      const Operation operation = copied.variable.operation;
      both = combine(build, isLast ? operation : combining(operation), old, more);
    } else {
      if (copied.first == number) {
        isBetter[number] = build.CreateCmp(copied.choice, more, old);
        if (copied.tie != CmpInst::BAD_ICMP_PREDICATE) {
          Type *second = copied_[number + 1].variable.type;
          Value *wins = build.CreateCmp(copied.tie, build.CreateLoad(second, theirs(number + 1)),
                                        build.CreateLoad(second, ours(number + 1)));
          Value *isEqual = type->isFloatingPointTy() ? build.CreateFCmpOEQ(more, old)
                                                     : build.CreateICmpEQ(more, old);
          isBetter[number] = build.CreateOr(isBetter[number], build.CreateAnd(isEqual, wins));
        }
      } else {
        isBetter[number] = isBetter[copied.first];
      }
      both = build.CreateSelect(isBetter[number], more, old);
    }
    build.CreateStore(both, at);
  }
}

/// void (list of ours, list of theirs)
Function *Reducer::combiner() {
  LLVMContext &context = function_.getContext();
  Type *ptr = PointerType::getUnqual(context);
  Function *function = declareCombiner(function_);
  IRBuilder<> build(BasicBlock::Create(context, "", function));
  const auto entryOf = [&](unsigned list) {
    return [&build, ptr, function, list](unsigned number) -> Value * {
      return build.CreateLoad(
          ptr, build.CreateConstInBoundsGEP1_64(ptr, function->getArg(list), number));
    };
  };
  combineAll(build, entryOf(0), entryOf(1), false);
  build.CreateRetVoid();
  return function;
}

Value *Reducer::addressOf(IRBuilder<> &build, const UpdatedVariable &variable) const {
  return variable.offset == 0
             ? variable.base
             : build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), variable.base, variable.offset);
}

/// As clang writes reductions, without an answer for threads that combine atomically.
void Reducer::reduce(const CallInst &init) {
  Module &module = *function_.getParent();
  const ConstructCalls &frontend = frontendOf(init);
  Value *place = operandOf(init, Role::Place);
  IRBuilder<> entry(&*function_.getEntryBlock().getFirstInsertionPt());
  Type *ptr = entry.getPtrTy();
  Value *list = entry.CreateAlloca(ArrayType::get(ptr, copied_.size()), nullptr, "tutti.list");
  auto *lockType = ArrayType::get(entry.getInt32Ty(), 8);
  auto *lock = new GlobalVariable(module, lockType, false, GlobalValue::InternalLinkage,
                                  Constant::getNullValue(lockType), "tutti.update");
  lock->setAlignment(Align(8));

  BasicBlock *block = place_->getParent();
  BasicBlock *rest = SplitBlock(block, place_);
  block->getTerminator()->eraseFromParent();
  IRBuilder<> build(block);
  build.SetCurrentDebugLocation(init.getDebugLoc());
  for (auto [number, copied] : enumerate(copied_)) {
    build.CreateStore(copied.copy, build.CreateConstInBoundsGEP1_64(ptr, list, number));
  }
  Value *thread = build.CreateLoad(build.getInt32Ty(), function_.getArg(0));
  const std::uint64_t count = copied_.size();
  Value *answer = build.CreateCall(frontend.declare(module, CallKind::Reduce),
                                   {place, thread, build.getInt32(count),
                                    build.getInt64(count * module.getDataLayout().getPointerSize()),
                                    list, combiner(), lock});
  BasicBlock *first = BasicBlock::Create(module.getContext(), "combine", &function_, rest);
  build.CreateSwitch(answer, rest, 1)->addCase(build.getInt32(1), first);
  build.SetInsertPoint(first);
  combineAll(
      build, [&](unsigned number) { return addressOf(build, copied_[number].variable); },
      [&](unsigned number) -> Value * { return copied_[number].copy; }, true);
  build.CreateCall(frontend.declare(module, CallKind::EndReduceNow), {place, thread, lock});
  build.CreateBr(rest);
}

bool Reducer::run() {
  const SmallVector<SequencedLoop, 4> loops = sequencedLoops(function_);
  if (loops.size() != 1 || loops.front().ends.size() != 1 || !loops.front().reduce.empty()) {
    return false;
  }
  const auto updates = findSharedUpdates(function_, library_);
  if (!updates || !collect(*updates) || !findPlace(loops.front(), *updates)) {
    return false;
  }
  copyVariables();
  for (const SharedUpdate &update : *updates) {
    redirect(update);
  }
  reduce(*loops.front().init);
  const bool hasFirst = any_of(*updates, [](const SharedUpdate &update) {
    return update.isChoice() && update.tie == CmpInst::BAD_ICMP_PREDICATE &&
           update.variables.size() > 1;
  });
  if (hasFirst) {
    function_.addFnAttr(kFirstWins);
  }
  return true;
}

/// Whether a look at a copy is worth it. Updates by one thread for all are not combined.
bool isCandidate(const Function &outlined) {
  bool updates = false;
  for (const Instruction &inst : instructions(outlined)) {
    const CallKind kind = kindOf(inst);
    if (kind == CallKind::Single || kind == CallKind::Reduce || kind == CallKind::Ordered) {
      return false;
    }
    updates |= kind == CallKind::Critical || isa<AtomicRMWInst>(inst);
  }
  return updates;
}

} // namespace

PreservedAnalyses ReduceUpdatesPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  MapVector<Function *, SmallVector<CallInst *, 1>> constructs;
  for (CallInst *fork : findForks(module, CallKind::Fork)) {
    if (isCandidate(*outlinedOf(*fork))) {
      constructs[outlinedOf(*fork)].push_back(fork);
    }
  }
  bool changed = false;
  for (auto &[outlined, forks] : constructs) {
    ValueToValueMapTy map;
    Function *copy = copyOf(*outlined, outlined->getName() + ".reduced", map);
    SROAPass(SROAOptions::PreserveCFG).run(*copy, functions);
    functions.clear(*copy, copy->getName());
    EarlyCSEPass().run(*copy, functions);
    functions.clear(*copy, copy->getName());
    if (Reducer(*copy, functions.getResult<TargetLibraryAnalysis>(*copy)).run()) {
      functions.clear(*copy, copy->getName());
      changed = true;
      for (CallInst *fork : forks) {
        setOperand(*fork, Role::Outlined, copy);
      }
    } else {
      functions.clear(*copy, copy->getName());
      copy->eraseFromParent();
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
