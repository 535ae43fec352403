// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// `#pragma tutti device(...) grid(...) block(...)`: its clauses, and which construct they are for.
///
/// The handler reads the pragma while the preprocessor lexes; the construct is the one whose token
/// comes next. Once the construct is parsed, `ConstructMarker` attaches the directive to the
/// captured functions that clang will outline.
#pragma once

#include "compiler/ir/directive.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Pragma.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace tutti::compiler::pragma {

/// Directives of one translation unit by the place of their construct.
class DirectiveTable {
public:
  struct Entry {
    Directive directive;
    clang::SourceLocation pragma;
    bool isUsed = false;
  };

  explicit DirectiveTable(clang::DiagnosticsEngine &diagnostics) : diagnostics_(diagnostics) {}

  /// `directive` is for the construct that begins with the next token.
  void add(const Directive &directive, clang::SourceLocation pragma);

  /// What the pragmas before the next token have said so far.
  const Directive *pending() const { return isPending_ ? &pending_.directive : nullptr; }

  /// Sees every token that leaves the preprocessor.
  void look(const clang::Token &token);

  /// The directive of the construct at `begin`, or null.
  const Directive *find(clang::SourceLocation begin);

  bool empty() const { return entries_.empty(); }

  /// Warns of pragmas that no construct has asked for.
  void finish();

private:
  void warn(const Entry &entry);

  clang::DiagnosticsEngine &diagnostics_;
  llvm::DenseMap<clang::SourceLocation, Entry> entries_;
  Entry pending_;
  bool isPending_ = false;
};

/// Reads `#pragma tutti`.
class PragmaHandler : public clang::PragmaHandler {
public:
  explicit PragmaHandler(std::shared_ptr<DirectiveTable> table);

  void HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token &first) override;

private:
  std::shared_ptr<DirectiveTable> table_;
};

/// Attaches directives to constructs.
/// Order: sees every declaration before the code generator does.
class ConstructMarker : public clang::ASTConsumer {
public:
  explicit ConstructMarker(std::shared_ptr<DirectiveTable> table) : table_(std::move(table)) {}

  void Initialize(clang::ASTContext &context) override { context_ = &context; }

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override;
  void HandleInlineFunctionDefinition(clang::FunctionDecl *function) override;
  void HandleTranslationUnit(clang::ASTContext &context) override;

private:
  std::shared_ptr<DirectiveTable> table_;
  clang::ASTContext *context_ = nullptr;
};

/// Installs handler and marker for the translation unit that `compiler` is about to parse.
std::unique_ptr<clang::ASTConsumer> install(clang::CompilerInstance &compiler);

} // namespace tutti::compiler::pragma
