// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Children that a node makes again and again, as the iterations of a loop do: what those of one
/// round name is recorded, and says which of them wait for which in all rounds that name the same.
/// Nothing here is looked up by memory once a round has been recorded.
#pragma once

#include "base/range.h"
#include "runtime/graph/pool.h"
#include "runtime/graph/task_graph.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tutti::graph {

struct NodeState;

/// What tasks name, one after the other, with memory of its own.
///
/// Threading: externally synchronised.
class AccessLists {
public:
  void add(std::span<const Access> accesses);
  void clear();

  /// All tasks until now have ended when the next one comes.
  void wait() { waits_.push_back(ends_.size()); }

  /// Whether all have ended before this task; of `size()`: before the next round.
  bool waitsBefore(std::size_t task) const;

  /// Number of tasks.
  std::size_t size() const { return ends_.size(); }

  std::span<const Access> all() const { return accesses_; }

  std::span<const Access> of(std::size_t task) const {
    const std::size_t first = task == 0 ? 0 : ends_[task - 1];
    return std::span(accesses_).subspan(first, ends_[task] - first);
  }

private:
  std::vector<Access> accesses_;
  std::vector<std::size_t> ends_; ///< Of each task: behind its last access.
  std::vector<std::unique_ptr<tutti_dim[]>> dimensions_;
  std::vector<std::size_t> waits_; ///< Ascending.
};

/// What tasks of a round reduce together.
struct RoundGroup {
  Range range;
  ReductionKey key;
  std::uint32_t members = 0;
};

/// Which tasks of a round each of them waits for. What comes later in the round than the task
/// itself, or is the task itself, is that of the round before.
///
/// Threading: immutable.
class RoundOrder {
public:
  /// Nothing if that would be more than is worth to be remembered, or if tasks of two rounds reduce
  /// together.
  static std::optional<RoundOrder> of(const AccessLists &round);

  std::span<const std::uint32_t> before(std::size_t task) const {
    const std::size_t first = task == 0 ? 0 : ends_[task - 1];
    return std::span(before_).subspan(first, ends_[task] - first);
  }

  std::span<const RoundGroup> groups() const { return groups_; }

  /// Indices of those that the task is a member of.
  std::span<const std::uint32_t> groupsOf(std::size_t task) const {
    const std::size_t first = task == 0 ? 0 : memberEnds_[task - 1];
    return std::span(memberOf_).subspan(first, memberEnds_[task] - first);
  }

private:
  std::vector<std::uint32_t> before_;
  std::vector<std::size_t> ends_;
  std::vector<RoundGroup> groups_;
  std::vector<std::uint32_t> memberOf_;
  std::vector<std::size_t> memberEnds_;
};

/// Who waits for a task of a round.
struct Successor {
  NodeState *node;
  Successor *next;
};

/// In the order in which they have come: what comes first in the program is told first, and mostly
/// runs first.
struct Successors {
  Successor *first = nullptr;
  Successor *last = nullptr;

  void add(Successor &added) {
    (last == nullptr ? first : last->next) = &added;
    last = &added;
  }
};

class Replay;

/// A group of one round that is under way.
struct ReplayGroup : ReductionGroup {
  std::uint32_t missing = 0; ///< Members that have not come.
  std::uint32_t live = 0;    ///< Members that have not ended.
};

/// That a node reduces in a group.
struct Membership {
  ReplayGroup *group;
  Membership *next;
};

/// What a node of a replay has in place of stakes.
struct Instance {
  Replay *replay = nullptr;
  std::uint32_t task = 0; ///< Which one of its round.
  Successors successors;
  Membership *memberships = nullptr;
};

/// What replays are made of while they go on.
struct ReplayPools {
  Pool<Instance> instances;
  Pool<Successor> successors;
  Pool<ReplayGroup> groups;
  Pool<Membership> memberships;
};

/// Rounds of tasks that wait for one another by what one round has told. Towards all other nodes
/// one node, the *proxy*, stands for them: it names what a round names, and is there from the first
/// of them to the end of the last.
///
/// Threading: externally synchronised.
class Replay {
public:
  Replay(AccessLists round, RoundOrder order);

  const AccessLists &round() const { return round_; }

  /// Takes the next task of a round. False if it has to wait.
  bool add(NodeState &node, ReplayPools &pools);

  /// What the proxy names is free.
  void open(ReplayPools &pools, Sink &sink);

  /// The task is over. Takes its instance away.
  void finish(NodeState &node, ReplayPools &pools, Sink &sink);

  /// Who comes from now on reduces in groups of its own.
  void closeGroups(ReplayPools &pools, Sink &sink);

  /// There come no more tasks.
  void close(ReplayPools &pools, Sink &sink);

  /// Whether all is over: the proxy may end.
  bool isOver() const { return isClosed_ && live_ == 0; }

  /// Tasks that have not ended.
  std::size_t live() const { return live_; }

  /// Whether the next task is the first one of a round.
  bool isBetweenRounds() const { return next_ == 0; }

  /// Whether the next task of the round names just this.
  bool isNext(std::span<const Access> accesses) const;

  Node proxy;

private:
  static void tell(Successors waiting, ReplayPools &pools, Sink &sink);
  static void combineIfOver(ReplayGroup &group, ReplayPools &pools, Sink &sink);
  void join(Instance &instance, ReplayPools &pools);

  AccessLists round_;
  RoundOrder order_;
  std::vector<NodeState *> latest_;   ///< Of each task the newest one, if it has not ended.
  std::vector<ReplayGroup *> groups_; ///< Those of the round to which members are still to come.
  Successors waiting_;                ///< For the proxy.
  std::uint32_t next_ = 0;
  std::size_t live_ = 0;
  bool isOpen_ = false;
  bool isClosed_ = false;
};

/// What is known of a node whose children come in iterations.
///
/// Threading: externally synchronised.
class Iterations {
public:
  /// `period`: how many iterations make a round, at least.
  explicit Iterations(std::uint32_t period) : period_(period), left_(1) {}

  /// An iteration begins. Returns the replay that has to be closed, as this round has been shorter.
  std::unique_ptr<Replay> begin();

  /// All children have ended.
  void wait();

  /// Takes note of the next child while a round is recorded.
  void record(std::span<const Access> accesses);

  /// Null if the next child has to be added as others are.
  Replay *replay() { return replay_.get(); }

  /// The rounds are not alike. Returns the replay, which is to be closed.
  std::unique_ptr<Replay> fail();

  /// There will be no replay.
  void giveUp();

  std::unique_ptr<Replay> takeReplay() { return std::move(replay_); }

private:
  AccessLists recorded_;
  std::unique_ptr<Replay> replay_;
  std::uint32_t period_;
  std::uint32_t left_; ///< Iterations until a round begins.
  std::uint32_t failures_ = 0;
  bool isRecording_ = false;
  bool isOff_ = false;
};

} // namespace tutti::graph
