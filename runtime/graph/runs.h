// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The runs of bytes that a region consists of.
#pragma once

#include "base/check.h"
#include "base/range.h"
#include "runtime/graph/task_graph.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti::graph {

/// A region with positive strides, the longest runs that it has, and the dimensions that are left.
class Runs {
public:
  explicit Runs(const Region &region) : first_{region.begin, region.begin + region.bytes} {
    TUTTI_CHECK(region.dimensions.size() <= kMaxDimensions, "a region of {} dimensions",
                region.dimensions.size());
    for (std::size_t i = region.dimensions.size(); i-- > 0;) { // From the innermost on.
      const tutti_dim dim = region.dimensions[i];
      const std::uint64_t count = static_cast<std::uint64_t>(dim.count);
      std::uint64_t stride = static_cast<std::uint64_t>(dim.stride);
      if (dim.stride < 0) {
        stride = -stride;
        first_.begin -= stride * (count - 1);
        first_.end -= stride * (count - 1);
      }
      if (count > 1 && dimensions_ == 0 && stride == first_.size()) {
        first_.end += stride * (count - 1);
      } else if (count > 1) {
        strides_[dimensions_] = stride;
        counts_[dimensions_++] = count;
      }
    }
  }

  bool isOne() const { return dimensions_ == 0; }

  std::size_t count() const {
    std::size_t all = first_.empty() ? 0 : 1;
    for (std::size_t i = 0; i < dimensions_; ++i) {
      all *= counts_[i];
    }
    return all;
  }

  /// Whether no run comes between those of an inner dimension.
  bool isNested() const {
    Range inner = first_;
    for (std::size_t i = 0; i < dimensions_; ++i) {
      if (strides_[i] < inner.size()) {
        return false;
      }
      inner.end += strides_[i] * (counts_[i] - 1);
    }
    return true;
  }

  friend bool operator==(const Runs &a, const Runs &b) {
    return a.first_ == b.first_ && a.dimensions_ == b.dimensions_ &&
           std::equal(a.strides_.begin(), a.strides_.begin() + a.dimensions_, b.strides_.begin()) &&
           std::equal(a.counts_.begin(), a.counts_.begin() + a.dimensions_, b.counts_.begin());
  }

  Range first() const { return first_; }

  /// From the first byte to the last one.
  Range hull() const {
    Range all = first_;
    for (std::size_t i = 0; i < dimensions_; ++i) {
      all.end += strides_[i] * (counts_[i] - 1);
    }
    return all;
  }

  /// Calls `visit(Range)` for each run.
  template <typename Visit> void forEach(Visit visit) const {
    if (first_.empty()) {
      return;
    }
    std::array<std::uint64_t, kMaxDimensions> at{};
    Range run = first_;
    while (true) {
      visit(run);
      std::size_t i = 0;
      while (i < dimensions_ && ++at[i] == counts_[i]) {
        run = {run.begin - strides_[i] * (counts_[i] - 1),
               run.end - strides_[i] * (counts_[i] - 1)};
        at[i++] = 0;
      }
      if (i == dimensions_) {
        return;
      }
      run = {run.begin + strides_[i], run.end + strides_[i]};
    }
  }

private:
  Range first_;
  std::size_t dimensions_ = 0;
  std::array<std::uint64_t, kMaxDimensions> strides_; ///< Innermost first.
  std::array<std::uint64_t, kMaxDimensions> counts_;
};

/// Whether an access has to give up reducing: it overlaps another one of the same node.
inline bool isMixed(std::span<const Access> accesses, std::size_t index) {
  const Access &access = accesses[index];
  const Range hull = Runs(access.region).hull();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Range other = Runs(accesses[i].region).hull();
    if (i != index && !other.empty() && other.overlaps(hull) &&
        (accesses[i].kind != AccessKind::Reduction || other != hull ||
         accesses[i].reduction != access.reduction)) {
      return true;
    }
  }
  return false;
}

} // namespace tutti::graph
