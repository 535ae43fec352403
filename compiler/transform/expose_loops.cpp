// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/expose_loops.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <algorithm>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tutti::compiler {

namespace {

using Pairs = DenseSet<std::pair<const Value *, const Value *>>;

/// Whether two values are always the same, if those of `assumed` are; adds what it goes through.
bool areEqual(const Value *one, const Value *other, Pairs &assumed) {
  constexpr unsigned kMaxPairs = 64;
  if (one == other || assumed.contains({one, other})) {
    return true;
  }
  const auto *left = dyn_cast<Instruction>(one);
  const auto *right = dyn_cast<Instruction>(other);
  if (!left || !right || assumed.size() > kMaxPairs || !left->isSameOperationAs(right) ||
      left->getRawSubclassOptionalData() != right->getRawSubclassOptionalData()) {
    return false;
  }
  const auto *phi = dyn_cast<PHINode>(left);
  if (!phi && !isa<SelectInst>(left) && !isa<BinaryOperator>(left) && !isa<CastInst>(left)) {
    return false;
  }
  // Phis of one block are chosen together; of other blocks nothing is known.
  if (phi && left->getParent() != right->getParent()) {
    return false;
  }
  assumed.insert({one, other});
  if (phi) {
    return all_of(phi->blocks(), [&](const BasicBlock *block) {
      return areEqual(phi->getIncomingValueForBlock(block),
                      cast<PHINode>(right)->getIncomingValueForBlock(block), assumed);
    });
  }
  // In one iteration of all loops around: other blocks may be in others.
  return left->getParent() == right->getParent() &&
         all_of(zip_equal(left->operands(), right->operands()), [&](auto operands) {
           auto &&[first, second] = operands;
           return areEqual(first.get(), second.get(), assumed);
         });
}

bool mergeEqualPhis(BasicBlock &header) {
  SmallVector<PHINode *, 8> phis;
  for (PHINode &phi : header.phis()) {
    phis.push_back(&phi);
  }
  for (std::size_t i = 0; i < phis.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      Pairs assumed;
      if (phis[i]->getType() == phis[j]->getType() && areEqual(phis[i], phis[j], assumed)) {
        phis[i]->replaceAllUsesWith(phis[j]);
        RecursivelyDeleteTriviallyDeadInstructions(phis[i]);
        return true;
      }
    }
  }
  return false;
}

/// Moves sign extensions in front of sums and products that do not wrap around, so that addresses
/// with different indices can be compared.
bool widenIndices(Function &function, const LoopInfo &loops) {
  SmallVector<WeakTrackingVH, 16> work;
  for (Instruction &inst : instructions(function)) {
    const bool isSigned = isa<SExtInst>(inst) || (isa<ZExtInst>(inst) && inst.hasNonNeg());
    if (isSigned && inst.getType()->isIntegerTy(64) && loops.getLoopFor(inst.getParent())) {
      work.push_back(&inst);
    }
  }
  bool changed = false;
  while (!work.empty()) {
    Value *next = work.pop_back_val();
    auto *extension = dyn_cast_or_null<CastInst>(next);
    auto *operation = extension ? dyn_cast<BinaryOperator>(extension->getOperand(0)) : nullptr;
    const bool isMeant = operation && (operation->getOpcode() == Instruction::Add ||
                                       operation->getOpcode() == Instruction::Sub ||
                                       operation->getOpcode() == Instruction::Mul ||
                                       match(operation, m_Shl(m_Value(), m_ConstantInt())));
    if (!isMeant || !operation->hasNoSignedWrap()) {
      continue;
    }
    IRBuilder<> build(extension);
    Value *operands[2];
    for (unsigned i = 0; i < 2; ++i) {
      operands[i] = build.CreateSExt(operation->getOperand(i), extension->getType());
      if (isa<SExtInst>(operands[i])) {
        work.push_back(operands[i]);
      }
    }
    Value *wide = build.CreateBinOp(operation->getOpcode(), operands[0], operands[1]);
    if (auto *inst = dyn_cast<BinaryOperator>(wide)) {
      inst->setHasNoSignedWrap(true);
    }
    extension->replaceAllUsesWith(wide);
    RecursivelyDeleteTriviallyDeadInstructions(extension);
    changed = true;
  }
  return changed;
}

class Reloader {
public:
  Reloader(Function &function, FunctionAnalysisManager &analyses)
      : aliases_(analyses.getResult<AAManager>(function)),
        scev_(analyses.getResult<ScalarEvolutionAnalysis>(function)) {}

  bool reload(Loop &loop) {
    for (PHINode &phi : loop.getHeader()->phis()) {
      if (reload(loop, phi)) {
        return true;
      }
    }
    return false;
  }

private:
  /// Whether `loop` leaves alone what `load`, in it, has loaded until the next iteration begins.
  bool isKept(const Loop &loop, LoadInst &load) {
    const MemoryLocation location = MemoryLocation::get(&load);
    return all_of(loop.blocks(), [&](BasicBlock *block) {
      return all_of(*block, [&](Instruction &inst) {
        return !inst.mayWriteToMemory() || !isModSet(aliases_.getModRefInfo(&inst, location));
      });
    });
  }

  bool reload(Loop &loop, PHINode &phi) {
    BasicBlock *before = loop.getLoopPreheader();
    auto *first = dyn_cast<LoadInst>(phi.getIncomingValueForBlock(before));
    auto *next = dyn_cast<LoadInst>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    if (!first || !next || first->getParent() != before || !loop.contains(next) ||
        !first->isSimple() || !next->isSimple()) {
      return false;
    }
    const bool isLate = any_of(make_range(first->getIterator(), before->end()),
                               [](const Instruction &inst) { return inst.mayWriteToMemory(); });
    const auto *address = dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(next->getPointerOperand()));
    if (isLate || !address || address->getLoop() != &loop || !address->isAffine()) {
      return false;
    }
    const SCEV *step = address->getStepRecurrence(scev_);
    const SCEV *start = scev_.getSCEV(first->getPointerOperand());
    SCEVExpander expander(scev_, phi.getDataLayout(), "reload");
    Instruction *place = &*loop.getHeader()->getFirstInsertionPt();
    const SCEV *here = scev_.getAddRecExpr(start, step, &loop, SCEV::FlagAnyWrap);
    if (scev_.getMinusSCEV(address->getStart(), start) != step || !isKept(loop, *next) ||
        !expander.isSafeToExpandAt(here, place)) {
      return false;
    }
    Value *pointer = expander.expandCodeFor(here, first->getPointerOperandType(), place);
    auto *load = new LoadInst(phi.getType(), pointer, "reload", false,
                              std::min(first->getAlign(), next->getAlign()), place->getIterator());
    load->setMetadata(LLVMContext::MD_tbaa, next->getMetadata(LLVMContext::MD_tbaa));
    scev_.forgetValue(&phi);
    phi.replaceAllUsesWith(load);
    phi.eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(first);
    return true;
  }

  AAResults &aliases_;
  ScalarEvolution &scev_;
};

} // namespace

PreservedAnalyses ExposeLoopsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = widenIndices(function, loops);
  if (changed) {
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    analyses.invalidate(function, preserved);
  }
  Reloader reloader(function, analyses);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    while (mergeEqualPhis(*loop->getHeader())) {
      changed = true;
    }
    // Loads of the outer iteration are left to the outer loop.
    if (loop->isInnermost() && loop->getLoopPreheader() && loop->getLoopLatch()) {
      while (reloader.reload(*loop)) {
        changed = true;
      }
    }
  }
  if (!changed) {
    return PreservedAnalyses::all();
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace tutti::compiler
