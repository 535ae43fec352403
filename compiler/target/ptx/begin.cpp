// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/ptx/begin.h"

#include "abi/abi.h"
#include "compiler/ir/kernel.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace tutti::compiler::target {

namespace {

void markBegin(Function &function) {
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  SmallVector<Argument *, 4> leading;
  SmallVector<Type *, 4> types;
  std::string results;
  std::string operands;
  // Every address is made of one of these.
  for (const unsigned index : {kernel::Arena, kernel::Low, kernel::High, kernel::Partials}) {
    Argument *argument = function.getArg(index);
    if (!argument->use_empty()) {
      results += results.empty() ? "=l" : ",=l";
      operands += "," + std::to_string(leading.size());
      leading.push_back(argument);
      types.push_back(argument->getType());
    }
  }
  Type *result = builder.getVoidTy();
  if (types.size() == 1) {
    result = types.front();
  } else if (!types.empty()) {
    result = StructType::get(function.getContext(), types);
  }
  auto *assembly = InlineAsm::get(FunctionType::get(result, types, false), TUTTI_KERNEL_BEGIN,
                                  results + operands, /*hasSideEffects=*/true);
  CallInst *mark =
      builder.CreateCall(assembly, SmallVector<Value *, 4>(leading.begin(), leading.end()));
  for (const auto &[index, argument] : enumerate(leading)) {
    Value *behind =
        types.size() == 1 ? mark : builder.CreateExtractValue(mark, static_cast<unsigned>(index));
    argument->replaceUsesWithIf(behind, [&](Use &use) { return use.getUser() != mark; });
  }
}

} // namespace

void markBegins(Module &kernels) {
  for (Function &function : kernels) {
    if (function.getCallingConv() == CallingConv::PTX_Kernel) {
      markBegin(function);
    }
  }
}

} // namespace tutti::compiler::target
