// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/entry_points.h"

#include "abi/abi.h"
#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace tutti::compiler {

StructType *EntryPoints::regionType() const {
  LLVMContext &context = module_.getContext();
  if (StructType *known = StructType::getTypeByName(context, "struct.tutti_region")) {
    return known;
  }
  Type *i32 = Type::getInt32Ty(context);
  Type *i64 = Type::getInt64Ty(context);
  Type *ptr = PointerType::getUnqual(context);
  return StructType::create(
      {i32, i32, i64, ptr, ptr, ptr, i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr},
      "struct.tutti_region");
}

StructType *EntryPoints::dimType() const {
  Type *i64 = Type::getInt64Ty(module_.getContext());
  return StructType::get(i64, i64);
}

GlobalVariable *EntryPoints::reach() const {
  constexpr const char *kName = "reach.tutti"; // A variable as the user's are.
  if (GlobalVariable *known = module_.getGlobalVariable(kName, /*AllowInternal=*/true)) {
    return known;
  }
  Type *type = ArrayType::get(Type::getInt64Ty(module_.getContext()), sizeof(tutti_reach) / 8);
  return new GlobalVariable(module_, type, false, GlobalValue::InternalLinkage,
                            Constant::getNullValue(type), kName);
}

FunctionCallee EntryPoints::launch() const {
  LLVMContext &context = module_.getContext();
  Type *ptr = PointerType::getUnqual(context);
  return module_.getOrInsertFunction("tutti_launch", Type::getVoidTy(context), ptr, ptr);
}

FunctionCallee EntryPoints::block() const {
  LLVMContext &context = module_.getContext();
  Type *i64 = Type::getInt64Ty(context);
  return module_.getOrInsertFunction("tutti_block", i64, PointerType::getUnqual(context), i64,
                                     Type::getInt32Ty(context));
}

FunctionCallee EntryPoints::cacheBlock() const {
  LLVMContext &context = module_.getContext();
  Type *i64 = Type::getInt64Ty(context);
  FunctionCallee callee = module_.getOrInsertFunction(
      "tutti_cache_block", i64, PointerType::getUnqual(context), i64, i64, i64, i64);
  auto *function = cast<Function>(callee.getCallee());
  function->setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::WillReturn);
  return callee;
}

FunctionCallee EntryPoints::access() const {
  LLVMContext &context = module_.getContext();
  Type *i32 = Type::getInt32Ty(context);
  Type *i64 = Type::getInt64Ty(context);
  Type *ptr = PointerType::getUnqual(context);
  return module_.getOrInsertFunction("tutti_access", Type::getVoidTy(context), ptr, i32, i64, i64,
                                     i64, i32, ptr);
}

FunctionCallee EntryPoints::follow() const {
  LLVMContext &context = module_.getContext();
  Type *i64 = Type::getInt64Ty(context);
  return module_.getOrInsertFunction("tutti_follow", i64, PointerType::getUnqual(context), i64,
                                     Type::getInt32Ty(context));
}

FunctionCallee EntryPoints::touched() const { return report("tutti_touched"); }

FunctionCallee EntryPoints::written() const { return report("tutti_written"); }

/// What `inspect` calls for bytes.
FunctionCallee EntryPoints::report(StringRef name) const {
  LLVMContext &context = module_.getContext();
  Type *i64 = Type::getInt64Ty(context);
  FunctionCallee callee = module_.getOrInsertFunction(name, Type::getVoidTy(context),
                                                      PointerType::getUnqual(context), i64, i64);
  auto *function = cast<Function>(callee.getCallee());
  function->setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::WillReturn);
  return callee;
}

FunctionCallee EntryPoints::reduce() const {
  LLVMContext &context = module_.getContext();
  Type *i32 = Type::getInt32Ty(context);
  Type *ptr = PointerType::getUnqual(context);
  return module_.getOrInsertFunction("tutti_reduce", i32, ptr, ptr, i32, i32, ptr, ptr, ptr);
}

FunctionCallee EntryPoints::output() const {
  Type *ptr = PointerType::getUnqual(module_.getContext());
  return module_.getOrInsertFunction("tutti_output", ptr, ptr, ptr);
}

FunctionCallee EntryPoints::outputObject() const {
  Type *ptr = PointerType::getUnqual(module_.getContext());
  return module_.getOrInsertFunction("tutti_output_object", ptr, ptr, ptr,
                                     Type::getInt32Ty(module_.getContext()));
}

namespace {

constexpr StringLiteral kExit = "tutti_exit";

} // namespace

FunctionCallee EntryPoints::exit() const {
  LLVMContext &context = module_.getContext();
  return module_.getOrInsertFunction(kExit, Type::getVoidTy(context),
                                     PointerType::getUnqual(context), Type::getInt32Ty(context));
}

bool EntryPoints::isExit(const Instruction &inst) {
  const auto *call = dyn_cast<CallInst>(&inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == kExit;
}

FunctionCallee EntryPoints::loopHook(const CallInst &call) const {
  const Function &callee = *call.getCalledFunction();
  const FunctionType *type = callee.getFunctionType();
  SmallVector<Type *, 10> params{PointerType::getUnqual(module_.getContext())};
  params.append(type->param_begin(), type->param_end());
  return module_.getOrInsertFunction("tutti_" + frontendOf(call).hook(callee.getName()),
                                     FunctionType::get(type->getReturnType(), params, false));
}

} // namespace tutti::compiler
