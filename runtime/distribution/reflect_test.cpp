// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Shadows of randomly mapped arrays, against one element after the other.
#include "base/test_share.h"
#include "runtime/distribution/reflect.h"
#include "runtime/distribution/test_world.h"

#include <optional>

namespace tutti::distribution {

namespace {

using test::kNothing;
using test::Memories;
using test::pick;
using test::Random;
using test::Traffic;

using Moves = std::map<Node, Move>;

std::optional<Moves> movesOf(const ArrayMap &map, const std::vector<Width> &widths,
                             bool isOrthogonal = false) {
  Moves moves;
  for (const Node node : map.nodes().ranks()) {
    auto move = reflect(map, widths, isOrthogonal, node);
    if (!move) {
      EXPECT_TRUE(moves.empty()) << "an error on some nodes only";
      return std::nullopt;
    }
    moves[node] = *std::move(move);
  }
  return moves;
}

Traffic runOn(const ArrayMap &map, const std::vector<Width> &widths, bool isOrthogonal,
              Memories &memories, bool adds = false) {
  Moves moves = *movesOf(map, widths, isOrthogonal);
  for (auto &[node, move] : moves) {
    move = adds ? reversed(std::move(move)) : std::move(move);
  }
  return test::run(moves, memories, memories, adds);
}

/// Of one dimension: whether the node has the index, and in which way.
enum class Has : std::uint8_t { Nothing, Owned, Shadowed };

Has hasOf(const ArrayMap &map, std::size_t d, Index coordinate, const Width &width, Index index) {
  const Axis &axis = map.axis(d);
  const Index wrapped =
      ((index - axis.lower()) % axis.extent() + axis.extent()) % axis.extent() + axis.lower();
  const bool isInside = wrapped == index;
  if (isInside && (axis.isWhole() || axis.ownerOf(index) == coordinate)) {
    return Has::Owned;
  }
  if (!isInside && !width.isPeriodic) {
    return Has::Nothing;
  }
  if (map.shadow(d).isFull) {
    return width.below > 0 || width.above > 0 ? Has::Shadowed : Has::Nothing;
  }
  if (axis.countOwned(coordinate) == 0) {
    return Has::Nothing;
  }
  if (axis.kind() == Axis::Kind::Cyclic) {
    return Has::Nothing;
  }
  const Index begin = axis.isWhole() ? axis.lower() : axis.blockBegin(coordinate);
  const Index end = axis.isWhole() ? axis.end() : axis.blockEnd(coordinate);
  return begin - width.below <= index && index < end + width.above ? Has::Shadowed : Has::Nothing;
}

/// Every index a node can name, with what it should hold afterwards; others hold what they held.
Memories expectedOf(const ArrayMap &map, const std::vector<Width> &widths, bool isOrthogonal) {
  Memories expected(map);
  expected.fill(0);
  std::vector<Index> padded;
  for (std::size_t d = 0; d < map.dimensions(); ++d) {
    padded.push_back(map.axis(d).extent() + 4);
  }
  for (const Node node : map.nodes().ranks()) {
    const auto coordinates = *map.nodes().coordinatesOf(node);
    test::forAll(padded, [&](std::vector<Index> indices) {
      int shadowed = 0;
      std::vector<Index> owned = indices;
      for (std::size_t d = 0; d < indices.size(); ++d) {
        indices[d] -= 2;
        const Index extent = map.axis(d).extent();
        owned[d] = (indices[d] % extent + extent) % extent;
        const Has has = hasOf(map, d, map.coordinate(d, coordinates), widths[d], indices[d]);
        if (has == Has::Nothing) {
          return;
        }
        shadowed += has == Has::Shadowed ? 1 : 0;
      }
      if (shadowed > 0 && !(isOrthogonal && shadowed > 1)) {
        expected.at(node, indices) = test::numberOf(map, owned);
      }
    });
  }
  return expected;
}

std::vector<Width> randomWidths(Random &random, const ArrayMap &map) {
  std::vector<Width> widths;
  for (std::size_t d = 0; d < map.dimensions(); ++d) {
    const Shadow &shadow = map.shadow(d);
    widths.push_back(shadow.isFull ? Width{pick(random, 0, 1), 0, false}
                                   : Width{pick(random, 0, shadow.below),
                                           pick(random, 0, shadow.above), pick(random, 0, 1) == 0});
  }
  return widths;
}

TEST(Reflect, FillsShadowsAndNothingElse) {
  Random random(6);
  std::uint64_t refused = 0;
  for (std::uint64_t round = 0; round < casesOf(3000); ++round) {
    SCOPED_TRACE(round);
    std::vector<Index> extents;
    for (Index d = pick(random, 1, 3); d > 0; --d) {
      extents.push_back(pick(random, 1, 9));
    }
    const ArrayMap map = test::randomMap(
        random, extents, test::randomNodes(random, pick(random, 1, 8)), round % 2 == 0);
    const std::vector<Width> widths = randomWidths(random, map);
    const bool isOrthogonal = pick(random, 0, 3) == 0;
    if (!movesOf(map, widths, isOrthogonal)) {
      ++refused;
      continue;
    }
    Memories memories(map);
    memories.fill(0);
    Memories expected = expectedOf(map, widths, isOrthogonal);

    runOn(map, widths, isOrthogonal, memories);

    for (const Node node : map.nodes().ranks()) {
      ASSERT_EQ(memories.of(node), expected.of(node)) << "on node " << node;
    }
  }
  EXPECT_LT(refused, casesOf(1500)); // Blocks are small: some shadows reach behind the neighbour.
}

ArrayMap blocks(Index extent, Index parts, Index width) {
  return ArrayMap::create(test::nodesOf({parts}),
                          {Axis::block(0, extent, 0, parts).value(), Axis::whole(0, 5)},
                          {{width, width, false}, Shadow{}})
      .value();
}

TEST(Reflect, SendsWidthRowsToEachNeighbourInOneDimension) {
  for (const Index parts : {1, 2, 3, 4, 8}) {
    for (const Index width : {1, 2, 3}) {
      const ArrayMap map = blocks(40, parts, width);
      Memories memories(map);
      memories.fill(0);

      const Traffic traffic = runOn(map, fullWidths(map), false, memories);

      EXPECT_EQ(traffic.messages, 2 * (parts - 1));
      EXPECT_EQ(traffic.elements, 2 * (parts - 1) * width * 5);
    }
  }
}

TEST(Reflect, SendsFourMessagesPerInnerNodeWithCorners) {
  const ArrayMap map =
      ArrayMap::create(test::nodesOf({3, 3}),
                       {Axis::block(0, 12, 1, 3).value(), Axis::block(0, 15, 0, 3).value()},
                       {{1, 1, false}, {2, 2, false}})
          .value();
  const Move inner = reflect(map, fullWidths(map), false, 4).value();

  ASSERT_EQ(inner.phases.size(), 2U);
  Index received = 0;
  for (const Phase &phase : inner.phases) {
    EXPECT_EQ(phase.sends.size(), 2U);
    for (const Message &message : phase.receives) {
      received += message.elements();
    }
  }
  EXPECT_EQ(received, 6 * 9 - 4 * 5); // All that it stores but does not own.
}

TEST(Reflect, SendsOneMessageToANeighbourOnBothSides) {
  const ArrayMap map = blocks(8, 2, 1);
  std::vector<Width> widths = fullWidths(map);
  widths[0].isPeriodic = true;

  const Move move = reflect(map, widths, false, 0).value();

  ASSERT_EQ(move.phases.front().sends.size(), 1U);
  EXPECT_EQ(move.phases.front().sends.front().elements(), 2 * 5);
}

TEST(Reflect, OfOneDimensionAfterTheOtherGivesTheCorners) {
  Random random(10);
  for (std::uint64_t round = 0; round < casesOf(300); ++round) {
    std::vector<Index> extents;
    for (Index d = pick(random, 1, 3); d > 0; --d) {
      extents.push_back(pick(random, 4, 9));
    }
    const ArrayMap map =
        test::randomMap(random, extents, test::randomNodes(random, pick(random, 1, 8)), true);
    std::vector<Width> widths = fullWidths(map);
    for (std::size_t d = 0; d < widths.size(); ++d) {
      widths[d].isPeriodic = !map.shadow(d).isFull && pick(random, 0, 1) == 0;
    }
    if (!movesOf(map, widths)) {
      continue;
    }
    Memories memories(map);
    memories.fill(0);
    Memories expected = expectedOf(map, widths, false);

    for (std::size_t d = 0; d < widths.size(); ++d) {
      std::vector<Width> one(widths.size());
      one[d] = widths[d];
      runOn(map, one, false, memories);
    }

    for (const Node node : map.nodes().ranks()) {
      EXPECT_EQ(memories.of(node), expected.of(node)) << "on node " << node;
    }
  }
}

TEST(Reflect, RefusesMoreThanTheShadow) {
  const ArrayMap map = blocks(40, 4, 2);

  EXPECT_FALSE(reflect(map, std::vector<Width>{{3, 0, false}, {}}, false, 0));
  EXPECT_FALSE(reflect(map, std::vector<Width>{{0, 0, false}, {1, 0, false}}, false, 0));
  EXPECT_TRUE(reflect(map, std::vector<Width>{{1, 2, false}, {}}, false, 0));
}

TEST(Reflect, RefusesMoreThanTheNeighbourOwns) {
  const ArrayMap map = blocks(9, 4, 3);    // 3, 3, 3 and none.
  const ArrayMap small = blocks(10, 4, 3); // 3, 3, 3, 1.

  EXPECT_TRUE(reflect(map, fullWidths(map), false, 0));
  EXPECT_TRUE(reflect(small, fullWidths(small), false, 0)); // Behind the one there is nothing.
  std::vector<Width> widths = fullWidths(small);
  widths[0].isPeriodic = true;
  EXPECT_FALSE(reflect(small, widths, false, 0));
}

TEST(Reflect, RefusesToGoRoundInAFullShadow) {
  const ArrayMap map =
      ArrayMap::create(test::nodesOf({3}), {Axis::cyclic(0, 10, 0, 3, 2).value()}, {{0, 0, true}})
          .value();

  EXPECT_FALSE(reflect(map, std::vector<Width>{{1, 1, true}}, false, 0));
}

/// Every element starts as 1 wherever it is stored; then owners have as many as there are copies.
TEST(Reflect, BackwardsAddsEveryShadowToItsOwner) {
  Random random(7);
  for (std::uint64_t round = 0; round < casesOf(2000); ++round) {
    SCOPED_TRACE(round);
    std::vector<Index> extents;
    for (Index d = pick(random, 1, 3); d > 0; --d) {
      extents.push_back(pick(random, 1, 9));
    }
    const ArrayMap map = test::randomMap(
        random, extents, test::randomNodes(random, pick(random, 1, 8)), round % 2 == 0);
    const std::vector<Width> widths = randomWidths(random, map);
    if (!movesOf(map, widths)) {
      continue;
    }
    // Of replicas each adds its own shadows, so the first one's copies are counted.
    Memories memories(map);
    const Memories shadows = expectedOf(map, widths, false);
    std::map<Index, Index> copies;
    const Node first = map.nodes().ranks().front();
    const auto origin = *map.nodes().coordinatesOf(first);
    for (const Node node : map.nodes().ranks()) {
      Memories reached = shadows;
      bool isOfFirst = true;
      const auto at = *map.nodes().coordinatesOf(node);
      for (std::size_t d = 0; d < at.size(); ++d) {
        const bool isAlong =
            std::any_of(map.axes().begin(), map.axes().end(), [&](const Axis &axis) {
              return !axis.isWhole() && axis.nodeDimension() == d;
            });
        isOfFirst = isOfFirst && (isAlong || at[d] == origin[d]);
      }
      for (std::size_t i = 0; i < reached.of(node).size(); ++i) {
        const Index number = reached.of(node)[i];
        memories.of(node)[i] = number == kNothing ? 0 : 1;
        if (isOfFirst && number != kNothing) {
          ++copies[number];
        }
      }
    }

    runOn(map, widths, false, memories, true);

    for (const Node node : map.nodes().ranks()) {
      test::forAll(extents, [&](const std::vector<Index> &indices) {
        if (memories.owns(node, indices)) {
          EXPECT_EQ(memories.at(node, indices), copies[test::numberOf(map, indices)]);
        }
      });
    }
  }
}

} // namespace

} // namespace tutti::distribution
