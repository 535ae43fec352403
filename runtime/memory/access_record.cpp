// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/access_record.h"

#include <utility>

namespace tutti::memory {

namespace {

/// Gaps up to here are read along, whatever the length of the runs.
constexpr std::uint64_t kSmallGap = 64;
/// Longer gaps are read along up to this fraction of the run before them.
constexpr std::uint64_t kGapFraction = 8;

/// Fewer rows at equal distances may lie so by chance, far from each other.
constexpr std::uint64_t kLeastRows = 3;
/// Calls of an access function whose rows are joined.
constexpr std::size_t kMostCalls = 64;
/// Memory for so many is there from the first one on.
constexpr std::size_t kFewCalls = 16;

/// The hull is empty if the record leaves the address space. All counts are positive.
AccessRecord normalise(std::uint32_t flags, std::uint64_t address, std::uint64_t size,
                       std::span<const tutti_dim> dims, Range limit) {
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

bool AccessRecord::join(const AccessRecord &other) {
  const std::uint64_t both = size + other.size;
  const auto hasRoom = [&](const Dim &dim) { return dim.stride >= both; };
  const bool isBehind = other.hull.begin == hull.begin + size;
  const bool isBefore = hull.begin == other.hull.begin + other.size;
  if (!(isBehind || isBefore) || flags != other.flags || isScattered() || isUpdated() ||
      dims != other.dims || limit.begin != other.limit.begin || limit.end != other.limit.end ||
      !std::ranges::all_of(dims, hasRoom)) {
    return false;
  }
  hull = {std::min(hull.begin, other.hull.begin), std::max(hull.end, other.hull.end)};
  size = both;
  return true;
}

void AccessCollector::Series::begin(AccessRecord &&first) {
  first_ = std::move(first);
  count_ = 1;
  latest_ = first_.hull.begin;
}

/// Rows that are followed are objects of their own, perhaps with others between them: what is
/// written there has no gaps.
bool AccessCollector::Series::take(const AccessRecord &next) {
  if (count_ == 0 || next.flags != first_.flags || next.size != first_.size ||
      next.dims != first_.dims || next.limit.begin != first_.limit.begin ||
      next.limit.end != first_.limit.end || next.hull.size() != first_.hull.size() ||
      next.hull.begin <= latest_ || next.isUpdated()) {
    return false;
  }
  const std::uint64_t distance = next.hull.begin - latest_;
  const bool mayHaveGaps = !next.isWritten() || (next.flags & TUTTI_FOLLOWED) == 0;
  if ((count_ > 1 && distance != step_) || (!mayHaveGaps && distance != next.hull.size())) {
    return false;
  }
  step_ = distance;
  latest_ = next.hull.begin;
  ++count_;
  return true;
}

void AccessCollector::Series::endApart(std::vector<AccessRecord> &records) {
  for (; count_ > 1; --count_) {
    records.push_back(first_);
    first_.hull = {first_.hull.begin + step_, first_.hull.end + step_};
  }
  if (count_ == 1) {
    records.push_back(std::move(first_));
    count_ = 0;
  }
}

AccessRecord AccessCollector::Series::end() {
  AccessRecord all = std::move(first_);
  if (count_ > 1) {
    all.hull.end = latest_ + all.hull.size();
    const auto isWider = [this](const Dim &dim) { return dim.stride > step_; };
    all.dims.insert(std::ranges::find_if(all.dims, isWider), {step_, count_});
  }
  count_ = 0;
  return all;
}

/// Null if there are too many. They come round in one order.
AccessCollector::Call *AccessCollector::callOf(const void *address) {
  for (std::size_t tried = 0; tried < calls_.size(); ++tried) {
    latest_ = latest_ + 1 < calls_.size() ? latest_ + 1 : 0;
    if (calls_[latest_].address == address) {
      return &calls_[latest_];
    }
  }
  if (calls_.size() == kMostCalls) {
    return nullptr;
  }
  if (calls_.empty()) {
    calls_.reserve(kFewCalls);
  }
  calls_.emplace_back().address = address;
  latest_ = calls_.size() - 1;
  return &calls_.back();
}

void AccessCollector::note(AccessRecord &&record, const void *address) {
  Call *call = address ? callOf(address) : nullptr;
  if (!call) {
    taken_.records.push_back(std::move(record));
    return;
  }
  if (!call->rows.take(record)) {
    endRows(*call);
    call->rows.begin(std::move(record));
  }
}

void AccessCollector::endRows(Call &call) {
  if (call.rows.count() < kLeastRows) {
    call.rows.endApart(taken_.records);
    return;
  }
  AccessRecord block = call.rows.end();
  if (!call.blocks.take(block)) {
    endBlocks(call);
    call.blocks.begin(std::move(block));
  }
}

void AccessCollector::endBlocks(Call &call) {
  if (call.blocks.count() > 0) {
    taken_.records.push_back(call.blocks.end());
  }
}

void AccessCollector::add(std::uint32_t flags, std::uint64_t address, std::uint64_t size,
                          std::uint32_t ndims, const tutti_dim *dims, Range limit,
                          const void *call) {
  if (flags & TUTTI_ANYWHERE) {
    taken_.anywhere = true;
    return;
  }
  const std::span all(dims, ndims);
  const auto isNone = [](const tutti_dim &dim) { return dim.count <= 0; };
  if (size == 0 || std::any_of(all.begin(), all.end(), isNone) ||
      !(flags & (TUTTI_READ | TUTTI_WRITE))) {
    return;
  }
  if (flags & TUTTI_ALLOCATION) {
    allocations_.push_back({flags, address, call});
    return;
  }
  AccessRecord record = normalise(flags, address, size, all, limit);
  if (record.hull.empty()) {
    taken_.wrapsAround = true;
  } else {
    note(std::move(record), call);
  }
}

AccessRecords AccessCollector::take(const AllocationOf &allocationOf) {
  for (const Allocation &allocation : allocations_) {
    const Range range = allocationOf(allocation.address);
    if (range.empty()) {
      taken_.unresolved = true;
    } else {
      note({allocation.flags | TUTTI_READ | TUTTI_AT_MOST, kNoLimit, range, range.size(), {}},
           allocation.call);
    }
  }
  allocations_.clear();
  taken_.records.reserve(taken_.records.size() + calls_.size());
  for (Call &call : calls_) {
    endRows(call);
    endBlocks(call);
  }
  calls_.clear();
  joinNeighbours();
  return std::exchange(taken_, {});
}

/// What an unrolled loop reports element by element lies side by side in every row.
void AccessCollector::joinNeighbours() {
  constexpr std::ptrdiff_t kBack = 16; // Of one iteration, reads and writes of some arrays.
  std::vector<AccessRecord> &records = taken_.records;
  const auto begin = records.begin();
  auto end = begin; // Of those that are kept.
  for (AccessRecord &record : records) {
    const auto oldest = end - std::min(kBack, end - begin);
    if (std::any_of(oldest, end, [&](AccessRecord &each) { return each.join(record); })) {
      continue;
    }
    if (&*end != &record) {
      *end = std::move(record);
    }
    ++end;
  }
  records.erase(end, records.end());
}

} // namespace tutti::memory
