// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/one_launch.h"

#include "compiler/analysis/chunk_model.h"
#include "compiler/analysis/construct_code.h"
#include "compiler/analysis/endings.h"
#include "compiler/analysis/loop_sequence.h"
#include "compiler/analysis/source_names.h"
#include "compiler/analysis/thread_stretches.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr unsigned kOnly = 0; ///< Index of the loop.

bool writesShared(const Instruction &inst) {
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    return memoryKind(store->getPointerOperand()) != MemoryKind::Private;
  }
  const auto *memory = dyn_cast<AnyMemIntrinsic>(&inst);
  return memory && memoryKind(memory->getRawDest()) != MemoryKind::Private;
}

/// What `inst` reads of shared memory, unless the runtime sees to it that the launch does not
/// write there.
std::optional<MemoryLocation> uncheckedRead(const Instruction &inst) {
  if (const auto *load = dyn_cast<LoadInst>(&inst)) {
    const Value *pointer = load->getPointerOperand();
    const bool isShared = memoryKind(pointer) == MemoryKind::Shared;
    return isShared && !ChunkModel::isAlwaysValue(*load) ? std::optional(MemoryLocation::get(load))
                                                         : std::nullopt;
  }
  const auto *copy = dyn_cast<AnyMemTransferInst>(&inst);
  return copy && memoryKind(copy->getRawSource()) == MemoryKind::Shared
             ? std::optional(MemoryLocation::getForSource(copy))
             : std::nullopt;
}

class OneLaunch {
public:
  OneLaunch(Function &function, FunctionAnalysisManager &analyses)
      : endings_(findEndings(function)), code_(function, analyses),
        loops_(analyses.getResult<LoopAnalysis>(function)) {}

  std::string check(DebugLoc &place);

private:
  /// Whether threads execute `inst` that have no iterations and combine nothing.
  bool isBeside(const Instruction &inst) const {
    return !code_.isSkipped(inst) && !code_.isCombining(inst);
  }

  bool isSeparatedFromChange(const Instruction &read);
  StoreInst *storeOfAll();

  SmallPtrSet<BasicBlock *, 8> endings_;
  ConstructCode code_;
  const LoopInfo &loops_;
};

/// Whether each iteration of `loop` comes to one of `stores`.
bool storesAlways(const Loop &loop, ArrayRef<StoreInst *> stores) {
  SmallPtrSet<const BasicBlock *, 16> seen;
  for (const StoreInst *store : stores) {
    seen.insert(store->getParent());
  }
  const BasicBlock *latch = loop.getLoopLatch();
  SmallVector<const BasicBlock *, 16> work;
  if (seen.insert(loop.getHeader()).second) {
    work.push_back(loop.getHeader());
  }
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (block == latch) {
      return false;
    }
    for (const BasicBlock *next : successors(block)) {
      if (loop.contains(next) && seen.insert(next).second) {
        work.push_back(next);
      }
    }
  }
  return latch;
}

/// A store that each iteration executes to one variable that threads share, unless all that
/// iterations store there is one constant: the runtime would never divide such a loop.
StoreInst *OneLaunch::storeOfAll() {
  const SequencedLoop &loop = code_.loops()[kOnly];
  if (loop.init->hasFnAttr(kOverThreads)) {
    return nullptr;
  }
  // Pieces are fetched, or stepped to, in a loop around that over iterations.
  const bool hasPieces = loop.isDispatch() || scheduleOf(*loop.init) == Schedule::Chunked;
  MapVector<const Value *, SmallVector<StoreInst *, 2>> variables;
  for (Instruction &inst : instructions(code_.function())) {
    auto *store = dyn_cast<StoreInst>(&inst);
    if (store && store->isSimple() && loops_.getLoopFor(store->getParent()) &&
        isa<Argument, GlobalVariable>(store->getPointerOperand()) && writesShared(*store) &&
        code_.isSkipped(inst) && !code_.isCombining(inst)) {
      variables[store->getPointerOperand()].push_back(store);
    }
  }
  for (const auto &[variable, stores] : variables) {
    const Value *first = stores.front()->getValueOperand();
    const bool isOneConstant = isa<Constant>(first) && all_of(stores, [&](const StoreInst *store) {
                                 return store->getValueOperand() == first;
                               });
    const Loop *iterations = loops_.getLoopFor(stores.front()->getParent());
    while (iterations->getLoopDepth() > (hasPieces ? 2 : 1)) {
      iterations = iterations->getParentLoop();
    }
    if (!isOneConstant && storesAlways(*iterations, stores)) {
      return stores.front();
    }
  }
  return nullptr;
}

/// Whether a barrier lies between `read` and the loop, which may change what is read.
bool OneLaunch::isSeparatedFromChange(const Instruction &read) {
  const std::optional<MemoryLocation> location = uncheckedRead(read);
  const auto *call = dyn_cast<CallBase>(&read);
  const bool isCall = call && readsShared(*call) && !mayStandInLoop(*call);
  if (!location && !isCall) {
    return false;
  }
  const SequencedLoop &loop = code_.loops()[kOnly];
  const bool isSeparated =
      code_.passesBarrier(read, *loop.init) ||
      any_of(loop.ends, [&](const CallInst *end) { return code_.passesBarrier(*end, read); });
  // What a call reads is not looked at more closely.
  return isSeparated && (isCall || code_.mayChange(kOnly, *location));
}

std::string OneLaunch::check(DebugLoc &place) {
  const CallInst &init = *code_.loops()[kOnly].init;
  if (code_.isRepeated(kOnly)) {
    place = init.getDebugLoc();
    return "its worksharing loop is executed repeatedly" + whyWhole(code_.function());
  }
  if (!code_.isRegular() || !code_.fileInstructions()) {
    place = init.getDebugLoc();
    return "its worksharing loop has an unusual form";
  }
  for (Instruction &inst : instructions(code_.function())) {
    if (!isBeside(inst)) {
      continue;
    }
    place = inst.getDebugLoc();
    if (writesShared(inst) && !endings_.contains(inst.getParent())) {
      return "it writes to shared memory outside of its loop";
    }
    if (isSeparatedFromChange(inst)) {
      return "its loop may change what is read outside of it, before or after a barrier";
    }
  }
  if (StoreInst *store = storeOfAll()) {
    place = store->getDebugLoc();
    const std::string name = nameOf(*store->getPointerOperand());
    return "each of its iterations writes " + (name.empty() ? "a variable" : "'" + name + "'") +
           " that all threads share";
  }
  place = {};
  return {};
}

} // namespace

std::string whyNotOneLaunch(Function &outlined, FunctionAnalysisManager &analyses,
                            DebugLoc &place) {
  return OneLaunch(outlined, analyses).check(place);
}

} // namespace tutti::compiler
