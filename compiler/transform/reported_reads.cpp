// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/reported_reads.h"

#include "abi/abi.h"
#include "compiler/analysis/access_numbers.h"
#include "compiler/analysis/choices.h"
#include "compiler/analysis/expressions.h"
#include "compiler/transform/kernel_module.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <optional>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Bytes that `inst` reaches, or nothing if that is not constant.
std::optional<std::uint64_t> accessBytes(const Instruction &inst) {
  const DataLayout &layout = inst.getDataLayout();
  if (isa<LoadInst>(inst)) {
    return layout.getTypeStoreSize(inst.getType()).getFixedValue();
  }
  const auto *memory = dyn_cast<AnyMemIntrinsic>(&inst);
  const auto *length = memory ? dyn_cast<ConstantInt>(memory->getLength()) : nullptr;
  return length ? std::optional(length->getZExtValue()) : std::nullopt;
}

/// Whether `model` can compute `value` before the loop.
bool isClosed(const ChunkModel &model, Value *value) {
  if (isa<Constant>(value)) {
    return true;
  }
  if (auto *argument = dyn_cast<Argument>(value)) {
    return model.captureIndex(argument) >= 0;
  }
  auto *inst = cast<Instruction>(value);
  if (auto *load = dyn_cast<LoadInst>(inst)) {
    return is_contained(model.values(), load);
  }
  const bool known = isa<GetElementPtrInst>(inst) || isa<CastInst>(inst) ||
                     (isa<BinaryOperator>(inst) && !inst->isIntDivRem());
  return known &&
         all_of(inst->operands(), [&](Use &operand) { return isClosed(model, operand.get()); });
}

} // namespace

ReportedReads::ReportedReads(ChunkModel &model, Function &body, ValueToValueMapTy &map,
                             FunctionAnalysisManager &analyses)
    : model_(model), body_(body), analyses_(analyses) {
  SmallVector<CallInst *, 16> touches;
  for (Instruction &inst : instructions(model.function())) {
    CallInst *touch = ChunkModel::asTouch(inst);
    if (touch && cast<ConstantInt>(touch->getArgOperand(2))->getZExtValue() == TUTTI_READ &&
        isa<ConstantInt>(touch->getArgOperand(1))) {
      touches.push_back(touch);
    }
  }
  auto &scev = analyses.getResult<ScalarEvolutionAnalysis>(model.function());
  const auto &loops = analyses.getResult<LoopAnalysis>(model.function());
  const ClosedForms forms(model, scev);
  const auto isKnown = [&](const SCEV *expression) { return forms.isClosed(expression); };
  SCEVExpander expander(scev, body.getDataLayout(), "read");
  Instruction *end = model.function().getEntryBlock().getTerminator();
  for (CallInst *touch : touches) {
    Value *address = touch->getArgOperand(0);
    const std::uint64_t bytes = cast<ConstantInt>(touch->getArgOperand(1))->getZExtValue();
    if (isClosed(model, address)) {
      add(address, bytes, map);
      continue;
    }
    for (const Choice &choice : choicesOf(scev.getSCEV(address), loops, scev, isKnown)) {
      if (isKnown(choice.expression) && expander.isSafeToExpandAt(choice.expression, end)) {
        add(expander.expandCodeFor(choice.expression, address->getType(), end), bytes, map);
      }
    }
  }
}

ReportedReads::~ReportedReads() {
  for (const WeakTrackingVH &copy : copies_) {
    if (copy) {
      RecursivelyDeleteTriviallyDeadInstructions(copy);
    }
  }
}

void ReportedReads::add(Value *address, std::uint64_t bytes, ValueToValueMapTy &map) {
  if (isClosed(model_, address)) {
    Value *copy = copyComputation(address, map, body_.getEntryBlock().getTerminator());
    reads_.push_back({analyses_.getResult<ScalarEvolutionAnalysis>(body_).getSCEV(copy), bytes});
    copies_.push_back(copy);
  }
}

/// Whether `address` is the same in all iterations.
bool ReportedReads::isFixed(const SCEV *address) const {
  auto &loops = analyses_.getResult<LoopAnalysis>(body_);
  return !SCEVExprContains(address, [&](const SCEV *part) {
    const auto *unknown = dyn_cast<SCEVUnknown>(part);
    const auto *leaf = unknown ? dyn_cast<Instruction>(unknown->getValue()) : nullptr;
    return isa<SCEVAddRecExpr>(part) || (leaf && loops.getLoopFor(leaf->getParent()));
  });
}

bool ReportedReads::cover(const Instruction &inst, Value *pointer, bool everywhere) {
  if (const auto number = accessNumber(inst); number && model_.announcesReads(*number)) {
    return true;
  }
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(body_);
  const std::optional<std::uint64_t> bytes = accessBytes(inst);
  const auto isReported = [&](const SCEV *address) {
    return bytes && any_of(reads_, [&](const Read &read) {
             const auto *distance =
                 dyn_cast<SCEVConstant>(scev.getMinusSCEV(address, read.address));
             return distance && distance->getAPInt().isNonNegative() &&
                    distance->getAPInt().getZExtValue() + *bytes <= read.bytes;
           });
  };
  const auto choices =
      choicesOf(scev.getSCEV(pointer), analyses_.getResult<LoopAnalysis>(body_), scev,
                [this](const SCEV *expression) { return isFixed(expression); });
  if (choices.size() != 1 && everywhere) {
    return true;
  }
  return !choices.empty() && all_of(choices, [&](const Choice &choice) {
    return !isFixed(choice.expression) || isReported(choice.expression);
  });
}

} // namespace tutti::compiler
