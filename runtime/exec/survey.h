// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the places touch in one launch, taken apart by what the directory says already. Pure: every
/// rank gets the same.
///
/// Of most launches most is in place: a place reads what it has a copy of, and writes what it alone
/// has. Such bytes need no transfer, and nobody's copy becomes invalid, so they stay boxes, or even
/// the hulls of boxes. Only the rest is taken apart into runs of bytes:
///
///        columns:  0        a      b         n
///        row r     |........[######]..........|    the box of a record (#), and its hull from the
///        row r+1   |........[######]..........|    first # to the last one. Where the place alone
///        row r+2   |........[##++##]..........|    has the hull but for two bytes (+), one run is
///                                                  left: those.
#pragma once

#include "base/range.h"
#include "runtime/balance/cut.h"
#include "runtime/exec/launch.h"
#include "runtime/memory/directory.h"
#include "runtime/memory/topology.h"
#include "runtime/memory/updates.h"
#include "runtime/memory/window.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti::exec {

using memory::Place;

/// The parts of `launch`'s shares, in their order, of its portion.
std::vector<balance::Chunk> chunksOf(const Launch &launch);

/// What all places touch, and whether two of them may write the same byte.
struct Survey {
  std::vector<balance::Chunk> chunks; ///< By place.
  /// By place: what it touches that is not in place. All of it is read before, or written then.
  std::vector<memory::ChunkAccess> accesses;
  /// By place: what it reads and has, and what it writes and alone has; whole hulls. Nobody else
  /// touches what is written.
  std::vector<memory::ChunkAccess> inPlace;
  RangeSet reads;            ///< Of all `accesses`,
  RangeSet writes;           ///< and these.
  RangeSet reduced;          ///< Variables that a reduction is combined into.
  RangeSet writtenElsewhere; ///< Of `accesses`, by other places than the host of rank 0.
  RangeSet merged;           ///< What several places may write; counts as written by that host.
  std::vector<memory::UpdatedBytes> updates; ///< Of what is merged: where changes are combined.
  std::vector<RangeSet> mergedAt;            ///< By rank: what of it its places compare.
  std::uint64_t reach = 0;                   ///< As in `Plan`.
  std::string_view reasonHome;               ///< Why it cannot be distributed; or empty.
  /// About: bytes that are touched in place, and those of them that rank 0's host lacks.
  double bytesInPlace = 0;
  double bytesNotHome = 0;
  /// Of `reads` and `writes`: what places take beside what they touch (rests.h).
  RangeSet taken;

  /// Nothing moves, and everybody has afterwards what he had before.
  bool isInPlace() const { return reads.empty() && writes.empty(); }

  /// About how many bytes the launch touches.
  std::uint64_t bytesTouched() const {
    return reads.bytes() + writes.bytes() - 2 * taken.bytes() +
           static_cast<std::uint64_t>(bytesInPlace);
  }
};

/// Whether what is in place is told apart; else all is in `accesses`, byte by byte.
///
/// With `Hulls` a place that touches an object in many runs, with gaps between them that are not
/// long, gets the gaps, too, and keeps them as what it may write if it writes the runs, provided
/// that nobody else touches them in this launch. It takes few ranges then, now and later.
enum class Telling { Hulls, InPlaceApart, Nothing };

/// Cost: linear in the records of all places, the runs of the directory in their hulls, and the
///       runs of bytes that are not in place.
///
/// `arrays`: those that the launch may touch, as far as they are known; what places take with what
/// they write lies in them. Without any, nothing is taken.
Survey surveyOf(const Launch &launch, const memory::Window &window,
                const memory::Topology &topology, const memory::Directory &directory,
                Telling telling, const RangeSet &arrays = {});

} // namespace tutti::exec
