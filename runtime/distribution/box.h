// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Elements of one node's memory in a fixed order, and moves: what each node sends, receives and
/// copies.
#pragma once

#include "runtime/distribution/array_map.h"
#include "runtime/distribution/index_set.h"
#include "runtime/distribution/nodes.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::distribution {

/// Elements at equal distances in each of several dimensions, the last of which varies fastest.
struct Nest {
  Index first;                    ///< Element.
  std::vector<Progression> steps; ///< From there on: `first` of each is 0.
};

/// Elements at `base` plus one number of each dimension; the last dimension varies fastest.
///
/// Units:  elements from the start of the allocation. Strides may be negative.
/// Always: every dimension has a number, unless the box is empty.
class Box {
public:
  /// One element.
  explicit Box(Index base) : base_(base) {}

  /// Adds a dimension, faster than those before.
  void add(std::vector<Progression> steps);

  /// Puts together what lies one behind the other; the order stays.
  void compact();

  Index elements() const;

  /// The elements as one progression, if they are one after `compact`.
  std::optional<Progression> asRun() const;

  /// The elements as a nest, if each dimension is one progression.
  std::optional<Nest> asNest() const;

  /// Calls `run(first, count, stride)` for what together are all elements, in order.
  template <typename Run> void forEachRun(Run &&run) const { visit(0, base_, run); }

  /// Appends what it is, and reads that from `words`, from `next` on.
  void write(std::vector<Index> &words) const;
  static Box read(const std::vector<Index> &words, std::size_t &next);

  friend bool operator==(const Box &, const Box &) = default;

private:
  friend class RunCursor;

  template <typename Run> void visit(std::size_t dimension, Index at, Run &run) const {
    if (dimension == dimensions_.size()) {
      run(at, Index{1}, Index{1});
      return;
    }
    const bool isLast = dimension + 1 == dimensions_.size();
    for (const Progression &steps : dimensions_[dimension]) {
      if (isLast) {
        run(at + steps.first, steps.count, steps.stride);
        continue;
      }
      for (Index k = 0; k < steps.count; ++k) {
        visit(dimension + 1, at + steps.at(k), run);
      }
    }
  }

  Index base_;
  std::vector<std::vector<Progression>> dimensions_;
};

/// The runs of a box one after the other, as `forEachRun` calls them: for two boxes that are walked
/// side by side.
///
/// Ownership: borrows the box.
class RunCursor {
public:
  /// The box has elements.
  explicit RunCursor(const Box &box);

  /// What is left of the present run.
  const Progression &run() const { return run_; }

  /// Takes `count` elements from the front of the run; at its end goes on to the next one, if any.
  void take(Index count);

private:
  void begin();
  bool next();

  /// Which progression of a dimension, and how far in it. The last dimension stands at a whole one.
  struct Place {
    std::size_t progression = 0;
    Index step = 0;
  };

  const Box &box_;
  std::vector<Place> places_;
  Progression run_;
};

/// What goes between this node and another, as one message: the boxes one behind the other.
struct Message {
  Node peer;
  std::vector<Box> boxes;
  /// Of what is received: all elements become the one that the message has.
  bool fills = false;

  /// Of the message.
  Index elements() const;

  friend bool operator==(const Message &, const Message &) = default;
};

/// Within a node; the same number of elements, unless one element fills all.
struct LocalCopy {
  Box from;
  Box to;
  bool fills = false;
};

/// What one node does at the same time as others. At most one message goes to each of them.
struct Phase {
  std::vector<Message> sends;
  std::vector<Message> receives;
  std::vector<LocalCopy> copies;
};

/// One node's part of a move: phases one after the other, as later ones send on what earlier ones
/// brought. Nodes that take part have equally many; some are empty.
struct Move {
  std::vector<Phase> phases;
};

/// What brings all back the way it came.
Move reversed(Move move);

/// The box of the elements with these indices, in their order: of each dimension in C's order a
/// list. The node at `coordinates` owns them or has them in its shadows.
Box boxOf(const ArrayMap &map, const std::vector<Index> &coordinates,
          const std::vector<IndexSet> &indices);

/// Where the indices of a dimension lie in a node's memory.
/// Units: elements of the array, with its strides.
std::vector<Progression> stepsOf(const ArrayMap &map, std::size_t dimension, Index coordinate,
                                 const IndexSet &indices, Index stride);

} // namespace tutti::distribution
