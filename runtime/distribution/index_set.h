// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sets of indices as unions of arithmetic progressions: what a node owns of one dimension,
/// whatever the format, in a few numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::distribution {

using Index = std::int64_t;

/// `first`, `first + stride`, ...: `count` numbers.
///
/// Always: `count > 0`. In a set `stride > 0`, and 1 if there is one number only.
struct Progression {
  Index first = 0;
  Index count = 1;
  Index stride = 1;

  Index at(Index k) const { return first + k * stride; }

  Index last() const { return at(count - 1); }

  friend bool operator==(const Progression &, const Progression &) = default;
};

/// Disjoint progressions in the order of their first numbers.
using IndexSet = std::vector<Progression>;

/// [begin, end); no progression if it is empty.
IndexSet indexRange(Index begin, Index end);

/// What both have in common. Both ascend.
std::optional<Progression> intersect(const Progression &a, const Progression &b);

/// Cost: linear if both are made of runs, otherwise as many steps as there are pairs.
IndexSet intersect(const IndexSet &a, const IndexSet &b);

Index countOf(const IndexSet &set);

bool contains(const IndexSet &set, Index index);

/// The numbers, each with `offset` added.
IndexSet shifted(IndexSet set, Index offset);

/// The `k` in [0, count) for which `first + k * step` is in `set`. `step` is not 0.
IndexSet positionsOf(const IndexSet &set, Index first, Index count, Index step);

} // namespace tutti::distribution
