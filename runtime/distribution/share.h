// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which iterations of a loop a node runs.
#pragma once

#include "runtime/distribution/axis.h"

#include <cstdint>
#include <vector>

namespace tutti::distribution {

/// `lower`, `lower + step`, ... not past `last`.
struct Iterations {
  Index lower;
  Index last;
  Index step; ///< Not 0.

  Index count() const {
    const Index distance = step > 0 ? last - lower : lower - last;
    return distance < 0 ? 0 : distance / (step > 0 ? step : -step) + 1;
  }

  Index at(Index k) const { return lower + k * step; }
};

/// Iteration `k` of `count` is `list[k]` if there is a list, else, with n = k + phase,
/// begin + n / per * cycle + n % per * step of the loop.
struct LoopShare {
  Index begin = 0;
  Index count = 0;
  Index phase = 0;
  Index per = 1;
  Index cycle = 1;
  std::vector<Index> list;

  Index at(Index k, Index step) const {
    const Index n = k + phase;
    return list.empty() ? begin + n / per * cycle + n % per * step
                        : list[static_cast<std::size_t>(k)];
  }

  friend bool operator==(const LoopShare &, const LoopShare &) = default;
};

/// The iterations `i` for which the node at `coordinate` owns `i + offset`, in the loop's order.
/// With blocks of one size or one stride there is a formula, and no list.
LoopShare shareOf(const Axis &axis, Index coordinate, Index offset, const Iterations &iterations);

/// Numbers of iterations [begin, end); may leave those of the loop.
struct Interval {
  Index begin = 0;
  Index end = 0;

  bool isEmpty() const { return begin >= end; }

  friend bool operator==(const Interval &, const Interval &) = default;
};

/// The same as an interval. Shape: the axis is not dealt in turn.
Interval intervalOf(const Axis &axis, Index coordinate, Index offset, const Iterations &iterations);

LoopShare shareOf(const Interval &interval, const Iterations &iterations);

/// By how many indices a share grows at both ends; below 0 it shrinks.
struct Growth {
  Index below = 0;
  Index above = 0;
  bool isUnbound = false; ///< May leave the loop's bounds.
};

enum class Ring : std::uint8_t {
  Expand, ///< The share as it has grown.
  Margin, ///< What that is more, or less.
  Peel,   ///< The share as it has shrunk; then what is missing.
};

/// A share in several dimensions, and the loop and growth of each.
struct NestShare {
  std::vector<Interval> intervals;
  std::vector<Iterations> iterations;
  std::vector<Growth> growths;
};

/// Disjoint boxes that together are the ring. Of Expand one, of Peel the shrunk share first.
std::vector<std::vector<Interval>> boxesOf(const NestShare &share, Ring ring);

} // namespace tutti::distribution
