// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/carry_code.h"

#include "compiler/analysis/missing_functions.h"
#include "compiler/ir/carried_code.h"
#include "compiler/ir/forks.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <optional>

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr StringLiteral kNeeds = "tutti.needs";

/// Larger ones are no helpers of loops.
constexpr unsigned kMostInstructions = 5000;

std::optional<std::vector<std::string>> &compilation() {
  static std::optional<std::vector<std::string>> arguments;
  return arguments;
}

/// Whether loops of other files may have the body of `function` in its place: it is the only
/// definition that there can be.
bool isOffered(const Function &function) {
  return !function.isDeclaration() && function.hasExternalLinkage() && !function.isVarArg() &&
         !function.hasOptNone() && !function.hasFnAttribute(Attribute::Naked) &&
         function.getName() != "main" && !function.getName().starts_with("tutti_") &&
         function.getInstructionCount() <= kMostInstructions;
}

bool needsOthers(Module &module) {
  return any_of(startedFunctions(module),
                [](Function *started) { return !missingFunctions(*started).empty(); });
}

} // namespace

void carryCode(std::vector<std::string> arguments) { compilation() = std::move(arguments); }

bool isCarryingCode() { return compilation().has_value(); }

void noteNeeds(Module &module, ArrayRef<Function *> missing) {
  LLVMContext &context = module.getContext();
  NamedMDNode *needs = module.getOrInsertNamedMetadata(kNeeds);
  for (const Function *function : missing) {
    MDNode *need = MDNode::get(context, MDString::get(context, function->getName()));
    if (!is_contained(needs->operands(), need)) {
      needs->addOperand(need);
    }
  }
}

PreservedAnalyses KeepModulePass::run(Module &module, ModuleAnalysisManager &) {
  if (!isCarryingCode()) {
    return PreservedAnalyses::all();
  }
  for (const Function &function : module) {
    if (isOffered(function)) {
      text_->provides.push_back(function.getName().str());
    }
  }
  if (!text_->provides.empty() || needsOthers(module)) {
    raw_svector_ostream stream(text_->bitcode);
    WriteBitcodeToFile(module, stream);
  }
  return PreservedAnalyses::all();
}

PreservedAnalyses CarryCodePass::run(Module &module, ModuleAnalysisManager &) {
  CarriedCode code;
  if (NamedMDNode *needs = module.getNamedMetadata(kNeeds)) {
    for (const MDNode *need : needs->operands()) {
      code.needs.push_back(cast<MDString>(need->getOperand(0))->getString().str());
    }
    needs->eraseFromParent();
    code.arguments = *compilation();
  }
  if (text_->bitcode.empty() || (text_->provides.empty() && code.needs.empty())) {
    return PreservedAnalyses::all();
  }
  code.provides = std::move(text_->provides);
  code.bitcode = StringRef(text_->bitcode.data(), text_->bitcode.size());
  const std::string entry = pack(code);
  embedBufferInModule(module, MemoryBufferRef(entry, "code"), kCarriedSection);
  return PreservedAnalyses::none();
}

} // namespace tutti::compiler
