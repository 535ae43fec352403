// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Registers Tutti's pragmas with clang (`-fplugin`). A library of its own: opt loads the passes
/// and has no front end.
#include "compiler/frontend/ompss/ompss.h"
#include "compiler/frontend/pragma/tutti_pragma.h"

#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "llvm/ADT/STLExtras.h"

namespace {

class PragmaAction : public clang::PluginASTAction {
protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(tutti::compiler::pragma::install(compiler));
    if (takesOmpSs_) {
      consumers.push_back(tutti::compiler::ompss::install(compiler));
    }
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

  bool ParseArgs(const clang::CompilerInstance &,
                 const std::vector<std::string> &arguments) override {
    takesOmpSs_ = !llvm::is_contained(arguments, "no-ompss"); // -fno-ompss-2 of tutticc.
    return true;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  bool takesOmpSs_ = true;
};

const clang::FrontendPluginRegistry::Add<PragmaAction> registration("tutti", "#pragma tutti");

} // namespace
