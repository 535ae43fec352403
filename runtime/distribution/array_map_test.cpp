// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Owners and places of elements, against one element after the other.
#include "runtime/distribution/test_world.h"

#include <set>

namespace tutti::distribution {

namespace {

using test::pick;
using test::Random;

std::set<Index> ownedOf(const Axis &axis, Index coordinate) {
  std::set<Index> owned;
  for (const Progression &progression : axis.owned(coordinate)) {
    for (Index k = 0; k < progression.count; ++k) {
      owned.insert(progression.at(k));
    }
  }
  return owned;
}

TEST(Axis, DealsBlocksInOrder) {
  const Axis axis = Axis::block(0, 10, 0, 4).value();

  EXPECT_EQ(axis.owned(0), (IndexSet{{0, 3, 1}}));
  EXPECT_EQ(axis.owned(3), (IndexSet{{9, 1, 1}}));
}

TEST(Axis, LeavesLastNodesWithoutABlock) {
  const Axis axis = Axis::block(0, 4, 0, 3).value();

  EXPECT_EQ(axis.countOwned(1), 2);
  EXPECT_TRUE(axis.owned(2).empty());
}

TEST(Axis, DealsInTurn) {
  const Axis axis = Axis::cyclic(1, 10, 0, 2, 3).value();

  EXPECT_EQ(ownedOf(axis, 0), (std::set<Index>{1, 2, 3, 7, 8, 9}));
  EXPECT_EQ(ownedOf(axis, 1), (std::set<Index>{4, 5, 6, 10}));
}

TEST(Axis, RefusesBlocksThatDoNotCoverIt) {
  const std::array<Index, 3> map{2, 0, 3};

  EXPECT_FALSE(Axis::block(0, 10, 0, 3, 3));
  EXPECT_TRUE(Axis::block(0, 9, 0, 3, 3));
  EXPECT_FALSE(Axis::general(0, 6, 0, 3, map));
  EXPECT_TRUE(Axis::general(0, 5, 0, 3, map));
  EXPECT_FALSE(Axis::general(0, 5, 0, 4, map));
  EXPECT_FALSE(Axis::cyclic(0, 5, 0, 4, 0));
}

TEST(Axis, RefusesArraysThatDoNotFit) {
  const Axis axis = Axis::block(2, 8, 0, 2).value();

  EXPECT_TRUE(axis.aligned(2, 8));
  EXPECT_FALSE(axis.aligned(1, 8));
  EXPECT_FALSE(axis.aligned(3, 8));
}

TEST(Axis, GivesEveryIndexOneOwnerAndAPlaceOfItsOwn) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    const Index parts = pick(random, 1, 6);
    const Axis axis = test::randomAxis(random, pick(random, 1, 40), 0, parts, false);
    Index all = 0;
    for (Index c = 0; c < parts; ++c) {
      const std::set<Index> owned = ownedOf(axis, c);
      EXPECT_EQ(axis.countOwned(c), static_cast<Index>(owned.size()));
      Index rank = 0;
      for (const Index index : owned) {
        EXPECT_EQ(axis.ownerOf(index), c);
        EXPECT_EQ(axis.rankOf(c, index), rank++);
      }
      all += rank;
    }
    EXPECT_EQ(all, axis.extent());
  }
}

TEST(ArrayMap, LaysElementsOutInTheOrderOfC) {
  const auto nodes = test::nodesOf({2, 2});
  const ArrayMap map =
      ArrayMap::create(nodes, {Axis::block(0, 6, 1, 2).value(), Axis::block(0, 8, 0, 2).value()},
                       {{1, 1, false}, {2, 0, false}})
          .value();

  const Layout layout = map.layout({1, 0});

  EXPECT_EQ(layout.allocated, (std::vector<Index>{5, 6}));
  EXPECT_EQ(layout.strides, (std::vector<Index>{6, 1}));
  EXPECT_EQ(map.localOf(0, 0, 0), 1);
  EXPECT_EQ(map.localOf(1, 1, 4), 2);
  EXPECT_EQ(map.localOf(1, 1, 3), 1);
}

TEST(ArrayMap, StoresAWholeDimensionForAFullShadow) {
  const ArrayMap map =
      ArrayMap::create(test::nodesOf({3}), {Axis::cyclic(0, 10, 0, 3, 2).value()}, {{0, 0, true}})
          .value();

  EXPECT_EQ(map.layout({1}).elements, 10);
  EXPECT_EQ(map.localOf(0, 1, 7), 7);
}

TEST(ArrayMap, RefusesShadowsOfBlocksDealtInTurn) {
  EXPECT_FALSE(ArrayMap::create(test::nodesOf({3}), {Axis::cyclic(0, 10, 0, 3, 2).value()},
                                {{0, 1, false}}));
}

TEST(Nodes, NumbersTheLastDimensionFastest) {
  const Nodes nodes({2, 3}, {5, 4, 3, 2, 1, 0});

  EXPECT_EQ(nodes.coordinatesOf(2), (std::vector<Index>{1, 0}));
  EXPECT_EQ(nodes.at(std::vector<Index>{0, 2}), 3);
  EXPECT_EQ(nodes.coordinatesOf(6), std::nullopt);
}

TEST(Nodes, TakesSectionsInTheirOrder) {
  const Nodes nodes({2, 3}, {0, 1, 2, 3, 4, 5});
  const std::vector<Triplet> section{{0, 2, 1}, {2, 2, -2}};
  const std::vector<Triplet> outside{{0, 2, 1}, {2, 2, 1}};

  EXPECT_EQ(nodes.section(section).value(), (std::vector<Node>{2, 0, 5, 3}));
  EXPECT_FALSE(nodes.section(outside));
}

} // namespace

} // namespace tutti::distribution
