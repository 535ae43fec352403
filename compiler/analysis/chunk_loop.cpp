// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/chunk_loop.h"

#include "compiler/analysis/carried_loads.h"
#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

CallInst *mapped(const ValueToValueMapTy &map, CallInst *original) {
  return cast<CallInst>(map.lookup(original));
}

/// `while (next(..., &last, &lb, &ub))` gives the chunk once: a flag in memory, which the clean-up
/// turns into constants once the loop is rotated.
void runPiecesOnce(Function &copy, const Worksharing &loop, const ValueToValueMapTy &map,
                   const ChunkBounds &bounds) {
  IRBuilder<> build(&*copy.getEntryBlock().getFirstInsertionPt());
  AllocaInst *pending = build.CreateAlloca(build.getInt32Ty());
  build.CreateStore(build.getInt32(1), pending);
  for (CallInst *original : loop.next) {
    CallInst *next = mapped(map, original);
    build.SetInsertPoint(next);
    Value *answer = build.CreateLoad(build.getInt32Ty(), pending);
    build.CreateStore(build.getInt32(0), pending);
    build.CreateStore(bounds.isLast, operandOf(*next, Role::Last));
    build.CreateStore(bounds.lower, operandOf(*next, Role::Lower));
    build.CreateStore(bounds.upper, operandOf(*next, Role::Upper));
    next->replaceAllUsesWith(answer);
    next->eraseFromParent();
  }
}

void addForm(FunctionPassManager &passes) {
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(EarlyCSEPass(true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  passes.addPass(SimplifyCFGPass());
}

void run(FunctionPassManager &passes, Function &copy, FunctionAnalysisManager &analyses) {
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  analyses.invalidate(copy, PreservedAnalyses::none());
  passes.run(copy, analyses);
  analyses.invalidate(copy, PreservedAnalyses::none());
}

void form(Function &copy, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  addForm(passes);
  run(passes, copy, analyses);
}

} // namespace

void takeChunk(Function &copy, const Worksharing &loop, const ValueToValueMapTy &map,
               const ChunkBounds &bounds) {
  CallInst *init = mapped(map, loop.init);
  if (loop.isDispatch()) {
    runPiecesOnce(copy, loop, map, bounds);
  } else {
    IRBuilder<> build(init);
    build.CreateStore(bounds.isLast, operandOf(*init, Role::Last));
    build.CreateStore(bounds.lower, operandOf(*init, Role::Lower));
    build.CreateStore(bounds.upper, operandOf(*init, Role::Upper));
    build.CreateStore(bounds.stride, operandOf(*init, Role::Stride));
  }
  init->eraseFromParent();
  for (CallInst *original : loop.bookkeeping) {
    CallInst *call = mapped(map, original);
    call->replaceAllUsesWith(PoisonValue::get(call->getType()));
    call->eraseFromParent();
  }
}

void formChunkLoop(Function &copy, const ChunkBounds &bounds, FunctionAnalysisManager &analyses) {
  form(copy, analyses);
  // `while (lb <= ub) { ...; lb += stride; }`: the chunk is a single piece.
  auto &loops = analyses.getResult<LoopAnalysis>(copy);
  SmallPtrSet<Loop *, 2> overPieces;
  for (User *user : bounds.stride->users()) {
    auto *inst = dyn_cast<Instruction>(user);
    if (Loop *loop = inst ? loops.getLoopFor(inst->getParent()) : nullptr) {
      overPieces.insert(loop->getOutermostLoop());
    }
  }
  if (overPieces.empty()) {
    return;
  }
  for (Loop *loop : overPieces) {
    breakLoopBackedge(loop, analyses.getResult<DominatorTreeAnalysis>(copy),
                      analyses.getResult<ScalarEvolutionAnalysis>(copy), loops, nullptr);
  }
  form(copy, analyses);
}

void restoreLoops(Function &copy, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  run(passes, copy, analyses);
}

void closeAddresses(Function &copy, FunctionAnalysisManager &analyses, bool closesSums) {
  FunctionPassManager passes;
  addForm(passes);
  passes.addPass(InstCombinePass());
  LoopPassManager hoist;
  hoist.addPass(LICMPass(100, 250, /*AllowSpeculation=*/true));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(hoist), /*UseMemorySSA=*/true));
  if (closesSums) {
    LoopPassManager close;
    close.addPass(IndVarSimplifyPass());
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(close)));
  }
  passes.addPass(ReloadCarriedPass());
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(EarlyCSEPass(true));
  run(passes, copy, analyses);
}

} // namespace tutti::compiler
