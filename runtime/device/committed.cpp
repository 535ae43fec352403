// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/committed.h"

#include <algorithm>

namespace tutti::device {

namespace {

std::uint64_t floorTo(std::uint64_t address, std::uint64_t granule) {
  return address & ~(granule - 1);
}

std::uint64_t ceilTo(std::uint64_t address, std::uint64_t granule) {
  return floorTo(address + granule - 1, granule);
}

} // namespace

Result<Range> Committed::segmentOf(Range bytes) const {
  for (const Range &segment : {window_.low, window_.high}) {
    if (bytes.begin <= bytes.end && segment.contains(bytes)) {
      return segment;
    }
  }
  return failure(ErrorCode::InvalidArgument, "[{:#x}, {:#x}) is not in the window", bytes.begin,
                 bytes.end);
}

Result<Range> Committed::around(Range bytes) const {
  const Result<Range> segment = segmentOf(bytes);
  if (!segment) {
    return segment.error();
  }
  return Range{std::max(floorTo(bytes.begin, granule_), segment->begin),
               std::min(ceilTo(bytes.end, granule_), segment->end)};
}

Result<Range> Committed::inside(Range bytes) const {
  const Result<Range> segment = segmentOf(bytes);
  if (!segment) {
    return segment.error();
  }
  const Range found{bytes.begin == segment->begin ? bytes.begin : ceilTo(bytes.begin, granule_),
                    bytes.end == segment->end ? bytes.end : floorTo(bytes.end, granule_)};
  return found.empty() ? Range{bytes.begin, bytes.begin} : found;
}

bool Committed::holds(Range bytes) const {
  if (bytes.empty()) {
    return true;
  }
  const auto &runs = ranges_.ranges();
  const auto after = std::ranges::upper_bound(runs, bytes.begin, {}, &Range::begin);
  return after != runs.begin() && std::prev(after)->contains(bytes);
}

Status Committed::require(Range bytes) const {
  if (holds(bytes)) {
    return {};
  }
  return failure(ErrorCode::InvalidArgument, "[{:#x}, {:#x}) is not committed on the device",
                 bytes.begin, bytes.end);
}

} // namespace tutti::device
