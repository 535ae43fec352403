// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which ranks hold a valid copy of which bytes, and what a launch must move. Pure data: the same
/// steps give the same state on every rank.
#pragma once

#include "base/range.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tutti::memory {

using Rank = std::int32_t;

/// Sorted ranks whose copy is valid; never empty.
using Holders = std::vector<Rank>;

/// One link of a transfer: `from` sends `ranges` to `to`.
///
/// Shape: a pair of ranks has at most one link per piece; a rank receives each byte once.
/// Order: a rank that appears as `to` and as `from` of the same `piece` forwards after receiving.
struct Transfer {
  std::uint32_t piece; ///< Transfers of one piece carry the same ranges.
  Rank from;
  Rank to;
  RangeSet ranges;
};

/// What one rank's chunk touches.
struct ChunkAccess {
  RangeSet reads;  ///< At-most writes included.
  RangeSet writes; ///< Exact and at-most writes.
};

/// What happened on rank 0 between launches.
struct Event {
  enum class Kind : std::uint32_t {
    Fetched, ///< Rank 0's copy became valid too.
    Claimed, ///< Rank 0's copy is now the only valid one.
  };
  Kind kind;
  Range range;
};

/// Threading: externally synchronised. A copyable value.
class Directory {
public:
  /// Applies an event of rank 0.
  void apply(const Event &event);

  /// Applies a launch: `chunks[r]` is what rank r touches. Returns what must move before it, in an
  /// order that is the same on every rank: by piece, and inside a piece parents before children.
  ///
  /// A piece is all that one source sends to one set of readers: down a binomial tree rooted at the
  /// source, which is the valid rank nearest to the lowest reader.
  ///
  /// Shape: writes of different ranks do not overlap (checked by the caller).
  /// Cost:  O(n log n) in the ranges of all chunks and the runs they meet.
  std::vector<Transfer> launch(const std::vector<ChunkAccess> &chunks);

  /// Calls `visit(Range, const Holders &)` for the maximal runs that tile `range`, in order.
  /// Bytes never mentioned are valid on rank 0 only.
  template <typename Visit> void forEach(Range range, Visit &&visit) const;

  /// Bytes of `within` that `rank` has no valid copy of.
  RangeSet missing(Rank rank, const RangeSet &within) const;

  /// Bytes of `within` that some rank other than `rank` has a valid copy of.
  RangeSet sharedBeyond(Rank rank, const RangeSet &within) const;

  friend bool operator==(const Directory &, const Directory &) = default;

private:
  void set(Range range, const Holders &holders);

  /// Makes a boundary between runs at `address`, if it lies inside one.
  void splitAt(std::uint64_t address);

  /// Key: first byte of a run; value: its end and holders. Runs are disjoint and maximal; what is
  /// valid on rank 0 only is left out. So equal states have equal maps.
  struct Run {
    std::uint64_t end;
    Holders holders;
    friend bool operator==(const Run &, const Run &) = default;
  };

  std::map<std::uint64_t, Run> runs_;
};

} // namespace tutti::memory

#include "runtime/memory/directory_inl.h"
