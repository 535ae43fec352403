// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/rule_parser.h"

namespace tutti::compiler::luna {

bool RuleParser::parse(std::vector<Rule> &rules) {
  if (!cursor_.take("@")) {
    return true;
  }
  if (!cursor_.expect("{", "behind '@'")) {
    return false;
  }
  while (!cursor_.is("}")) {
    if (!rule(rules)) {
      // The next rule may be right; the end of the text is not.
      while (!cursor_.isEnd() && !cursor_.is(";") && !cursor_.is("}") && !cursor_.is("{") &&
             !cursor_.is("sub") && !cursor_.is("import")) {
        cursor_.next();
      }
      if (!cursor_.take(";") && !cursor_.is("}")) {
        return false;
      }
    }
  }
  cursor_.next();
  return true;
}

bool RuleParser::rule(std::vector<Rule> &rules) {
  if (!cursor_.isName()) {
    return cursor_.fail("the name of a rule, or '}'");
  }
  Rule rule;
  rule.name = {cursor_.token().text, cursor_.token().at};
  cursor_.next();
  if (cursor_.take(":")) {
    rule.form = Rule::Form::Value;
    rule.value = expressions_.expression();
    if (rule.value == nullptr) {
      return false;
    }
  } else if (cursor_.isName()) {
    if (!ids(rule)) {
      return false;
    }
  } else {
    while (cursor_.take(",")) {
      if (!cursor_.isName()) {
        return cursor_.fail("the name of a rule");
      }
      rules.push_back(rule);
      rule.name = {cursor_.token().text, cursor_.token().at};
      cursor_.next();
    }
  }
  rules.push_back(std::move(rule));
  return cursor_.take(";") || cursor_.failBehind("';' behind the rule");
}

bool RuleParser::ids(Rule &rule) {
  rule.form = Rule::Form::Names;
  do {
    rule.ids.push_back(expressions_.id());
    if (rule.ids.back() == nullptr) {
      return false;
    }
  } while (cursor_.take(","));
  if (rule.ids.size() > 1 || !(cursor_.take("=") || cursor_.take("=>"))) {
    return true;
  }
  rule.form = Rule::Form::Mapped;
  rule.value = expressions_.expression();
  return rule.value != nullptr;
}

} // namespace tutti::compiler::luna
