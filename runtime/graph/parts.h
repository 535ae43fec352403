// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a graph consists of: the segments of a domain's memory, the rounds that wait at each of
/// them, and the stakes of nodes in these rounds. Data alone; `Segments` divides them, `Cascade`
/// lets the changes run through them.
///
/// All bytes of a segment have the same history, so that whatever holds for one byte holds for the
/// segment: nothing is ever partly satisfied or partly released.
#pragma once

#include "base/range.h"
#include "runtime/graph/pool.h"
#include "runtime/graph/replay.h"
#include "runtime/graph/runs.h"
#include "runtime/graph/task_graph.h"

#include <functional>
#include <map>
#include <memory>

namespace tutti::graph {

struct Domain;
struct Group;
struct Round;
struct Segment;

/// Which accesses may go: a set of the bits below. Grows only, as long as what it belongs to lives.
using Kinds = std::uint8_t;
inline constexpr Kinds kReads = 1;
inline constexpr Kinds kConcurrents = 2;
inline constexpr Kinds kOthers = 4;
inline constexpr Kinds kAllKinds = 7;

inline bool isOpenForAll(Kinds kinds) { return (kinds & kOthers) != 0; }

/// How an access is ordered: `out` as `inout`.
inline AccessKind orderOf(AccessKind kind) {
  return kind == AccessKind::Out ? AccessKind::InOut : kind;
}

inline Kinds bitOf(AccessKind kind) {
  switch (kind) {
  case AccessKind::In:
    return kReads;
  case AccessKind::Concurrent:
    return kConcurrents;
  default:
    return kOthers;
  }
}

/// What may go beside a live access that comes before it, however much comes between: a task that
/// reads below a weak `inout` need not wait for readers before that.
inline Kinds goesBeside(AccessKind kind) { return bitOf(kind) & static_cast<Kinds>(~kOthers); }

/// The access of one node to one segment. A node has at most one in each.
struct Stake {
  NodeState *node = nullptr;
  Segment *segment = nullptr;
  Round *round = nullptr;
  Stake *previousInRound = nullptr;
  Stake *nextInRound = nullptr;
  Stake *previousOfNode = nullptr;
  Stake *nextOfNode = nullptr;
  AccessKind kind = AccessKind::In; ///< As it was named.
  bool isWeak = false;
  bool isSatisfied = false; ///< Of a strong one: nothing before it excludes it.
  /// The node has given it up: it is live until the one segment below it is empty. Then that
  /// segment has the same bytes, always.
  bool hasEnded = false;
  /// Of one whose node has ended: what all that is live below lets go.
  Kinds passes = 0;
};

/// Stakes in one segment that do not wait for one another. One of the others waits for all of the
/// rounds before.
struct Round {
  Segment *segment = nullptr;
  Round *previous = nullptr;
  Round *next = nullptr;
  Stake *first = nullptr;
  Stake *last = nullptr;
  Group *group = nullptr; ///< Of reductions.
  Round *nextOfGroup = nullptr;
  std::uint32_t live = 0;
  std::uint32_t passingReads = 0; ///< Stakes that let reads go.
  std::uint32_t passingConcurrents = 0;
  AccessKind kind = AccessKind::In; ///< By `orderOf`.
  Kinds open = 0;
  /// The group is that of the roof: what is reduced is combined above.
  bool isInherited = false;
};

/// Bytes of a domain's memory with the rounds that are live there. One without rounds is kept so
/// that it need not be made again, or as what its roof covers.
struct Segment {
  Range range; ///< Of a box: from its first byte to its last one.
  /// The runs of a box, all of them in the index. Only without roof, and without anything below its
  /// stakes; what overlaps it or comes below makes it a segment for each run.
  Runs *box = nullptr;
  Domain *domain = nullptr;
  Stake *roof = nullptr;   ///< Of the domain's owner, if its access has these bytes.
  bool needsToken = false; ///< Who uses these bytes is commutative: the roof is, and weak.
  Round *first = nullptr;
  Round *last = nullptr;
  Segment *nextInBucket = nullptr;
  Kinds open = kAllKinds; ///< What the roof lets go.
  Kinds tail = kAllKinds; ///< What a round that was appended now would be open for.

  bool empty() const { return first == nullptr; }
};

/// By the first byte of each run; without overlaps.
using Index = std::map<std::uint64_t, Segment *, std::less<>,
                       SlotAllocator<std::pair<const std::uint64_t, Segment *>>>;

/// Weight that a domain may have without a thought of segments that are empty.
inline constexpr std::size_t kKept = 8192;

/// Memory that a segment takes, in segments.
inline std::size_t weightOf(const Segment &segment) {
  return segment.box == nullptr ? 1 : 1 + segment.box->count() / 64;
}

/// Of the run that begins at `begin`.
inline std::uint64_t runEnd(std::uint64_t begin, const Segment &segment) {
  return segment.box == nullptr ? segment.range.end : begin + segment.box->first().size();
}

/// The memory in which the children of a node are ordered. Every byte of the owner's stakes that
/// have not ended lies in a segment with that stake as its roof.
struct Domain {
  Domain(NodeState &state, Slots &slots)
      : owner(&state), index(SlotAllocator<std::pair<const std::uint64_t, Segment *>>(slots)) {}

  NodeState *owner;
  Index index;
  std::size_t live = 0;      ///< Segments with rounds.
  std::size_t weight = 0;    ///< Of all segments.
  std::size_t limit = kKept; ///< More than this is tidied up.
  Group *groups = nullptr;
  std::unique_ptr<Iterations> iterations; ///< Of a loop that the owner runs.
};

struct Group : ReductionGroup {
  Domain *domain = nullptr;
  Group *previous = nullptr;
  Group *next = nullptr;
  Round *rounds = nullptr;
  std::uint32_t live = 0;  ///< Stakes.
  std::uint32_t shut = 0;  ///< Rounds that are not open: what comes before is live.
  bool isClosed = false;   ///< Takes no more members: is combined when nothing of these is left.
  bool isComplete = false; ///< About to be combined.
};

struct NodeState {
  explicit NodeState(Node &of) : node(&of) {}

  Node *node; ///< Null once it is forgotten, while there is something to combine below.
  Domain *domain = nullptr;
  Stake *stakes = nullptr;
  NodeState *nextWaiter = nullptr;
  NodeState *parent = nullptr; ///< In whose domain it has accesses.
  /// Of a replay, which orders it in place of stakes; or of its proxy.
  Instance *instance = nullptr;
  std::uint32_t children = 0; ///< With accesses, that have not ended.
  std::uint32_t pending = 0;  ///< Strong stakes that are not satisfied.
  bool hasEnded = false;
  bool needsTokens = false;
};

/// What goes beside all of a round.
inline Kinds passesOf(const Round &round) {
  Kinds kinds = goesBeside(round.kind);
  if (round.passingReads + round.passingConcurrents > 0 &&
      (round.group == nullptr || round.isInherited)) {
    kinds |= round.passingReads == round.live ? kReads : 0;
    kinds |= round.passingConcurrents == round.live ? kConcurrents : 0;
  }
  return kinds;
}

/// Whether a strong access below `roof` needs the tokens of its bytes, of whatever kind it is.
inline bool isTokenUnder(const Stake *roof) {
  return roof != nullptr && roof->isWeak && // A strong one has the tokens itself.
         (roof->segment->needsToken || roof->round->kind == AccessKind::Commutative);
}

/// Whether the node has to hold the tokens of these bytes before it is ready.
inline bool needsToken(const Stake &stake) {
  return !stake.isWeak &&
         (stake.segment->needsToken || stake.round->kind == AccessKind::Commutative);
}

} // namespace tutti::graph
