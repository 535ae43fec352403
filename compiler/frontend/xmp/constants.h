// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sizes and indices that are the same in every run of a program, and what sections of them name.
#pragma once

#include "clang/AST/Expr.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tutti::compiler::xmp {

/// Nothing: not known before the program runs, or too large to count with.
using Constant = std::optional<std::int64_t>;

/// As the value will be once it is converted to `long`.
Constant constantOf(const clang::Expr *expr, const clang::ASTContext &context);

Constant sum(Constant left, Constant right);
Constant difference(Constant left, Constant right);
Constant product(Constant left, Constant right);

/// For messages.
std::string textOf(Constant number);

/// The indices that a dimension has, both ends inclusive.
struct Bounds {
  Constant lower;
  Constant upper;

  static Bounds ofCount(Constant count) { return {0, difference(count, 1)}; }

  Constant count() const { return sum(difference(upper, lower), 1); }

  /// Whether it is certain that an index is none of these.
  bool excludes(Constant index) const {
    return index && ((lower && *index < *lower) || (upper && *index > *upper));
  }
};

/// One subscript: an index, or a range of them as runtime/model/spmd/refs.cpp reads it.
struct Subscript {
  bool isRange = false;
  bool isInclusive = false; ///< `second` is the last index, and no count.
  bool hasFirst = true;
  bool hasSecond = false;
  Constant first;
  Constant second;
  Constant step = 1;

  static Subscript of(Constant index) {
    Subscript subscript;
    subscript.first = index;
    return subscript;
  }

  static Subscript all() {
    Subscript subscript;
    subscript.isRange = true;
    subscript.hasFirst = false;
    return subscript;
  }

  /// What it names in a dimension.
  struct Reach {
    Constant first;
    Constant last;
    Constant count;
  };

  Reach reach(const Bounds &bounds) const;

  /// The same of a set of nodes: programs write in `base:length:step` how far it goes, where the
  /// language counts elements.
  Reach reachOfSet(const Bounds &bounds) const;
};

} // namespace tutti::compiler::xmp
