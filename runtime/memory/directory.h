// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which places hold a valid copy of which bytes, and what a launch must move. Pure data: the same
/// steps give the same state on every rank.
#pragma once

#include "base/range.h"
#include "runtime/memory/topology.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tutti::memory {

/// Sorted places whose copy is valid; never empty.
using Holders = std::vector<Place>;

/// One link of a transfer: `from` sends `ranges` to `to`: two hosts of different ranks, two places
/// of one rank, or two devices with a route.
///
/// Shape: a pair of places has at most one link per piece; a place receives each byte once.
/// Order: a place that appears as `to` and as `from` of the same `piece` forwards after receiving.
struct Transfer {
  std::uint32_t piece; ///< Transfers of one piece carry the same ranges.
  Place from;
  Place to;
  RangeSet ranges;
};

/// What one place's chunk touches.
struct ChunkAccess {
  RangeSet reads;  ///< At-most writes included.
  RangeSet writes; ///< Exact and at-most writes.
};

/// What happened between launches: on the host of rank 0, place 0, or to a device that was full.
struct Event {
  enum class Kind : std::uint32_t {
    Fetched, ///< The copy of place 0 became valid too.
    Claimed, ///< The copy of place 0 is now the only valid one.
    Evicted, ///< `from` has no copy any more; if it had the only one, `to` has that now.
  };
  Kind kind;
  Range range;
  Place from = 0; ///< Of `Evicted`: a device,
  Place to = 0;   ///< and the host of its rank.
};

/// Threading: externally synchronised. A copyable value.
class Directory {
public:
  /// Applies an event.
  void apply(const Event &event);

  /// Applies a launch: `chunks[p]` is what place p touches. Returns what must move before it, in an
  /// order that is the same on every rank: by piece, and inside a piece parents before children.
  ///
  /// A piece is all that one source sends to one set of readers. Readers whose own rank has a valid
  /// copy get it from there, devices with a route from a valid device from that; the others get it
  /// from the valid place nearest to the lowest of them,
  /// which spares rank 0 when it holds everything too. Otherwise, between ranks a piece goes from
  /// host to host down a binomial tree; a host that only passes bytes on to a device does not
  /// become a holder.
  ///
  /// Shape: writes of different places do not overlap (checked by the caller).
  /// Cost:  O(n log n) in the ranges of all chunks and the runs they meet.
  std::vector<Transfer> launch(const std::vector<ChunkAccess> &chunks, const Topology &topology);

  /// Calls `visit(Range, const Holders &)` for the maximal runs that tile `range`, in order.
  /// Bytes never mentioned are valid on place 0 only.
  template <typename Visit> void forEach(Range range, Visit &&visit) const;

  /// Bytes of `within` that `place` has no valid copy of.
  RangeSet missing(Place place, const RangeSet &within) const;

  /// Bytes of `within` that `place` alone has a valid copy of.
  RangeSet onlyAt(Place place, const RangeSet &within) const;

  /// Bytes of `within` that some place other than `place` has a valid copy of.
  RangeSet sharedBeyond(Place place, const RangeSet &within) const;

  friend bool operator==(const Directory &, const Directory &) = default;

private:
  void set(Range range, const Holders &holders);

  /// Makes a boundary between runs at `address`, if it lies inside one.
  void splitAt(std::uint64_t address);

  /// Key: first byte of a run; value: its end and holders. Runs are disjoint and maximal; what is
  /// valid on place 0 only is left out. So equal states have equal maps.
  struct Run {
    std::uint64_t end;
    Holders holders;
    friend bool operator==(const Run &, const Run &) = default;
  };

  std::map<std::uint64_t, Run> runs_;
};

} // namespace tutti::memory

#include "runtime/memory/directory_inl.h"
