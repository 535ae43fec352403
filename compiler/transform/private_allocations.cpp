// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/private_allocations.h"

#include "compiler/analysis/worksharing.h"
#include "compiler/ir/library_functions.h"
#include "compiler/ir/private_memory.h"
#include "compiler/ir/split_variables.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
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

/// What follows kPrivateMemory in the name of what stands for an allocating function, or is empty.
StringRef standInFor(StringRef name) {
  return StringSwitch<StringRef>(name)
      .Case("malloc", "malloc")
      .Case("calloc", "calloc")
      .Cases("_Znwm", "_Znam", "new")
      .Cases("_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", "new_aligned")
      .Default("");
}

bool isFree(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases("free", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm", true)
      .Cases("_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t", true)
      .Cases("_ZdaPvSt11align_val_t", "_ZdaPvmSt11align_val_t", true)
      .Default(false);
}

StringRef calleeName(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->isDeclaration() ? callee->getName() : "";
}

bool allocates(const Value &value) { return !standInFor(calleeName(value)).empty(); }

/// An allocation with all that its pointer reaches.
struct Allocation {
  explicit Allocation(CallBase &allocating) : call(&allocating) {}

  /// Whether the thread keeps the pointer to itself.
  bool follow();

  CallBase *call;
  SmallVector<CallBase *, 2> frees;
  SmallPtrSet<const Value *, 16> pointers;
  bool isChosen = false; ///< The pointer goes through phis or selects.

private:
  bool follow(Use &use, SmallVectorImpl<Value *> &work);
};

bool Allocation::follow() {
  SmallVector<Value *, 16> work = {call};
  pointers.insert(call);
  while (!work.empty()) {
    for (Use &use : work.pop_back_val()->uses()) {
      if (!follow(use, work)) {
        return false;
      }
    }
  }
  return true;
}

bool Allocation::follow(Use &use, SmallVectorImpl<Value *> &work) {
  auto *user = cast<Instruction>(use.getUser());
  if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(user)) {
    isChosen |= isa<PHINode, SelectInst>(user);
    if (pointers.insert(user).second) {
      work.push_back(user);
    }
    return true;
  }
  if (const auto *store = dyn_cast<StoreInst>(user)) {
    return store->getPointerOperand() == use.get() && store->getValueOperand() != use.get();
  }
  // Numbers of addresses are for lengths: what is made of them again is no pointer of this one.
  if (isa<LoadInst, ICmpInst, PtrToIntInst, AnyMemIntrinsic>(user)) {
    return true;
  }
  auto *other = dyn_cast<CallBase>(user);
  if (!other) {
    return false;
  }
  if (isFree(calleeName(*other)) && other->getArgOperandNo(&use) == 0) {
    frees.push_back(other);
    return true;
  }
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(other)) {
    return intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic();
  }
  // Whether its other arguments are fine is looked at with all calls of the loop.
  const auto argument = other->isArgOperand(&use) ? argumentUse(*other) : std::nullopt;
  if (argument && argument->givesFirst && other->getArgOperandNo(&use) == 0) {
    if (pointers.insert(other).second) {
      work.push_back(other);
    }
    return true;
  }
  return (argument && argument->keepsNothing) ||
         (other->isArgOperand(&use) && other->doesNotCapture(other->getArgOperandNo(&use)) &&
          (argument || mayStandInLoop(*other)));
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
  const unsigned sizes = calleeName(call) == "calloc" ? 2 : 1;
  for (unsigned index = 0; index < sizes; ++index) {
    const auto *size = dyn_cast<ConstantInt>(call.getArgOperand(index));
    if (!size || size->getValue().ugt(kMostVariableBytes)) {
      return std::nullopt;
    }
    bytes *= size->getZExtValue();
  }
  return bytes;
}

class Allocations {
public:
  explicit Allocations(Function &function) : function_(function) {}

  void run();

private:
  bool find();
  bool ownsAllFreed() const;
  bool becomesVariable(const Allocation &allocation);
  void replaceByVariable(Allocation &allocation);
  void replaceByCalls(Allocation &allocation);

  Function &function_;
  std::vector<Allocation> allocations_;
  std::uint64_t variableBytes_ = 0;
};

bool Allocations::find() {
  for (Instruction &inst : instructions(function_)) {
    if (!allocates(inst)) {
      continue;
    }
    Allocation &allocation = allocations_.emplace_back(cast<CallBase>(inst));
    if (!allocation.follow()) {
      allocations_.pop_back();
    }
  }
  return !allocations_.empty();
}

/// Whether all that is freed where these are freed is one of them, null, or a variable for which
/// the program does not get there.
bool Allocations::ownsAllFreed() const {
  SmallPtrSet<const Value *, 16> objects;
  for (const Allocation &allocation : allocations_) {
    objects.insert(allocation.call);
  }
  return all_of(allocations_, [&](const Allocation &allocation) {
    return all_of(allocation.frees, [&](const CallBase *free) {
      SmallVector<const Value *, 4> freed;
      getUnderlyingObjects(free->getArgOperand(0), freed, nullptr, 0);
      return all_of(freed, [&](const Value *object) {
        return objects.contains(object) || isa<ConstantPointerNull, AllocaInst>(object);
      });
    });
  });
}

/// Where the pointer is never one of several, nor of an earlier round, one variable does.
bool Allocations::becomesVariable(const Allocation &allocation) {
  const std::optional<std::uint64_t> bytes = fixedBytes(*allocation.call);
  if (allocation.isChosen || !bytes || variableBytes_ + *bytes > kMostVariableBytes ||
      standInFor(calleeName(*allocation.call)) == "new_aligned") {
    return false;
  }
  variableBytes_ += *bytes;
  return true;
}

void Allocations::replaceByVariable(Allocation &allocation) {
  CallInst *call = asCall(*allocation.call);
  const std::uint64_t bytes = *fixedBytes(*call);
  IRBuilder<> entry(&*function_.getEntryBlock().getFirstInsertionPt());
  AllocaInst *variable = entry.CreateAlloca(ArrayType::get(entry.getInt8Ty(), bytes));
  variable->setAlignment(Align(kAlignment));
  if (calleeName(*call) == "calloc") {
    IRBuilder<>(call).CreateMemSet(variable, entry.getInt8(0), bytes, Align(kAlignment));
  }
  for (CallBase *free : allocation.frees) {
    asCall(*free)->eraseFromParent();
  }
  call->replaceAllUsesWith(variable);
  call->eraseFromParent();
}

void Allocations::replaceByCalls(Allocation &allocation) {
  Module &module = *function_.getParent();
  CallInst *call = asCall(*allocation.call);
  const StringRef name = standInFor(calleeName(*call));
  FunctionCallee callee =
      module.getOrInsertFunction((kPrivateMemory + name).str(), call->getFunctionType());
  auto *function = cast<Function>(callee.getCallee());
  function->addRetAttr(Attribute::NoAlias);
  function->setDoesNotThrow();
  call->setCalledFunction(callee);
  call->setAttributes({});
  for (CallBase *free : allocation.frees) {
    CallInst *old = asCall(*free);
    IRBuilder<> build(old);
    FunctionCallee freeing = module.getOrInsertFunction((kPrivateMemory + "free").str(),
                                                        build.getVoidTy(), build.getPtrTy());
    cast<Function>(freeing.getCallee())->setDoesNotThrow();
    build.CreateCall(freeing, old->getArgOperand(0));
    old->eraseFromParent();
  }
}

void Allocations::run() {
  if (!find() || !ownsAllFreed()) {
    return;
  }
  // Of two pointers that one call may free, the call is replaced with the first.
  SmallPtrSet<const CallBase *, 8> replaced;
  for (Allocation &allocation : allocations_) {
    erase_if(allocation.frees, [&](CallBase *free) { return !replaced.insert(free).second; });
    if (becomesVariable(allocation)) {
      replaceByVariable(allocation);
    } else {
      replaceByCalls(allocation);
    }
  }
  removeUnreachableBlocks(function_);
}

} // namespace

void makeAllocationsPrivate(Function &prepared, FunctionAnalysisManager &analyses) {
  if (none_of(instructions(prepared), [](const Instruction &inst) { return allocates(inst); })) {
    return;
  }
  // Objects that hold such pointers came apart into variables before only where they were not
  // handed to functions.
  removeUnreachableBlocks(prepared);
  splitVariables(prepared, analyses, SROAOptions::ModifyCFG);
  Allocations(prepared).run();
}

} // namespace tutti::compiler
