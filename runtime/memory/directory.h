// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which places hold a valid copy of which bytes, and what a launch must move. Pure data: the same
/// steps give the same state on every rank.
#pragma once

#include "base/range.h"
#include "runtime/memory/topology.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace tutti::memory {

/// Sorted places whose copy is valid; never empty.
using Holders = std::vector<Place>;

inline bool holds(const Holders &holders, Place place) {
  return std::binary_search(holders.begin(), holders.end(), place);
}

inline bool holdsAlone(const Holders &holders, Place place) {
  return holders.size() == 1 && holders.front() == place;
}

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

/// Bytes that have, or get, the same holders.
struct Assignment {
  std::vector<Range> ranges; ///< None is empty.
  Holders holders;
};

/// One after the other: a later one may be about the same bytes.
using Assignments = std::vector<Assignment>;

/// A name of a state of a directory: a sum of hashes, one of each run. Equal states have equal
/// names; different ones have different names, but for an accident of 1 in 2^128.
struct Identity {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Identity &, const Identity &) = default;
};

/// What a launch means to the directory before it.
struct Step {
  std::vector<Transfer> transfers; ///< As `Directory::step` orders them.
  Assignments assignments;         ///< They lead to the directory after the launch.
};

/// Threading: externally synchronised. A copyable value.
class Directory {
public:
  /// Applies an event. `undo` as in `assign`.
  ///
  /// Cost: O(log n) and the runs that it meets.
  void apply(const Event &event, Assignments *undo = nullptr);

  /// Changes who holds what. Appends to `undo`, if there is one, who held the bytes that change.
  ///
  /// Cost: O(log n) for each range, and less where a range is near the one before; and the runs
  /// that it meets.
  void assign(const Assignments &assignments, Assignments *undo = nullptr);

  /// Goes back to the state before the first call that has appended to `undo`; all calls since
  /// have.
  void revert(const Assignments &undo);

  /// The bytes that `assignments` are about with those who hold them now; each byte once.
  Assignments now(const Assignments &assignments) const;

  /// What a launch moves and changes: `chunks[p]` is what place p touches. The transfers must end
  /// before it. They have an order that is the same on every rank: by piece, and inside a piece
  /// parents before children.
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
  Step step(const std::vector<ChunkAccess> &chunks, const Topology &topology) const;

  /// Applies a launch, and returns what must move before it: a `step` and its assignments.
  std::vector<Transfer> launch(const std::vector<ChunkAccess> &chunks, const Topology &topology);

  /// Kept up to date by all that changes the state.
  const Identity &identity() const { return identity_; }

  /// Calls `visit(Range, const Holders &)` for the maximal runs that tile `range`, in order.
  /// Bytes never mentioned are valid on place 0 only. A `visit` that gives false back ends it.
  template <typename Visit> void forEach(Range range, Visit &&visit) const;

  /// The same for one range after the other.
  ///
  /// Cost: less than a look-up for a range that is near the one before.
  template <typename Visit> void forEach(const RangeSet &ranges, Visit &&visit) const;

  /// How one place stands to some bytes.
  struct Standing {
    bool isValid; ///< It has a valid copy of all of them.
    bool isAlone; ///< Nobody else has one of any.
    bool isHome;  ///< Place 0 has a valid copy of all; means nothing unless `isValid`.
    Range alike;  ///< It stands alike to all of these, which may be more; empty if to none.
  };

  /// Cost: O(log n) and the runs that it meets while all holds.
  Standing standing(Place place, Range range) const;

  /// Bytes of `within` that `place` has no valid copy of.
  RangeSet missing(Place place, const RangeSet &within) const;

  /// Bytes of `within` that `place` alone has a valid copy of.
  RangeSet onlyAt(Place place, const RangeSet &within) const;

  /// Bytes of `within` that some place other than `place` has a valid copy of.
  RangeSet sharedBeyond(Place place, const RangeSet &within) const;

  /// Runs that were visited or changed so far: what all calls together have cost.
  std::uint64_t visits() const { return visits_; }

  friend bool operator==(const Directory &a, const Directory &b) {
    return a.identity_ == b.identity_ && a.runs_ == b.runs_;
  }

private:
  /// Runs are disjoint and maximal; what is valid on place 0 only is left out. So equal states have
  /// equal maps.
  struct Run {
    std::uint64_t end;
    Holders holders;
    friend bool operator==(const Run &, const Run &) = default;
  };

  using Runs = std::map<std::uint64_t, Run>; ///< By first byte.

  /// The first run that ends after `address`; `near` is where it may be.
  template <typename Map, typename At> static At seek(Map &runs, At near, std::uint64_t address);

  template <typename Visit> static bool goesOn(Visit &visit, Range run, const Holders &holders);

  template <typename Visit>
  Runs::const_iterator visitFrom(Runs::const_iterator near, Range range, Visit &&visit) const;

  Runs::iterator set(Runs::iterator near, Range range, const Holders &holders, Assignments *undo);
  Runs::iterator add(Runs::iterator next, std::uint64_t begin, Run run);
  Runs::iterator remove(Runs::iterator run);
  void count(const Runs::value_type &run, bool comes);

  Identity identity_;
  Runs runs_;
  mutable std::uint64_t visits_ = 0;
};

} // namespace tutti::memory

#include "runtime/memory/directory_inl.h"
