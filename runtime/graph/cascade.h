// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What follows when a stake is released: later rounds open, in the domains below as well; empty
/// segments release what lies above them; reductions are combined; tokens change hands. Lists of
/// work instead of recursion, as domains may be nested deeply.
#pragma once

#include "runtime/graph/segments.h"
#include "runtime/graph/tokens.h"

#include <vector>

namespace tutti::graph {

/// Threading: externally synchronised.
class Cascade {
public:
  explicit Cascade(Segments &segments) : segments_(segments) {}

  Cascade(const Cascade &) = delete;
  Cascade &operator=(const Cascade &) = delete;

  /// Takes note that the stake is live no more; `run` does the rest.
  void release(Stake &stake) { released_.push_back(&stake); }

  /// Takes note that the node of the stake has ended while this segment lies below that.
  void pass(Segment &below);

  /// The group takes no more members. `run` combines it, or a later one.
  void close(Group &group);

  /// Goes on until nothing follows any more.
  void run(Sink &sink);

  /// For a node with satisfied stakes. If not, it is told as ready later.
  bool takeTokens(NodeState &node) { return tokens_.take(node); }

  ReplayPools replayPools;

private:
  void tell(NodeState &node, Sink &sink);
  void settle(Sink &sink);
  void releaseNow(Stake &stake);
  bool uncover(Stake &roof);
  void complete(Group &group);
  void combine(Group &group, Sink &sink);
  void remove(Round &round);
  void emptied(Segment &segment);
  void passUp(Segment &segment);
  void open(Segment &segment, Round *round, Kinds kinds);
  void openBehind(const Round &round);
  void openOne(Round &round, Kinds kinds);
  void satisfy(Stake &stake, Kinds kinds);

  Segments &segments_;
  Tokens tokens_;
  std::vector<Stake *> released_;
  std::vector<Segment *> lowered_; ///< Whose roof lets more go.
  std::vector<Segment *> passing_; ///< Where more may go now, below what has ended.
  std::vector<Group *> complete_;
  std::vector<NodeState *> satisfied_;
};

} // namespace tutti::graph
