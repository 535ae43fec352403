// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The segments of all domains: finds them by their exact bytes or in their order, makes, divides,
/// joins and drops them. Knows nothing of what may run.
#pragma once

#include "runtime/graph/parts.h"

#include <vector>

namespace tutti::graph {

/// Threading: externally synchronised.
class Segments {
public:
  Segments();
  Segments(const Segments &) = delete;
  Segments &operator=(const Segments &) = delete;

  NodeState &state(Node &node);

  /// Leaves the state without its node, if there is something to combine below.
  void forget(NodeState &state);

  bool hasForgotten() const { return forgotten_ > 0; }

  /// Drops it if it has been forgotten and nothing is left below.
  void dropForgotten(NodeState &state);

  /// With segments below all stakes of the node.
  Domain &domainOf(NodeState &state);

  /// The segment of exactly these bytes, or null.
  Segment *find(const Domain &domain, Range range) const;
  Segment *findBox(const Domain &domain, const Runs &runs) const;

  /// The first segment that ends behind `byte`.
  static Index::iterator firstBehind(Domain &domain, std::uint64_t byte);

  /// A segment without rounds, where there is none; `hint` is what comes after it.
  Segment &make(Domain &domain, Range range, Stake *roof, Index::const_iterator hint);

  /// A segment of all these runs, if nothing but empty segments without roof lies there; else null.
  Segment *makeBox(Domain &domain, const Runs &runs);

  /// Makes a box a segment for each of its runs. It becomes the first of them.
  void breakBox(Segment &segment);

  /// All stakes of the node.
  void breakBoxes(NodeState &node);

  /// Drops a segment without rounds; returns what follows, or something before that.
  Index::iterator erase(Segment &segment);

  /// Divides a segment, which is no box, at a byte inside, and what has to be divided with it above
  /// and below. The segment and its stakes keep what comes after the byte; those with the part
  /// before it are new, and stand in the lists of their nodes before the others. Cost: stakes in
  /// the segment and those segments below whose roof changes.
  Segment &cut(Segment &segment, std::uint64_t at);

  /// Drops segments that have neither rounds nor roof, and joins those that differ in nothing.
  void tidy(Domain &domain, Range range);

  /// All of the domain, if its segments have become many since the last time.
  void tidyIfLarge(Domain &domain);

  /// Drops all without rounds.
  void eraseEmpty(Domain &domain);

  Round &appendRound(Segment &segment, AccessKind kind, Group *group, bool isInherited);
  void append(Round &round, NodeState &node, AccessKind kind, bool isWeak);

  /// Takes a stake out of its round and its node; the round may be left without any.
  void destroy(Stake &stake);

  /// Takes a round out of its segment.
  void destroy(Round &round);

  /// Makes two rounds that follow one another, without groups of their own, and are open alike,
  /// one.
  Round &join(Round &first, Round &second);

  /// Says what more goes beside the stake.
  void pass(Stake &stake, Kinds kinds);

  Group &makeGroup(Domain &domain, Range range, const ReductionKey &key);
  void destroy(Group &group);

  TaskGraph::Size size() const;

private:
  struct Cut {
    Segment *segment;
    Stake *leftRoof;
  };

  std::size_t bucketOf(const Domain &domain, Range range) const;
  void enter(Segment &segment);
  void leave(Segment &segment);
  void growTable();
  Segment &divide(Segment &segment, std::uint64_t at, Stake *leftRoof);
  void copyRounds(const Segment &from, Segment &to);
  void copyStake(Stake &stake, Round &round);
  void moveRoof(Stake &from, Stake &to);

  Pool<NodeState> states_;
  std::size_t forgotten_ = 0; ///< States without nodes.
  Pool<Domain> domains_;
  Pool<Segment> segments_;
  Pool<Runs> boxes_;
  Pool<Round> rounds_;
  Pool<Stake> stakes_;
  Pool<Group> groups_;
  Slots indexSlots_;
  std::vector<Segment *> table_;
  std::vector<Cut> cuts_;
};

} // namespace tutti::graph
