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

/// Lets Clang's parser ignore `#pragma omp`, while all else goes on as with OpenMP: what is made of
/// the pragmas of OmpSs-2 is OpenMP's. The parser looks at the language's options when it is made,
/// which is after all consumers have been and before the main file is opened.
class IgnoredOpenMp : public clang::ASTConsumer {
public:
  explicit IgnoredOpenMp(clang::CompilerInstance &compiler) : options_(compiler.getLangOpts()) {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<Restored>(options_));
  }

  void Initialize(clang::ASTContext &) override { options_.OpenMP = 0; }

private:
  class Restored : public clang::PPCallbacks {
  public:
    explicit Restored(clang::LangOptions &options) : options_(options), version_(options.OpenMP) {}

    void FileChanged(clang::SourceLocation, FileChangeReason, clang::SrcMgr::CharacteristicKind,
                     clang::FileID) override {
      options_.OpenMP = version_;
    }

  private:
    clang::LangOptions &options_;
    unsigned version_;
  };

  clang::LangOptions &options_;
};

/// Order: after the main action, so that the code generator has been made for OpenMP.
class OpenMpAction : public clang::PluginASTAction {
protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef) override {
    if (isIgnored_) {
      return std::make_unique<IgnoredOpenMp>(compiler);
    }
    return std::make_unique<clang::ASTConsumer>();
  }

  bool ParseArgs(const clang::CompilerInstance &,
                 const std::vector<std::string> &arguments) override {
    isIgnored_ = llvm::is_contained(arguments, "ignored"); // -fompss-2 without -fopenmp.
    return true;
  }

  ActionType getActionType() override { return AddAfterMainAction; }

private:
  bool isIgnored_ = false;
};

} // namespace

void tutti::compiler::registerPragmas() {
  static const clang::FrontendPluginRegistry::Add<PragmaAction> registration("tutti",
                                                                             "#pragma tutti");
  static const clang::FrontendPluginRegistry::Add<OpenMpAction> openmp("tutti_openmp",
                                                                       "#pragma omp");
}
