// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What moves for an assignment between sections of two arrays, whatever their mappings.
#pragma once

#include "base/result.h"
#include "runtime/distribution/array_map.h"
#include "runtime/distribution/box.h"

#include <optional>
#include <span>
#include <vector>

namespace tutti::distribution {

/// One subscript of a section: an index, or several.
struct Subscript {
  Index first = 0;
  Index count = 1;
  Index step = 1;      ///< Not 0; may be negative.
  bool isRange = true; ///< Else an index, which is no dimension of the section.

  static Subscript index(Index at) { return {at, 1, 1, false}; }

  static Subscript all(Index extent) { return {0, extent, 1, true}; }

  Index last() const { return first + (count - 1) * step; }
};

/// A section of an array, as one side of an assignment.
///
/// Ownership: borrows the map.
struct Side {
  const ArrayMap *map;
  std::vector<Subscript> subscripts; ///< One for each dimension of the array.
  /// The dimensions of the array that are the section's, in the section's order; empty: as they
  /// stand. Says how a transposed array is read.
  std::vector<std::size_t> order;

  /// The array's dimensions that are the section's, in the section's order.
  std::vector<std::size_t> ranges() const;

  /// All of an array.
  static Side whole(const ArrayMap &map);
};

/// An assignment, and who takes part.
///
/// Shape: `readers` own elements on the left side that they get, `writers` elements of the right
///        side that they give; nodes that are in no list stay out of it.
struct Assignment {
  Side left;
  Side right;
  std::vector<Node> readers;
  std::vector<Node> writers;
};

/// What one node gets of another: the elements on the right in the memory of `from`, and the same
/// on the left in the memory of the reader.
struct Delivery {
  Node from;
  Box source;
  Box target;
  bool fills; ///< The right side is one element.
};

/// Errors: InvalidArgument  a subscript lies outside of its array, or the shapes differ.
Status checkAssignment(const Assignment &assignment);

/// All that `reader` gets, itself included, in the order of the owners' coordinates. Every element
/// once: of replicated ones its own, or those of one of the writers that have them.
///
/// Errors: InvalidArgument  no writer has some of the elements.
Result<std::vector<Delivery>> deliveriesTo(const Assignment &assignment, Node reader);

/// The part of node `me` in a collective assignment. Errors: those of both functions above.
Result<Move> gmove(const Assignment &assignment, Node me);

} // namespace tutti::distribution
