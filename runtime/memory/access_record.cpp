// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/access_record.h"

#include <optional>
#include <utility>

namespace tutti::memory {

namespace {

/// Gaps up to here are read along, whatever the length of the runs.
constexpr std::uint64_t kSmallGap = 64;
/// Longer gaps are read along up to this fraction of the run before them.
constexpr std::uint64_t kGapFraction = 8;

/// Nothing if the record touches nothing; an empty hull if it leaves the address space.
std::optional<AccessRecord> normalise(std::uint32_t flags, std::uint64_t address,
                                      std::uint64_t size, std::span<const tutti_dim> dims,
                                      Range limit) {
  const auto isNone = [](const tutti_dim &dim) { return dim.count <= 0; };
  if (size == 0 || std::any_of(dims.begin(), dims.end(), isNone)) {
    return std::nullopt;
  }
  AccessRecord record{flags, limit, hullOf(address, size, dims), size, {}};
  for (const tutti_dim &dim : dims) {
    if (dim.stride != 0 && dim.count != 1) {
      const auto stride = static_cast<std::uint64_t>(dim.stride);
      record.dims.push_back(
          {dim.stride < 0 ? 0 - stride : stride, static_cast<std::uint64_t>(dim.count)});
    }
  }
  std::sort(record.dims.begin(), record.dims.end(),
            [](const Dim &a, const Dim &b) { return a.stride < b.stride; });
  return record;
}

} // namespace

Range hullOf(std::uint64_t address, std::uint64_t size, std::span<const tutti_dim> dims) {
  constexpr __int128 kEnd = __int128{1} << 64;
  __int128 lowest = address;
  __int128 highest = __int128{address} + size;
  for (const tutti_dim &dim : dims) {
    const __int128 reach = static_cast<__int128>(dim.stride) * (dim.count - 1);
    if (reach <= -kEnd || reach >= kEnd) {
      return {};
    }
    (reach < 0 ? lowest : highest) += reach;
  }
  return lowest >= 0 && highest < kEnd
             ? Range{static_cast<std::uint64_t>(lowest), static_cast<std::uint64_t>(highest)}
             : Range{};
}

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
  auto record = normalise(flags, address, size, {dims, ndims}, limit);
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
