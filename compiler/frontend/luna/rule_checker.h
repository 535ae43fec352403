// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checks advice: words, forms, and what names in it stand for.
#pragma once

#include "compiler/frontend/luna/annotations.h"
#include "compiler/frontend/luna/ast.h"
#include "compiler/frontend/luna/expression_checker.h"

#include <unordered_set>

namespace tutti::compiler::luna {

class RuleChecker {
public:
  RuleChecker(Program &program, const Text &text, Scopes &scopes, ExpressionChecker &expressions,
              Messages &messages)
      : program_(program), text_(text), scopes_(scopes), expressions_(expressions),
        messages_(messages) {}

  /// Declares what `nfparam` of a sub's outermost block names.
  void declareParametersForRules(Sub &sub);

  void checkBlock(Block &block);
  void checkCall(Statement &statement);
  void checkImport(Sub &sub);

private:
  enum class Place : std::uint8_t { Block, Call };

  void check(Rule &rule, Place place, const Block *block);
  void checkPattern(Rule &rule, bool hasWord, const Block *block);
  void checkFragments(Rule &rule);
  void checkMerge(Sub &sub);
  bool takeRoles(Sub &sub, const Rule &rule);
  const Annotation *annotationOf(const Rule &rule);
  void ignored(const Rule &rule, const std::string &reason);
  bool isLabel(std::string_view name);

  Program &program_;
  const Text &text_;
  Scopes &scopes_;
  ExpressionChecker &expressions_;
  Messages &messages_;
  std::unordered_set<std::string_view> labels_; ///< Of the whole program.
};

} // namespace tutti::compiler::luna
