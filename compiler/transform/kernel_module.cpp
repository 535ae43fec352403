// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/kernel_module.h"

#include "compiler/analysis/worksharing.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

bool holdsPointers(Type *type) {
  return type->isPointerTy() || any_of(type->subtypes(), holdsPointers);
}

bool isPlainData(const GlobalVariable &variable) {
  return variable.isConstant() && variable.hasDefinitiveInitializer() &&
         !variable.isThreadLocal() && !holdsPointers(variable.getValueType());
}

} // namespace

GlobalValue *KernelModule::standIn(GlobalValue &global) {
  GlobalValue *&known = standIns_[&global];
  if (known) {
    return known;
  }
  if (auto *function = dyn_cast<Function>(&global)) {
    Function *copy = Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage,
                                      function->getName(), kernels_);
    copy->setAttributes(function->getAttributes());
    return known = copy;
  }
  auto *variable = dyn_cast<GlobalVariable>(&global);
  const bool isData = variable && isPlainData(*variable);
  auto *copy =
      new GlobalVariable(kernels_, global.getValueType(), variable && variable->isConstant(),
                         isData ? GlobalValue::InternalLinkage : GlobalValue::ExternalLinkage,
                         isData ? variable->getInitializer() : nullptr, global.getName(), nullptr,
                         global.getThreadLocalMode());
  copy->setAlignment(global.getPointerAlignment(kernels_.getDataLayout()));
  if (!isData) {
    originals_[copy] = &global;
  }
  return known = copy;
}

void KernelModule::import(Constant &constant, SmallPtrSetImpl<Constant *> &seen) {
  if (!seen.insert(&constant).second) {
    return;
  }
  if (auto *global = dyn_cast<GlobalValue>(&constant)) {
    standIn(*global);
    return;
  }
  for (Use &operand : constant.operands()) {
    if (auto *part = dyn_cast<Constant>(operand)) {
      import(*part, seen);
    }
  }
}

void KernelModule::import(Function &source, ValueToValueMapTy &map) {
  SmallPtrSet<Constant *, 32> seen;
  for (Instruction &inst : instructions(source)) {
    for (Use &operand : inst.operands()) {
      if (auto *constant = dyn_cast<Constant>(operand)) {
        import(*constant, seen);
      }
    }
  }
  for (auto [global, copy] : standIns_) {
    map[global] = copy;
  }
}

void KernelModule::copyBody(Function &source, Function &copy, ValueToValueMapTy &map) {
  import(source, map);
  SmallVector<ReturnInst *, 2> returns;
  CloneFunctionInto(&copy, &source, map, CloneFunctionChangeType::DifferentModule, returns);
  dropProbes(copy);
  // What the host can do stays known to the passes that follow.
  const AttributeList host = copy.getAttributes();
  AttrBuilder attributes(copy.getContext());
  for (const char *name : {"target-cpu", "target-features", "tune-cpu"}) {
    if (host.hasFnAttr(name)) {
      attributes.addAttribute(host.getFnAttr(name));
    }
  }
  copy.setAttributes(
      host.removeFnAttributes(copy.getContext()).addFnAttributes(copy.getContext(), attributes));
  copy.addFnAttr(Attribute::NoUnwind);
  copy.setPersonalityFn(nullptr);
  copy.setComdat(nullptr);
  copy.setSection("");
  StripDebugInfo(kernels_);
}

Value *copyComputation(Value *value, ValueToValueMapTy &map, Instruction *before) {
  if (Value *known = map.lookup(value)) {
    return known;
  }
  if (isa<Constant>(value)) {
    return MapValue(value, map);
  }
  auto *inst = cast<Instruction>(value);
  Instruction *copy = inst->clone();
  for (Use &operand : copy->operands()) {
    operand.set(copyComputation(operand.get(), map, before));
  }
  copy->dropUnknownNonDebugMetadata();
  copy->setDebugLoc(DebugLoc());
  copy->insertBefore(before);
  map[value] = copy;
  return copy;
}

} // namespace tutti::compiler
