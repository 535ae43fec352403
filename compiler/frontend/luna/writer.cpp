// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/writer.h"

#include "compiler/frontend/luna/abi_text.h"
#include "compiler/frontend/luna/annotations.h"
#include "compiler/frontend/luna/checker.h"
#include "compiler/frontend/luna/expression_writer.h"
#include "compiler/frontend/luna/foreign_writer.h"
#include "compiler/frontend/luna/procedure_writer.h"
#include "compiler/frontend/luna/tables.h"

#include <algorithm>

namespace tutti::compiler::luna {

namespace {

const char *kindOfRule(std::string_view word) {
  return word == "locator_cyclic"        ? "LOCATOR_CYCLIC"
         : word == "locator_rope"        ? "LOCATOR_ROPE"
         : word == "locator_replicating" ? "REPLICATING"
         : word == "rope_length"         ? "ROPE_LENGTH"
         : word == "req_count"           ? "REQ_COUNT"
         : word == "req_unlimited"       ? "REQ_UNLIMITED"
         : word == "device"              ? "DEVICE"
         : word == "priority"            ? "PRIORITY"
         : word == "cost"                ? "COST"
         : word == "stealable"           ? "STEALABLE"
                                         : nullptr;
}

/// Values that only the rules of a sub may use are not there when it runs.
bool usesNonFunctional(const Expression &expression) {
  if (expression.declaration != nullptr &&
      expression.declaration->kind == Declaration::Kind::NonFunctional) {
    return true;
  }
  return std::ranges::any_of(expression.parts,
                             [](const Expression *part) { return usesNonFunctional(*part); });
}

class Writer {
public:
  Writer(const Program &program, const PreprocessedProgram &text, const Sources &sources)
      : program_(program), text_(text), sources_(sources),
        expressions_(tables_, text.text, sources), foreign_(text, sources) {}

  WrittenProgram run(bool checksRun) {
    numberSubs();
    for (const Sub *sub : program_.subs) {
      if (!sub->isReplaced && sub->kind == Sub::Kind::Structured) {
        writeSub(*sub);
      }
    }
    WrittenProgram written;
    written.code = std::string(kAbiText) + "\n#include \"ucenv.h\"\n#include <cstdio>\n";
    for (const Head &head : program_.heads) {
      if (!head.isForDevices) {
        written.code += foreign_.write(head.foreign);
      }
    }
    ProcedureWriter procedures(text_, sources_, tables_, foreign_);
    written.code += procedures.write(program_, called_, written);
    written.inPlace = procedures.writeNativesInPlace(program_, called_);
    written.code += "namespace {\n" + tables_.text() + unit(checksRun) + "}\n";
    written.code +=
        "int main(int argc, char **argv) { return tutti_luna_main(&kUnit, argc, argv); }\n";
    return written;
  }

private:
  void numberSubs() {
    for (const Sub *sub : program_.subs) {
      if (!sub->isReplaced && sub->kind == Sub::Kind::Structured) {
        numbers_[sub] = tables_.subs.reserve();
      }
    }
    const Sub *main = findSub(program_, "main");
    if (main->kind != Sub::Kind::Structured) {
      mainProcedure_ = procedureOf(*main);
    } else {
      mainSub_ = numbers_.at(main);
    }
  }

  /// Those that nothing calls need not be there: programs import more than they use.
  int procedureOf(const Sub &sub) {
    const auto [known, isNew] = numbers_.try_emplace(&sub, static_cast<int>(called_.size()));
    if (isNew) {
      called_.push_back(&sub);
    }
    return known->second;
  }

  std::string at(Position position) const { return expressions_.at(position); }

  void writeSub(const Sub &sub) {
    std::vector<const Declaration *> names;
    for (const Parameter &parameter : sub.parameters) {
      names.push_back(parameter.declaration);
    }
    const int body = writeBlock(*sub.body, names);
    tables_.subs.set(numbers_.at(&sub), "{" + literal(sub.name.text) + ", " + at(sub.name.at) +
                                            ", " + literal(lettersOf(sub)) + ", " +
                                            std::to_string(body) + "}");
  }

  /// `first` are the names that are there before the block's own: parameters, or a counter. A
  /// statement's expressions that stand in the block's frame are written by `inside`.
  template <typename Inside>
  int writeBlock(const Block &block, const std::vector<const Declaration *> &first, Inside inside) {
    std::vector<const Declaration *> names = first;
    names.insert(names.end(), block.fragments.begin(), block.fragments.end());
    if (!names.empty()) {
      expressions_.enterFrame();
    }
    int firstSlot = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      expressions_.place(*names[i], static_cast<int>(i));
      const int row = tables_.slots.add("{" + literal(names[i]->name.text) + ", " +
                                        at(names[i]->name.at) + "}");
      firstSlot = i == 0 ? row : firstSlot;
    }
    inside();
    const int number = tables_.blocks.reserve();
    std::vector<int> statements;
    for (const Statement *statement : block.statements) {
      statements.push_back(writeStatement(*statement));
    }
    std::vector<int> rules;
    for (const Rule &rule : block.rules) {
      writeRule(rule, &block, static_cast<int>(first.size()), rules);
    }
    tables_.blocks.set(number, "{" + std::to_string(firstSlot) + ", " +
                                   std::to_string(names.size()) + ", " +
                                   std::to_string(first.size()) + ", " + tables_.list(statements) +
                                   ", " + tables_.list(rules) + "}");
    if (!names.empty()) {
      expressions_.leaveFrame();
    }
    return number;
  }

  int writeBlock(const Block &block, const std::vector<const Declaration *> &first) {
    return writeBlock(block, first, [] {});
  }

  /// What a row of `statements` has; -1 is none.
  struct Row {
    const char *kind;
    int callee = -1;
    int a = -1;
    int b = -1;
    int c = -1;
    int body = -1;
    int other = -1;
    std::string arguments = "{0, 0}";
    int label = -1;
    std::string labelIndices = "{0, 0}";
    std::string signals = "{0, 0}";
    std::string deletes = "{0, 0}";
    std::string rules = "{0, 0}";
  };

  int add(const Row &row, Position position) {
    const auto number = [](int value) { return std::to_string(value) + ", "; };
    return tables_.statements.add(
        "{TUTTI_LUNA_" + std::string(row.kind) + ", " + number(row.callee) + number(row.a) +
        number(row.b) + number(row.c) + number(row.body) + number(row.other) + row.arguments +
        ", " + number(row.label) + row.labelIndices + ", " + row.signals + ", " + row.deletes +
        ", " + row.rules + ", " + at(position) + "}");
  }

  int writeStatement(const Statement &statement) {
    Row row{.kind = "IF"};
    switch (statement.kind) {
    case Statement::Kind::Call:
      return writeCall(statement);
    case Statement::Kind::Let:
      row.kind = "STATEMENT_BLOCK";
      for (const Declaration *let : statement.lets) {
        expressions_.placeLet(*let);
      }
      row.body = writeBlock(*statement.body, {});
      break;
    case Statement::Kind::For:
      row.kind = "FOR";
      row.a = expressions_.writeInteger(*statement.first);
      row.b = expressions_.writeInteger(*statement.last);
      row.body = writeBlock(*statement.body, {statement.counter});
      break;
    case Statement::Kind::While:
      row.kind = "WHILE";
      row.a = expressions_.writeInteger(*statement.first);
      row.c = expressions_.write(*statement.last);
      row.body = writeBlock(*statement.body, {statement.counter},
                            [&] { row.b = writeCondition(statement); });
      break;
    case Statement::Kind::If:
      row.a = expressions_.write(*statement.condition);
      row.body = writeBlock(*statement.body, {});
      row.other = statement.otherwise == nullptr ? -1 : writeBlock(*statement.otherwise, {});
      break;
    }
    return add(row, statement.at);
  }

  int writeCondition(const Statement &statement) {
    return expressions_.write(*statement.condition);
  }

  int writeCall(const Statement &statement) {
    const Sub &callee = *statement.callee;
    const bool isSub = callee.kind == Sub::Kind::Structured;
    Row row{.kind = isSub ? "CALL_SUB" : "CALL"};
    row.callee = isSub ? numbers_.at(&callee) : procedureOf(callee);
    std::vector<int> arguments;
    for (std::size_t i = 0; i < statement.arguments.size(); ++i) {
      const bool isInt = callee.parameters[i].type == ParameterType::Int;
      const Expression &argument = *statement.arguments[i];
      arguments.push_back(isInt ? expressions_.writeInteger(argument)
                                : expressions_.write(argument));
    }
    row.arguments = tables_.list(arguments);
    if (statement.label != nullptr) {
      row.label = labelOf(statement.label->text);
      row.labelIndices = expressions_.list(statement.label->parts);
    }
    row.signals = expressions_.list(statement.signals);
    std::vector<Expression *> deletions = statement.deletions;
    std::vector<int> rules;
    for (const Rule &rule : statement.rules) {
      if (rule.name.text == "delete" && rule.form == Rule::Form::Names) {
        deletions.insert(deletions.end(), rule.ids.begin(), rule.ids.end());
      } else {
        writeRule(rule, nullptr, 0, rules);
      }
    }
    row.deletes = expressions_.list(deletions);
    row.rules = tables_.list(rules);
    return add(row, statement.name.at);
  }

  int labelOf(std::string_view label) { return tables_.labels.share(literal(label)); }

  /// `block` is null at a call. Rules that the checker ignored are left out.
  void writeRule(const Rule &rule, const Block *block, int firstData, std::vector<int> &rules) {
    const char *kind = kindOfRule(rule.name.text);
    const Annotation *annotation = findAnnotation(rule.name.text);
    if (kind == nullptr || !hasRightForm(*annotation, rule) ||
        (rule.value != nullptr && usesNonFunctional(*rule.value))) {
      return;
    }
    const bool isPattern = rule.form == Rule::Form::Mapped && rule.name.text != "req_count";
    int slot = -1;
    int label = -1;
    if (isPattern) {
      const Expression &id = *rule.ids.front();
      const auto own = block == nullptr ? std::vector<Declaration *>() : block->fragments;
      const auto found = std::ranges::find(own, id.declaration);
      if (rule.patterns.size() != id.parts.size()) {
        return;
      }
      if (found != own.end()) {
        slot = firstData + static_cast<int>(found - own.begin());
      } else if (rule.isOfLabel) {
        label = labelOf(id.text);
      } else {
        return;
      }
      for (std::size_t i = 0; i < rule.patterns.size(); ++i) {
        expressions_.placePattern(*rule.patterns[i], static_cast<int>(i));
      }
    }
    const bool isAll = rule.name.text == "locator_replicating" && rule.value->text == "all" &&
                       rule.value->declaration == nullptr;
    const int value = rule.value == nullptr || isAll ? -1 : expressions_.write(*rule.value);
    const bool hasIds = !rule.ids.empty() && !isPattern;
    for (std::size_t i = 0; i < (hasIds ? rule.ids.size() : 1); ++i) {
      const int id = hasIds ? expressions_.write(*rule.ids[i]) : -1;
      rules.push_back(tables_.rules.add("{TUTTI_LUNA_" + std::string(kind) + ", " +
                                        std::to_string(slot) + ", " + std::to_string(label) + ", " +
                                        std::to_string(id) + ", " + std::to_string(value) + ", " +
                                        at(rule.name.at) + "}"));
    }
  }

  std::string unit(bool checksRun) const {
    return "void start() {}\n"
           "const tutti_luna_unit kUnit = {TUTTI_LUNA_XMP_VERSION, " +
           literal(sources_.path(0)) + ", start, TUTTI_LUNA_VERSION, " +
           (checksRun ? "TUTTI_LUNA_CHECK" : "0") +
           ", kNodes, kStatements, kRules, kBlocks, kSlots, kSubs, kProcedures, kLabels, kLists, " +
           std::to_string(mainSub_) + ", " + std::to_string(mainProcedure_) + ", " +
           std::to_string(called_.size()) +
           "};\n"
           "[[gnu::section(TUTTI_LUNA_SECTION), gnu::used]] const tutti_luna_unit *const kEntry = "
           "&kUnit;\n";
  }

  const Program &program_;
  const PreprocessedProgram &text_;
  const Sources &sources_;
  Tables tables_;
  ExpressionWriter expressions_;
  ForeignWriter foreign_;
  std::unordered_map<const Sub *, int> numbers_;
  std::vector<const Sub *> called_;
  int mainSub_ = -1;
  int mainProcedure_ = -1;
};

} // namespace

WrittenProgram write(const Program &program, const PreprocessedProgram &text,
                     const Sources &sources, bool checksRun) {
  return Writer(program, text, sources).run(checksRun);
}

} // namespace tutti::compiler::luna
