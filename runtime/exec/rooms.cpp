// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/rooms.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tutti::exec {

namespace {

/// A device holds about so many units. To turn one over takes 90 us on one GPU, in which nothing
/// else is given to it: so many that rounding wastes little, and no more.
constexpr std::uint64_t kUnits = 256;
constexpr std::uint64_t kMostUnit = std::uint64_t{64} << 20;

std::uint64_t unitFor(const std::vector<Room> &rooms) {
  std::uint64_t capacity = kMostUnit * kUnits;
  std::uint64_t granule = 1;
  for (const Room &room : rooms) {
    capacity = std::min(capacity, room.capacity);
    granule = std::max(granule, room.granule);
  }
  return std::max(std::bit_floor(capacity / kUnits), granule);
}

} // namespace

device::Segments segmentsOf(const memory::Window &window) {
  constexpr std::uint64_t kLow = std::uint64_t{4} << 30;
  device::Segments segments;
  for (const Range &segment : window.segments()) {
    Range &part = segment.end <= kLow ? segments.low : segments.high;
    part = part.empty()
               ? segment
               : Range{std::min(part.begin, segment.begin), std::max(part.end, segment.end)};
  }
  return segments;
}

Rooms::Rooms(const memory::Window &window, std::vector<Room> rooms)
    : window_(segmentsOf(window)), rooms_(std::move(rooms)), unit_(unitFor(rooms_)) {}

RangeSet Rooms::around(std::span<const Range> bytes) const {
  std::vector<Range> units;
  units.reserve(bytes.size());
  for (const Range &range : bytes) {
    const Range &segment = window_.low.contains(range) ? window_.low : window_.high;
    units.push_back({std::max(range.begin & ~(unit_ - 1), segment.begin),
                     std::min((range.end + unit_ - 1) & ~(unit_ - 1), segment.end)});
  }
  return RangeSet::of(std::move(units));
}

std::vector<Range> Rooms::single(const RangeSet &units) const {
  std::vector<Range> all;
  for (const Range &range : units.ranges()) {
    for (std::uint64_t at = range.begin; at < range.end;) {
      const std::uint64_t end = std::min((at & ~(unit_ - 1)) + unit_, range.end);
      all.push_back({at, end});
      at = end;
    }
  }
  return all;
}

} // namespace tutti::exec
