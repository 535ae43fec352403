// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/region_view.h"

#include <algorithm>
#include <cstring>

std::uint64_t tutti_gather::read(std::uint64_t address, std::uint32_t bytes) {
  std::uint64_t value = 0;
  if (bytes > sizeof value || !window->contains({address, address + bytes})) {
    isOutside = true;
  } else {
    // Through the window, not the view: a page that is not here faults and is fetched.
    std::memcpy(&value, reinterpret_cast<const void *>(address), bytes);
  }
  blocks.push_back({address, value, bytes});
  return value;
}

void tutti_sink::add(std::uint32_t flags, std::uint64_t object, std::uint64_t address,
                     std::uint64_t size, std::uint32_t ndims, const tutti_dim *dims) {
  const bool isAtMost = (flags & TUTTI_AT_MOST) != 0;
  // An at-most record may reach beyond its object, and so beyond the window.
  const tutti::Range segment = window->segmentOf(object);
  collector.add(flags, address, size, ndims, dims,
                isAtMost && !segment.empty() ? segment : tutti::memory::AccessCollector::kNoLimit);
  if ((flags & TUTTI_ALLOCATION) != 0) {
    allocations.push_back(address);
    return;
  }
  tutti::Range hull{address, address + size};
  for (std::uint32_t d = 0; d < ndims; ++d) {
    if (dims[d].count <= 0) {
      return;
    }
    const std::int64_t reach = dims[d].stride * (dims[d].count - 1); // The collector saw overflow.
    (reach < 0 ? hull.begin : hull.end) += static_cast<std::uint64_t>(reach);
  }
  // On the stack live frames may lie beyond the object.
  if (isAtMost && window->stack().overlaps(hull)) {
    return;
  }
  const auto [known, isNew] = objects.try_emplace(object, hull);
  if (!isNew) {
    known->second = {std::min(known->second.begin, hull.begin),
                     std::max(known->second.end, hull.end)};
  }
}

namespace tutti::exec {

Touches touchesOf(const Launch &launch, const memory::Window &window, std::int64_t lower,
                  std::int64_t upper, const AllocationOf &allocationOf) {
  if (lower >= upper) {
    return {};
  }
  tutti_sink sink;
  sink.window = &window;
  launch.region->accesses(launch.captures.data(), launch.values.data(), lower, upper, launch.total,
                          &sink);
  Touches touches;
  for (const std::uint64_t address : sink.allocations) {
    if (const Range range = allocationOf(address); !range.empty()) {
      touches.objects.push_back(range);
    }
  }
  touches.sets = sink.collector.take(allocationOf);
  touches.allocations = std::move(sink.allocations);
  for (const auto &[object, hull] : sink.objects) {
    touches.objects.push_back(hull);
  }
  return touches;
}

AllocationOf allocationsOf(const Launch &launch) {
  return [&launch](std::uint64_t address) {
    for (const Range &range : launch.allocations) {
      if (range.contains({address, address + 1})) {
        return range;
      }
    }
    return Range{};
  };
}

} // namespace tutti::exec
