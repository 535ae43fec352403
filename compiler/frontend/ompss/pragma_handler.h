// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads `#pragma oss` and what of the following lines has to change with it, and hands the parser
/// other tokens instead.
#pragma once

#include "compiler/frontend/ompss/construct.h"
#include "compiler/frontend/ompss/sharing.h"
#include "compiler/frontend/ompss/static_members.h"
#include "compiler/frontend/ompss/task_calls.h"
#include "compiler/frontend/ompss/task_function.h"

#include "clang/Lex/Pragma.h"

#include <memory>
#include <vector>

namespace tutti::compiler::ompss {

/// What is known of one translation unit.
struct Unit {
  clang::Preprocessor &preprocessor;
  clang::Sema *sema = nullptr;       ///< Set before parsing begins.
  std::vector<Construct> constructs; ///< By number of their marker.
  TaskFunctions functions;
  Nesting nesting;
  DeclaredReductions reductions;
  StaticMembers staticMembers;
};

class PragmaHandler : public clang::PragmaHandler {
public:
  explicit PragmaHandler(std::shared_ptr<Unit> unit)
      : clang::PragmaHandler("oss"), unit_(std::move(unit)) {}

  void HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token &first) override;

private:
  bool endsTooEarly(const Directive &directive);
  bool isOutside() const;
  std::optional<int> bracesBetween(clang::SourceLocation begin, clang::SourceLocation where) const;
  bool standsInClass(clang::SourceLocation where) const;
  bool standsInFunction(clang::SourceLocation where) const;
  bool standsSurelyInFunction(clang::SourceLocation where) const;
  bool refusesSpecialMember(clang::SourceLocation where, TokensRef ahead);
  void task(Construct construct, TokenWriter &writer);
  void function(Construct construct, TokensRef ahead, TokenWriter &writer);
  bool renameShadowing(TaskFunction &function, Directive &directive);
  void loop(Construct construct, TokenWriter &writer);
  void taskiter(Construct construct, TokenWriter &writer);
  void waiting(const Construct &construct, TokenWriter &writer);
  void plain(const Directive &directive, TokenWriter &writer);
  void open(Construct construct, TokenWriter &writer);

  Tokens lexUntilKnown();
  Tokens lexDeclaration(Tokens tokens);
  bool lexParentheses(Tokens &tokens);

  std::shared_ptr<Unit> unit_;
};

} // namespace tutti::compiler::ompss
