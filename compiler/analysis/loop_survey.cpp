// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/loop_survey.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <cstdlib>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// A function of the C math library: the only kind of function without a body that has numbers for
/// parameters (compiler/ir/kernel.h), unless it belongs to the kernel's own.
bool isMath(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->getName().starts_with("tutti.")) {
    return false;
  }
  const auto isNumber = [](Type *type) { return type->isIntegerTy() || type->isFloatingPointTy(); };
  const FunctionType *type = callee->getFunctionType();
  return !type->isVarArg() && isNumber(type->getReturnType()) && all_of(type->params(), isNumber) &&
         any_of(type->params(), [](Type *param) { return param->isFloatingPointTy(); });
}

/// Bytes by which `expression` grows with each iteration of `loop`, as far as that is known.
/// For choosing an order only: looks through extensions.
std::optional<std::int64_t> strideOf(const SCEV *expression, const Loop &loop,
                                     ScalarEvolution &scev) {
  if (scev.isLoopInvariant(expression, &loop)) {
    return 0;
  }
  if (const auto *cast = dyn_cast<SCEVCastExpr>(expression)) {
    return strideOf(cast->getOperand(), loop, scev);
  }
  std::int64_t sum = 0;
  if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(expression)) {
    const auto *step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(scev));
    const std::optional<std::int64_t> start = strideOf(recurrence->getStart(), loop, scev);
    if (recurrence->getLoop() != &loop) {
      return start;
    }
    return step && start ? std::optional(*start + step->getAPInt().getSExtValue()) : std::nullopt;
  }
  if (const auto *terms = dyn_cast<SCEVAddExpr>(expression)) {
    for (const SCEV *term : terms->operands()) {
      const std::optional<std::int64_t> stride = strideOf(term, loop, scev);
      if (!stride) {
        return std::nullopt;
      }
      sum += *stride;
    }
    return sum;
  }
  const auto *scaled = dyn_cast<SCEVMulExpr>(expression);
  const auto *scale = scaled ? dyn_cast<SCEVConstant>(scaled->getOperand(0)) : nullptr;
  if (!scale || scaled->getNumOperands() != 2) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> stride = strideOf(scaled->getOperand(1), loop, scev);
  return stride ? std::optional(*stride * scale->getAPInt().getSExtValue()) : std::nullopt;
}

} // namespace

/// The loop in whose iterations the content of `memory` begins and ends.
const Loop *LoopSurvey::homeOf(const AllocaInst &memory) const {
  const Instruction *start = nullptr;
  for (const User *user : memory.users()) {
    const auto *marker = dyn_cast<IntrinsicInst>(user);
    if (marker && marker->getIntrinsicID() == Intrinsic::lifetime_start &&
        chunk_.contains(marker)) {
      if (start) {
        return nullptr;
      }
      start = marker;
    }
  }
  if (!start) {
    return nullptr;
  }
  const Loop *home = loops_.getLoopFor(start->getParent());
  SmallVector<const Value *, 8> work{&memory};
  SmallPtrSet<const Value *, 8> seen;
  while (!work.empty()) {
    for (const Use &use : work.pop_back_val()->uses()) {
      const auto *inst = cast<Instruction>(use.getUser());
      const auto *store = dyn_cast<StoreInst>(inst);
      if (isa<GetElementPtrInst>(inst) || isa<PHINode>(inst) || isa<SelectInst>(inst)) {
        if (seen.insert(inst).second) {
          work.push_back(inst);
        }
        continue;
      }
      const bool isAccess = isa<LoadInst>(inst) || isa<MemIntrinsic>(inst) ||
                            (store && use.getOperandNo() == store->getPointerOperandIndex());
      const bool isInside = home->contains(inst) && dominators_.dominates(start, inst);
      if (!isa<LifetimeIntrinsic>(inst) && !isa<CmpInst>(inst) && !(isAccess && isInside)) {
        return nullptr;
      }
    }
  }
  return home;
}

/// Notes an access: of `type`, or of `length` bytes where that is null.
std::string LoopSurvey::addAccess(Instruction &inst, Value *pointer, Value *length, Type *type,
                                  bool writes) {
  SmallVector<const Value *, 2> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  const Value *object = objects.size() == 1 ? objects.front() : nullptr;
  if (!object && any_of(objects, [](const Value *one) { return isa<AllocaInst>(one); })) {
    return "a pointer may lead to different private arrays";
  }
  if (const auto *memory = dyn_cast_or_null<AllocaInst>(object)) {
    if (writes) {
      privateStores_.push_back({&inst, memory});
      if (!homeOf(*memory)) {
        effects_.push_back(&inst);
      }
    }
    return {};
  }
  const auto *global = dyn_cast_or_null<GlobalVariable>(object);
  if (global && global->isConstant() && !writes) {
    return {};
  }
  Type *i64 = Type::getInt64Ty(inst.getContext());
  const SCEV *bytes = length ? scev_.getTruncateOrZeroExtend(scev_.getSCEV(length), i64)
                             : scev_.getStoreSizeOfExpr(i64, type);
  KernelAccess access =
      kernelAccess(inst, pointer, bytes, loops_.getLoopFor(inst.getParent()), scev_);
  access.writes = writes;
  accesses_.push_back(access);
  if (writes) {
    effects_.push_back(&inst);
  }
  return {};
}

std::string LoopSurvey::surveyInstruction(Instruction &inst) {
  if (auto *load = dyn_cast<LoadInst>(&inst); load && load->isSimple()) {
    return addAccess(inst, load->getPointerOperand(), nullptr, load->getType(), false);
  }
  if (auto *store = dyn_cast<StoreInst>(&inst); store && store->isSimple()) {
    return addAccess(inst, store->getPointerOperand(), nullptr, store->getValueOperand()->getType(),
                     true);
  }
  if (auto *memory = dyn_cast<MemIntrinsic>(&inst); memory && !memory->isVolatile()) {
    auto *transfer = dyn_cast<MemTransferInst>(memory);
    std::string reason;
    if (transfer) {
      reason = addAccess(inst, transfer->getRawSource(), transfer->getLength(), nullptr, false);
    }
    return reason.empty()
               ? addAccess(inst, memory->getRawDest(), memory->getLength(), nullptr, true)
               : reason;
  }
  if (isa<DbgInfoIntrinsic>(inst) || isa<PseudoProbeInst>(inst)) {
    return {};
  }
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
      intrinsic && intrinsic->isAssumeLikeIntrinsic()) {
    return {};
  }
  const auto *call = dyn_cast<CallInst>(&inst);
  if (call ? call->isConvergent() && !isMath(*call) : false) {
    return "an iteration waits for others";
  }
  const bool isPure = call ? call->doesNotAccessMemory() || isMath(*call)
                           : !inst.mayReadOrWriteMemory() && !inst.mayThrow();
  return isPure ? "" : "an iteration has an effect that may not happen twice";
}

std::string LoopSurvey::run(const SmallPtrSetImpl<const Instruction *> &accumulators) {
  for (BasicBlock *block : chunk_.blocks()) {
    for (Instruction &inst : *block) {
      std::string reason = surveyInstruction(inst);
      if (!reason.empty()) {
        return reason;
      }
      if (accumulators.contains(&inst) && !isa<PHINode>(inst)) {
        effects_.push_back(&inst);
      }
    }
  }
  return {};
}

bool LoopSurvey::keepsTemporaries(const Loop &loop) const {
  return all_of(privateStores_, [&](const auto &entry) {
    const auto &[store, memory] = entry;
    const Loop *home = loop.contains(store) ? homeOf(*memory) : nullptr;
    return !loop.contains(store) || (home && loop.contains(home));
  });
}

bool isContiguous(const KernelAccess &access, const Loop &loop, ScalarEvolution &scev) {
  constexpr std::int64_t kClose = 16;
  const std::optional<std::int64_t> stride =
      access.offset ? strideOf(access.offset, loop, scev) : std::nullopt;
  return stride && *stride != 0 && std::abs(*stride) <= kClose;
}

} // namespace tutti::compiler
