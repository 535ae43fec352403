// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rows of a base, found by the names of their data fragments: where loops come to life far
/// ahead of what runs there are thousands of them.
#pragma once

#include "runtime/model/fragments/row.h"

#include <map>
#include <memory>
#include <vector>

namespace tutti::model::fragments {

/// Always: no two rows have a name in common.
class RowsByName {
public:
  /// Null if the data fragment is part of none.
  Row *find(const Tuple &tuple) const;

  /// Those that may have some of these names: all of those whose names differ by another index.
  std::vector<Row *> overlapping(const Neighbours &names) const;

  /// Any of them; null if there is none.
  Row *any() const;

  void add(std::unique_ptr<Row> row);
  std::unique_ptr<Row> take(const Row &row);

private:
  /// By all indices but one, and then by that one: so a row is next to where its names would be.
  struct Order {
    std::size_t position;

    bool operator()(const Tuple &a, const Tuple &b) const;
  };

  using Sorted = std::map<Tuple, std::unique_ptr<Row>, Order>; ///< By their first names.

  /// The last one that begins at this name or in front of it.
  static Sorted::const_iterator atOrBefore(const Sorted &rows, const Tuple &tuple);

  std::vector<Sorted> sorted_; ///< One for each index by which names of rows differ.
};

} // namespace tutti::model::fragments
