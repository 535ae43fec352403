// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/signatures.h"

#include "compiler/frontend/pragma/diagnostics.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <sstream>

namespace tutti::compiler::luna {

namespace {

/// What a line of the file of imports says.
struct Import {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string types; ///< Letters of abi/luna.h.
};

using Imports = std::multimap<std::string, Import>;

Imports readImports(const std::string &path) {
  Imports imports;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  std::istringstream lines(buffer ? (*buffer)->getBuffer().str() : "");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    Import import;
    std::getline(fields, name, '\t');
    std::getline(fields, import.file, '\t');
    fields >> import.line >> import.column >> import.types;
    imports.emplace(name, import);
  }
  return imports;
}

enum class Match : std::uint8_t { Right, Wider, Wrong };

bool isFragment(clang::QualType type) {
  const clang::CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->getQualifiedNameAsString() == "luna::ucenv::DF";
}

/// Whether the type is a reference to a class of ucenv_gpu.h.
bool isNative(clang::QualType type, llvm::StringRef name) {
  const clang::CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return type->isLValueReferenceType() && record != nullptr &&
         record->getQualifiedNameAsString() == "luna::gpu::" + name.str();
}

bool isText(clang::QualType type) {
  return type->isPointerType() && type->getPointeeType()->isCharType();
}

Match compare(char letter, clang::QualType type, const clang::ASTContext &context) {
  // An argument by reference is the address of a value.
  if (letter == 'v' || letter == 'n') {
    return isFragment(type) ? Match::Right : Match::Wrong;
  }
  if (letter == 'Q' || letter == 'V' || letter == 'N') {
    const char *name = letter == 'Q' ? "Queue" : letter == 'V' ? "In" : "Out";
    return isNative(type, name) ? Match::Right : Match::Wrong;
  }
  if (letter == 'r') {
    return context.hasSameUnqualifiedType(type, context.DoubleTy) ? Match::Right : Match::Wrong;
  }
  if (letter == 's') {
    return isText(type) ? Match::Right : Match::Wrong;
  }
  if (isText(type)) {
    return Match::Wider;
  }
  if (!type->isIntegralOrEnumerationType()) {
    return Match::Wrong;
  }
  return context.getTypeSize(type) <= context.getTypeSize(context.IntTy) ? Match::Right
                                                                         : Match::Wider;
}

Match compare(const std::string &letters, const clang::FunctionDecl &function) {
  if (letters.size() != function.getNumParams() || function.isVariadic()) {
    return Match::Wrong;
  }
  Match worst = Match::Right;
  for (unsigned i = 0; i < function.getNumParams(); ++i) {
    worst = std::max(
        worst, compare(letters[i], function.getParamDecl(i)->getType(), function.getASTContext()));
  }
  return worst;
}

std::string typesOf(const clang::FunctionDecl &function) {
  std::string types;
  for (const clang::ParmVarDecl *parameter : function.parameters()) {
    types += (types.empty() ? "" : ", ") + parameter->getType().getAsString();
  }
  return "(" + types + ")";
}

std::string typesOf(const std::string &letters) {
  const std::map<char, const char *> names = {{'i', "int"},   {'r', "real"}, {'s', "string"},
                                              {'v', "value"}, {'n', "name"}, {'Q', "queue"},
                                              {'V', "value"}, {'N', "name"}};
  std::string types;
  for (const char letter : letters) {
    types += (types.empty() ? "" : ", ") + std::string(names.at(letter));
  }
  return "(" + types + ")";
}

class Comparison : public clang::ASTConsumer {
public:
  Comparison(clang::CompilerInstance &compiler, const std::string &imports)
      : compiler_(compiler), imports_(readImports(imports)) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (const clang::Decl *declaration : group) {
      visit(*declaration);
    }
    return true;
  }

private:
  void visit(const clang::Decl &declaration) {
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
      if (function->isThisDeclarationADefinition() && function->isExternC()) {
        check(*function);
      }
    } else if (llvm::isa<clang::LinkageSpecDecl, clang::NamespaceDecl>(declaration)) {
      for (const clang::Decl *inner : llvm::cast<clang::DeclContext>(&declaration)->decls()) {
        visit(*inner);
      }
    }
  }

  void check(const clang::FunctionDecl &function) {
    const auto [first, last] = imports_.equal_range(function.getNameAsString());
    for (auto import = first; import != last; ++import) {
      const Match match = compare(import->second.types, function);
      if (match == Match::Right || function.isInvalidDecl()) {
        continue;
      }
      report(function, import->second, match);
    }
  }

  void report(const clang::FunctionDecl &function, const Import &import, Match match) {
    clang::DiagnosticsEngine &diagnostics = compiler_.getDiagnostics();
    const clang::SourceLocation place = placeOf(import);
    const std::string name = function.getNameAsString();
    if (match == Match::Wrong) {
      pragma::error(diagnostics, place, "'%0' has the C++ type %1, the import says %2 [E-SIG]")
          << name << typesOf(function) << typesOf(import.types);
    } else {
      pragma::warning(diagnostics, place, "'%0' has the C++ type %1, the import says %2 [E-SIG]")
          << name << typesOf(function) << typesOf(import.types);
    }
    diagnostics.Report(function.getLocation(),
                       diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Note,
                                                   "the procedure is defined here"));
  }

  clang::SourceLocation placeOf(const Import &import) {
    clang::SourceManager &sources = compiler_.getSourceManager();
    auto file = compiler_.getFileManager().getFileRef(import.file);
    if (!file) {
      llvm::consumeError(file.takeError());
      return {};
    }
    const clang::FileID id = sources.getOrCreateFileID(*file, clang::SrcMgr::C_User);
    return sources.translateLineCol(id, import.line, import.column);
  }

  clang::CompilerInstance &compiler_;
  Imports imports_;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> compareSignatures(clang::CompilerInstance &compiler,
                                                      const std::string &imports) {
  return std::make_unique<Comparison>(compiler, imports);
}

} // namespace tutti::compiler::luna
