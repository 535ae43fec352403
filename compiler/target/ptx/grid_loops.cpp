// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/ptx/grid_loops.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace tutti::compiler::target {

namespace {

bool isGridExtent(const Value &value) {
  const auto *read = dyn_cast<IntrinsicInst>(&value);
  const Intrinsic::ID id = read ? read->getIntrinsicID() : Intrinsic::not_intrinsic;
  return id == Intrinsic::nvvm_read_ptx_sreg_nctaid_x ||
         id == Intrinsic::nvvm_read_ptx_sreg_nctaid_y ||
         id == Intrinsic::nvvm_read_ptx_sreg_nctaid_z;
}

/// Whether `value` is computed from the size of the grid and from what is known before loops.
bool isGridStep(const Value &value, unsigned depth = 0) {
  constexpr unsigned kDepth = 8;
  if (isGridExtent(value)) {
    return true;
  }
  const auto *inst = dyn_cast<Instruction>(&value);
  return depth < kDepth && inst && isa<BinaryOperator, CastInst>(inst) &&
         any_of(inst->operands(), [&](const Use &use) { return isGridStep(*use, depth + 1); });
}

/// The addition that takes `phi` to the next of the work-item's iterations, or null.
Instruction *gridStep(const PHINode &phi, Value *incoming) {
  auto *add = dyn_cast<BinaryOperator>(incoming);
  if (!add || add->getOpcode() != Instruction::Add ||
      !(phi.getType()->isIntegerTy(32) || phi.getType()->isIntegerTy(64))) {
    return nullptr;
  }
  const bool isFirst = add->getOperand(0) == &phi;
  const bool isSecond = add->getOperand(1) == &phi;
  return (isFirst && isGridStep(*add->getOperand(1))) ||
                 (isSecond && isGridStep(*add->getOperand(0)))
             ? add
             : nullptr;
}

/// The steps of a loop over the work-item's iterations; none of other loops.
SmallVector<Instruction *, 2> gridSteps(const Loop &loop) {
  SmallVector<Instruction *, 2> steps;
  const BasicBlock *latch = loop.getLoopLatch();
  for (const PHINode &phi : loop.getHeader()->phis()) {
    if (Instruction *step = latch ? gridStep(phi, phi.getIncomingValueForBlock(latch)) : nullptr) {
      steps.push_back(step);
    }
  }
  return steps;
}

/// Whether an iteration is but a few operations: no loop of its own.
bool isShort(const Loop &loop) {
  return all_of(loop.getSubLoops(),
                [](const Loop *inner) { return !gridSteps(*inner).empty() && isShort(*inner); });
}

void hide(Instruction &step) {
  IRBuilder<> builder(step.getNextNode());
  auto *type = FunctionType::get(step.getType(), {step.getType()}, false);
  const StringRef constraint = step.getType()->isIntegerTy(64) ? "=l,0" : "=r,0";
  CallInst *hidden = builder.CreateCall(InlineAsm::get(type, "", constraint, false), {&step});
  step.replaceUsesWithIf(hidden, [&](Use &use) { return use.getUser() != hidden; });
}

void hideSteps(Function &function) {
  const DominatorTree dominators(function);
  const LoopInfo loops(dominators);
  SmallSetVector<Instruction *, 4> steps; // Of all loops: hidden ones are no steps any more.
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (isShort(*loop)) {
      for (Instruction *step : gridSteps(*loop)) {
        steps.insert(step);
      }
    }
  }
  for_each(steps, [](Instruction *step) { hide(*step); });
}

} // namespace

bool isGridLoop(const Loop &loop) { return !gridSteps(loop).empty(); }

void hideGridSteps(Module &kernels) {
  for (Function &function : kernels) {
    if (!function.isDeclaration()) {
      hideSteps(function);
    }
  }
}

} // namespace tutti::compiler::target
