// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tables of abi/luna.h as C++ text, row by row.
#pragma once

#include "compiler/frontend/luna/source.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace tutti::compiler::luna {

/// Rows of one table.
class Table {
public:
  explicit Table(const char *type, const char *name) : type_(type), name_(name) {}

  int add(std::string row);

  /// A row that is there, or a new one.
  int share(const std::string &row);

  /// A row whose text is known later.
  int reserve() { return add(""); }

  void set(int row, std::string text) { rows_[static_cast<std::size_t>(row)] = std::move(text); }

  std::string text() const;

private:
  const char *type_;
  const char *name_;
  std::vector<std::string> rows_;
  std::unordered_map<std::string, int> known_;
};

/// A node of an expression; what it does not use stays as it is here.
struct Node {
  const char *kind;
  int a = -1;
  int b = -1;
  int c = -1;
  int up = 0;
  int slot = -1;
  std::string indices = "{0, 0}";
  std::string integer = "0";
  std::string real = "0.0";
  std::string text = "nullptr";
};

struct Tables {
  Table nodes{"tutti_luna_node", "kNodes"};
  Table statements{"tutti_luna_statement", "kStatements"};
  Table rules{"tutti_luna_rule", "kRules"};
  Table blocks{"tutti_luna_block", "kBlocks"};
  Table slots{"tutti_luna_slot", "kSlots"};
  Table subs{"tutti_luna_sub", "kSubs"};
  Table procedures{"tutti_luna_procedure", "kProcedures"};
  Table labels{"char *const", "kLabels"};
  Table lists{"int32_t", "kLists"};

  /// A run of `lists`, as `{first, count}`.
  std::string list(const std::vector<int> &positions);

  int node(const Node &node, const std::string &at);

  /// All of them.
  std::string text() const;
};

/// As a literal of C++.
std::string literal(std::string_view text);

/// What a string of a program stands for: its escapes are those of C.
std::string unescaped(std::string_view text);

} // namespace tutti::compiler::luna
