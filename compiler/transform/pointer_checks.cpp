// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/pointer_checks.h"

#include "abi/abi.h"
#include "compiler/analysis/chunk_loop.h"
#include "compiler/analysis/chunk_model.h"
#include "compiler/transform/chunk_function.h"
#include "compiler/transform/leave_loop.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cstddef>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// void (i1 isInside, ptr reach): whether a pointer leads to unified memory.
constexpr StringLiteral kMarker = "tutti.reach.check";

FunctionCallee markerIn(Module &module) {
  LLVMContext &context = module.getContext();
  AttrBuilder attributes(context);
  attributes.addAttribute(Attribute::NoUnwind).addAttribute(Attribute::WillReturn);
  attributes.addMemoryAttr(MemoryEffects::inaccessibleMemOnly());
  return module.getOrInsertFunction(
      kMarker, AttributeList::get(context, AttributeList::FunctionIndex, attributes),
      Type::getVoidTy(context), Type::getInt1Ty(context), PointerType::getUnqual(context));
}

/// The pointer that `pointer` is computed from: both lead to the same object.
Value *baseOf(Value *pointer) {
  while (auto *gep = dyn_cast<GEPOperator>(pointer)) {
    pointer = gep->getPointerOperand();
  }
  return pointer;
}

/// Whether a load from `address` reads what the region's values are made of, which is read before
/// the launch: a variable, or what a pointer in one leads to.
bool isSettled(const Value *address) {
  while (const auto *gep = dyn_cast<GEPOperator>(address)) {
    if (!gep->hasAllConstantIndices()) {
      return false;
    }
    address = gep->getPointerOperand();
  }
  if (const auto *load = dyn_cast<LoadInst>(address)) {
    return isSettled(load->getPointerOperand());
  }
  return isa<Argument, GlobalVariable>(address);
}

bool isFound(const Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  return any_of(objects, [](const Value *object) {
    const auto *load = dyn_cast<LoadInst>(object);
    return load && !isSettled(load->getPointerOperand());
  });
}

class Marker {
public:
  Marker(Function &function, GlobalVariable &reach, DominatorTree &dominators, LoopInfo &loops)
      : function_(function), reach_(reach), dominators_(dominators), loops_(loops) {}

  void run();

private:
  void loadBounds();
  Value *isInside(IRBuilder<> &build, Value *pointer);
  Instruction *placeFor(Instruction &user, Value *pointer) const;

  Function &function_;
  GlobalVariable &reach_;
  DominatorTree &dominators_;
  LoopInfo &loops_;
  SmallVector<std::pair<Value *, Value *>, TUTTI_REACH_SEGMENTS> bounds_; ///< Begin and bytes.
};

void Marker::loadBounds() {
  IRBuilder<> build(&*function_.getEntryBlock().getFirstInsertionPt());
  const auto load = [&](std::size_t offset, unsigned index) {
    Value *slot = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), &reach_,
                                                   offset + index * sizeof(std::uint64_t));
    return build.CreateLoad(build.getInt64Ty(), slot);
  };
  for (unsigned index = 0; index < TUTTI_REACH_SEGMENTS; ++index) {
    Value *begin = load(offsetof(tutti_reach, begin), index);
    bounds_.push_back({begin, load(offsetof(tutti_reach, bytes), index)});
  }
}

Value *Marker::isInside(IRBuilder<> &build, Value *pointer) {
  Value *address = build.CreatePtrToInt(pointer, build.getInt64Ty());
  Value *isInside = build.getFalse();
  for (auto [begin, bytes] : bounds_) {
    isInside =
        build.CreateOr(isInside, build.CreateICmpULT(build.CreateSub(address, begin), bytes));
  }
  return isInside;
}

/// Where to check `pointer` for `user`: in front of inner loops that follow it whenever they are
/// entered.
Instruction *Marker::placeFor(Instruction &user, Value *pointer) const {
  Instruction *place = &user;
  for (const Loop *loop = loops_.getLoopFor(user.getParent()); loop; loop = loop->getParentLoop()) {
    const Loop *outer = loop->getParentLoop();
    BasicBlock *before = loop->getLoopPreheader();
    if (!outer || asksForPieces(*outer) || !before || !loop->isLoopInvariant(pointer) ||
        place->getParent() != loop->getHeader()) {
      break;
    }
    place = before->getTerminator();
  }
  return place;
}

void Marker::run() {
  MapVector<Value *, SmallVector<Instruction *, 4>> byPointer;
  for (Instruction &inst : instructions(function_)) {
    for (Use *use : dereferences(inst)) {
      if (memoryKind(use->get()) == MemoryKind::Shared && isFound(use->get())) {
        byPointer[baseOf(use->get())].push_back(&inst);
      }
    }
  }
  if (byPointer.empty()) {
    return;
  }
  loadBounds();
  const FunctionCallee marker = markerIn(*function_.getParent());
  for (auto &[pointer, users] : byPointer) {
    for (Instruction *user : users) {
      // What has been checked on every way here need not be checked again.
      const bool isRepeated = any_of(users, [&](Instruction *other) {
        return other != user && dominators_.dominates(other, user);
      });
      if (!isRepeated) {
        IRBuilder<> build(placeFor(*user, pointer));
        build.CreateCall(marker, {isInside(build, pointer), &reach_});
      }
    }
  }
}

class Expander {
public:
  Expander(Function &function, LoopInfo &loops) : function_(function), loops_(loops) {}

  std::string run();

private:
  BasicBlock *strayBefore(BasicBlock *exit, const CallInst &marker);

  Function &function_;
  LoopInfo &loops_;
  DenseMap<BasicBlock *, BasicBlock *> strays_; ///< By the exit.
};

/// The block through which those leave for `exit` that have strayed.
BasicBlock *Expander::strayBefore(BasicBlock *exit, const CallInst &marker) {
  BasicBlock *&stray = strays_[exit];
  if (!stray) {
    stray = BasicBlock::Create(function_.getContext(), "stray", &function_, exit);
    IRBuilder<> build(stray);
    // Others may do so at the same time, with the same value.
    static_assert(offsetof(tutti_reach, strayed) == 0);
    build.CreateStore(build.getInt64(1), marker.getArgOperand(kReachOperand));
    leaveFor(*stray, *exit);
  }
  return stray;
}

std::string Expander::run() {
  SmallVector<std::pair<CallInst *, BasicBlock *>, 16> markers;
  for (Instruction &inst : instructions(function_)) {
    CallInst *marker = asPointerCheck(inst);
    if (!marker) {
      continue;
    }
    const Loop *loop = loopToLeave(loops_, *marker->getParent());
    if (!loop) {
      return "it follows pointers that it finds in memory outside of its loop";
    }
    BasicBlock *exit = loop->getUniqueExitBlock();
    if (!exit || !isHarmless(*exit, loops_)) {
      return "it follows pointers that it finds in memory, and what comes behind its loop depends "
             "on them";
    }
    markers.push_back({marker, exit});
  }
  MDNode *isLikely = MDBuilder(function_.getContext()).createLikelyBranchWeights();
  for (auto [marker, exit] : markers) {
    BasicBlock *before = marker->getParent();
    BasicBlock *go = SplitBlock(before, marker);
    Instruction *jump = before->getTerminator();
    IRBuilder<> build(jump);
    build.CreateCondBr(marker->getArgOperand(0), go, strayBefore(exit, *marker), isLikely);
    jump->eraseFromParent();
    marker->eraseFromParent();
  }
  return {};
}

} // namespace

CallInst *asPointerCheck(Instruction &inst) {
  auto *call = dyn_cast<CallInst>(&inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == kMarker ? call : nullptr;
}

void markFoundPointers(Function &function, GlobalVariable &reach,
                       FunctionAnalysisManager &analyses) {
  analyses.invalidate(function, PreservedAnalyses::none());
  Marker(function, reach, analyses.getResult<DominatorTreeAnalysis>(function),
         analyses.getResult<LoopAnalysis>(function))
      .run();
  analyses.invalidate(function, PreservedAnalyses::none());
}

std::string expandPointerChecks(Function &function, FunctionAnalysisManager &analyses) {
  restoreLoops(function, analyses);
  std::string reason = Expander(function, analyses.getResult<LoopAnalysis>(function)).run();
  analyses.invalidate(function, PreservedAnalyses::none());
  return reason;
}

} // namespace tutti::compiler
