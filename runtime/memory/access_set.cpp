// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/access_set.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tutti::memory {

namespace {

/// Gaps up to here are read along, whatever the length of the runs.
constexpr std::uint64_t kSmallGap = 64;
/// Longer gaps are read along up to this fraction of the run before them.
constexpr std::uint64_t kGapFraction = 8;

struct Dim {
  std::uint64_t stride;
  std::uint64_t count;

  std::uint64_t reach() const { return stride * (count - 1); }
};

/// A record with strides > 0, counts > 1, and strides in ascending order.
struct Shape {
  Range hull;
  std::uint64_t size;
  std::vector<Dim> dims;
};

/// Nothing if the record touches nothing; an empty hull if it leaves the address space.
std::optional<Shape> normalise(std::uint64_t address, std::uint64_t size, std::uint32_t ndims,
                               const tutti_dim *dims) {
  Shape shape{{}, size, {}};
  __int128 lowest = address;
  __int128 highest = address;
  constexpr __int128 kEnd = __int128{1} << 64;
  bool inside = true;
  for (std::uint32_t d = 0; d < ndims; ++d) {
    if (dims[d].count <= 0) {
      return std::nullopt;
    }
    const __int128 reach = static_cast<__int128>(dims[d].stride) * (dims[d].count - 1);
    inside = inside && reach > -kEnd && reach < kEnd;
    (reach < 0 ? lowest : highest) += inside ? reach : 0;
    if (reach != 0) {
      const auto stride = static_cast<std::uint64_t>(dims[d].stride);
      shape.dims.push_back(
          {dims[d].stride < 0 ? 0 - stride : stride, static_cast<std::uint64_t>(dims[d].count)});
    }
  }
  if (size == 0) {
    return std::nullopt;
  }
  highest += size;
  if (inside && lowest >= 0 && highest < kEnd) {
    shape.hull = {static_cast<std::uint64_t>(lowest), static_cast<std::uint64_t>(highest)};
  }
  std::sort(shape.dims.begin(), shape.dims.end(),
            [](const Dim &a, const Dim &b) { return a.stride < b.stride; });
  return shape;
}

/// Runs of `length` bytes at all combinations of `dims`, innermost first.
struct Runs {
  std::uint64_t begin;
  std::uint64_t length;
  std::vector<Dim> dims;

  /// Number of runs; more than `limit` is given as `limit` + 1.
  std::uint64_t count(std::uint64_t limit) const {
    std::uint64_t product = 1;
    for (const Dim &dim : dims) {
      if (__builtin_mul_overflow(product, dim.count, &product) || product > limit) {
        return limit + 1;
      }
    }
    return product;
  }

  void appendTo(std::vector<Range> &out) const {
    std::vector<std::uint64_t> index(dims.size());
    std::uint64_t at = begin;
    while (true) {
      out.push_back({at, at + length});
      std::size_t d = 0;
      while (d < dims.size() && ++index[d] == dims[d].count) {
        at -= dims[d].reach();
        index[d++] = 0;
      }
      if (d == dims.size()) {
        return;
      }
      at += dims[d].stride;
    }
  }
};

/// Merges the dimensions that leave no gap, or, if `widen`, only small ones.
Runs runsOf(const Shape &shape, bool widen) {
  Runs runs{shape.hull.begin, shape.size, {}};
  for (const Dim &dim : shape.dims) {
    if (runs.dims.empty()) {
      const std::uint64_t gap = dim.stride > runs.length ? dim.stride - runs.length : 0;
      if (gap == 0 || (widen && gap <= std::max(kSmallGap, runs.length / kGapFraction))) {
        runs.length += dim.reach();
        continue;
      }
    } else if (Dim &inner = runs.dims.back(); dim.stride == inner.stride * inner.count) {
      inner.count *= dim.count;
      continue;
    }
    runs.dims.push_back(dim);
  }
  return runs;
}

} // namespace

void AccessCollector::add(std::uint32_t flags, std::uint64_t address, std::uint64_t size,
                          std::uint32_t ndims, const tutti_dim *dims, Range limit) {
  if (flags & TUTTI_ANYWHERE) {
    anywhere_ = true;
    return;
  }
  const auto shape = normalise(address, size, ndims, dims);
  if (!shape || !(flags & (TUTTI_READ | TUTTI_WRITE))) {
    return;
  }
  if (flags & TUTTI_ALLOCATION) {
    allocations_.push_back({flags, address});
    return;
  }
  if (shape->hull.empty()) {
    tooMany_ = true;
    return;
  }
  hulls_.push_back(shape->hull);
  const auto append = [&](std::vector<Range> &out, bool widen) {
    const Runs runs = runsOf(*shape, widen);
    const std::size_t taken = reads_.size() + writes_.size();
    const std::size_t left = maxRanges_ > taken ? maxRanges_ - taken : 0;
    tooMany_ = tooMany_ || runs.count(left) > left;
    if (tooMany_) {
      return;
    }
    const std::size_t before = out.size();
    runs.appendTo(out);
    if (!limit.contains(shape->hull)) {
      for (std::size_t at = before; at < out.size(); ++at) {
        out[at] = {std::max(out[at].begin, limit.begin), std::min(out[at].end, limit.end)};
      }
    }
  };
  // Every other point of a long row, say: then what lies between counts as written, too, at most.
  const bool isCoarse = (flags & TUTTI_WRITE) &&
                        runsOf(*shape, false).count(manyRuns_) > manyRuns_ &&
                        runsOf(*shape, true).dims.size() < runsOf(*shape, false).dims.size();
  const bool maybeWrites = (flags & TUTTI_WRITE) && ((flags & TUTTI_AT_MOST) || isCoarse);
  if ((flags & TUTTI_READ) || maybeWrites) {
    append(reads_, true);
  }
  if (flags & TUTTI_WRITE) {
    append(writes_, isCoarse);
  }
  if (maybeWrites) {
    append(atMost_, isCoarse);
  }
  if (flags & TUTTI_SCATTERED) {
    append(scattered_, isCoarse);
  }
}

void AccessCollector::addAllocation(std::uint32_t flags, Range range) {
  hulls_.push_back(range);
  reads_.push_back(range); // Also for a write: it is at-most.
  if (flags & TUTTI_WRITE) {
    writes_.push_back(range);
    atMost_.push_back(range);
  }
  if (flags & TUTTI_SCATTERED) {
    scattered_.push_back(range);
  }
}

AccessSet AccessCollector::take(const AllocationOf &allocationOf) {
  AccessSet set;
  set.anywhere = std::exchange(anywhere_, false);
  for (const Allocation &allocation : std::exchange(allocations_, {})) {
    const Range range = allocationOf(allocation.address);
    if (range.empty()) {
      set.unresolved = true;
    } else {
      addAllocation(allocation.flags, range);
    }
  }
  set.tooMany = std::exchange(tooMany_, false);
  set.reads = RangeSet::of(std::exchange(reads_, {}));
  set.writes = RangeSet::of(std::exchange(writes_, {}));
  set.atMost = RangeSet::of(std::exchange(atMost_, {}));
  set.scattered = RangeSet::of(std::exchange(scattered_, {}));
  set.hulls = std::exchange(hulls_, {});
  return set;
}

} // namespace tutti::memory
