// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/private_memory.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr const char *kOwn = "tutti.own";

/// That of a function that is called and not defined here.
StringRef calleeName(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->isDeclaration() ? callee->getName() : "";
}

} // namespace

bool isPrivateMemoryCall(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(kPrivateMemory);
}

StringRef privateStandIn(const Value &value) {
  return StringSwitch<StringRef>(calleeName(value))
      .Case("malloc", "malloc")
      .Case("calloc", "calloc")
      .Cases("_Znwm", "_Znam", "new")
      .Cases("_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", "new_aligned")
      .Default("");
}

bool freesMemory(const CallBase &call) {
  return StringSwitch<bool>(calleeName(call))
      .Cases("free", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm", true)
      .Cases("_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t", true)
      .Cases("_ZdaPvSt11align_val_t", "_ZdaPvmSt11align_val_t", true)
      .Default(false);
}

void markOwn(Instruction &inst) { inst.setMetadata(kOwn, MDNode::get(inst.getContext(), {})); }

bool isMarkedOwn(const Value &value) {
  const auto *inst = dyn_cast<Instruction>(&value);
  return inst && inst->hasMetadata(kOwn);
}

} // namespace tutti::compiler
