// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/function_copies.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Whether a debugger will ask in which function a place is.
bool isDebugged(const Function &function) {
  const DISubprogram *scope = function.getSubprogram();
  return scope &&
         (!scope->getUnit() || scope->getUnit()->getEmissionKind() != DICompileUnit::NoDebug);
}

/// Attributes of `function` for `copy`, whose parameters are those that `map` says.
AttributeList attributesFor(const Function &copy, const Function &function,
                            ValueToValueMapTy &map) {
  const AttributeList all = function.getAttributes();
  SmallVector<AttributeSet, 16> params(copy.arg_size());
  for (const Argument &argument : function.args()) {
    if (const auto *param = dyn_cast_or_null<Argument>(map.lookup(&argument))) {
      params[param->getArgNo()] = all.getParamAttrs(argument.getArgNo());
    }
  }
  return AttributeList::get(copy.getContext(), all.getFnAttrs(), all.getRetAttrs(), params);
}

} // namespace

void copyInto(Function &copy, Function &function, ValueToValueMapTy &map) {
  if (isDebugged(function)) {
    SmallVector<ReturnInst *, 2> returns;
    CloneFunctionInto(&copy, &function, map, CloneFunctionChangeType::LocalChangesOnly, returns);
    return;
  }
  copy.setIsNewDbgInfoFormat(function.IsNewDbgInfoFormat);
  copy.copyAttributesFrom(&function);
  copy.setAttributes(attributesFor(copy, function, map));
  copy.copyMetadata(&function, 0);
  SmallVector<BasicBlock *, 32> blocks;
  for (BasicBlock &block : function) {
    blocks.push_back(CloneBasicBlock(&block, map, "", &copy));
    map[&block] = blocks.back();
    if (block.hasAddressTaken()) {
      map[BlockAddress::get(&function, &block)] = BlockAddress::get(&copy, blocks.back());
    }
  }
  for (BasicBlock *block : blocks) {
    for (Instruction &inst : *block) {
      RemapInstruction(&inst, map, RF_NoModuleLevelChanges);
      RemapDbgRecordRange(function.getParent(), inst.getDbgRecordRange(), map,
                          RF_NoModuleLevelChanges);
    }
  }
}

Function *copyOf(Function &function, const Twine &name, ValueToValueMapTy &map) {
  Function *copy = Function::Create(function.getFunctionType(), GlobalValue::InternalLinkage, name,
                                    function.getParent());
  for (Argument &argument : function.args()) {
    Argument *own = copy->getArg(argument.getArgNo());
    own->setName(argument.getName());
    map[&argument] = own;
  }
  copyInto(*copy, function, map);
  copy->setLinkage(GlobalValue::InternalLinkage);
  return copy;
}

} // namespace tutti::compiler
