// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/drop_scopes.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Whether remarks of the backend are asked for that name a function's line, not an instruction's.
bool backendNamesFunctions(const LLVMContext &context) {
  const DiagnosticHandler &handler = *context.getDiagHandlerPtr();
  return context.getLLVMRemarkStreamer() || handler.isAnyRemarkEnabled("asm-printer") ||
         handler.isAnyRemarkEnabled("prologepilog");
}

} // namespace

PreservedAnalyses DropScopesPass::run(Module &module, ModuleAnalysisManager &) {
  if (backendNamesFunctions(module.getContext())) {
    return PreservedAnalyses::all();
  }
  for (Function &function : module) {
    const DISubprogram *scope = function.getSubprogram();
    if (scope && scope->getUnit() &&
        scope->getUnit()->getEmissionKind() == DICompileUnit::NoDebug) {
      function.setSubprogram(nullptr);
    }
  }
  return PreservedAnalyses::all();
}

} // namespace tutti::compiler
