// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/prepare.h"

#include "compiler/ir/kernel.h"
#include "compiler/ir/private_memory.h"
#include "compiler/target/fast_math.h"
#include "compiler/target/math_functions.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tutti::compiler::target {

namespace {

bool isHelper(StringRef name) {
  return name == kernel::kItemId || name == kernel::kItemCount || name == kernel::kLocalId ||
         name == kernel::kLocalCount || name == kernel::kLocalExtent || name == kernel::kGroupId ||
         name == kernel::kBarrier || name == kernel::kMemoryBarrier || name == kernel::kOpaque ||
         name == kernel::kLocalMemory || name == kernel::kLocalArray;
}

/// Why no device computes with values of `type`, or nothing.
StringRef typeReason(Type *type) {
  const Type *scalar = type->getScalarType();
  if (scalar->isX86_FP80Ty() || scalar->isFP128Ty() || scalar->isPPC_FP128Ty()) {
    return "computes with long double";
  }
  if (scalar->isHalfTy() || scalar->isBFloatTy()) {
    return "computes with 16-bit floating-point numbers";
  }
  if (isa<ScalableVectorType>(type) || scalar->isX86_MMXTy() || scalar->isX86_AMXTy()) {
    return "uses the host's vector types";
  }
  if (const auto *structure = dyn_cast<StructType>(type)) {
    for (Type *element : structure->elements()) {
      if (const StringRef reason = typeReason(element); !reason.empty()) {
        return reason;
      }
    }
  }
  return "";
}

/// Whether `inst` makes a floating-point number of an integer or the other way round, and the
/// integer has more than 64 bits: on the host that is a function of the compiler's library.
bool convertsWideInteger(const Instruction &inst) {
  const auto *call = dyn_cast<IntrinsicInst>(&inst);
  const bool saturates = call && (call->getIntrinsicID() == Intrinsic::fptosi_sat ||
                                  call->getIntrinsicID() == Intrinsic::fptoui_sat);
  if (!saturates && !isa<SIToFPInst, UIToFPInst, FPToSIInst, FPToUIInst>(inst)) {
    return false;
  }
  constexpr unsigned kWidest = 64;
  return inst.getType()->getScalarSizeInBits() > kWidest ||
         inst.getOperand(0)->getType()->getScalarSizeInBits() > kWidest;
}

std::string callReason(const CallBase &call) {
  if (call.isInlineAsm()) {
    return "contains inline assembly";
  }
  const Function *callee = call.getCalledFunction();
  if (!callee) {
    return "calls a function through a pointer";
  }
  if (!isa<CallInst>(call)) {
    return "handles exceptions";
  }
  if (const Intrinsic::ID id = callee->getIntrinsicID(); id != Intrinsic::not_intrinsic) {
    if (id == Intrinsic::trap || id == Intrinsic::debugtrap || id == Intrinsic::ubsantrap) {
      return "may trap";
    }
    return callee->isTargetIntrinsic() ? "uses the host's instruction " + callee->getName().str()
                                       : "";
  }
  if (!callee->isDeclaration() || findMathCall(call)) {
    return "";
  }
  if (callee->getName().starts_with(kPrivateMemory)) {
    return "allocates memory of a size that is not known";
  }
  if (!isHelper(callee->getName())) {
    return "calls " + callee->getName().str();
  }
  const bool hasDimension = callee->getName() == kernel::kItemId ||
                            callee->getName() == kernel::kItemCount ||
                            callee->getName() == kernel::kLocalExtent;
  if (hasDimension && !isa<ConstantInt>(call.getArgOperand(0))) {
    return "asks for a dimension that is not constant";
  }
  if (callee->getName() == kernel::kLocalArray && !isa<ConstantInt>(call.getArgOperand(0))) {
    return "has a local array whose size is not constant";
  }
  return "";
}

std::string instructionReason(const Instruction &inst) {
  StringRef reason = typeReason(inst.getType());
  for (const Use &operand : inst.operands()) {
    reason = reason.empty() ? typeReason(operand->getType()) : reason;
  }
  if (!reason.empty()) {
    return reason.str();
  }
  if (convertsWideInteger(inst)) {
    return "converts integers of more than 64 bits to floating-point numbers or back";
  }
  if (const auto *call = dyn_cast<CallBase>(&inst)) {
    return callReason(*call);
  }
  if (inst.isAtomic()) {
    return "uses atomic operations";
  }
  if (inst.isEHPad() || isa<ResumeInst>(inst)) {
    return "handles exceptions";
  }
  if (isa<IndirectBrInst, CallBrInst, VAArgInst>(inst)) {
    return "uses " + std::string(inst.getOpcodeName());
  }
  if (const auto *alloca = dyn_cast<AllocaInst>(&inst); alloca && !alloca->isStaticAlloca()) {
    return "allocates private memory inside of a loop or of variable size";
  }
  return "";
}

/// Whether a function that `function` calls, directly or not, is on `stack`.
bool callsItself(const Function &function, SmallPtrSetImpl<const Function *> &stack,
                 SmallPtrSetImpl<const Function *> &done) {
  if (done.contains(&function)) {
    return false;
  }
  stack.insert(&function);
  for (const Instruction &inst : instructions(function)) {
    const auto *call = dyn_cast<CallBase>(&inst);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration() &&
        (stack.contains(callee) || callsItself(*callee, stack, done))) {
      return true;
    }
  }
  stack.erase(&function);
  done.insert(&function);
  return false;
}

void inlineCalls(Function &function) {
  SmallVector<CallBase *> calls;
  const auto collect = [&](Instruction &inst) {
    auto *call = dyn_cast<CallBase>(&inst);
    if (call && call->getCalledFunction() && !call->getCalledFunction()->isDeclaration()) {
      calls.push_back(call);
    }
  };
  for_each(instructions(function), collect);
  while (!calls.empty()) {
    CallBase *call = calls.pop_back_val();
    InlineFunctionInfo info;
    if (InlineFunction(*call, info).isSuccess()) {
      for (CallBase *inlined : info.InlinedCallSites) {
        collect(*inlined);
      }
    }
  }
}

/// What the host's features and options say; conventions of calls and of linking.
void dropHostAttributes(Function &function) {
  AttrBuilder kept(function.getContext());
  for (const Attribute::AttrKind kind :
       {Attribute::Convergent, Attribute::NoUnwind, Attribute::WillReturn, Attribute::MustProgress,
        Attribute::NoFree, Attribute::Memory, Attribute::Speculatable,
        Attribute::OptimizeForSize}) {
    if (function.hasFnAttribute(kind)) {
      kept.addAttribute(function.getFnAttribute(kind));
    }
  }
  for (const StringRef name :
       {kernel::kRegisters, kernel::kByGroups, kernel::kByTiles, kernel::kInsteadOfByTiles}) {
    if (function.hasFnAttribute(name)) {
      kept.addAttribute(function.getFnAttribute(name));
    }
  }
  function.setAttributes(
      AttributeList::get(function.getContext(), AttributeList::FunctionIndex, kept));
  function.setCallingConv(CallingConv::C);
  function.setPersonalityFn(nullptr);
  function.setSection("");
  function.setComdat(nullptr);
  function.setVisibility(GlobalValue::DefaultVisibility);
  function.setDSOLocal(false);
  function.setUnnamedAddr(GlobalValue::UnnamedAddr::None);
}

void dropUnused(Module &module) {
  for (Function &function : make_early_inc_range(reverse(module))) {
    function.removeDeadConstantUsers();
    if ((function.isDeclaration() || function.hasLocalLinkage()) && function.use_empty()) {
      function.eraseFromParent();
    }
  }
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers();
    if (variable.use_empty()) {
      variable.eraseFromParent();
    }
  }
}

std::string variableReason(const Module &module) {
  for (const GlobalVariable &variable : module.globals()) {
    if (!variable.isConstant() || !variable.hasInitializer()) {
      return "refers to the variable " + variable.getName().str();
    }
  }
  return "";
}

bool isName(StringRef name) {
  return !name.empty() && !isDigit(name[0]) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

} // namespace

std::unique_ptr<Module> prepareKernels(const Module &kernels, std::string &reason) {
  std::unique_ptr<Module> module = CloneModule(kernels);
  StripDebugInfo(*module);
  module->setModuleInlineAsm("");
  SmallPtrSet<const Function *, 8> stack;
  SmallPtrSet<const Function *, 8> done;
  for (Function &function : *module) {
    if (!function.isDeclaration() && callsItself(function, stack, done)) {
      reason = "calls itself";
      return nullptr;
    }
  }
  for (Function &function : *module) {
    if (!function.isDeclaration() && !function.hasLocalLinkage()) {
      inlineCalls(function);
    }
  }
  // Callees follow their callers into oblivion.
  for (unsigned before = 0; before != module->size();) {
    before = module->size();
    dropUnused(*module);
  }
  for (Function &function : *module) {
    if (!function.isIntrinsic()) {
      dropHostAttributes(function);
    }
    if (!function.isDeclaration() && !isName(function.getName())) {
      reason = "has a name that devices cannot call it by";
      return nullptr;
    }
    for (Instruction &inst : instructions(function)) {
      reason = instructionReason(inst);
      if (!reason.empty()) {
        return nullptr;
      }
      if (auto *call = dyn_cast<CallBase>(&inst); call && !isa<IntrinsicInst>(call)) {
        call->setAttributes(AttributeList());
      }
    }
  }
  for (Function &function : *module) {
    useFastMath(function); // What it declares comes last, and is passed by.
  }
  reason = variableReason(*module);
  return reason.empty() ? std::move(module) : nullptr;
}

bool isTranslated(const Function &kernel, bool hasFreeBarriers) {
  if (hasFreeBarriers) {
    return !kernel.hasFnAttribute(kernel::kInsteadOfByTiles);
  }
  return !kernel.hasFnAttribute(kernel::kByGroups) && !kernel.hasFnAttribute(kernel::kByTiles);
}

bool usesFp64(const Module &kernels) {
  for (const Function &function : kernels) {
    for (const Instruction &inst : instructions(function)) {
      if (inst.getType()->getScalarType()->isDoubleTy() ||
          any_of(inst.operands(),
                 [](const Use &use) { return use->getType()->getScalarType()->isDoubleTy(); })) {
        return true;
      }
    }
  }
  return false;
}

} // namespace tutti::compiler::target
