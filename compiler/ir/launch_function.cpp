// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/launch_function.h"

using namespace llvm;

namespace tutti::compiler {

Function *createLaunchFunction(Module &module, Type *result, ArrayRef<Type *> params,
                               const Twine &name) {
  Function *function = Function::Create(FunctionType::get(result, params, false),
                                        GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::NoInline); // What the next one asks for.
  function->addFnAttr(Attribute::OptimizeNone);
  function->setDSOLocal(true);
  BasicBlock::Create(module.getContext(), "entry", function);
  return function;
}

} // namespace tutti::compiler
