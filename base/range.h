// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Half-open byte ranges and sets of them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tutti {

/// Bytes [begin, end). Empty if `begin >= end`.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end > begin ? end - begin : 0; }

  bool empty() const { return begin >= end; }

  bool contains(const Range &other) const { return begin <= other.begin && other.end <= end; }

  bool overlaps(const Range &other) const { return begin < other.end && other.begin < end; }

  friend bool operator==(const Range &, const Range &) = default;
};

/// A set of bytes as sorted, disjoint, non-touching, non-empty ranges.
///
/// Threading: externally synchronised. Cost: set operations are linear in the
/// number of ranges.
class RangeSet {
public:
  RangeSet() = default;

  /// Takes ranges in any order, touching or overlapping.
  static RangeSet of(std::vector<Range> ranges);

  const std::vector<Range> &ranges() const & { return ranges_; }

  /// Of a temporary set, so that a loop over them keeps them.
  std::vector<Range> ranges() && { return std::move(ranges_); }

  bool empty() const { return ranges_.empty(); }

  std::uint64_t bytes() const;

  /// Smallest range that holds all; empty if the set is.
  Range hull() const;

  RangeSet unite(const RangeSet &other) const;

  RangeSet intersect(const RangeSet &other) const;

  RangeSet subtract(const RangeSet &other) const;

  bool overlaps(const RangeSet &other) const;

  friend bool operator==(const RangeSet &, const RangeSet &) = default;

private:
  std::vector<Range> ranges_;
};

} // namespace tutti
