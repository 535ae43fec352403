// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/endings.h"

#include "compiler/ir/library_functions.h"
#include "compiler/ir/output_calls.h"
#include "compiler/ir/private_memory.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

using Blocks = SmallPtrSet<BasicBlock *, 8>;

/// A step on the way to std::terminate, abort or exit.
bool isStep(const CallBase &call) {
  static const StringSet<> kSteps = {"abort",
                                     "__assert_fail",
                                     "__clang_call_terminate",
                                     "__cxa_begin_catch", // To throw again.
                                     "__cxa_end_catch",
                                     "__cxa_free_exception",
                                     "__cxa_rethrow",
                                     "_ZSt9terminatev",
                                     "_ZSt21__glibcxx_assert_failPKciS0_S0_"};
  const Function *callee = call.getCalledFunction();
  if (!callee) {
    return false;
  }
  const StringRef name = callee->getName();
  // Exceptions of the library that are made of a literal.
  const bool isConstructor =
      name.starts_with("_ZNSt") && (name.ends_with("C1EPKc") || name.ends_with("C2EPKc"));
  return isa<IntrinsicInst>(call) || isExit(call) || kSteps.contains(name) || isThrow(name) ||
         isConstructor || isPrivateMemoryCall(call);
}

/// The blocks from which one of `ends` can be reached.
Blocks reaching(const SmallVectorImpl<BasicBlock *> &ends) {
  Blocks found(ends.begin(), ends.end());
  SmallVector<BasicBlock *, 16> work(ends.begin(), ends.end());
  while (!work.empty()) {
    for (BasicBlock *before : predecessors(work.pop_back_val())) {
      if (found.insert(before).second) {
        work.push_back(before);
      }
    }
  }
  return found;
}

/// A message of constants, numbers and private memory to `stderr`, which no buffer holds back. One
/// to `stdout` is rank 0's: a part of it may be in rank 0's buffer.
bool isMessage(const CallBase &call) {
  static const StringSet<> kMessages = {"fprintf", "fputc", "fputs", "fwrite", "perror", "putc"};
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || call.isNoBuiltin() ||
      !kMessages.contains(callee->getName())) {
    return false;
  }
  const bool isPrinted = callee->getName() == "perror" || any_of(call.args(), isErrorStream);
  return isPrinted && all_of(call.args(), [](const Use &arg) {
           return !arg->getType()->isPointerTy() || isErrorStream(arg) || leadsToOwn(arg);
         });
}

/// Whether the blocks read what other ranks may have written last. Endings are not told to the
/// runtime, which then has not fetched it: conditions may read that, messages must not tell it.
bool readsShared(const Blocks &blocks) {
  return any_of(blocks, [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &inst) {
      if (const auto *load = dyn_cast<LoadInst>(&inst)) {
        return !isStandardStream(load) && !leadsToOwn(load->getPointerOperand());
      }
      if (const auto *copy = dyn_cast<AnyMemTransferInst>(&inst)) {
        return !leadsToOwn(copy->getRawSource());
      }
      const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst); // A masked load, say.
      return intrinsic && intrinsic->onlyReadsMemory() && !intrinsic->doesNotAccessMemory();
    });
  });
}

/// Output of what this rank has for itself.
bool isOwnOutput(const CallBase &call) {
  const std::optional<OutputCall> output = asOutputCall(call);
  return output && all_of(output->read, [&](unsigned operand) {
           return leadsToOwn(call.getArgOperand(operand));
         });
}

/// `mayPrint`: what it prints goes to rank 0, by way of which the program ends.
bool takesOnlySteps(const BasicBlock &block, bool mayTell, bool mayPrint) {
  return all_of(block, [&](const Instruction &inst) {
    const auto *call = dyn_cast<CallBase>(&inst);
    return call ? isStep(*call) ||
                      (mayTell && (isMessage(*call) || (mayPrint && isOwnOutput(*call))))
                : !inst.isAtomic() && !inst.isVolatile();
  });
}

/// Of blocks that lead to the program's end those from which all ways lead to `exit`.
Blocks leadingToExit(const Blocks &last) {
  SmallVector<BasicBlock *, 8> others;
  for (BasicBlock *block : last) {
    const bool exits = any_of(*block, [](const Instruction &inst) {
      const auto *call = dyn_cast<CallInst>(&inst);
      return call && isExit(*call);
    });
    if (succ_empty(block) && !exits) {
      others.push_back(block);
    }
  }
  const Blocks elsewhere = reaching(others);
  Blocks exits;
  for (BasicBlock *block : last) {
    if (!elsewhere.contains(block)) {
      exits.insert(block);
    }
  }
  return exits;
}

} // namespace

bool leadsToOwn(const Value *pointer) {
  SmallVector<const Value *, 4> objects;
  SmallPtrSet<const Value *, 4> searches; // p = strchr(p + 1, ',') leads back to itself.
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  while (!objects.empty()) {
    const Value *object = objects.pop_back_val();
    const auto *variable = dyn_cast<GlobalVariable>(object);
    const auto *call = dyn_cast<CallBase>(object);
    if (const auto use = call ? argumentUse(*call) : std::nullopt; use && use->givesFirst) {
      if (searches.insert(call).second) {
        SmallVector<const Value *, 4> searched;
        getUnderlyingObjects(call->getArgOperand(0), searched, nullptr, 0);
        objects.append(searched);
      }
      continue;
    }
    const bool isOwn = isa<AllocaInst, ConstantPointerNull>(object) ||
                       isPrivateMemoryCall(*object) || isMarkedOwn(*object) ||
                       (variable && variable->isConstant() && variable->hasInitializer());
    if (!isOwn) {
      return false;
    }
  }
  return true;
}

bool isThrow(StringRef name) {
  return name == "__cxa_allocate_exception" || name == "__cxa_throw" ||
         (name.starts_with("_ZSt") && name.contains("__throw_")); // std::__throw_...
}

Blocks findLastBlocks(Function &function) {
  SmallVector<BasicBlock *, 8> returns;
  SmallVector<BasicBlock *, 8> ends;
  for (BasicBlock &block : function) {
    if (isa<UnreachableInst>(block.getTerminator())) {
      ends.push_back(&block);
    } else if (succ_empty(&block)) {
      returns.push_back(&block);
    }
  }
  const Blocks living = reaching(returns);
  Blocks endings;
  if (!living.contains(&function.getEntryBlock())) {
    return endings;
  }
  for (BasicBlock *block : reaching(ends)) {
    if (!living.contains(block)) {
      endings.insert(block);
    }
  }
  return endings;
}

Blocks findEndings(Function &function) {
  Blocks endings = findLastBlocks(function);
  // What does something else on its way is no ending, nor is what leads there.
  SmallVector<BasicBlock *, 8> others;
  const bool mayTell = !readsShared(endings);
  const Blocks exits = leadingToExit(endings);
  for (BasicBlock *block : endings) {
    if (!takesOnlySteps(*block, mayTell, exits.contains(block))) {
      others.push_back(block);
    }
  }
  for (BasicBlock *block : reaching(others)) {
    endings.erase(block);
  }
  return endings;
}

Blocks findExits(Function &function) { return leadingToExit(findEndings(function)); }

DebugLoc dropEndings(Function &function) {
  const Blocks endings = findEndings(function);
  DebugLoc first;
  for (BasicBlock &block : function) {
    if (!endings.contains(&block)) {
      continue;
    }
    for (const Instruction &inst : block) {
      if (!first && isa<CallBase>(inst) && !isa<IntrinsicInst>(inst)) {
        first = inst.getDebugLoc();
      }
    }
  }
  for (BasicBlock *block : endings) {
    const bool isEntered =
        any_of(predecessors(block), [&](BasicBlock *before) { return !endings.contains(before); });
    if (isEntered) {
      changeToUnreachable(&*block->getFirstNonPHIIt());
    }
  }
  removeUnreachableBlocks(function);
  return first;
}

} // namespace tutti::compiler
