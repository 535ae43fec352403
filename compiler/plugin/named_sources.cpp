// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/named_sources.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/StringSet.h"

namespace tutti::compiler {

namespace {

using namespace clang;

class NamedSources : public ASTConsumer {
public:
  explicit NamedSources(CompilerInstance &compiler) : compiler_(compiler) {}

  /// Before code is generated, which is what remarks are about.
  void HandleTranslationUnit(ASTContext &context) override {
    SourceManager &sources = context.getSourceManager();
    for (const Decl *declaration : context.getTranslationUnitDecl()->decls()) {
      const SourceLocation place = sources.getExpansionLoc(declaration->getLocation());
      if (!place.isValid() || sources.getFileID(place) != sources.getMainFileID()) {
        continue;
      }
      const PresumedLoc named = sources.getPresumedLoc(place);
      if (named.isValid() && seen_.insert(named.getFilename()).second) {
        load(sources, named.getFilename());
      }
    }
  }

private:
  void load(SourceManager &sources, StringRef name) {
    const OptionalFileEntryRef file = compiler_.getFileManager().getOptionalFileRef(name);
    if (file && sources.translateFile(*file).isInvalid()) {
      sources.createFileID(*file, SourceLocation(), SrcMgr::C_User);
    }
  }

  CompilerInstance &compiler_;
  llvm::StringSet<> seen_;
};

} // namespace

std::unique_ptr<ASTConsumer> loadNamedSources(CompilerInstance &compiler) {
  return std::make_unique<NamedSources>(compiler);
}

} // namespace tutti::compiler
