// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/checker.h"

#include "compiler/frontend/luna/expression_checker.h"
#include "compiler/frontend/luna/rule_checker.h"

#include <algorithm>
#include <unordered_map>

namespace tutti::compiler::luna {

namespace {

class Checker {
public:
  Checker(Program &program, const Text &text, Messages &messages)
      : program_(program), text_(text), messages_(messages), expressions_(text, scopes_, messages),
        rules_(program, text, scopes_, expressions_, messages) {}

  void run() {
    findSubs();
    for (Sub *sub : program_.subs) {
      if (!sub->isReplaced) {
        checkSub(*sub);
      }
    }
    for (const Declaration &declaration : program_.declarations) {
      warnUnused(declaration);
    }
  }

private:
  Location at(Position position) const { return text_.locate(position); }

  static std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

  void findSubs() {
    for (Sub *sub : program_.subs) {
      Sub *&known = subs_[sub->name.text];
      if (known != nullptr) {
        Sub *first = known->first == nullptr ? known : known->first;
        known->isReplaced = true;
        sub->first = first;
        messages_.warning(at(sub->name.at), "W-REDEF",
                          quoted(sub->name.text) +
                              " is defined again; this definition counts (first at " +
                              messages_.lineOf(at(first->name.at), at(sub->name.at)) + ")");
      }
      known = sub;
    }
    const auto main = subs_.find("main");
    if (main == subs_.end()) {
      messages_.error({}, "E-MAIN", "the program has no sub 'main'");
    } else if (main->second->isForDevicesOnly) {
      messages_.error(at(main->second->name.at), "E-MAIN", "'main' has no version for cores");
    }
  }

  void checkSub(Sub &sub) {
    scopes_.enter();
    if (sub.kind == Sub::Kind::Structured) {
      for (Parameter &parameter : sub.parameters) {
        parameter.declaration->isFragment = parameter.type == ParameterType::Name;
        declare(*parameter.declaration);
      }
      rules_.declareParametersForRules(sub);
      checkInside(*sub.body);
    } else {
      rules_.checkImport(sub);
    }
    scopes_.leave();
  }

  void declare(Declaration &declaration) {
    if (Declaration *other = scopes_.declare(&declaration)) {
      messages_.error(at(declaration.name.at), "E-REDECL",
                      quoted(declaration.name.text) + " is already declared in this block");
      messages_.note(at(other->name.at), "it was declared here");
      declaration.isUsed = true; // Said enough of both.
      other->isUsed = true;
      other->isPoisoned = true;
    }
  }

  void checkBlock(Block &block) {
    scopes_.enter();
    checkInside(block);
    scopes_.leave();
  }

  /// In a scope that is there.
  void checkInside(Block &block) {
    for (Declaration *fragment : block.fragments) {
      fragment->isFragment = true;
      declare(*fragment);
    }
    for (Statement *statement : block.statements) {
      checkStatement(*statement);
    }
    rules_.checkBlock(block);
  }

  void checkStatement(Statement &statement) {
    switch (statement.kind) {
    case Statement::Kind::Call:
      return checkCall(statement);
    case Statement::Kind::Let:
      return checkLet(statement);
    case Statement::Kind::For:
      expressions_.checkInt(*statement.first, "as the first value of a loop");
      expressions_.checkInt(*statement.last, "as the last value of a loop");
      scopes_.enter();
      scopes_.declare(statement.counter);
      checkBlock(*statement.body);
      return scopes_.leave();
    case Statement::Kind::While:
      expressions_.checkInt(*statement.first, "as the first value of a loop");
      expressions_.checkFragment(*statement.last);
      noteWritten(*statement.last);
      scopes_.enter();
      scopes_.declare(statement.counter);
      expressions_.checkNumber(*statement.condition, "as a condition");
      checkBlock(*statement.body);
      return scopes_.leave();
    case Statement::Kind::If:
      expressions_.checkNumber(*statement.condition, "as a condition");
      checkBlock(*statement.body);
      if (statement.otherwise != nullptr) {
        checkBlock(*statement.otherwise);
      }
      return;
    }
  }

  void checkLet(Statement &statement) {
    scopes_.enter();
    for (Declaration *let : statement.lets) {
      expressions_.check(*let->value);
      let->isFragment = isFragment(*let->value);
      let->isPoisoned = let->value->isWrong;
      scopes_.replace(let);
    }
    checkBlock(*statement.body);
    scopes_.leave();
  }

  void checkCall(Statement &statement) {
    const auto found = subs_.find(statement.name.text);
    if (found == subs_.end()) {
      messages_.error(at(statement.name.at), "E-CALL",
                      "call of an undeclared fragment " + quoted(statement.name.text));
    } else {
      statement.callee = found->second;
    }
    if (statement.label != nullptr) {
      for (Expression *index : statement.label->parts) {
        expressions_.checkInt(*index, "as an index");
      }
    }
    const bool isRightCount = checkCount(statement);
    for (std::size_t i = 0; i < statement.arguments.size(); ++i) {
      expressions_.check(*statement.arguments[i]);
      if (isRightCount) {
        checkArgument(statement, i);
      }
    }
    if (isRightCount) {
      checkOutputs(statement);
    }
    for (Expression *signal : statement.signals) {
      expressions_.checkFragment(*signal);
      noteWritten(*signal);
    }
    for (Expression *deletion : statement.deletions) {
      expressions_.checkFragment(*deletion);
    }
    rules_.checkCall(statement);
  }

  bool checkCount(const Statement &statement) {
    if (statement.callee == nullptr) {
      return false;
    }
    const std::size_t wanted = statement.callee->parameters.size();
    if (wanted != statement.arguments.size()) {
      messages_.error(at(statement.name.at), "E-ARGC",
                      quoted(statement.name.text) + " takes " + std::to_string(wanted) +
                          " argument(s), " + std::to_string(statement.arguments.size()) + " given");
      messages_.note(at(statement.callee->name.at), "it is declared here");
      return false;
    }
    return true;
  }

  void checkArgument(const Statement &statement, std::size_t number) {
    const Expression &argument = *statement.arguments[number];
    const ParameterType type = statement.callee->parameters[number].type;
    const std::string which =
        "argument " + std::to_string(number + 1) + " of " + quoted(statement.name.text);
    if (type == ParameterType::Name) {
      noteWritten(argument);
      if (!isFragment(argument) && !argument.isWrong) {
        messages_.error(at(argument.begin), "E-OUT",
                        which + " is an output: a data fragment is required here");
      }
    } else if ((type == ParameterType::Int || type == ParameterType::Real) &&
               argument.type == Type::String) {
      messages_.error(at(argument.begin), "E-LITERAL",
                      which + " is " + std::string(nameOf(type)) + ", a string is given");
    } else if (type == ParameterType::Int && argument.type == Type::Real) {
      messages_.warning(at(argument.begin), "W-TRUNC",
                        which + " is int, a real is given: it is truncated; write int(...)");
    }
  }

  void checkOutputs(const Statement &statement) {
    if (statement.callee->kind == Sub::Kind::Structured) {
      return; // A name may be an input there.
    }
    std::vector<const Expression *> outputs;
    for (std::size_t i = 0; i < statement.arguments.size(); ++i) {
      const Expression &argument = *statement.arguments[i];
      if (statement.callee->parameters[i].type != ParameterType::Name || !isFragment(argument)) {
        continue;
      }
      const bool isTwice = std::ranges::any_of(
          outputs, [&](const Expression *other) { return isSame(*other, argument); });
      if (isTwice) {
        messages_.error(
            at(argument.begin), "E-DUPOUT",
            "data fragment " +
                quoted(text_.characters().substr(argument.begin, argument.end - argument.begin)) +
                " is given twice as output of one call");
      }
      outputs.push_back(&argument);
    }
  }

  /// What an alias of `let` stands for is written through it.
  static void noteWritten(const Expression &id) {
    Declaration *declaration = id.declaration;
    while (declaration != nullptr) {
      declaration->isWritten = true;
      const bool isAlias = declaration->kind == Declaration::Kind::Let && declaration->isFragment;
      declaration = isAlias ? declaration->value->declaration : nullptr;
    }
  }

  void warnUnused(const Declaration &declaration) {
    const bool isTold = declaration.kind == Declaration::Kind::Fragment ||
                        declaration.kind == Declaration::Kind::Let ||
                        declaration.kind == Declaration::Kind::Parameter;
    if (isTold && !declaration.isUsed && declaration.sub != nullptr &&
        !declaration.sub->isReplaced) {
      messages_.warning(at(declaration.name.at), "W-UNUSED",
                        quoted(declaration.name.text) + " is never used");
    }
  }

  Program &program_;
  const Text &text_;
  Messages &messages_;
  Scopes scopes_;
  std::unordered_map<std::string_view, Sub *> subs_;
  ExpressionChecker expressions_;
  RuleChecker rules_;
};

} // namespace

void check(Program &program, const Text &text, Messages &messages) {
  Checker(program, text, messages).run();
}

Sub *findSub(const Program &program, std::string_view name) {
  const auto found = std::ranges::find_if(
      program.subs, [&](const Sub *sub) { return sub->name.text == name && !sub->isReplaced; });
  return found == program.subs.end() ? nullptr : *found;
}

} // namespace tutti::compiler::luna
