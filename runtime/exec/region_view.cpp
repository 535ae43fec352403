// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/region_view.h"

#include "base/check.h"

#include <algorithm>
#include <cstring>
#include <utility>

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
  if (flags == 0) {
    return;
  }
  if ((flags & TUTTI_EVERYWHERE) != 0) {
    // Whoever strays says so there, and the others must not overwrite it.
    collector.add(TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED, address, sizeof(tutti_reach), 0,
                  nullptr);
    reach = address;
    return;
  }
  const bool isAtMost = (flags & TUTTI_AT_MOST) != 0;
  if ((flags & TUTTI_CONSTANT) != 0 && window->segmentOf(object).empty()) {
    return;
  }
  // An at-most record may reach beyond its object, and so beyond the window.
  const tutti::Range segment = window->segmentOf(object);
  auto &receiver = (flags & TUTTI_REDUCED) != 0 ? reduced : collector;
  receiver.add(flags, address, size, ndims, dims,
               isAtMost && !segment.empty() ? segment : tutti::memory::AccessCollector::kNoLimit);
  if ((flags & TUTTI_ALLOCATION) != 0) {
    Asked &asked = allocations.try_emplace(address, Asked{object}).first->second;
    asked.isWritten = asked.isWritten || (flags & TUTTI_WRITE) != 0;
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
  const auto extend = [&hull](tutti::Range &known) {
    known = known.empty()
                ? hull
                : tutti::Range{std::min(known.begin, hull.begin), std::max(known.end, hull.end)};
  };
  Object &known = objects[object];
  known.isWritten = known.isWritten || (flags & TUTTI_WRITE) != 0;
  extend(known.reach);
  // On the stack live frames may lie beyond the object.
  if (!isAtMost || !window->stack().overlaps(hull)) {
    extend(known.hull);
  }
}

namespace tutti::exec {

namespace {

bool areDisjoint(const tutti_sink &sink, const AllocationOf &allocationOf) {
  struct Reach {
    std::uint64_t object;
    Range range; ///< Empty if it is not known.
    bool isWritten;
  };

  std::vector<Reach> all;
  for (const auto &[pointer, object] : sink.objects) {
    all.push_back({pointer, object.reach, object.isWritten});
  }
  for (const auto &[address, asked] : sink.allocations) {
    all.push_back({asked.object, allocationOf(address), asked.isWritten});
  }
  if (sink.reach != 0) {
    return std::none_of(all.begin(), all.end(), [](const Reach &reach) { return reach.isWritten; });
  }
  const auto mayMeet = [](const Reach &one, const Reach &other) {
    return one.object != other.object &&
           (one.range.empty() || other.range.empty() || one.range.overlaps(other.range));
  };
  return std::none_of(all.begin(), all.end(), [&](const Reach &written) {
    return written.isWritten && std::any_of(all.begin(), all.end(), [&](const Reach &other) {
             return mayMeet(written, other);
           });
  });
}

} // namespace

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
  touches.isDisjoint = areDisjoint(sink, allocationOf);
  for (const auto &[address, asked] : sink.allocations) {
    // What is live of the stack is no object, and there live frames are.
    if (const Range range = allocationOf(address);
        !range.empty() && !window.stack().contains(range)) {
      touches.objects.push_back(range);
    }
  }
  touches.allocations = std::move(sink.allocations);
  touches.sets = sink.collector.take(allocationOf);
  touches.reach = sink.reach;
  if (sink.reach != 0) {
    touches.sets.reads = touches.sets.reads.unite(RangeSet::of(launch.everywhere));
  }
  touches.reduced = sink.reduced.take(allocationOf);
  for (const auto &[pointer, object] : sink.objects) {
    if (!object.hull.empty()) {
      touches.objects.push_back(object.hull);
    }
  }
  return touches;
}

tutti_reach reachOf(const memory::Window &window) {
  std::vector<Range> segments{window.heap(), window.stack()};
  segments.insert(segments.end(), window.globals().begin(), window.globals().end());
  TUTTI_CHECK(segments.size() <= TUTTI_REACH_SEGMENTS, "tell where {} segments are",
              segments.size());
  tutti_reach reach{};
  for (std::size_t index = 0; index < segments.size(); ++index) {
    reach.begin[index] = segments[index].begin;
    reach.bytes[index] = segments[index].size();
  }
  return reach;
}

AllocationOf allocationsOf(const Launch &launch) {
  return [&launch](std::uint64_t address) {
    const auto found =
        std::find_if(launch.allocations.begin(), launch.allocations.end(),
                     [=](const Allocation &known) { return known.address == address; });
    return found == launch.allocations.end() ? Range{} : found->range;
  };
}

} // namespace tutti::exec
