// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/missing_functions.h"

#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

#include <dlfcn.h>
#include <string>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// What `call` starts or continues with: its callee, or what a fork starts.
Function *calleeOf(CallBase &call) {
  if (kindOf(call) == CallKind::Fork || kindOf(call) == CallKind::ForkTeams) {
    return outlinedOf(cast<CallInst>(call));
  }
  return dyn_cast<Function>(call.getCalledOperand());
}

/// What the libraries of C and C++ define is no function of the user's. This program may have a
/// copy of the latter of its own, whose names cannot be asked for.
bool isOfLibraries(StringRef name) {
  const std::string text = name.str();
  if (::dlsym(RTLD_DEFAULT, text.c_str())) {
    return true;
  }
  static void *const cxx = ::dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
  return cxx && ::dlsym(cxx, text.c_str());
}

bool mayBeOfProgram(const Function &callee) {
  const StringRef name = callee.getName();
  return !callee.isIntrinsic() && kindOf(&callee) == CallKind::None && !name.starts_with("omp_") &&
         !name.starts_with("tutti_") && !isOfLibraries(name);
}

} // namespace

SetVector<const Function *> calledFunctions(const Function &root) {
  SetVector<const Function *> called;
  called.insert(&root);
  for (unsigned at = 0; at < called.size(); ++at) {
    for (const Instruction &inst : instructions(*called[at])) {
      const auto *call = dyn_cast<CallBase>(&inst);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration()) {
        called.insert(callee);
      }
    }
  }
  return called;
}

SetVector<Function *> reachedFunctions(Function &root) {
  SetVector<Function *> reached;
  reached.insert(&root);
  for (unsigned at = 0; at < reached.size(); ++at) {
    for (Instruction &inst : instructions(*reached[at])) {
      if (auto *call = dyn_cast<CallBase>(&inst)) {
        Function *callee = calleeOf(*call);
        if (callee && !callee->isDeclaration()) {
          reached.insert(callee);
        }
      }
    }
  }
  return reached;
}

SetVector<Function *> startedFunctions(Module &module) {
  SetVector<Function *> started;
  for (const CallKind kind : {CallKind::Fork, CallKind::ForkTeams}) {
    for (CallInst *fork : findForks(module, kind)) {
      started.insert(outlinedOf(*fork));
    }
  }
  if (!module.getFunction("tutti_task_described")) {
    return started;
  }
  for (Function &callee : module) {
    if (kindOf(&callee) != CallKind::Task) {
      continue;
    }
    for (User *user : callee.users()) {
      for (Value *handed : user->operand_values()) {
        auto *function = dyn_cast<Function>(handed);
        if (function && !function->isDeclaration()) {
          started.insert(function);
        }
      }
    }
  }
  return started;
}

SetVector<Function *> missingFunctions(Function &root) {
  SetVector<Function *> missing;
  for (Function *function : reachedFunctions(root)) {
    for (Instruction &inst : instructions(*function)) {
      auto *call = dyn_cast<CallBase>(&inst);
      Function *callee = call ? dyn_cast<Function>(call->getCalledOperand()) : nullptr;
      if (callee && callee->isDeclaration() && mayBeOfProgram(*callee)) {
        missing.insert(callee);
      }
    }
  }
  return missing;
}

} // namespace tutti::compiler
