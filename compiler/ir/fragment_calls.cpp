// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/fragment_calls.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Behind what begins the names of all of them; empty if `value` is no such call.
StringRef nameOf(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  StringRef name = callee ? callee->getName() : StringRef();
  return name.consume_front("tutti_luna_fragment_") && call->arg_size() > 0 ? name : StringRef();
}

} // namespace

FragmentCall fragmentCallOf(const Value &value) {
  const StringRef name = nameOf(value);
  return name.empty() ? FragmentCall::None
                      : StringSwitch<FragmentCall>(name)
                            .Cases("data", "create", FragmentCall::Address)
                            .Cases("size", "is_set", "int", "real", FragmentCall::Inquiry)
                            .Cases("set_int", "set_real", "number", FragmentCall::Number)
                            .Default(FragmentCall::Other);
}

bool createsFragment(const CallBase &call) { return nameOf(call) == "create"; }

bool isHandle(const Value &value) {
  const auto *load = dyn_cast<LoadInst>(&value);
  return load && load->getType()->isPointerTy() && isa<Argument>(load->getPointerOperand());
}

const Argument *fragmentOf(const CallBase &call) {
  const Value *handle = call.getArgOperand(0);
  return isHandle(*handle) ? cast<Argument>(cast<LoadInst>(handle)->getPointerOperand()) : nullptr;
}

const Argument *fragmentBehind(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer, 0);
  if (const auto *choice = dyn_cast<SelectInst>(object)) { // As of `i + 1 < n ? x[i + 1] : x[0]`.
    const Argument *fragment = fragmentBehind(choice->getTrueValue());
    return fragment == fragmentBehind(choice->getFalseValue()) ? fragment : nullptr;
  }
  return fragmentCallOf(*object) == FragmentCall::Address ? fragmentOf(*cast<CallBase>(object))
                                                          : nullptr;
}

} // namespace tutti::compiler
