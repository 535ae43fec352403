// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One dimension of a template or an array: its indices, and which of the nodes along a dimension
/// of the node array owns each.
#pragma once

#include "base/result.h"
#include "runtime/distribution/index_set.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::distribution {

/// Nodes along the axis have the coordinates 0 to `parts() - 1`; immutable.
///
/// Always: an index has exactly one owner; of an axis that is whole it is coordinate 0, and every
///         node has all of it.
class Axis {
public:
  enum class Kind : std::uint8_t { Whole, Blocks, Cyclic };

  /// Not distributed: [lower, lower + extent).
  static Axis whole(Index lower, Index extent);

  /// Blocks of `width` indices, one for each node; 0: as even as can be.
  /// Errors: InvalidArgument  they do not cover the axis.
  static Result<Axis> block(Index lower, Index extent, std::size_t nodeDimension, Index parts,
                            Index width = 0);

  /// Blocks of `width` dealt to nodes in turn. Errors: InvalidArgument  the width is not positive.
  static Result<Axis> cyclic(Index lower, Index extent, std::size_t nodeDimension, Index parts,
                             Index width);

  /// As many indices for each node as `map` says; what lies behind the last index counts for
  /// nothing. Errors: InvalidArgument  they do not cover the axis, or one is negative.
  static Result<Axis> general(Index lower, Index extent, std::size_t nodeDimension, Index parts,
                              std::span<const Index> map);

  Kind kind() const { return kind_; }

  bool isWhole() const { return kind_ == Kind::Whole; }

  Index lower() const { return lower_; }

  Index extent() const { return extent_; }

  Index end() const { return lower_ + extent_; }

  Index parts() const { return parts_; }

  /// Of a distributed axis.
  std::size_t nodeDimension() const { return nodeDimension_; }

  /// Of blocks that are dealt in turn: their size.
  Index width() const { return width_; }

  /// The axis of an array whose index `i` in [0, extent) lies at `i + offset` of this one.
  /// Errors: InvalidArgument  it does not fit.
  Result<Axis> aligned(Index offset, Index extent) const;

  IndexSet owned(Index coordinate) const;

  Index countOwned(Index coordinate) const;

  Index ownerOf(Index index) const;

  /// Of blocks: [begin, end) of a node.
  Index blockBegin(Index coordinate) const { return bounds_[static_cast<std::size_t>(coordinate)]; }

  Index blockEnd(Index coordinate) const {
    return bounds_[static_cast<std::size_t>(coordinate) + 1];
  }

  /// Of blocks that are dealt in turn: how many indices of its block lie below an index.
  Index placeInBlock(Index index) const { return (index + phase_) % width_; }

  /// Of blocks that are dealt in turn: the index at which a round of blocks would begin.
  Index origin() const { return -phase_; }

  /// How many owned indices lie below one that the node owns.
  Index rankOf(Index coordinate, Index index) const;

  void describe(std::vector<Index> &words) const;

private:
  Axis(Kind kind, Index lower, Index extent) : kind_(kind), lower_(lower), extent_(extent) {}

  Index countBelow(Index coordinate, Index distance) const;

  Kind kind_;
  Index lower_;
  Index extent_;
  std::size_t nodeDimension_ = 0;
  Index parts_ = 1;
  std::vector<Index> bounds_; ///< Of blocks: where each begins, and the end of the last.
  Index width_ = 0;           ///< Of blocks in turn.
  Index phase_ = 0;           ///< Added to an index it gives the distance from the first block.
};

} // namespace tutti::distribution
