// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Gives an object the code of its source (ir/carried_code.h): loops of other files may call its
/// functions, and its own loops may call functions of other files.
///
///   tutticc -c a.c        a.o: machine code, and what a.c is as IR, if
///                         - it defines functions that others may call, or
///                         - one of its parallel loops calls a function that it does not define
///
/// The link step (tools/clang/link_command) imports such functions where they are called
/// (transform/import_functions) and compiles those files once more.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

#include <memory>
#include <string>
#include <vector>

namespace tutti::compiler {

/// Has objects carry code from now on: those that this process makes. Passes alone, in opt or in
/// other outputs than objects, do not.
///
/// \param arguments those with which cc1 compiles the module again, but for input and output.
/// Order: once, before passes are registered.
void carryCode(std::vector<std::string> arguments);

bool isCarryingCode();

/// Of a module into which the link step has imported functions, and of the outlined functions that
/// call these: remarks are about those alone.
constexpr llvm::StringLiteral kImporting = "tutti-importing";

/// Notes that a loop or task, which stays home, calls `names`.
void noteNeeds(llvm::Module &module, llvm::ArrayRef<llvm::Function *> missing);

/// The module as it is when this runs, as bitcode; empty if nobody will want it.
struct ModuleText {
  std::vector<std::string> provides;
  llvm::SmallVector<char, 0> bitcode;
};

/// Keeps the module as clang made it. Changes nothing.
///
/// Order: before all other passes.
class KeepModulePass : public llvm::PassInfoMixin<KeepModulePass> {
public:
  explicit KeepModulePass(std::shared_ptr<ModuleText> text) : text_(std::move(text)) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  std::shared_ptr<ModuleText> text_;
};

/// Puts what `KeepModulePass` kept into the section.
///
/// Order: after regions have been made.
class CarryCodePass : public llvm::PassInfoMixin<CarryCodePass> {
public:
  explicit CarryCodePass(std::shared_ptr<ModuleText> text) : text_(std::move(text)) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  std::shared_ptr<ModuleText> text_;
};

} // namespace tutti::compiler
