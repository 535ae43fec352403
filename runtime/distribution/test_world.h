// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// For tests: random mappings, the memories of all nodes, and moves carried out on them.
#pragma once

#include "runtime/distribution/array_map.h"
#include "runtime/distribution/box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace tutti::distribution::test {

using Random = std::mt19937;

inline Index pick(Random &random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

/// What a memory holds where nothing was written.
inline constexpr Index kNothing = -1;

/// Elements of an array in the order of C, by their indices.
inline Index numberOf(const ArrayMap &map, const std::vector<Index> &indices) {
  Index number = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    number = number * map.axis(d).extent() + indices[d];
  }
  return number;
}

/// Calls `body(indices)` for all within the extents, the last one fastest.
template <typename Body> void forAll(const std::vector<Index> &extents, Body &&body) {
  std::vector<Index> at(extents.size(), 0);
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) {
    return;
  }
  while (true) {
    body(std::as_const(at));
    std::size_t d = extents.size();
    while (d > 0 && ++at[d - 1] == extents[d - 1]) {
      at[--d] = 0;
    }
    if (d == 0) {
      return;
    }
  }
}

inline std::vector<Index> extentsOf(const ArrayMap &map) {
  std::vector<Index> extents;
  for (const Axis &axis : map.axes()) {
    extents.push_back(axis.extent());
  }
  return extents;
}

/// One array as all nodes of a job have it.
class Memories {
public:
  explicit Memories(const ArrayMap &map) : map_(map) {
    for (const Node node : map.nodes().ranks()) {
      const auto layout = map.layout(*map.nodes().coordinatesOf(node));
      bytes_[node].assign(static_cast<std::size_t>(layout.elements), kNothing);
    }
  }

  std::vector<Index> &of(Node node) { return bytes_[node]; }

  bool owns(Node node, const std::vector<Index> &indices) const {
    const auto coordinates = *map_.nodes().coordinatesOf(node);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const Axis &axis = map_.axis(d);
      if (!axis.isWhole() && axis.ownerOf(indices[d]) != map_.coordinate(d, coordinates)) {
        return false;
      }
    }
    return true;
  }

  /// Of an element that the node owns or has in a shadow.
  Index &at(Node node, const std::vector<Index> &indices) {
    const auto coordinates = *map_.nodes().coordinatesOf(node);
    const Layout layout = map_.layout(coordinates);
    Index offset = 0;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      offset += map_.localOf(d, map_.coordinate(d, coordinates), indices[d]) * layout.strides[d];
    }
    EXPECT_GE(offset, 0);
    EXPECT_LT(offset, layout.elements);
    return bytes_[node][static_cast<std::size_t>(offset)];
  }

  /// Every owner's elements become `seed` and their number.
  void fill(Index seed) {
    for (const Node node : map_.nodes().ranks()) {
      forAll(extentsOf(map_), [&](const std::vector<Index> &indices) {
        if (owns(node, indices)) {
          at(node, indices) = seed + numberOf(map_, indices);
        }
      });
    }
  }

private:
  const ArrayMap &map_;
  std::map<Node, std::vector<Index>> bytes_;
};

struct Traffic {
  Index messages = 0;
  Index elements = 0;
};

using Values = std::vector<Index>;

inline Values packed(const Box &box, const Values &memory) {
  Values values;
  box.forEachRun([&](Index first, Index count, Index stride) {
    for (Index k = 0; k < count; ++k) {
      values.push_back(memory.at(static_cast<std::size_t>(first + k * stride)));
    }
  });
  return values;
}

/// Writes the values, or adds them.
inline void unpack(const Box &box, Values &memory, const Values &values, bool fills, bool adds) {
  std::size_t next = 0;
  box.forEachRun([&](Index first, Index count, Index stride) {
    for (Index k = 0; k < count; ++k) {
      Index &element = memory.at(static_cast<std::size_t>(first + k * stride));
      const Index value = values.at(fills ? 0 : next++);
      element = adds ? element + value : value;
    }
  });
  EXPECT_EQ(fills ? values.size() : next, values.size());
}

/// Carries out one phase on all nodes: all is read before anything is written.
inline void runPhase(std::map<Node, Phase> &phases, Memories &source, Memories &target, bool adds,
                     Traffic &traffic) {
  std::map<std::pair<Node, Node>, std::vector<Values>> wire;

  struct Write {
    Node node;
    const Box *box;
    Values values;
    bool fills;
  };

  std::vector<Write> writes;
  for (auto &[node, phase] : phases) {
    for (const Message &send : phase.sends) {
      EXPECT_NE(send.peer, node);
      EXPECT_FALSE(wire.contains({node, send.peer})) << "two messages to one node";
      for (const Box &box : send.boxes) {
        wire[{node, send.peer}].push_back(packed(box, source.of(node)));
      }
      ++traffic.messages;
      traffic.elements += send.elements();
    }
    for (const LocalCopy &copy : phase.copies) {
      writes.push_back({node, &copy.to, packed(copy.from, source.of(node)), copy.fills});
    }
  }
  for (auto &[node, phase] : phases) {
    for (const Message &receive : phase.receives) {
      const auto sent = wire.find({receive.peer, node});
      ASSERT_NE(sent, wire.end()) << "nobody sends what node " << node << " waits for";
      ASSERT_EQ(sent->second.size(), receive.boxes.size());
      for (std::size_t i = 0; i < receive.boxes.size(); ++i) {
        writes.push_back({node, &receive.boxes[i], sent->second[i], receive.fills});
      }
      wire.erase(sent);
    }
  }
  EXPECT_TRUE(wire.empty()) << "a message that nobody waits for";
  for (const Write &write : writes) {
    unpack(*write.box, target.of(write.node), write.values, write.fills, adds);
  }
}

/// Carries out a move of all nodes. Phases of nodes meet by their numbers from `first`.
inline Traffic run(const std::map<Node, Move> &moves, Memories &source, Memories &target,
                   bool adds = false) {
  Traffic traffic;
  std::size_t most = 0;
  for (const auto &[node, move] : moves) {
    most = std::max(most, move.phases.size());
  }
  for (std::size_t i = 0; i < most; ++i) {
    std::map<Node, Phase> phases;
    for (const auto &[node, move] : moves) {
      phases[node] = i < move.phases.size() ? move.phases[i] : Phase{};
    }
    runPhase(phases, source, target, adds, traffic);
  }
  return traffic;
}

inline std::shared_ptr<const Nodes> nodesOf(std::vector<Index> extents, Node first = 0) {
  Index size = 1;
  for (const Index extent : extents) {
    size *= extent;
  }
  std::vector<Node> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), first);
  return std::make_shared<const Nodes>(std::move(extents), std::move(ranks));
}

/// Of `job` nodes some, in some order, in one to three dimensions.
inline std::shared_ptr<const Nodes> randomNodes(Random &random, Index job) {
  std::vector<Node> ranks(static_cast<std::size_t>(job));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::shuffle(ranks.begin(), ranks.end(), random);
  std::vector<Index> extents;
  Index size = 1;
  for (Index d = pick(random, 1, 3); d > 0; --d) {
    extents.push_back(pick(random, 1, job / size));
    size *= extents.back();
  }
  ranks.resize(static_cast<std::size_t>(size));
  return std::make_shared<const Nodes>(std::move(extents), std::move(ranks));
}

/// An axis of an array, aligned somewhere within an axis of a template.
inline Axis randomAxis(Random &random, Index extent, std::size_t nodeDimension, Index parts,
                       bool isBlocks) {
  const Index lower = pick(random, -3, 3);
  const Index before = pick(random, 0, 4);
  const Index all = before + extent + pick(random, 0, 4);
  const auto make = [&]() -> Result<Axis> {
    switch (pick(random, 0, isBlocks ? 1 : 2)) {
    case 0:
      return Axis::block(lower, all, nodeDimension, parts,
                         pick(random, 0, 1) * ((all + parts - 1) / parts + pick(random, 0, 2)));
    case 1: {
      std::vector<Index> map(static_cast<std::size_t>(parts), 0);
      for (Index i = 0; i < all; ++i) {
        ++map[static_cast<std::size_t>(pick(random, 0, parts - 1))];
      }
      return Axis::general(lower, all, nodeDimension, parts, map);
    }
    default:
      return Axis::cyclic(lower, all, nodeDimension, parts, pick(random, 1, 4));
    }
  };
  return make().value().aligned(lower + before, extent).value();
}

/// An array with these extents: some axes distributed, some whole, in any order of the nodes'
/// dimensions; and where no axis lies along one of these, replicated.
inline ArrayMap randomMap(Random &random, const std::vector<Index> &extents,
                          std::shared_ptr<const Nodes> nodes, bool isBlocks = false) {
  std::vector<std::size_t> free(nodes->extents().size());
  std::iota(free.begin(), free.end(), std::size_t{0});
  std::shuffle(free.begin(), free.end(), random);
  std::vector<Axis> axes;
  std::vector<Shadow> shadows;
  for (const Index extent : extents) {
    if (free.empty() || pick(random, 0, 3) == 0) {
      axes.push_back(Axis::whole(0, extent));
    } else {
      axes.push_back(
          randomAxis(random, extent, free.back(), nodes->extents()[free.back()], isBlocks));
      free.pop_back();
    }
    const bool isFull = pick(random, 0, 4) == 0;
    const bool isCyclic = axes.back().kind() == Axis::Kind::Cyclic;
    const Index most = isCyclic || isFull ? 0 : 2;
    shadows.push_back({pick(random, 0, most), pick(random, 0, most), isFull});
  }
  return ArrayMap::create(std::move(nodes), std::move(axes), std::move(shadows)).value();
}

} // namespace tutti::distribution::test
