// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What one rank has to do for one launch. Immutable once made; made again only if the directory or
/// the launch differ.
#pragma once

#include "base/range.h"
#include "runtime/balance/cut.h"
#include "runtime/memory/directory.h"
#include "runtime/memory/updates.h"
#include "runtime/transport/transport.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::exec {

using memory::Place;
using transport::Rank;

/// What a launch changes in the directory.
struct Outcome {
  memory::Assignments changes; ///< Of bytes whose holders differ; about each byte once.
  memory::Identity after;      ///< Of the directory that they lead to.
};

/// One of this rank's links of a transfer to or from another rank's host.
struct Link {
  bool isSend;
  Rank peer;
  RangeSet ranges;
  /// For a send of what is received first: index of that link in the plan.
  std::optional<std::size_t> after;
};

/// So many first bytes of a link, by its index in the plan.
struct Need {
  std::size_t link;
  std::uint64_t bytes;
};

/// Iterations that can run as soon as what they touch has been received.
struct Piece {
  balance::Chunk chunk;
  std::vector<Need> needs;
};

/// Bytes on their way between two memories of this rank.
struct Copy {
  Place from;
  Place to;
  RangeSet ranges;
  bool isLate; ///< They arrive from another rank first.
  /// The part of `from` in this launch may write some of them: it has to wait.
  bool isOverwritten;
};

/// Bytes that a device of another rank copies from one of this rank's.
struct Loan {
  std::int32_t device; ///< Index among the rank's.
  Place borrower;
  RangeSet ranges;
};

/// Bytes that one of this rank's devices copies from a device of another rank.
struct Borrowing {
  Place owner;
  std::int32_t device; ///< Index among the rank's.
  RangeSet ranges;
};

/// What one of this rank's devices does.
struct DevicePart {
  std::int32_t device; ///< Index among the rank's.
  balance::Chunk chunk;
  RangeSet touched; ///< Whole units.
  RangeSet writes;
  /// Iterations of the chunk that may run beside the copies between the rank's devices: they touch
  /// nothing that these bring, and nothing of what they read that the device overwrites. Empty if
  /// all of the chunk waits.
  balance::Chunk interior{0, 0};
};

/// Bytes that a place writes on pages of rank 0 that cannot be protected; they return to rank 0.
struct Return {
  Place from;
  RangeSet ranges;
};

struct Plan {
  /// Whether so little moves that it does not matter beside what the parts do, or takes no longer
  /// than a message that says nothing.
  bool movesLittle() const {
    constexpr std::uint64_t kMostMoved = 8; // A fraction of what is touched.
    constexpr std::uint64_t kOfAMessage = 4096;
    return bytesToDistribute <= std::max(bytesTouched / kMostMoved, kOfAMessage);
  }

  std::string reasonHome; ///< Not empty: the launch cannot be distributed; nothing else is set.
  balance::Chunk chunk{0, 0};
  balance::Chunk interior{0, 0}; ///< Touches nothing that is still to arrive.
  std::vector<Piece> waiting;    ///< The rest of the chunk, in the order of its iterations.
  std::vector<Link> links;       ///< In an order that both ends of every link share.
  std::vector<Copy> copies;      ///< Own; the early ones first.
  std::vector<Loan> loans;
  std::vector<Borrowing> borrowings; ///< In the order of devices and owners.
  std::vector<DevicePart> devices;
  std::vector<Return> returns;    ///< Own; on rank 0, everybody's.
  RangeSet overwritten;           ///< Bytes of the host that transfers and its own chunk write.
  std::vector<Rank> contributors; ///< To reductions and to what is merged: 0, and all with a part.
  /// What several places may write. All that have a part begin with the same bytes, and so do the
  /// hosts of their ranks; behind the launch rank 0's host holds what each of them changed.
  RangeSet merged;
  /// Of what is merged: where what the places did to elements is combined. Elsewhere no two of them
  /// write the same byte.
  std::vector<memory::UpdatedBytes> updates;
  /// Address of the tutti_reach of a launch that is undone if a part of it strays; else 0. All that
  /// such a launch writes is merged.
  std::uint64_t reach = 0;
  bool isInPlace = false;    ///< Nothing moves, and nobody's copy becomes invalid.
  bool isPortion = false;    ///< Of a launch that streams through devices.
  bool isDisjoint = false;   ///< What is written through one object is not touched through another.
  bool hasInteriors = false; ///< Each device's part has one.
  bool mayHaveInteriors = false; ///< Nobody has looked for them so far.

  // Rank 0 only.
  RangeSet absentPages;              ///< To be protected from any touch.
  RangeSet readOnlyPages;            ///< To be protected from writes; disjoint from `absentPages`.
  RangeSet twinPages;                ///< Shared, but not to be protected.
  RangeSet exchanged;                ///< Bytes that transfers are for, and those of returns.
  std::vector<RangeSet> footprints;  ///< By device of the job: units that its part touches,
  std::vector<balance::Chunk> parts; ///< and its part.

  // For the decision: about so many.
  std::uint64_t bytesTouched = 0;
  std::uint64_t bytesToDistribute = 0;
  std::uint64_t bytesToStayHome = 0;
  std::uint64_t bytesToMerge = 0; ///< At most; moved at every such launch.

  double secondsToMake = 0; ///< Measured; 0 if it was not made from a survey.

  RangeSet arrays; ///< Bytes of the program's variables that this launch shows to be of arrays.

  std::shared_ptr<const Outcome> outcome; ///< Shared by the planner until it has been applied.
};

} // namespace tutti::exec
