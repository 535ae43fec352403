// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/plain_loops.h"

#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr StringLiteral kMark = "tutti-plain-loops";
constexpr StringLiteral kPrevented[] = {"no-builtin-memset", "no-builtin-memcpy",
                                        "no-builtin-memmove"};

/// void (): a call that nothing may be done to but move it along with its loop.
constexpr StringLiteral kMarkOfLoop = "tutti.plain.loop";

Function *markOfLoop(Module &module) {
  auto *mark = cast<Function>(
      module.getOrInsertFunction(kMarkOfLoop, Type::getVoidTy(module.getContext())).getCallee());
  mark->setConvergent();
  mark->setDoesNotThrow();
  mark->setWillReturn();
  mark->addFnAttr(Attribute::NoCallback);
  mark->setOnlyAccessesInaccessibleMemory();
  return mark;
}

/// Where `call` says that the pieces of a loop end, or null.
Value *endOfPiece(const CallBase &call) {
  const CallKind kind = kindOf(call.getCalledFunction());
  const bool isPiece = kind == CallKind::StaticInit || kind == CallKind::DispatchNext;
  return isPiece ? operandOf(call, Role::Upper) : nullptr;
}

/// Marks the loops that run up to the end of a piece; as clang emits them, they load it in their
/// header.
void markLoops(Function &function) {
  SmallVector<BasicBlock *, 4> bodies;
  const DominatorTree dominators(function);
  const LoopInfo loops(dominators);
  for (const Instruction &inst : instructions(function)) {
    const auto *call = dyn_cast<CallBase>(&inst);
    const Value *end = call ? endOfPiece(*call) : nullptr;
    for (const User *user :
         end ? end->users() : iterator_range<Value::const_user_iterator>({}, {})) {
      const auto *load = dyn_cast<LoadInst>(user);
      const Loop *loop = load ? loops.getLoopFor(load->getParent()) : nullptr;
      if (!loop || loop->getHeader() != load->getParent()) {
        continue;
      }
      for (BasicBlock *next : successors(loop->getHeader())) {
        if (loop->contains(next) && next != loop->getHeader()) {
          bodies.push_back(next);
        }
      }
    }
  }
  for (BasicBlock *body : bodies) {
    CallInst::Create(markOfLoop(*function.getParent()), "", body->getFirstInsertionPt());
  }
}

} // namespace

PreservedAnalyses KeepLoopsPass::run(Module &module, ModuleAnalysisManager &) {
  const SmallVector<Function *, 1> forks = calleesOf(module, CallKind::Fork);
  if (forks.empty()) {
    return PreservedAnalyses::all();
  }
  SmallSetVector<Function *, 16> found;
  for (Function *fork : forks) {
    for (User *user : fork->users()) {
      auto *call = dyn_cast<CallInst>(user);
      const bool isFork = call && call->getCalledFunction() == fork;
      Value *outlined = isFork ? operandOf(*call, Role::Outlined) : nullptr;
      auto *function = outlined ? dyn_cast<Function>(outlined->stripPointerCasts()) : nullptr;
      if (function && !function->isDeclaration()) {
        call->addFnAttr(Attribute::NoMerge);
        found.insert(function);
      }
    }
  }
  // What nothing else calls, too: others could no longer inline it.
  for (std::size_t index = 0; index < found.size(); ++index) {
    for (Instruction &inst : instructions(*found[index])) {
      const auto *call = dyn_cast<CallBase>(&inst);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration() && callee->hasLocalLinkage() &&
          all_of(callee->users(), [&](const User *user) {
            const auto *use = dyn_cast<CallBase>(user);
            return use && use->getCalledFunction() == callee &&
                   found.contains(const_cast<Function *>(use->getFunction()));
          })) {
        found.insert(callee);
      }
    }
  }
  for (Function *function : found) {
    const bool isUsers = any_of(
        kPrevented, [&](StringRef attribute) { return function->hasFnAttribute(attribute); });
    if (!isUsers && !function->hasFnAttribute("no-builtins")) {
      function->addFnAttr(kMark);
      for (const StringRef attribute : kPrevented) {
        function->addFnAttr(attribute);
      }
    }
    markLoops(*function);
  }
  return PreservedAnalyses::none();
}

PreservedAnalyses UnmarkLoopsPass::run(Module &module, ModuleAnalysisManager &) {
  Function *mark = module.getFunction(kMarkOfLoop);
  if (!mark) {
    return PreservedAnalyses::all();
  }
  for (User *user : make_early_inc_range(mark->users())) {
    cast<CallInst>(user)->eraseFromParent();
  }
  mark->eraseFromParent();
  return PreservedAnalyses::none();
}

PreservedAnalyses FormHostLoopsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool changed = false;
  for (Function &function : module) {
    if (!function.hasFnAttribute(kMark)) {
      continue;
    }
    function.removeFnAttr(kMark);
    for (const StringRef attribute : kPrevented) {
      function.removeFnAttr(attribute);
    }
    functions.invalidate(function, PreservedAnalyses::none());
    FunctionPassManager passes;
    passes.addPass(LoopSimplifyPass());
    passes.addPass(LCSSAPass());
    passes.addPass(createFunctionToLoopPassAdaptor(LoopIdiomRecognizePass()));
    passes.addPass(createFunctionToLoopPassAdaptor(
        SimpleLoopUnswitchPass(/*NonTrivial=*/aggressive_), /*UseMemorySSA=*/true));
    functions.invalidate(function, passes.run(function, functions));
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
