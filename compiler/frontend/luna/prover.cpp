// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/prover.h"

#include "compiler/frontend/luna/checker.h"
#include "compiler/frontend/luna/conditions.h"
#include "compiler/frontend/luna/expression_checker.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tutti::compiler::luna {

namespace {

using Constant = std::optional<std::int64_t>;

/// Nothing is known of what does not fit: it wraps, or is an error of the run.
Constant inRange(std::int64_t value) {
  const bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
                    value <= std::numeric_limits<std::int32_t>::max();
  return fits ? Constant(value) : std::nullopt;
}

Constant calculate(std::string_view op, std::int64_t a, std::int64_t b) {
  if (op == "/" || op == "%") {
    return b == 0 ? std::nullopt : inRange(op == "/" ? a / b : a % b);
  }
  return op == "+"    ? inRange(a + b)
         : op == "-"  ? inRange(a - b)
         : op == "*"  ? inRange(a * b)
         : op == "<"  ? Constant(a < b)
         : op == "<=" ? Constant(a <= b)
         : op == ">"  ? Constant(a > b)
         : op == ">=" ? Constant(a >= b)
         : op == "==" ? Constant(a == b)
         : op == "!=" ? Constant(a != b)
                      : std::nullopt;
}

/// Expressions that are the same int in every run.
class Constants {
public:
  explicit Constants(const Program &program) {
    for (const Declaration &declaration : program.declarations) {
      if (declaration.kind == Declaration::Kind::Let && !declaration.isFragment &&
          declaration.value) {
        if (const Constant value = of(*declaration.value)) {
          lets_.emplace(&declaration, *value);
        }
      }
    }
  }

  Constant of(const Expression &expression) const {
    switch (expression.kind) {
    case Expression::Kind::Integer: {
      std::int64_t value = 0;
      const char *end = expression.text.data() + expression.text.size();
      const auto [stopped, error] = std::from_chars(expression.text.data(), end, value);
      return error == std::errc() && stopped == end ? inRange(value) : std::nullopt;
    }
    case Expression::Kind::Unary: {
      const Constant part = of(*expression.parts[0]);
      return !part ? std::nullopt : expression.text == "!" ? Constant(*part == 0) : inRange(-*part);
    }
    case Expression::Kind::Binary: {
      const Constant a = of(*expression.parts[0]);
      if (a && (expression.text == "&&" || expression.text == "||")) {
        const bool isDecided = (*a != 0) == (expression.text == "||");
        const Constant b = isDecided ? a : of(*expression.parts[1]);
        return b ? Constant(*b != 0) : std::nullopt;
      }
      const Constant b = a ? of(*expression.parts[1]) : std::nullopt;
      return b ? calculate(expression.text, *a, *b) : std::nullopt;
    }
    case Expression::Kind::Cast:
      return expression.text == "int" ? of(*expression.parts[0]) : std::nullopt;
    case Expression::Kind::Reference: {
      const auto let = lets_.find(expression.declaration);
      return let != lets_.end() ? Constant(let->second) : std::nullopt;
    }
    default:
      return std::nullopt;
    }
  }

private:
  std::unordered_map<const Declaration *, std::int64_t> lets_;
};

class Prover {
public:
  Prover(const Program &program, const Text &text, Messages &messages)
      : constants_(program), text_(text), messages_(messages) {}

  void run(const Sub &main) {
    call(main);
    while (!open_.empty()) {
      const auto [block, sub] = open_.back();
      open_.pop_back();
      sub_ = sub;
      visit(*block);
      while (!letsToRead_.empty()) {
        const Expression &value = *letsToRead_.back();
        letsToRead_.pop_back();
        read(value);
      }
    }
    warnOfRecursion(main);
  }

  /// Conditions that are no conditions, wherever they stand. What a macro brings may be another
  /// value next time.
  void warnOfConditions(const Program &program) {
    const Conditions conditions(program);
    for (const Statement &statement : program.statements) {
      const Expression *condition = statement.condition;
      const std::optional<bool> always =
          condition && !isOfMacro(*condition) ? conditions.alwaysIs(*condition) : std::nullopt;
      if (always) {
        messages_.warning(at(condition->begin), "W-COND",
                          std::string("this condition is always ") + (*always ? "true" : "false"));
      }
    }
  }

private:
  Location at(Position position) const { return text_.locate(position); }

  std::string quoted(const Expression &expression) const {
    return "'" +
           std::string(
               text_.characters().substr(expression.begin, expression.end - expression.begin)) +
           "'";
  }

  bool isOfMacro(const Expression &expression) const {
    return at(expression.begin).expansion != 0 ||
           std::ranges::any_of(expression.parts,
                               [this](const Expression *part) { return isOfMacro(*part); });
  }

  void open(const Block *block) { open_.emplace_back(block, sub_); }

  void call(const Sub &sub) {
    if (sub.kind == Sub::Kind::Structured && called_.insert(&sub).second) {
      open_.emplace_back(sub.body, &sub);
    }
  }

  /// A sub that calls itself whenever it is called, perhaps by others.
  void warnOfRecursion(const Sub &main) {
    std::unordered_set<const Sub *> above; // Subs that the latest one is called from.
    std::unordered_set<const Sub *> done;
    std::vector<std::pair<const Sub *, std::size_t>> way{{&main, 0}};
    above.insert(&main);
    while (!way.empty()) {
      auto &[sub, next] = way.back();
      const std::vector<const Statement *> &calls = calls_[sub];
      if (next == calls.size()) {
        above.erase(sub);
        done.insert(sub);
        way.pop_back();
        continue;
      }
      const Statement &statement = *calls[next++];
      if (above.contains(statement.callee)) {
        messages_.warning(at(statement.name.at), "W-REC",
                          "endless recursion: every call of '" +
                              std::string(statement.callee->name.text) + "' leads to another one");
      } else if (!done.contains(statement.callee)) {
        above.insert(statement.callee);
        way.emplace_back(statement.callee, 0);
      }
    }
  }

  void visit(const Block &block) {
    for (const Statement *statement : block.statements) {
      visit(*statement);
    }
    warnTwice(block);
    warnOfDeletions(block);
  }

  void visit(const Statement &statement) {
    switch (statement.kind) {
    case Statement::Kind::Call:
      return visitCall(statement);
    case Statement::Kind::Let:
      open(statement.body);
      return;
    case Statement::Kind::For: {
      read(*statement.first);
      read(*statement.last);
      const Constant first = constants_.of(*statement.first);
      const Constant last = constants_.of(*statement.last);
      if (first && last && *first <= *last) {
        open(statement.body);
      }
      return;
    }
    case Statement::Kind::While:
      read(*statement.first);
      read(*statement.condition);
      if (constants_.of(*statement.condition).value_or(0) != 0) {
        open(statement.body);
      }
      return;
    case Statement::Kind::If:
      read(*statement.condition);
      if (const Constant condition = constants_.of(*statement.condition)) {
        if (const Block *taken = *condition != 0 ? statement.body : statement.otherwise) {
          open(taken);
        }
      }
      return;
    }
  }

  void visitCall(const Statement &statement) {
    for (std::size_t i = 0; i < statement.arguments.size(); ++i) {
      const Expression &argument = *statement.arguments[i];
      if (statement.callee->parameters[i].type == ParameterType::Name) {
        readIndices(argument);
      } else {
        read(argument);
      }
    }
    if (statement.callee->kind == Sub::Kind::Structured) {
      calls_[sub_].push_back(&statement);
    }
    call(*statement.callee);
  }

  void readIndices(const Expression &id) {
    for (const Expression *index : id.parts) {
      read(*index);
    }
  }

  /// What the value of an expression cannot be found without.
  void read(const Expression &expression) {
    if (expression.kind == Expression::Kind::Choice) {
      read(*expression.parts[0]);
      if (const Constant condition = constants_.of(*expression.parts[0])) {
        read(*expression.parts[*condition != 0 ? 1 : 2]);
      }
      return;
    }
    if (expression.kind == Expression::Kind::Binary &&
        (expression.text == "&&" || expression.text == "||")) {
      read(*expression.parts[0]);
      const Constant left = constants_.of(*expression.parts[0]);
      if (left && (*left != 0) == (expression.text == "&&")) {
        read(*expression.parts[1]);
      }
      return;
    }
    for (const Expression *part : expression.parts) {
      read(*part);
    }
    if (expression.kind == Expression::Kind::Reference && expression.declaration != nullptr) {
      readName(*expression.declaration, expression);
    }
  }

  /// Nothing in the text may produce it. The checker has seen all that might.
  void readName(const Declaration &declaration, const Expression &expression) {
    if (declaration.kind == Declaration::Kind::Let) {
      if (lets_.insert(&declaration).second) {
        letsToRead_.push_back(declaration.value); // One may lead to thousands.
      }
    } else if (declaration.kind == Declaration::Kind::Fragment && !declaration.isWritten &&
               told_.insert(&declaration).second) {
      messages_.warning(at(expression.at), "E-HANG",
                        "this waits for '" + std::string(declaration.name.text) +
                            "', which no fragment produces");
    }
  }

  /// Calls of one block come to life together, and equal indices have equal values there.
  void warnTwice(const Block &block) {
    std::unordered_map<const Declaration *, std::vector<std::pair<const Expression *, Word>>> seen;
    for (const Statement *statement : block.statements) {
      if (statement->kind != Statement::Kind::Call) {
        continue;
      }
      const bool isProcedure = statement->callee->kind != Sub::Kind::Structured;
      for (std::size_t i = 0; i < statement->arguments.size() && isProcedure; ++i) {
        const Expression &output = *statement->arguments[i];
        if (statement->callee->parameters[i].type == ParameterType::Name) {
          warnTwice(output, false, statement->name, seen[output.declaration]);
        }
      }
      for (const Expression *signal : statement->signals) {
        warnTwice(*signal, true, statement->name, seen[signal->declaration]);
      }
    }
  }

  /// Two outputs of one call are an error already.
  void warnTwice(const Expression &output, bool isSignal, Word call,
                 std::vector<std::pair<const Expression *, Word>> &others) {
    constexpr std::size_t kMostCompared = 64; // A block may have thousands of calls.
    for (const auto &[other, first] : others) {
      if (isSame(*other, output) && (isSignal || first.at != call.at)) {
        const Location place = at(output.begin);
        messages_.warning(place, "E-TWICE",
                          "data fragment " + quoted(output) + " is assigned twice (by " +
                              std::string(first.text) + " at " +
                              messages_.lineOf(at(first.at), place) + " and by " +
                              std::string(call.text) + " at " +
                              messages_.lineOf(at(call.at), place) + ")");
        return;
      }
    }
    if (others.size() < kMostCompared) {
      others.emplace_back(&output, call);
    }
  }

  static bool isDataFragment(const Expression &argument) {
    return argument.kind == Expression::Kind::Reference && argument.declaration != nullptr &&
           argument.declaration->kind == Declaration::Kind::Fragment;
  }

  /// Whether the call makes what `id` names.
  static bool makes(const Statement &call, const Expression &id) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (call.callee->parameters[i].type == ParameterType::Name &&
          isSame(*call.arguments[i], id)) {
        return true;
      }
    }
    return std::ranges::any_of(call.signals,
                               [&](const Expression *signal) { return isSame(*signal, id); });
  }

  /// What a call reads whole, for which `isOne` holds; null if there is nothing.
  template <typename IsOne> static const Expression *findRead(const Statement &call, IsOne isOne) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Expression &argument = *call.arguments[i];
      if (call.callee->parameters[i].type != ParameterType::Name && isDataFragment(argument) &&
          isOne(argument)) {
        return &argument;
      }
    }
    return nullptr;
  }

  /// Calls of the block that begin when one of `before` has ended: they read what that makes.
  static std::vector<const Statement *> behind(const std::vector<const Statement *> &before,
                                               const std::vector<const Statement *> &calls) {
    std::vector<const Statement *> found;
    std::ranges::copy_if(calls, std::back_inserter(found), [&](const Statement *call) {
      return findRead(*call, [&](const Expression &id) {
        return std::ranges::any_of(
            before, [&](const Statement *maker) { return maker != call && makes(*maker, id); });
      });
    });
    return found;
  }

  static std::vector<const Expression *> deletedBy(const Statement &call) {
    std::vector<const Expression *> deleted(call.deletions.begin(), call.deletions.end());
    for (const Rule &rule : call.rules) {
      if (rule.form == Rule::Form::Names && rule.name.text == "delete") {
        deleted.insert(deleted.end(), rule.ids.begin(), rule.ids.end());
      }
    }
    return deleted;
  }

  /// A call that reads what a call makes that begins when the deletion is over: until then it
  /// waits for that, and so for what is deleted, too.
  void warnOfDeletions(const Block &block) {
    constexpr std::size_t kMostCalls = 64; // A block may have thousands.
    std::vector<const Statement *> calls;
    for (const Statement *statement : block.statements) {
      if (statement->kind == Statement::Kind::Call &&
          statement->callee->kind != Sub::Kind::Structured) {
        calls.push_back(statement);
      }
    }
    if (calls.size() > kMostCalls) {
      return;
    }
    for (const Statement *call : calls) {
      const std::vector<const Expression *> deleted = deletedBy(*call);
      if (deleted.empty()) {
        continue;
      }
      for (const Statement *reader : behind(behind({call}, calls), calls)) {
        const Expression *read = findRead(*reader, [&](const Expression &id) {
          return std::ranges::any_of(deleted,
                                     [&](const Expression *each) { return isSame(*each, id); });
        });
        if (read && reader != call && isTold_.insert(read).second) {
          const Location place = at(read->begin);
          messages_.warning(place, "E-DEL",
                            "data fragment " + quoted(*read) +
                                " is requested after its deletion (by " +
                                std::string(reader->name.text) + " at " +
                                messages_.lineOf(at(reader->name.at), place) + ")");
          messages_.note(at(call->name.at), "it is deleted when this has ended");
        }
      }
    }
  }

  const Constants constants_;
  const Text &text_;
  Messages &messages_;
  std::unordered_set<const Expression *> isTold_; ///< Reads after a deletion.
  /// Blocks that come to life and have not been looked at, and of which sub they are part.
  std::vector<std::pair<const Block *, const Sub *>> open_;
  const Sub *sub_ = nullptr; ///< That is looked at.
  /// Of subs that come to life: those that come to life with them.
  std::unordered_map<const Sub *, std::vector<const Statement *>> calls_;
  std::unordered_set<const Sub *> called_;
  std::unordered_set<const Declaration *> lets_; ///< That are read, ...
  std::vector<const Expression *> letsToRead_;   ///< ... or are going to be.
  std::unordered_set<const Declaration *> told_;
};

} // namespace

void warnOfTheRun(const Program &program, const Text &text, Messages &messages) {
  Prover prover(program, text, messages);
  prover.warnOfConditions(program);
  if (const Sub *main = findSub(program, "main")) {
    prover.run(*main);
  }
}

} // namespace tutti::compiler::luna
