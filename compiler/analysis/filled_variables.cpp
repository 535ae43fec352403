// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/filled_variables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"

#include <cstdint>
#include <optional>
#include <utility>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Bytes of the variable.
struct Run {
  std::uint64_t begin;
  std::uint64_t end;
};

/// A run that is filled once `store`, or `loop` around it, is through.
struct Fill {
  Run run;
  const Instruction *store;
  const Loop *loop;
};

class Filling {
public:
  Filling(const AllocaInst &variable, const DominatorTree &dominators, const LoopInfo &loops,
          ScalarEvolution &scev)
      : variable_(variable), layout_(variable.getDataLayout()), dominators_(dominators),
        loops_(loops), scev_(scev) {}

  bool check(ArrayRef<Instruction *> accesses, std::uint64_t bytes);

private:
  std::optional<Run> fixedRun(const Value *pointer, std::uint64_t bytes) const;
  std::optional<Fill> fillOf(Instruction &inst, std::uint64_t bytes);
  std::optional<Fill> loopFill(StoreInst &store);
  std::optional<std::uint64_t> executions(const Loop &loop, const BasicBlock &block);
  bool isThroughBefore(const Fill &fill, const Instruction &read) const;
  bool isRead(const Instruction &inst, std::uint64_t bytes, std::optional<Run> &run) const;

  const AllocaInst &variable_;
  const DataLayout &layout_;
  const DominatorTree &dominators_;
  const LoopInfo &loops_;
  ScalarEvolution &scev_;
};

std::optional<Run> Filling::fixedRun(const Value *pointer, std::uint64_t bytes) const {
  APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value *base = pointer->stripAndAccumulateConstantOffsets(layout_, offset,
                                                                 /*AllowNonInbounds=*/true);
  if (base != &variable_ || offset.isNegative()) {
    return std::nullopt;
  }
  return Run{offset.getZExtValue(), offset.getZExtValue() + bytes};
}

/// How often `block`, of `loop` and of none inside, is executed whenever the loop is.
std::optional<std::uint64_t> Filling::executions(const Loop &loop, const BasicBlock &block) {
  const BasicBlock *exiting = loop.getExitingBlock();
  const BasicBlock *latch = loop.getLoopLatch();
  const auto *rounds = dyn_cast<SCEVConstant>(scev_.getBackedgeTakenCount(&loop));
  if (!exiting || !latch || !rounds || rounds->getAPInt().getActiveBits() > 31 ||
      !loop.getExitBlock()) {
    return std::nullopt;
  }
  const std::uint64_t count = rounds->getAPInt().getZExtValue();
  if (dominators_.dominates(&block, exiting)) {
    return count + 1;
  }
  return dominators_.dominates(&block, latch) ? std::optional(count) : std::nullopt;
}

/// What `store` fills in the loops around it.
std::optional<Fill> Filling::loopFill(StoreInst &store) {
  const SCEV *address = scev_.getSCEV(store.getPointerOperand());
  SmallVector<std::pair<std::uint64_t, std::uint64_t>, 2> strides; ///< With numbers of rounds.
  const BasicBlock *executed = store.getParent();
  const Loop *loop = nullptr;
  while (const auto *steps = dyn_cast<SCEVAddRecExpr>(address)) {
    // Each loop around has to step, as others repeat the same.
    const Loop *around = loop ? loop->getParentLoop() : loops_.getLoopFor(executed);
    const auto *stride = dyn_cast<SCEVConstant>(steps->getStepRecurrence(scev_));
    if (steps->getLoop() != around || !steps->isAffine() || !stride ||
        !stride->getAPInt().isStrictlyPositive()) {
      return std::nullopt;
    }
    const auto rounds = executions(*around, *executed);
    if (!rounds) {
      return std::nullopt;
    }
    strides.emplace_back(stride->getAPInt().getZExtValue(), *rounds);
    executed = around->getHeader();
    loop = around;
    address = steps->getStart();
  }
  const SCEV *offset =
      scev_.getMinusSCEV(address, scev_.getSCEV(const_cast<AllocaInst *>(&variable_)));
  const auto *begin = dyn_cast<SCEVConstant>(offset);
  if (!loop || !begin || begin->getAPInt().isNegative()) {
    return std::nullopt;
  }
  std::uint64_t bytes = layout_.getTypeStoreSize(store.getValueOperand()->getType());
  llvm::sort(strides);
  for (const auto &[stride, rounds] : strides) {
    if (stride != bytes) {
      return std::nullopt;
    }
    bytes *= rounds;
  }
  const std::uint64_t first = begin->getAPInt().getZExtValue();
  return Fill{{first, first + bytes}, &store, loop};
}

std::optional<Fill> Filling::fillOf(Instruction &inst, std::uint64_t bytes) {
  if (auto *store = dyn_cast<StoreInst>(&inst)) {
    const std::uint64_t stored = layout_.getTypeStoreSize(store->getValueOperand()->getType());
    if (!store->isSimple()) {
      return std::nullopt;
    }
    if (const auto run = fixedRun(store->getPointerOperand(), stored)) {
      return Fill{*run, store, nullptr};
    }
    return loopFill(*store);
  }
  const auto *memory = dyn_cast<MemIntrinsic>(&inst);
  const auto *length = memory ? dyn_cast<ConstantInt>(memory->getLength()) : nullptr;
  const auto run = length && !memory->isVolatile() && length->getValue().ule(bytes)
                       ? fixedRun(memory->getRawDest(), length->getZExtValue())
                       : std::nullopt;
  return run ? std::optional(Fill{*run, &inst, nullptr}) : std::nullopt;
}

bool Filling::isThroughBefore(const Fill &fill, const Instruction &read) const {
  if (!fill.loop) {
    return fill.store != &read && dominators_.dominates(fill.store, &read);
  }
  const BasicBlockEdge out(fill.loop->getExitingBlock(), fill.loop->getExitBlock());
  return out.isSingleEdge() && dominators_.dominates(out, read.getParent());
}

/// Whether `inst` looks at the variable, and where if that is known; else it only writes.
bool Filling::isRead(const Instruction &inst, std::uint64_t bytes, std::optional<Run> &run) const {
  run = Run{0, bytes};
  if (const auto *load = dyn_cast<LoadInst>(&inst)) {
    if (const auto fixed =
            fixedRun(load->getPointerOperand(), layout_.getTypeStoreSize(load->getType()))) {
      run = fixed;
    }
    return true;
  }
  if (isa<StoreInst, MemSetInst>(inst)) {
    return false;
  }
  const auto *copy = dyn_cast<MemTransferInst>(&inst);
  if (!copy) {
    return true;
  }
  const bool isSource = getUnderlyingObject(copy->getRawSource(), 0) == &variable_;
  const bool isDest = getUnderlyingObject(copy->getRawDest(), 0) == &variable_;
  return isSource || !isDest;
}

bool Filling::check(ArrayRef<Instruction *> accesses, std::uint64_t bytes) {
  SmallVector<Fill, 8> fills;
  for (Instruction *access : accesses) {
    if (const auto fill = fillOf(*access, bytes)) {
      fills.push_back(*fill);
    }
  }
  llvm::sort(fills,
             [](const Fill &one, const Fill &other) { return one.run.begin < other.run.begin; });
  return all_of(accesses, [&](const Instruction *access) {
    std::optional<Run> run;
    if (!isRead(*access, bytes, run)) {
      return true;
    }
    std::uint64_t known = run->begin;
    for (const Fill &fill : fills) {
      if (fill.run.begin <= known && fill.run.end > known && isThroughBefore(fill, *access)) {
        known = fill.run.end;
      }
    }
    return known >= run->end;
  });
}

} // namespace

bool isSetBeforeRead(const AllocaInst &variable, ArrayRef<Instruction *> accesses,
                     const DominatorTree &dominators, const LoopInfo &loops,
                     ScalarEvolution &scev) {
  const auto size = variable.getAllocationSize(variable.getDataLayout());
  return size && !size->isScalable() &&
         Filling(variable, dominators, loops, scev).check(accesses, size->getFixedValue());
}

} // namespace tutti::compiler
