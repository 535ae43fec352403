// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/procedure_pieces.h"

#include "compiler/analysis/worksharing.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/fragment_calls.h"
#include "compiler/transform/piece_function.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Whether `inst` loads from the bytes of a fragment, or stores to them.
bool touchesFragment(const Instruction &inst) {
  const Value *pointer = getLoadStorePointerOperand(&inst);
  return pointer && !isHandle(inst);
}

/// The value of a counter of `loop` in iteration `number`, an i64, given its first one.
Value *counterAt(IRBuilder<> &build, const SCEVAddRecExpr &counter, Value *first, Value *step,
                 Value *number) {
  if (first->getType()->isPointerTy()) {
    return build.CreateGEP(build.getInt8Ty(), first, build.CreateMul(number, step));
  }
  const bool isSigned = counter.hasNoSignedWrap();
  const bool isUnsigned = counter.hasNoUnsignedWrap();
  Value *narrow = build.CreateTrunc(number, first->getType());
  return build.CreateAdd(first, build.CreateMul(narrow, step, "", isUnsigned, isSigned), "",
                         isUnsigned, isSigned);
}

/// A counter of a loop: a value that follows from the number of the iteration.
struct Counter {
  PHINode *phi;
  const SCEVAddRecExpr *recurrence;
  Value *first;
  Value *step;
};

/// What of a loop has to be known before it is taken out.
struct LoopForm {
  SmallVector<Counter, 4> counters;
  SmallVector<std::pair<PHINode *, const SCEV *>, 4> results; ///< What later code uses.
  const SCEV *last = nullptr;                                 ///< Number of the last iteration.
};

std::string examine(Loop &loop, ScalarEvolution &scev, SCEVExpander &expander, LoopForm &form) {
  BasicBlock *latch = loop.getLoopLatch();
  BasicBlock *exit = loop.getUniqueExitBlock();
  const SCEV *taken = scev.getBackedgeTakenCount(&loop);
  if (!loop.isLoopSimplifyForm() || !exit || loop.getExitingBlock() != latch ||
      isa<SCEVCouldNotCompute>(taken) || scev.getTypeSizeInBits(taken->getType()) > 64 ||
      !expander.isSafeToExpand(taken)) {
    return "how often a loop runs is not known before it";
  }
  form.last = scev.getNoopOrZeroExtend(taken, Type::getInt64Ty(exit->getContext()));
  for (PHINode &phi : loop.getHeader()->phis()) {
    const auto *recurrence =
        scev.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(scev.getSCEV(&phi)) : nullptr;
    if (!recurrence || recurrence->getLoop() != &loop || !recurrence->isAffine() ||
        !expander.isSafeToExpand(recurrence->getStepRecurrence(scev))) {
      return "an iteration uses what the one before it has computed";
    }
    form.counters.push_back(
        {&phi, recurrence, phi.getIncomingValueForBlock(loop.getLoopPreheader()), nullptr});
  }
  for (PHINode &phi : exit->phis()) {
    const SCEV *result = scev.isSCEVable(phi.getType())
                             ? scev.getSCEVAtScope(phi.getIncomingValue(0), loop.getParentLoop())
                             : nullptr;
    if (phi.use_empty()) {
      continue;
    }
    if (!result || !scev.isLoopInvariant(result, &loop) || !expander.isSafeToExpand(result)) {
      return "later code uses what the last iteration has computed";
    }
    form.results.push_back({&phi, result});
  }
  return "";
}

/// Whether `inst` is a call that makes a value of values, as a fused multiplication does.
bool isComputation(const Instruction &inst) {
  const auto *call = dyn_cast<CallBase>(&inst);
  return call && call->doesNotAccessMemory() && mayStandInLoop(*call);
}

/// Removes `loop`, of which nothing is used any more, from its function.
void remove(Loop &loop) {
  BasicBlock *before = loop.getLoopPreheader();
  BasicBlock *exit = loop.getUniqueExitBlock();
  for (PHINode &phi : make_early_inc_range(exit->phis())) {
    phi.replaceAllUsesWith(PoisonValue::get(phi.getType()));
    phi.eraseFromParent();
  }
  ReplaceInstWithInst(before->getTerminator(), BranchInst::Create(exit));
  SmallVector<BasicBlock *, 8> blocks(loop.blocks());
  DeleteDeadBlocks(blocks);
}

} // namespace

ProcedurePieces::ProcedurePieces(Function &version) : version_(version) {
  for (const Instruction &inst : instructions(version)) {
    const Argument *fragment = nullptr;
    if (const auto *store = dyn_cast<StoreInst>(&inst)) {
      fragment = fragmentBehind(store->getPointerOperand());
    } else if (fragmentCallOf(inst) != FragmentCall::None &&
               createsFragment(cast<CallBase>(inst))) {
      fragment = fragmentOf(cast<CallBase>(inst));
    }
    if (fragment) {
      written_.insert(fragment);
    }
  }
}

/// Whether `value`, outside of loops, follows from bytes of fragments.
bool ProcedurePieces::isOnDevice(const Value *value) {
  SmallVector<const Value *, 16> work{value};
  SmallPtrSet<const Value *, 16> seen;
  while (!work.empty()) {
    const auto *inst = dyn_cast<Instruction>(work.pop_back_val());
    if (!inst || !seen.insert(inst).second || isHandle(*inst) ||
        (isa<CallBase>(inst) && !isComputation(*inst))) {
      continue;
    }
    if (isa<LoadInst>(inst)) {
      return true;
    }
    work.append(inst->op_begin(), inst->op_end());
  }
  return false;
}

/// Why a piece cannot compute `value` again: what fragments hold may be another value by then.
std::string ProcedurePieces::whyNotAgain(const Value *value) {
  const auto *inst = dyn_cast<Instruction>(value);
  if (!inst || !isOnDevice(inst)) {
    return "";
  }
  if (const auto *load = dyn_cast<LoadInst>(inst)) {
    const Argument *fragment = fragmentBehind(load->getPointerOperand());
    if (!fragment) {
      return "it touches memory that is no data fragment's";
    }
    if (written_.contains(fragment)) {
      return "a value that it has written is used again in another place";
    }
  } else if (isa<PHINode>(inst)) {
    return "what it does next depends on what fragments hold";
  }
  for (const Use &operand : inst->operands()) {
    if (std::string reason = whyNotAgain(operand.get()); !reason.empty()) {
      return reason;
    }
  }
  return "";
}

std::string ProcedurePieces::takeLoop(Loop &loop, ScalarEvolution &scev) {
  SCEVExpander expander(scev, version_.getDataLayout(), "piece");
  LoopForm form;
  if (std::string reason = examine(loop, scev, expander, form); !reason.empty()) {
    return reason;
  }
  // Addresses are computed in the piece, so that all that it captures of fragments is where these
  // begin.
  const auto computes = [this](const Value *value) {
    return isOnDevice(value) || isa<GetElementPtrInst>(value);
  };
  PieceFunction piece(version_, computes);
  SmallVector<Value *, 16> inputs;
  for (BasicBlock *block : loop.blocks()) {
    for (Instruction &inst : *block) {
      for (Use &use : inst.operands()) {
        const auto *other = dyn_cast<Instruction>(use.get());
        if (other ? !loop.contains(other) : isa<Argument>(use.get())) {
          inputs.push_back(use.get());
        }
      }
    }
  }
  for (Value *input : inputs) {
    if (std::string reason = whyNotAgain(input); !reason.empty()) {
      return reason;
    }
  }
  Instruction *before = loop.getLoopPreheader()->getTerminator();
  for (Counter &counter : form.counters) {
    const SCEV *step = counter.recurrence->getStepRecurrence(scev);
    counter.step = expander.expandCodeFor(step, step->getType(), before->getIterator());
    inputs.push_back(counter.step);
    inputs.push_back(counter.first);
  }
  Value *last = expander.expandCodeFor(form.last, Type::getInt64Ty(version_.getContext()),
                                       before->getIterator());
  for (Value *input : inputs) {
    piece.use(input);
  }
  piece.begin(last, version_.getName() + "." + Twine(count_++));
  for (Value *input : inputs) {
    piece.take(input);
  }
  for (const Counter &counter : form.counters) {
    piece.map[counter.phi] =
        counterAt(piece.build(), *counter.recurrence, piece.take(counter.first),
                  piece.take(counter.step), piece.iteration());
  }
  SmallVector<BasicBlock *, 8> copies;
  for (BasicBlock *block : loop.blocks()) {
    copies.push_back(CloneBasicBlock(block, piece.map, "", &piece.function()));
    if (block == loop.getHeader()) {
      for (const Counter &counter : form.counters) { // Which the copies have in the map now.
        auto *copy = cast<PHINode>(static_cast<Value *>(piece.map[counter.phi]));
        Value *value = counterAt(piece.build(), *counter.recurrence, piece.take(counter.first),
                                 piece.take(counter.step), piece.iteration());
        copy->replaceAllUsesWith(value);
        copy->eraseFromParent();
        piece.map[counter.phi] = value;
      }
    }
    piece.map[block] = copies.back();
  }
  remapInstructionsInBlocks(copies, piece.map);
  auto *first = cast<BasicBlock>(static_cast<Value *>(piece.map[loop.getHeader()]));
  auto *latch = cast<BasicBlock>(static_cast<Value *>(piece.map[loop.getLoopLatch()]));
  piece.build().CreateBr(first);
  ReplaceInstWithInst(latch->getTerminator(), BranchInst::Create(piece.latch()));
  piece.fork(*before, loop.getStartLoc());
  for (const auto &[phi, result] : form.results) {
    phi->replaceAllUsesWith(expander.expandCodeFor(result, phi->getType(), before->getIterator()));
  }
  scev.forgetLoop(&loop);
  remove(loop);
  return "";
}

/// Loads and stores of one block, between which no other piece lies, and what they compute.
std::string ProcedurePieces::takeGroup(ArrayRef<Instruction *> group) {
  const auto last = find_if(reverse(group), [](Instruction *inst) { return isa<StoreInst>(inst); });
  if (last == group.rend()) {
    return ""; // Whoever uses a value computes it again.
  }
  const SmallPtrSet<const Value *, 16> members(group.begin(), group.end());
  const auto computes = [&](const Value *value) {
    return isOnDevice(value) || isa<GetElementPtrInst>(value);
  };
  PieceFunction piece(version_, computes);
  SmallVector<Value *, 16> inputs;
  for (Instruction *inst : group) {
    for (Use &use : inst->operands()) {
      if (!members.contains(use.get()) && !isa<Constant>(use.get())) {
        if (std::string reason = whyNotAgain(use.get()); !reason.empty()) {
          return reason;
        }
        inputs.push_back(use.get());
      }
    }
  }
  for (Value *input : inputs) {
    piece.use(input);
  }
  IRBuilder<> constants(version_.getContext());
  piece.begin(constants.getInt64(0), version_.getName() + "." + Twine(count_++));
  piece.spreadAddresses();
  for (Instruction *inst : group) {
    piece.take(inst);
  }
  piece.build().CreateBr(piece.latch());
  piece.fork(*(*last)->getNextNode(), (*last)->getDebugLoc());
  for (Instruction *inst : group) {
    if (isa<StoreInst>(inst)) {
      inst->eraseFromParent();
    }
  }
  return "";
}

std::string ProcedurePieces::takeRest() {
  for (BasicBlock &block : version_) {
    SmallVector<SmallVector<Instruction *, 8>, 2> groups(1);
    for (Instruction &inst : block) {
      if (kindOf(inst) == CallKind::Fork) {
        groups.emplace_back();
      } else if (touchesFragment(inst) ||
                 ((!isa<CallBase>(inst) || isComputation(inst)) && isOnDevice(&inst))) {
        groups.back().push_back(&inst);
      }
    }
    for (const auto &group : groups) {
      for (const Instruction *inst : group) {
        const bool isStore = isa<StoreInst>(inst);
        if (isa<PHINode>(inst) || inst->isTerminator()) {
          return "what it does next depends on what fragments hold";
        }
        if ((isStore || isa<LoadInst>(inst)) && !fragmentBehind(getLoadStorePointerOperand(inst))) {
          return "it touches memory that is no data fragment's";
        }
      }
      if (std::string reason = takeGroup(group); !reason.empty()) {
        return reason;
      }
    }
  }
  return "";
}

} // namespace tutti::compiler
