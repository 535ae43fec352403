// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Node arrays: which rank of the job is which element.
#pragma once

#include "base/result.h"
#include "runtime/distribution/index_set.h"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tutti::distribution {

/// A rank of the job.
using Node = std::int32_t;

/// Of one dimension: `count` indices, `step` apart.
struct Triplet {
  Index first = 0;
  Index count = 1;
  Index step = 1;

  Index at(Index k) const { return first + k * step; }

  friend bool operator==(const Triplet &, const Triplet &) = default;
};

/// An array of nodes; immutable.
///
/// Shape: the last dimension varies fastest, subscripts begin at 0. A rank is one element at most.
class Nodes {
public:
  /// `ranks` in the order of elements.
  Nodes(std::vector<Index> extents, std::vector<Node> ranks);

  /// Of one dimension.
  static Nodes listOf(std::vector<Node> ranks);

  const std::vector<Index> &extents() const { return extents_; }

  /// In the order of elements.
  const std::vector<Node> &ranks() const { return ranks_; }

  std::size_t size() const { return ranks_.size(); }

  /// The element's number in the order of elements; none if the rank is not a member.
  std::optional<std::size_t> positionOf(Node rank) const;

  /// None if the rank is not a member.
  std::optional<std::vector<Index>> coordinatesOf(Node rank) const;

  Node at(std::span<const Index> coordinates) const;

  /// The ranks of a section, in its order of elements.
  /// Errors: InvalidArgument  a subscript lies outside, or there are none.
  Result<std::vector<Node>> section(std::span<const Triplet> section) const;

  /// The ranks with one of these subscripts in each dimension, in the order of the lists.
  std::vector<Node> select(const std::vector<std::vector<Index>> &subscripts) const;

  /// Appends all that says what it is.
  void describe(std::vector<Index> &words) const;

private:
  std::vector<Index> extents_;
  std::vector<Node> ranks_;
  std::unordered_map<Node, std::size_t> positions_;
};

} // namespace tutti::distribution
