// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/kernel_calls.h"

#include "compiler/ir/kernel.h"

#include "llvm/IR/Function.h"

using namespace llvm;

namespace tutti::compiler {

FunctionCallee KernelCalls::pure(StringRef name, FunctionType *type) const {
  FunctionCallee callee = module_.getOrInsertFunction(name, type);
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  function->addFnAttr(Attribute::NoFree);
  function->addFnAttr(Attribute::NoCallback);
  return callee;
}

FunctionCallee KernelCalls::itemId() const {
  LLVMContext &context = module_.getContext();
  return pure(kernel::kItemId,
              FunctionType::get(Type::getInt64Ty(context), {Type::getInt32Ty(context)}, false));
}

FunctionCallee KernelCalls::itemCount() const {
  LLVMContext &context = module_.getContext();
  return pure(kernel::kItemCount,
              FunctionType::get(Type::getInt64Ty(context), {Type::getInt32Ty(context)}, false));
}

FunctionCallee KernelCalls::localId() const {
  return pure(kernel::kLocalId, FunctionType::get(Type::getInt32Ty(module_.getContext()), false));
}

FunctionCallee KernelCalls::localCount() const {
  return pure(kernel::kLocalCount,
              FunctionType::get(Type::getInt32Ty(module_.getContext()), false));
}

FunctionCallee KernelCalls::localExtent() const {
  Type *number = Type::getInt32Ty(module_.getContext());
  return pure(kernel::kLocalExtent, FunctionType::get(number, {number}, false));
}

FunctionCallee KernelCalls::groupId() const {
  return pure(kernel::kGroupId, FunctionType::get(Type::getInt64Ty(module_.getContext()), false));
}

FunctionCallee KernelCalls::localMemory() const {
  return pure(kernel::kLocalMemory,
              FunctionType::get(PointerType::getUnqual(module_.getContext()), false));
}

FunctionCallee KernelCalls::localArray() const {
  LLVMContext &context = module_.getContext();
  return pure(kernel::kLocalArray, FunctionType::get(PointerType::getUnqual(context),
                                                     {Type::getInt32Ty(context)}, false));
}

FunctionCallee KernelCalls::opaque() const {
  Type *number = Type::getInt64Ty(module_.getContext());
  FunctionCallee callee = pure(kernel::kOpaque, FunctionType::get(number, {number}, false));
  // So that calls stay where they are.
  cast<Function>(callee.getCallee())->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  return callee;
}

FunctionCallee KernelCalls::barrier() const { return waiting(kernel::kBarrier); }

FunctionCallee KernelCalls::memoryBarrier() const { return waiting(kernel::kMemoryBarrier); }

FunctionCallee KernelCalls::waiting(StringRef name) const {
  FunctionCallee callee = module_.getOrInsertFunction(
      name, FunctionType::get(Type::getVoidTy(module_.getContext()), false));
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setConvergent();
  function->setCannotDuplicate();
  return callee;
}

} // namespace tutti::compiler
