// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/stand_ins.h"

#include "abi/abi.h"
#include "runtime/graph/runs.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tutti::entry {

using graph::AccessKind;

namespace {

/// What lies closer together than that may be of one object.
constexpr std::uint64_t kNear = std::uint64_t{1} << 20;

/// Other memory of the program must not move along.
constexpr std::uint64_t kPage = 4096;

std::uint64_t wholePages(std::uint64_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

/// Ranges of which no two are close together.
std::vector<Range> joined(std::vector<Range> ranges) {
  std::ranges::sort(ranges, {}, &Range::begin);
  std::vector<Range> joined;
  for (const Range &range : ranges) {
    if (!joined.empty() && range.begin < joined.back().end + kNear) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

} // namespace

void StandIns::Release::operator()(std::byte *memory) const { std::free(memory); }

Result<StandIns> StandIns::of(std::span<const graph::Access> accesses,
                              std::span<const model::tasks::KernelArgument> arguments,
                              const IsOutOfReach &isOutOfReach) {
  StandIns made;
  std::vector<Range> pieces;
  for (const graph::Access &access : accesses) {
    const graph::Runs runs(access.region);
    const Range hull = runs.hull();
    if (access.isWeak || hull.empty() || !isOutOfReach(hull.begin)) {
      continue;
    }
    if (access.kind == AccessKind::Concurrent) {
      return failure(ErrorCode::NotSupported,
                     "it names {} bytes from {:#x} on as concurrent, which its device does not "
                     "reach: take memory from malloc",
                     hull.size(), hull.begin);
    }
    pieces.push_back(hull);
    runs.forEach([&](Range run) {
      made.named_.push_back(run);
      if (access.kind != AccessKind::In) {
        made.written_.push_back(run);
      }
    });
  }
  if (pieces.empty()) {
    return made;
  }
  const std::vector<Range> named = joined(pieces);
  for (const model::tasks::KernelArgument &argument : arguments) {
    std::uint64_t address = 0;
    if (argument.isPointer) {
      std::memcpy(&address, argument.value, sizeof address);
    }
    const bool isNear = std::ranges::any_of(named, [&](const Range &range) {
      return address + kNear > range.begin && address < range.end + kNear;
    });
    if (isNear && isOutOfReach(address)) {
      pieces.push_back({address, address + 1});
    }
  }
  for (const Range &range : joined(std::move(pieces))) {
    auto *room = static_cast<std::byte *>(tutti_aligned_alloc(kPage, wholePages(range.size())));
    if (!room) {
      return failure(ErrorCode::OutOfMemory, "there is no room for copies of {} bytes",
                     range.size());
    }
    made.places_.push_back({range, std::unique_ptr<std::byte, Release>(room)});
  }
  return made;
}

std::vector<Range> StandIns::room() const {
  std::vector<Range> room;
  for (const Place &place : places_) {
    const auto begin = reinterpret_cast<std::uint64_t>(place.room.get());
    room.push_back({begin, begin + wholePages(place.range.size())});
  }
  return room;
}

std::uint64_t StandIns::at(std::uint64_t address) const {
  for (const Place &place : places_) {
    if (address >= place.range.begin && address < place.range.end) {
      return reinterpret_cast<std::uint64_t>(place.room.get()) + (address - place.range.begin);
    }
  }
  return address;
}

std::vector<graph::Access> StandIns::moved(std::span<const graph::Access> accesses) const {
  std::vector<graph::Access> moved(accesses.begin(), accesses.end());
  for (graph::Access &access : moved) {
    if (const Range hull = graph::Runs(access.region).hull(); !hull.empty()) {
      access.region.begin += at(hull.begin) - hull.begin;
    }
  }
  return moved;
}

void StandIns::fill() const {
  for (const Range &run : named_) {
    std::memcpy(reinterpret_cast<void *>(at(run.begin)), reinterpret_cast<const void *>(run.begin),
                run.size());
  }
}

void StandIns::bringBack() const {
  for (const Range &run : written_) {
    std::memcpy(reinterpret_cast<void *>(run.begin), reinterpret_cast<const void *>(at(run.begin)),
                run.size());
  }
}

} // namespace tutti::entry
