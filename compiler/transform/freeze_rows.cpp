// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/freeze_rows.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tutti::compiler {

namespace {

/// With fewer, strength reduction is quick, and may find that they need fewer registers.
constexpr unsigned kManyRows = 6;

/// Sums are looked into as deep as three dimensions need.
constexpr unsigned kDepth = 3;

/// Whether `value` is a sum with a product of two values that are not constant.
bool hasProduct(Value *value, unsigned depth = 0) {
  Value *left = nullptr;
  Value *right = nullptr;
  if (match(value, m_Mul(m_Value(left), m_Value(right)))) {
    return !isa<Constant>(left) && !isa<Constant>(right);
  }
  if (depth == kDepth) {
    return false;
  }
  if (match(value, m_Shl(m_Value(left), m_ConstantInt()))) {
    return hasProduct(left, depth + 1);
  }
  return (match(value, m_Add(m_Value(left), m_Value(right))) ||
          match(value, m_Sub(m_Value(left), m_Value(right)))) &&
         (hasProduct(left, depth + 1) || hasProduct(right, depth + 1));
}

/// Whether `pointer` is where a row begins: so many elements behind something else as a product
/// says.
bool isRow(const Value *pointer) {
  const auto *row = dyn_cast<GetElementPtrInst>(pointer);
  return row && row->getType()->isPointerTy() &&
         any_of(row->indices(), [](Value *index) { return hasProduct(index); });
}

/// Where a row begins in front of `loop`, of which `access` is an element in it; else null.
GetElementPtrInst *rowOf(Instruction &access, const Loop &loop) {
  auto *element = dyn_cast<GetElementPtrInst>(&access);
  auto *row = element ? dyn_cast<GetElementPtrInst>(element->getPointerOperand()) : nullptr;
  return row && !loop.contains(row) && isRow(row) ? row : nullptr;
}

} // namespace

PreservedAnalyses FreezeRowsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  SmallSetVector<GetElementPtrInst *, 16> found;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    SmallSetVector<GetElementPtrInst *, 16> rows;
    for (BasicBlock *block : loop->blocks()) {
      if (loops.getLoopFor(block) != loop) {
        continue; // Of a loop inside, whose turn comes.
      }
      for (Instruction &inst : *block) {
        if (GetElementPtrInst *row = rowOf(inst, *loop)) {
          rows.insert(row);
        }
      }
    }
    for (GetElementPtrInst *row : rows) {
      if (rows.size() >= kManyRows || isRow(row->getPointerOperand())) {
        found.insert(row);
      }
    }
  }
  for (GetElementPtrInst *row : found) {
    auto *kept = new FreezeInst(row, row->getName() + ".kept", std::next(row->getIterator()));
    row->replaceUsesWithIf(kept, [kept](const Use &use) { return use.getUser() != kept; });
  }
  if (found.empty()) {
    return PreservedAnalyses::all();
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace tutti::compiler
