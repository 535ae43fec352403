// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One launch as all ranks know it.
#pragma once

#include "abi/abi.h"
#include "base/range.h"
#include "runtime/balance/cut.h"
#include "runtime/memory/directory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tutti::exec {

class Followed;
struct TaskWork;

/// Number of a launch that was announced; the first is 1.
using Sequence = std::uint64_t;

/// A scalar that rank 0 has read for a region, and where it stands.
struct BlockValue {
  std::uint64_t address;
  std::uint64_t value;
  std::uint32_t bytes;
};

/// A place that takes part in a launch, and how large its part is in proportion.
struct Share {
  memory::Place place;
  std::uint32_t weight;

  friend bool operator==(const Share &, const Share &) = default;
};

/// Whether a value decides what the region touches.
inline bool isShaping(const tutti_region &region, std::size_t value) {
  return !region.shaping || region.shaping[value] != 0;
}

/// Whether the region follows pointers that it finds while it runs, and so may have to be undone.
inline bool isChasing(const tutti_region &region) {
  return (region.flags & TUTTI_REGION_CHASES) != 0;
}

/// The object that a pointer leads to.
struct Allocation {
  std::uint64_t address; ///< The pointer.
  Range range;

  friend bool operator==(const Allocation &, const Allocation &) = default;
};

/// What of a region's records is taken for more than they say: a way to see what they are worth.
struct Widening {
  /// Who reads some of an object gets all of it.
  bool reads = false;
  /// Who writes some of an object may have written any of it: what it was is found by comparing.
  bool writes = false;

  bool isAny() const { return reads || writes; }
};

struct Launch {
  Sequence sequence = 0;
  const tutti_region *region = nullptr;
  std::vector<std::uint64_t> captures; ///< With the request for threads, if the region has one.
  std::vector<std::uint64_t> values;
  std::vector<BlockValue> blocks; ///< One per value, in the same order.
  /// Those that the region asks for, as rank 0 knows them, by address.
  std::vector<Allocation> allocations;
  /// What a region that follows pointers depends on, in place of `allocations`, or one of which it
  /// is known what its iterations read at computed addresses; else null. Shared with what remembers
  /// it for the next launch.
  std::shared_ptr<const Followed> followed;
  /// All that is alive of unified memory, as rank 0 knows it, if the region may read everywhere:
  /// sorted, disjoint.
  std::vector<Range> everywhere;
  /// Allocations of the heap that it may touch parts of: sorted, disjoint. Their pages hold nothing
  /// else, and may be protected. They count on devices, and where hulls are taken.
  std::vector<Range> arrays;
  std::int64_t total = 0;
  std::int64_t first = 0; ///< Iterations before it have been executed at home.
  /// So many iterations, counted from the first, stay together and in order: the program may count
  /// on that. Where `first` is not 0 it is 1.
  std::int64_t piece = 1;
  std::vector<Share> shares;   ///< In the order of their iterations; of a place at most one.
  std::int32_t onlyShare = -1; ///< Index of the one whose part alone is run; -1: all.
  /// Places get more than they touch, as other launches will touch the rest: hosts whole hulls of
  /// what they touch in pieces, and all what lies beside what they get (rests.h).
  bool takesHulls = false;
  Widening widening;
  bool isTimed = false;     ///< All ranks tell what their parts took.
  balance::Portion portion; ///< Of each place's part: all of it, unless a device cannot hold that.
  std::vector<memory::Event> events; ///< Of rank 0 since the launch before.
  std::uint64_t frame = 0;           ///< Of rank 0 alone: begin of what is live of main's stack.
  /// For rank 0 alone: iterations may count on their order, also across `piece`, as the program
  /// knows of one thread only, or as devices may execute them, which keep no order.
  bool mayCountOnOrder = false;
  /// What a launch of `taskRegion` does, on the rank whose device runs it; else null.
  TaskWork *task = nullptr;
  /// What a launch of `taskRegion` runs on the host of its share, if that is not a device's: the
  /// task as its maker has packed it. No plan depends on it.
  std::vector<std::byte> parcel;
};

/// The captures that the region's code gets.
inline std::span<const std::uint64_t> variablesOf(const Launch &launch) {
  const bool hasRequest = (launch.region->flags & TUTTI_REGION_THREADS) != 0;
  return std::span(launch.captures).first(launch.captures.size() - (hasRequest ? 1 : 0));
}

} // namespace tutti::exec
