// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/access_record.h"

#include <utility>

namespace tutti::memory {

namespace {

/// Gaps up to here are read along, whatever the length of the runs.
constexpr std::uint64_t kSmallGap = 64;
/// Longer gaps are read along up to this fraction of the run before them.
constexpr std::uint64_t kGapFraction = 8;

/// Nothing if the record touches nothing; an empty hull if it leaves the address space.
std::optional<AccessRecord> normalise(std::uint32_t flags, std::uint64_t address,
                                      std::uint64_t size, std::uint32_t ndims,
                                      const tutti_dim *dims, Range limit) {
  AccessRecord record{flags, limit, {}, size, {}};
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
      record.dims.push_back(
          {dims[d].stride < 0 ? 0 - stride : stride, static_cast<std::uint64_t>(dims[d].count)});
    }
  }
  if (size == 0) {
    return std::nullopt;
  }
  highest += size;
  if (inside && lowest >= 0 && highest < kEnd) {
    record.hull = {static_cast<std::uint64_t>(lowest), static_cast<std::uint64_t>(highest)};
  }
  std::sort(record.dims.begin(), record.dims.end(),
            [](const Dim &a, const Dim &b) { return a.stride < b.stride; });
  return record;
}

} // namespace

std::uint64_t Runs::count(std::uint64_t limit) const {
  std::uint64_t product = 1;
  for (const Dim &dim : dims) {
    if (__builtin_mul_overflow(product, dim.count, &product) || product > limit) {
      return limit + 1;
    }
  }
  return product;
}

Runs AccessRecord::runs(bool widen) const {
  Runs runs{hull.begin, size, {}};
  for (const Dim &dim : dims) {
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

std::uint64_t AccessRecord::bytes() const {
  const std::uint64_t most = reach().size();
  std::uint64_t product = size;
  for (const Dim &dim : dims) {
    if (__builtin_mul_overflow(product, dim.count, &product) || product > most) {
      return most;
    }
  }
  return product;
}

bool AccessRecord::overlaps(const RangeSet &bytes) const {
  const Range whole = reach();
  const Runs wide = runs(true);
  auto range = std::ranges::upper_bound(bytes.ranges(), whole.begin, {}, &Range::end);
  for (; range != bytes.ranges().end() && range->begin < whole.end; ++range) {
    const Range common{std::max(range->begin, whole.begin), std::min(range->end, whole.end)};
    if (!wide.forEach(common, [](Range) { return false; })) {
      return true;
    }
  }
  return false;
}

void AccessCollector::add(std::uint32_t flags, std::uint64_t address, std::uint64_t size,
                          std::uint32_t ndims, const tutti_dim *dims, Range limit) {
  if (flags & TUTTI_ANYWHERE) {
    taken_.anywhere = true;
    return;
  }
  auto record = normalise(flags, address, size, ndims, dims, limit);
  if (!record || !(flags & (TUTTI_READ | TUTTI_WRITE))) {
    return;
  }
  if (flags & TUTTI_ALLOCATION) {
    allocations_.push_back({flags, address});
  } else if (record->hull.empty()) {
    taken_.wrapsAround = true;
  } else {
    taken_.records.push_back(std::move(*record));
  }
}

AccessRecords AccessCollector::take(const AllocationOf &allocationOf) {
  for (const Allocation &allocation : allocations_) {
    const Range range = allocationOf(allocation.address);
    if (range.empty()) {
      taken_.unresolved = true;
    } else {
      taken_.records.push_back(
          {allocation.flags | TUTTI_READ | TUTTI_AT_MOST, kNoLimit, range, range.size(), {}});
    }
  }
  allocations_.clear();
  return std::exchange(taken_, {});
}

} // namespace tutti::memory
