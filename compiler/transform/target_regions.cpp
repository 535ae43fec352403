// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/target_regions.h"

#include "compiler/ir/directive.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Whether all that mentions `function` is a call, or the start of an outlined function, inside of
/// `callers`.
bool isUsedOnlyBy(const Function &function, const SmallPtrSetImpl<Function *> &callers) {
  return !function.use_empty() && all_of(function.users(), [&](const User *user) {
    const auto *call = dyn_cast<CallBase>(user);
    return call && callers.contains(const_cast<Function *>(call->getFunction()));
  });
}

void preferGpu(Function &function) {
  Directive directive = directiveOf(function).value_or(Directive{TUTTI_DEVICE_GPU, {}, {}});
  // Sizes alone say nothing about the device.
  if (directive.device == TUTTI_DEVICE_AUTO &&
      (directive.grid[0] != 0 || directive.block[0] != 0)) {
    directive.device = TUTTI_DEVICE_GPU;
  }
  setDirective(function, directive);
}

} // namespace

PreservedAnalyses TargetRegionsPass::run(Module &module, ModuleAnalysisManager &) {
  SmallPtrSet<Function *, 16> found;
  for (Function &function : module) {
    if (!function.isDeclaration() && function.getName().starts_with("__omp_offloading_")) {
      found.insert(&function);
    }
  }
  if (found.empty()) {
    return PreservedAnalyses::all();
  }
  for (bool grows = true; grows;) {
    grows = false;
    for (Function &function : module) {
      if (!function.isDeclaration() && function.isDiscardableIfUnused() &&
          !found.contains(&function) && isUsedOnlyBy(function, found)) {
        grows = found.insert(&function).second;
      }
    }
  }
  for (Function *function : found) {
    preferGpu(*function);
  }
  return PreservedAnalyses::all();
}

} // namespace tutti::compiler
