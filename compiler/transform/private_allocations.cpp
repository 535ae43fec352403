// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/private_allocations.h"

#include "compiler/analysis/own_memory.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/library_functions.h"
#include "compiler/ir/private_memory.h"
#include "compiler/ir/split_variables.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// As much as an iteration may have in variables, all of its allocations together.
constexpr std::uint64_t kMostVariableBytes = 4096;
constexpr std::uint64_t kAlignment = 16; ///< Of what malloc and new give.

/// Whether `allocation` is what each use of its pointer leads to: nothing chooses between it and
/// another one, or puts it into memory.
bool isUsedDirectly(const CallBase &allocation) {
  SmallVector<const Value *, 16> work = {&allocation};
  SmallPtrSet<const Value *, 16> pointers;
  while (!work.empty()) {
    for (const Use &use : work.pop_back_val()->uses()) {
      const auto *user = cast<Instruction>(use.getUser());
      const auto *store = dyn_cast<StoreInst>(user);
      const auto *call = dyn_cast<CallBase>(user);
      const auto known = call && call->isArgOperand(&use) ? argumentUse(*call) : std::nullopt;
      const bool isFirst = known && known->givesFirst && call->getArgOperandNo(&use) == 0;
      if (isa<GetElementPtrInst, FreezeInst>(user) || isFirst) {
        if (pointers.insert(user).second) {
          work.push_back(user);
        }
      } else if (isa<PHINode, SelectInst>(user) || (store && store->getValueOperand() == use) ||
                 (known && known->goesOn())) {
        return false;
      }
    }
  }
  return true;
}

/// `invoke`, of which nothing is thrown any more, as a call.
CallInst *asCall(CallBase &call) {
  if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
    return changeToCall(invoke);
  }
  return cast<CallInst>(&call);
}

/// The bytes that `call` allocates if that is known.
std::optional<std::uint64_t> fixedBytes(const CallBase &call) {
  std::uint64_t bytes = 1;
  const unsigned sizes = privateStandIn(call) == "calloc" ? 2 : 1;
  for (unsigned index = 0; index < sizes; ++index) {
    const auto *size = dyn_cast<ConstantInt>(call.getArgOperand(index));
    if (!size || size->getValue().ugt(kMostVariableBytes)) {
      return std::nullopt;
    }
    bytes *= size->getZExtValue();
  }
  return bytes;
}

class PrivateAllocations {
public:
  explicit PrivateAllocations(Function &function) : function_(function), memory_(function) {}

  void run();

private:
  bool becomesVariable(const CallBase &allocation);
  void replaceByVariable(CallBase &allocation);
  void replaceByCall(CallBase &allocation);
  void replaceFree(CallBase &old);
  void mark();

  Function &function_;
  OwnMemory memory_;
  SmallPtrSet<const Value *, 8> variables_; ///< Of allocations.
  std::uint64_t variableBytes_ = 0;
};

/// Where the pointer is never one of several, nor of an earlier round, one variable does.
bool PrivateAllocations::becomesVariable(const CallBase &allocation) {
  const std::optional<std::uint64_t> bytes = fixedBytes(allocation);
  if (!bytes || variableBytes_ + *bytes > kMostVariableBytes || !isUsedDirectly(allocation) ||
      privateStandIn(allocation) == "new_aligned") {
    return false;
  }
  variableBytes_ += *bytes;
  return true;
}

void PrivateAllocations::replaceByVariable(CallBase &allocation) {
  CallInst *call = asCall(allocation);
  const std::uint64_t bytes = *fixedBytes(*call);
  IRBuilder<> entry(&*function_.getEntryBlock().getFirstInsertionPt());
  AllocaInst *variable = entry.CreateAlloca(ArrayType::get(entry.getInt8Ty(), bytes));
  variable->setAlignment(Align(kAlignment));
  if (privateStandIn(*call) == "calloc") {
    IRBuilder<>(call).CreateMemSet(variable, entry.getInt8(0), bytes, Align(kAlignment));
  }
  call->replaceAllUsesWith(variable);
  call->eraseFromParent();
  variables_.insert(variable);
}

void PrivateAllocations::replaceByCall(CallBase &allocation) {
  Module &module = *function_.getParent();
  CallInst *call = asCall(allocation);
  const StringRef name = privateStandIn(*call);
  FunctionCallee callee =
      module.getOrInsertFunction((kPrivateMemory + name).str(), call->getFunctionType());
  auto *function = cast<Function>(callee.getCallee());
  function->addRetAttr(Attribute::NoAlias);
  function->setDoesNotThrow();
  call->setCalledFunction(callee);
  call->setAttributes({});
}

void PrivateAllocations::replaceFree(CallBase &old) {
  CallInst *call = asCall(old);
  Value *freed = call->getArgOperand(0);
  if (!variables_.contains(getUnderlyingObject(freed))) {
    IRBuilder<> build(call);
    FunctionCallee freeing = function_.getParent()->getOrInsertFunction(
        (kPrivateMemory + "free").str(), build.getVoidTy(), build.getPtrTy());
    cast<Function>(freeing.getCallee())->setDoesNotThrow();
    build.CreateCall(freeing, freed);
  }
  call->eraseFromParent();
}

/// Marks what is found to be the thread's own.
void PrivateAllocations::mark() {
  SmallVector<CallBase *, 8> calls;
  for (Instruction &inst : instructions(function_)) {
    const auto *load = dyn_cast<LoadInst>(&inst);
    if (load && load->getType()->isPointerTy() && memory_.isOwn(*load) &&
        memory_.findsOwn(*load->getPointerOperand())) {
      markOwn(inst);
    }
    auto *call = dyn_cast<CallBase>(&inst);
    const auto use = call ? argumentUse(*call) : std::nullopt;
    if (!use || !use->goesOn()) {
      continue;
    }
    const bool isOwn = all_of(call->args(), [&](const Use &argument) {
      const unsigned bit = 1U << call->getArgOperandNo(&argument);
      return ((use->follows | use->links) & bit) == 0 || !argument->getType()->isPointerTy() ||
             memory_.findsOwn(*argument);
    });
    if (isOwn) {
      calls.push_back(call);
    }
  }
  for (CallBase *call : calls) {
    markOwn(*asCall(*call)); // Ends the program rather than throw: there is no more memory.
  }
}

void PrivateAllocations::run() {
  mark();
  SmallVector<CallBase *, 8> allocations;
  SmallVector<CallBase *, 8> frees;
  for (Instruction &inst : instructions(function_)) {
    auto *call = dyn_cast<CallBase>(&inst);
    if (call && !privateStandIn(*call).empty() && memory_.isOwn(*call)) {
      allocations.push_back(call);
    } else if (call && freesMemory(*call) && memory_.isOwn(*call->getArgOperand(0))) {
      frees.push_back(call);
    }
  }
  for (CallBase *allocation : allocations) {
    if (becomesVariable(*allocation)) {
      replaceByVariable(*allocation);
    } else {
      replaceByCall(*allocation);
    }
  }
  for (CallBase *free : frees) {
    replaceFree(*free);
  }
  removeUnreachableBlocks(function_);
}

/// Takes the string that its functions give back for the one that they were given.
void nameStrings(Function &function) {
  for (Instruction &inst : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&inst);
    const auto use = call ? argumentUse(*call) : std::nullopt;
    if (use && use->follows != 0 && use->givesFirst && call->getType()->isPointerTy()) {
      call->replaceAllUsesWith(call->getArgOperand(0));
    }
  }
}

/// Whether `inst` is a call that allocates, frees, or may do so.
bool concernsAllocations(const Instruction &inst) {
  const auto *call = dyn_cast<CallBase>(&inst);
  if (!call || isa<IntrinsicInst>(call)) {
    return false;
  }
  const auto use = argumentUse(*call);
  return !privateStandIn(*call).empty() || freesMemory(*call) || (use && use->goesOn());
}

} // namespace

void makeAllocationsPrivate(Function &prepared, FunctionAnalysisManager &analyses) {
  if (none_of(instructions(prepared), concernsAllocations)) {
    return;
  }
  // Objects that hold such pointers came apart into variables before only where they were not
  // handed to functions.
  removeUnreachableBlocks(prepared);
  splitVariables(prepared, analyses, SROAOptions::ModifyCFG);
  loadPointersAsPointers(prepared);
  nameStrings(prepared);
  PrivateAllocations(prepared).run();
}

} // namespace tutti::compiler
