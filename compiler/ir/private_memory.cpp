// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/private_memory.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace tutti::compiler {

bool isPrivateMemoryCall(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(kPrivateMemory);
}

} // namespace tutti::compiler
