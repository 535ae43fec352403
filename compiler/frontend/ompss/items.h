// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Dependence items: `x`, `p[i]`, `a[0;n][j]`, `[n]p`, `{v[i], i=0;n}`. Takes them apart and writes
/// the calls that tell the runtime which bytes they are. Knows tokens only, no types.
#pragma once

#include "compiler/frontend/ompss/directive.h"

namespace tutti::compiler::ompss {

/// What stands in one pair of brackets.
struct Subscript {
  enum class Form : std::uint8_t {
    Index, ///< `[i]`: one element.
    Count, ///< `[a;n]`: n elements from a.
    Last,  ///< `[a:b]`: from a to b inclusive.
  };
  Form form = Form::Index;
  clang::SourceLocation where;
  Tokens first;  ///< Empty: from the first element.
  Tokens second; ///< Number, or last element. Empty: to the end of the array.
};

/// Values that a name takes, one after the other.
struct Iterator {
  enum class Form : std::uint8_t { Last, Count, Values };
  Form form = Form::Last;
  clang::Token name;
  Tokens first;
  Tokens second;              ///< Last value, or number of values.
  Tokens step;                ///< Empty: 1.
  std::vector<Tokens> values; ///< Of Form::Values.
};

/// Always: `base` is not empty.
struct Item {
  clang::SourceLocation where;
  Tokens base;                       ///< An lvalue, or what is shaped.
  std::vector<Tokens> shape;         ///< Sizes, outermost first; empty if nothing is shaped.
  std::vector<Subscript> subscripts; ///< After the base: from the first section on, or of a shape.
  std::vector<Iterator> iterators;   ///< Outermost first.
};

/// How the second number of a section in the spelling `a:b` reads.
enum class Colon : std::uint8_t { Last, Count };

/// Reads one item. Nothing if an error was reported.
std::optional<Item> readItem(clang::Preprocessor &preprocessor, TokensRef tokens, Colon colon);

/// Writes an expression that names the item's bytes to the runtime; `kind` is one of
/// tutti_task_access_kinds. Its type is `char *`.
void writeAccess(TokenWriter &writer, const Item &item, std::uint32_t kind);

/// Writes an expression of the item's address, and one of its size in bytes. Of items without
/// sections and iterators.
void writeAddress(TokenWriter &writer, const Item &item);
void writeSize(TokenWriter &writer, const Item &item);

/// Whether any token of the item is this name.
bool mentions(const Item &item, llvm::StringRef name);

} // namespace tutti::compiler::ompss
