// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Expressions as rows of tables, and the frames that names are found in.
#pragma once

#include "compiler/frontend/luna/ast.h"
#include "compiler/frontend/luna/tables.h"

#include <unordered_map>

namespace tutti::compiler::luna {

class ExpressionWriter {
public:
  ExpressionWriter(Tables &tables, const Text &text, const Sources &sources)
      : tables_(tables), text_(text), sources_(sources) {}

  void enterFrame() { ++level_; }

  void leaveFrame() { --level_; }

  /// A name of the innermost frame.
  void place(const Declaration &declaration, int slot) { places_[&declaration] = {level_, slot}; }

  /// A name whose uses stand for its expression, which is written here.
  void placeLet(const Declaration &let);

  void placePattern(const Declaration &pattern, int index) { places_[&pattern] = {-1, index}; }

  int write(const Expression &expression);

  /// As `write`, where an int is wanted: a number that is known to be real is truncated.
  int writeInteger(const Expression &expression);

  std::string list(const std::vector<Expression *> &expressions);

  /// "file:line" as a literal.
  std::string at(Position position) const;

private:
  struct Place {
    int level;
    int slot;
  };

  struct Let {
    int level;
    int node;                 ///< Of the value; of a data fragment there is none.
    std::vector<int> indices; ///< Of a data fragment: nodes.
  };

  int reference(const Expression &expression);
  int slot(const Declaration &declaration, std::vector<int> indices, const std::string &at);
  int outer(int node, int level, const std::string &at);
  int binary(const Expression &expression);

  Tables &tables_;
  const Text &text_;
  const Sources &sources_;
  int level_ = -1;
  std::unordered_map<const Declaration *, Place> places_;
  std::unordered_map<const Declaration *, Let> lets_;
};

} // namespace tutti::compiler::luna
