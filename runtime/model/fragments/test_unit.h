// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tables of small programs, written by tests, and their run on several ranks in one thread.
#pragma once

#include "runtime/model/fragments/state.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

/// Adds to the tables of one unit. Everything gets the place "t.fa:N", N its number.
class TestUnit {
public:
  using Ints = std::vector<std::int32_t>;

  std::int32_t integer(std::int32_t value) {
    tutti_luna_node node = blank(TUTTI_LUNA_INT);
    node.integer = value;
    return add(node);
  }

  std::int32_t real(double value) {
    tutti_luna_node node = blank(TUTTI_LUNA_REAL);
    node.real = value;
    return add(node);
  }

  std::int32_t slot(std::int32_t up, std::int32_t position, const Ints &indices = {}) {
    tutti_luna_node node = blank(TUTTI_LUNA_SLOT);
    node.up = up;
    node.slot = position;
    node.indices = list(indices);
    return add(node);
  }

  std::int32_t pattern(std::int32_t index) {
    tutti_luna_node node = blank(TUTTI_LUNA_PATTERN);
    node.slot = index;
    return add(node);
  }

  std::int32_t op(std::int32_t kind, std::int32_t a, std::int32_t b = -1, std::int32_t c = -1) {
    tutti_luna_node node = blank(kind);
    node.a = a;
    node.b = b;
    node.c = c;
    return add(node);
  }

  std::int32_t procedure(const char *name, const char *types, tutti_luna_stub stub = nullptr) {
    tutti_luna_procedure procedure{};
    procedure.name = name;
    procedure.code = name;
    procedure.types = types;
    procedure.stub = stub;
    procedure.at = "t.fa:0";
    procedure.function = reinterpret_cast<const void *>(stub);
    procedures_.push_back(procedure);
    return static_cast<std::int32_t>(procedures_.size()) - 1;
  }

  /// Devices have a version of the procedure.
  void setVersion(std::int32_t procedure) {
    tutti_luna_procedure &of = procedures_[static_cast<std::size_t>(procedure)];
    of.version = of.function;
    of.versionStub = of.stub;
  }

  /// What the procedure's parameters are to merged calls; devices have a version of it.
  void setMerge(std::int32_t procedure, const char *letters) {
    setVersion(procedure);
    procedures_[static_cast<std::size_t>(procedure)].merge = letters;
  }

  tutti_luna_statement blankStatement(std::int32_t kind) {
    tutti_luna_statement statement{};
    statement.kind = kind;
    statement.a = statement.b = statement.c = statement.body = statement.other = -1;
    statement.label = -1;
    statement.at = place();
    return statement;
  }

  std::int32_t add(const tutti_luna_statement &statement) {
    statements_.push_back(statement);
    return static_cast<std::int32_t>(statements_.size()) - 1;
  }

  std::int32_t call(std::int32_t callee, const Ints &arguments, const Ints &deletes = {},
                    const Ints &signals = {}, const Ints &rules = {}) {
    auto statement = blankStatement(TUTTI_LUNA_CALL);
    statement.callee = callee;
    statement.arguments = list(arguments);
    statement.deletes = list(deletes);
    statement.signals = list(signals);
    statement.rules = list(rules);
    return add(statement);
  }

  std::int32_t callSub(std::int32_t callee, const Ints &arguments, const Ints &signals = {}) {
    auto statement = blankStatement(TUTTI_LUNA_CALL_SUB);
    statement.callee = callee;
    statement.arguments = list(arguments);
    statement.signals = list(signals);
    return add(statement);
  }

  std::int32_t loop(std::int32_t first, std::int32_t last, std::int32_t body) {
    auto statement = blankStatement(TUTTI_LUNA_FOR);
    statement.a = first;
    statement.b = last;
    statement.body = body;
    return add(statement);
  }

  std::int32_t whileLoop(std::int32_t first, std::int32_t condition, std::int32_t out,
                         std::int32_t body) {
    auto statement = blankStatement(TUTTI_LUNA_WHILE);
    statement.a = first;
    statement.b = condition;
    statement.c = out;
    statement.body = body;
    return add(statement);
  }

  std::int32_t choice(std::int32_t condition, std::int32_t body, std::int32_t other = -1) {
    auto statement = blankStatement(TUTTI_LUNA_IF);
    statement.a = condition;
    statement.body = body;
    statement.other = other;
    return add(statement);
  }

  /// Slots by name, of which those before `firstData` have no data fragments.
  std::int32_t block(const std::vector<const char *> &names, std::int32_t firstData,
                     const Ints &statements, const Ints &rules = {}) {
    const auto first = static_cast<std::int32_t>(slots_.size());
    for (const char *name : names) {
      slots_.push_back({name, place()});
    }
    blocks_.push_back(
        {first, static_cast<std::int32_t>(names.size()), firstData, list(statements), list(rules)});
    return static_cast<std::int32_t>(blocks_.size()) - 1;
  }

  std::int32_t rule(std::int32_t kind, std::int32_t slot, std::int32_t id, std::int32_t value) {
    rules_.push_back({kind, slot, -1, id, value, place()});
    return static_cast<std::int32_t>(rules_.size()) - 1;
  }

  std::int32_t sub(const char *name, const char *types, std::int32_t body) {
    subs_.push_back({name, place(), types, body});
    return static_cast<std::int32_t>(subs_.size()) - 1;
  }

  /// Of a sub whose body refers to itself.
  void setBody(std::int32_t sub, std::int32_t body) {
    subs_[static_cast<std::size_t>(sub)].body = body;
  }

  const tutti_luna_unit &unit(std::int32_t main) {
    unit_ = {};
    unit_.nodes = nodes_.data();
    unit_.statements = statements_.data();
    unit_.rules = rules_.data();
    unit_.blocks = blocks_.data();
    unit_.slots = slots_.data();
    unit_.subs = subs_.data();
    unit_.procedures = procedures_.data();
    unit_.lists = lists_.data();
    unit_.mainSub = main;
    unit_.mainProcedure = -1;
    return unit_;
  }

private:
  tutti_luna_node blank(std::int32_t kind) {
    tutti_luna_node node{};
    node.kind = kind;
    node.a = node.b = node.c = -1;
    node.at = place();
    return node;
  }

  std::int32_t add(const tutti_luna_node &node) {
    nodes_.push_back(node);
    return static_cast<std::int32_t>(nodes_.size()) - 1;
  }

  tutti_luna_list list(const Ints &items) {
    const auto first = static_cast<std::int32_t>(lists_.size());
    lists_.insert(lists_.end(), items.begin(), items.end());
    return {first, static_cast<std::int32_t>(items.size())};
  }

  const char *place() {
    places_.push_back("t.fa:" + std::to_string(places_.size() + 1));
    return places_.back().c_str();
  }

  std::deque<std::string> places_;
  std::vector<tutti_luna_node> nodes_;
  std::vector<tutti_luna_statement> statements_;
  std::vector<tutti_luna_rule> rules_;
  std::vector<tutti_luna_block> blocks_;
  std::vector<tutti_luna_slot> slots_;
  std::vector<tutti_luna_sub> subs_;
  std::vector<tutti_luna_procedure> procedures_;
  Ints lists_;
  tutti_luna_unit unit_{};
};

/// What a run left behind.
struct Outcome {
  std::string error;              ///< Empty if all went well.
  std::vector<std::string> shown; ///< Sorted.
  std::vector<Counts> counts;     ///< Of each rank.
  std::uint64_t messages = 0;
};

/// Ranks whose borders follow what calls take.
struct Balance {
  std::function<double(const Call &)> seconds; ///< That a call takes.
  std::int32_t round = 4;
};

/// Runs a unit whose procedures are found by name: `set` and `add` make the sum of their integer
/// arguments, `show` notes it, `none` makes nothing. Ready calls run in an order that `seed`
/// chooses.
Outcome runOn(const tutti_luna_unit &unit, std::int32_t ranks, std::uint32_t seed = 1,
              std::uint64_t most = 100000, const Balance *balance = nullptr);

/// What a rod shows, a line for each of its parts, in order of text: part i begins with i, and each
/// step adds the part before it (1 before the first one), modulo 97.
std::vector<std::string> rodInOrder(int steps, int parts);

} // namespace tutti::model::fragments
