// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Parses advice: `@ { locator_cyclic: i; delete x; }`.
#pragma once

#include "compiler/frontend/luna/expression_parser.h"

namespace tutti::compiler::luna {

class RuleParser {
public:
  RuleParser(Cursor &cursor, ExpressionParser &expressions)
      : cursor_(cursor), expressions_(expressions) {}

  /// Reads rules, if there are any. Returns false after an error.
  bool parse(std::vector<Rule> &rules);

private:
  bool rule(std::vector<Rule> &rules);
  bool ids(Rule &rule);

  Cursor &cursor_;
  ExpressionParser &expressions_;
};

} // namespace tutti::compiler::luna
