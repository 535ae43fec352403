// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which task waits for which: the dependences between the accesses that tasks name, exact to the
/// byte. Pure data: runs nothing, owns no thread, no device and no user memory.
///
/// Every task has a *domain*, in which its children are ordered by their accesses. A child's access
/// to memory that lies in one of its parent's continues the parent's place in the domain above: it
/// waits for what the parent's (weak) access waits for, and delays what comes after the parent.
#pragma once

#include "abi/abi.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace tutti::graph {

/// How a task uses memory. Source: OmpSs-2, dependence clauses.
enum class AccessKind : std::uint8_t { In = 1, Out, InOut, Concurrent, Commutative, Reduction };

/// What makes two reductions one: accesses with equal regions and equal operations run together.
struct ReductionKey {
  std::uint64_t operation = 0;
  std::uint64_t type = 0;
  /// Copies are made of what the original holds: its tasks wait for what comes before them.
  bool readsOriginal = false;
  friend bool operator==(const ReductionKey &, const ReductionKey &) = default;
};

/// Bytes that a task names: `bytes` from `begin`, or that many from each point of a box.
///
/// Shape: `dimensions` outermost first, at most kMaxDimensions, each with a positive count; strides
///        may be negative. Runs may not overlap one another. Empty for one run.
struct Region {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::span<const tutti_dim> dimensions;
};

inline constexpr std::size_t kMaxDimensions = 8;

struct Access {
  Region region;
  AccessKind kind = AccessKind::In;
  bool isWeak = false;
  /// Of AccessKind::Reduction alone, which delays its combination and not the task, unless copies
  /// are made of the original. All from the
  /// first byte of a box to its last one is reduced. One that overlaps another access of its task,
  /// but for its equal, counts as InOut, and so does one below a weak commutative access.
  ReductionKey reduction;
};

/// The private copies of one region that tasks reduce together, from the first of them to the
/// combination. Whoever runs the tasks hangs the copies on it.
struct ReductionGroup {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  ReductionKey key;
  void *copies = nullptr; ///< The caller's.
};

struct NodeState; ///< The graph's own.

/// A task, as a node of the graph. Lies inside of the caller's task; stays where it is from `add`
/// to `Sink::gone`.
class Node {
public:
  Node() = default;
  Node(const Node &) = delete;
  Node &operator=(const Node &) = delete;

  NodeState *state = nullptr; ///< Null for a task without accesses that has no children with any.
  /// The caller's to set for nodes that are never added: without accesses, but with children. `add`
  /// sets it for others.
  Node *parent = nullptr;
};

/// What a change of the graph means to the caller. Called while the graph changes: must not call
/// the graph.
class Sink {
public:
  /// All that the node waits for has happened; it has the commutative memory that it names to
  /// itself. Once for each node that `add` did not say to be ready.
  virtual void ready(Node &node) = 0;

  /// All tasks of the group have ended, and all that comes before it: combine the copies into the
  /// original now. What comes after becomes ready after this call. The group is not used after it.
  /// Its tasks, and the parent of these, may have been forgotten before.
  virtual void combine(ReductionGroup &group) = 0;

protected:
  ~Sink() = default;
};

/// The dependences of all tasks of a program.
///
/// Threading: externally synchronised.
class TaskGraph {
public:
  TaskGraph();
  TaskGraph(const TaskGraph &) = delete;
  TaskGraph &operator=(const TaskGraph &) = delete;
  ~TaskGraph();

  /// Adds a child of `parent` after all that were added before; the accesses are copied.
  /// Overlapping accesses of one node count as their union. Returns whether the node is ready;
  /// `sink` is told of others, and of reductions that it comes after and whose tasks have all
  /// ended. Cost: constant for regions that equal earlier ones; no allocation in the steady state.
  bool add(Node &node, Node &parent, std::span<const Access> accesses, Sink &sink);

  /// The running node begins an iteration of a loop: those of its children that come until the next
  /// one are often just those of the iteration before. Once a round of `period` iterations has been
  /// added, those that name what it has named wait for one another as its children have, without a
  /// look at their memory; with their weak accesses as strong ones, and until all of their
  /// descendants have ended.
  void iterate(Node &node, std::uint32_t period, Sink &sink);

  /// The body has ended (with `wait`: and all descendants): what no live child covers is released,
  /// the rest as those children release it.
  void end(Node &node, Sink &sink);

  /// The running node gives up part of what it named. False if it did not name that, or in another
  /// way: then nothing has happened.
  bool release(Node &node, std::span<const Access> accesses, Sink &sink);

  /// All children of `node` have ended, and their descendants: what they reduced and belongs to no
  /// reduction of `node` is combined, and they are forgotten. But for what `node` names weakly, or
  /// reduces itself, and something before it still uses: that is combined after this has ended.
  void closeDomain(Node &node, Sink &sink);

  /// Node and all of its descendants have ended and will not be named again.
  void forget(Node &node, Sink &sink);

  /// The group of the reduction of `node` that has this byte; null if it reduces none there. For
  /// running nodes.
  ReductionGroup *reductionOf(const Node &node, std::uint64_t byte) const;

  /// The groups of all reductions of `node`, for running nodes; one may come several times.
  void forEachReduction(const Node &node,
                        const std::function<void(ReductionGroup &group)> &visit) const;

  /// What is kept, for tests and limits: nodes with anything to remember, live accesses as often as
  /// they are divided, and ranges of memory that have them or had them lately.
  struct Size {
    std::size_t nodes = 0;
    std::size_t accesses = 0;
    std::size_t segments = 0;
  };

  Size size() const;

  /// Since the beginning.
  struct Counts {
    std::uint64_t lookups = 0;  ///< Regions, or runs of these, that were looked for.
    std::uint64_t replayed = 0; ///< Nodes that wait as those of an earlier iteration did.
  };

  Counts counts() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace tutti::graph
