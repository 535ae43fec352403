// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/leave_loop.h"

#include "compiler/analysis/chunk_loop.h"
#include "compiler/analysis/endings.h"
#include "compiler/ir/entry_points.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Where `loop` is left by those who go on. Null if there are several places.
BasicBlock *wayOut(const Loop &loop, const SmallPtrSetImpl<BasicBlock *> &last) {
  SmallVector<BasicBlock *, 4> exits;
  loop.getUniqueExitBlocks(exits);
  erase_if(exits, [&](BasicBlock *exit) { return last.contains(exit); });
  return exits.size() == 1 ? exits.front() : nullptr;
}

} // namespace

bool asksForPieces(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &inst) {
      const auto *call = dyn_cast<CallInst>(&inst);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      return callee && callee->getName().contains("dispatch_next");
    });
  });
}

const Loop *loopToLeave(const LoopInfo &loops, const BasicBlock &block) {
  const Loop *result = nullptr;
  for (const Loop *loop = loops.getLoopFor(&block); loop && !asksForPieces(*loop);
       loop = loop->getParentLoop()) {
    result = loop;
  }
  return result;
}

bool isHarmless(const BasicBlock &exit, const LoopInfo &loops) {
  SmallPtrSet<const Instruction *, 16> seen;
  SmallVector<const Instruction *, 16> work;
  for (const PHINode &phi : exit.phis()) {
    seen.insert(&phi);
    work.push_back(&phi);
  }
  while (!work.empty()) {
    const Instruction *inst = work.pop_back_val();
    for (const Use &use : inst->uses()) {
      const auto *user = cast<Instruction>(use.getUser());
      const auto *store = dyn_cast<StoreInst>(user);
      if (store && use.getOperandNo() != store->getPointerOperandIndex()) {
        continue;
      }
      const Loop *loop = loops.getLoopFor(user->getParent());
      const bool endsLoop = user->isTerminator() && loop && loop->isLoopExiting(user->getParent());
      if (user->mayReadOrWriteMemory() || endsLoop) {
        return false;
      }
      if (seen.insert(user).second) {
        work.push_back(user);
      }
    }
  }
  return true;
}

void leaveFor(BasicBlock &leaving, BasicBlock &exit) {
  BranchInst::Create(&exit, &leaving);
  for (PHINode &phi : exit.phis()) {
    phi.addIncoming(Constant::getNullValue(phi.getType()), &leaving);
  }
}

std::string leaveLoopsAtExits(Function &function, FunctionAnalysisManager &analyses) {
  SmallVector<BasicBlock *, 4> blocks;
  for (Instruction &inst : instructions(function)) {
    if (isa<CallInst>(inst) && EntryPoints::isExit(inst)) {
      blocks.push_back(inst.getParent());
    }
  }
  if (blocks.empty()) {
    return {};
  }
  restoreLoops(function, analyses);
  const auto &loops = analyses.getResult<LoopAnalysis>(function);
  const auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  const auto last = findLastBlocks(function);
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> ways;
  for (BasicBlock *block : blocks) {
    // What ends the program is itself in no loop, but comes from one.
    const auto *node = dominators.getNode(block);
    while (node && last.contains(node->getBlock())) {
      node = node->getIDom();
    }
    const Loop *loop = node ? loopToLeave(loops, *node->getBlock()) : nullptr;
    BasicBlock *exit = loop ? wayOut(*loop, last) : nullptr;
    if (!exit || !isHarmless(*exit, loops)) {
      analyses.invalidate(function, PreservedAnalyses::none());
      return loop ? "it calls 'exit', and what comes behind its loop depends on all iterations"
                  : "it calls 'exit' outside of its loop";
    }
    ways.push_back({block, exit});
  }
  for (auto [block, exit] : ways) {
    block->getTerminator()->eraseFromParent();
    leaveFor(*block, *exit);
  }
  analyses.invalidate(function, PreservedAnalyses::none());
  return {};
}

} // namespace tutti::compiler
