// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/pragma_action.h"

#include "compiler/frontend/luna/signatures.h"
#include "compiler/frontend/ompss/ompss.h"
#include "compiler/frontend/pragma/diagnostics.h"
#include "compiler/frontend/pragma/tutti_pragma.h"
#include "compiler/plugin/named_sources.h"

#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/Pragma.h"
#include "llvm/ADT/STLExtras.h"

namespace {

/// Where a pragma of XcalableMP reaches the compiler, the step in front of the compiler has not
/// seen the file.
class XmpPragma : public clang::PragmaHandler {
public:
  explicit XmpPragma(bool isIgnored) : clang::PragmaHandler("xmp"), isIgnored_(isIgnored) {}

  void HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token &) override {
    if (isIgnored_) {
      return;
    }
    if (preprocessor.getLangOpts().CPlusPlus) {
      tutti::compiler::pragma::error(
          preprocessor.getDiagnostics(), introducer.Loc,
          "XcalableMP is for C; in C++ '#pragma xmp' can only be ignored, with -fno-xmp");
    } else {
      tutti::compiler::pragma::error(
          preprocessor.getDiagnostics(), introducer.Loc,
          "this file has no '#pragma xmp', but includes one: compile it with -fxmp, or with "
          "-fno-xmp to ignore XcalableMP");
    }
  }

private:
  bool isIgnored_;
};

class PragmaAction : public clang::PluginASTAction {
protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(tutti::compiler::pragma::install(compiler));
    compiler.getPreprocessor().AddPragmaHandler(new XmpPragma(ignoresXmp_)); // Which owns it.
    if (takesOmpSs_) {
      consumers.push_back(tutti::compiler::ompss::install(compiler));
    }
    if (!lunaImports_.empty()) {
      consumers.push_back(tutti::compiler::luna::compareSignatures(compiler, lunaImports_));
    }
    consumers.push_back(tutti::compiler::loadNamedSources(compiler));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

  bool ParseArgs(const clang::CompilerInstance &,
                 const std::vector<std::string> &arguments) override {
    takesOmpSs_ = !llvm::is_contained(arguments, "no-ompss"); // -fno-ompss-2 of tutticc.
    ignoresXmp_ = llvm::is_contained(arguments, "no-xmp");    // -fno-xmp.
    constexpr llvm::StringRef kImports = "luna-imports=";     // Of tuttic-luna.
    for (const std::string &argument : arguments) {
      if (llvm::StringRef(argument).starts_with(kImports)) {
        lunaImports_ = argument.substr(kImports.size());
      }
    }
    return true;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  bool takesOmpSs_ = true;
  bool ignoresXmp_ = false;
  std::string lunaImports_;
};

} // namespace

void tutti::compiler::registerPragmas() {
  static const clang::FrontendPluginRegistry::Add<PragmaAction> registration("tutti",
                                                                             "#pragma tutti");
}
