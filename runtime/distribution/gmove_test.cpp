// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Assignments between sections of randomly mapped arrays, against one element after the other.
#include "base/test_share.h"
#include "runtime/distribution/gmove.h"
#include "runtime/distribution/test_world.h"

#include <set>

namespace tutti::distribution {

namespace {

using test::Memories;
using test::pick;
using test::Random;
using test::Traffic;

std::vector<Node> everybody(Index job) { return test::nodesOf({job})->ranks(); }

Traffic runOnAll(const Assignment &assignment, Index job, Memories &right, Memories &left) {
  std::map<Node, Move> moves;
  for (Node node = 0; node < job; ++node) {
    moves[node] = gmove(assignment, node).value();
  }
  return test::run(moves, right, left);
}

/// The indices of the array at a position of the section.
std::vector<Index> indicesAt(const Side &side, const std::vector<Index> &position) {
  std::vector<Index> indices;
  for (const Subscript &subscript : side.subscripts) {
    indices.push_back(subscript.first);
  }
  const auto ranges = side.ranges();
  for (std::size_t k = 0; k < position.size(); ++k) {
    indices[ranges[k]] += position[k] * side.subscripts[ranges[k]].step;
  }
  return indices;
}

/// A section of these extents of some array; extents of the array come to `extents`.
std::vector<Subscript> randomSection(Random &random, const std::vector<Index> &section,
                                     std::vector<Index> &extents) {
  std::vector<Subscript> subscripts;
  std::size_t next = 0;
  Index plain = pick(random, section.empty() ? 1 : 0, 1);
  while (next < section.size() || plain > 0) {
    if (plain > 0 && (next == section.size() || pick(random, 0, 2) == 0)) {
      --plain;
      extents.push_back(pick(random, 1, 4));
      subscripts.push_back(Subscript::index(pick(random, 0, extents.back() - 1)));
      continue;
    }
    const Index count = section[next++];
    const Index step = pick(random, 1, 3);
    const Index before = pick(random, 0, 3);
    extents.push_back(before + (count - 1) * step + 1 + pick(random, 0, 3));
    const bool isDown = pick(random, 0, 3) == 0;
    const Index last = before + (count - 1) * step;
    subscripts.push_back({isDown ? last : before, count, isDown ? -step : step, true});
  }
  return subscripts;
}

struct Case {
  Assignment assignment;
  std::vector<Index> section;
  Index job;
};

/// What has to arrive: every element that an owner on the left lacks, once.
Index elementsNeeded(const Case &test, Memories &right, Memories &left) {
  Index needed = 0;
  const Side &source = test.assignment.right;
  const bool isOne = source.ranges().empty();
  for (const Node node : test.assignment.left.map->nodes().ranks()) {
    const bool isMember = source.map->nodes().positionOf(node).has_value();
    std::set<std::vector<Index>> lacked;
    test::forAll(test.section, [&](const std::vector<Index> &position) {
      const auto from = indicesAt(source, isOne ? std::vector<Index>{} : position);
      if (left.owns(node, indicesAt(test.assignment.left, position)) &&
          !(isMember && right.owns(node, from))) {
        lacked.insert(from);
      }
    });
    needed += static_cast<Index>(lacked.size());
  }
  return needed;
}

void check(const Case &test) {
  Memories left(*test.assignment.left.map);
  Memories right(*test.assignment.right.map);
  right.fill(1000);
  left.fill(500000);
  Memories expected(*test.assignment.left.map);
  expected.fill(500000);
  const bool isOne = test.assignment.right.ranges().empty();
  for (const Node node : test.assignment.left.map->nodes().ranks()) {
    test::forAll(test.section, [&](const std::vector<Index> &position) {
      const auto to = indicesAt(test.assignment.left, position);
      if (expected.owns(node, to)) {
        expected.at(node, to) =
            1000 + test::numberOf(
                       *test.assignment.right.map,
                       indicesAt(test.assignment.right, isOne ? std::vector<Index>{} : position));
      }
    });
  }

  const Traffic traffic = runOnAll(test.assignment, test.job, right, left);

  for (const Node node : test.assignment.left.map->nodes().ranks()) {
    EXPECT_EQ(left.of(node), expected.of(node)) << "on node " << node;
  }
  EXPECT_EQ(traffic.elements, elementsNeeded(test, right, left));
}

TEST(Gmove, BringsEveryElementOnceBetweenAnyTwoMappings) {
  Random random(4);
  for (std::uint64_t round = 0; round < casesOf(1500); ++round) {
    SCOPED_TRACE(round);
    const Index job = pick(random, 1, 8);
    std::vector<Index> section;
    for (Index d = pick(random, 0, 3); d > 0; --d) {
      section.push_back(pick(random, 1, 12 / d));
    }
    std::vector<Index> leftExtents;
    std::vector<Index> rightExtents;
    const auto left = randomSection(random, section, leftExtents);
    const bool isOne = pick(random, 0, 7) == 0;
    const auto right = randomSection(random, isOne ? std::vector<Index>{} : section, rightExtents);
    const ArrayMap leftMap = test::randomMap(random, leftExtents, test::randomNodes(random, job));
    const ArrayMap rightMap = test::randomMap(random, rightExtents, test::randomNodes(random, job));

    check({{{&leftMap, left, {}}, {&rightMap, right, {}}, everybody(job), everybody(job)},
           section,
           job});
  }
}

TEST(Gmove, TransposesByTheOrderOfTheRightSide) {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    const Index job = pick(random, 1, 8);
    const std::vector<Index> section{pick(random, 1, 9), pick(random, 1, 9)};
    const ArrayMap leftMap = test::randomMap(random, section, test::randomNodes(random, job));
    const ArrayMap rightMap =
        test::randomMap(random, {section[1], section[0]}, test::randomNodes(random, job));
    Side right = Side::whole(rightMap);
    right.order = {1, 0};

    check({{Side::whole(leftMap), right, everybody(job), everybody(job)}, section, job});
  }
}

TEST(Gmove, GivesEveryNodeAWholeLocalCopy) {
  const ArrayMap global =
      ArrayMap::create(test::nodesOf({4}), {Axis::block(0, 16, 0, 4).value()}, {Shadow{}}).value();
  const ArrayMap local = ArrayMap::local(test::nodesOf({4}), {16});
  Memories right(global);
  Memories left(local);
  right.fill(0);

  const Traffic traffic = runOnAll(
      {Side::whole(local), Side::whole(global), everybody(4), everybody(4)}, 4, right, left);

  EXPECT_EQ(traffic.messages, 4 * 3);
  EXPECT_EQ(traffic.elements, 4 * 12);
  for (Node node = 0; node < 4; ++node) {
    EXPECT_EQ(left.at(node, {15}), 15);
  }
}

TEST(Gmove, MovesNothingFromALocalRightSide) {
  const ArrayMap global =
      ArrayMap::create(test::nodesOf({4}), {Axis::cyclic(0, 16, 0, 4, 1).value()}, {Shadow{}})
          .value();
  const ArrayMap local = ArrayMap::local(test::nodesOf({4}), {16});
  Memories left(global);
  Memories right(local);
  right.fill(0);

  const Traffic traffic = runOnAll(
      {Side::whole(global), Side::whole(local), everybody(4), everybody(4)}, 4, right, left);

  EXPECT_EQ(traffic.messages, 0);
  EXPECT_EQ(left.at(3, {15}), 15);
}

TEST(Gmove, StaysAmongThoseWhoTakePart) {
  const auto nodes = test::nodesOf({2, 2});
  const ArrayMap replicated =
      ArrayMap::create(nodes, {Axis::block(0, 8, 0, 2).value()}, {Shadow{}}).value();
  const std::vector<Node> some{1, 3};
  const Assignment assignment{
      Side::whole(replicated), {&replicated, {{7, 8, -1, true}}, {}}, some, some};

  EXPECT_TRUE(gmove(assignment, 0)->phases.front().sends.empty());
  const Move move = gmove(assignment, 1).value();

  ASSERT_EQ(move.phases.front().receives.size(), 1U);
  EXPECT_EQ(move.phases.front().receives.front().peer, 3);
}

TEST(Gmove, SaysThatNobodyHasTheElements) {
  const ArrayMap map =
      ArrayMap::create(test::nodesOf({2}), {Axis::block(0, 8, 0, 2).value()}, {Shadow{}}).value();
  const Assignment assignment{Side::whole(map), {&map, {{7, 8, -1, true}}, {}}, {0}, {0}};

  EXPECT_FALSE(gmove(assignment, 0));
}

TEST(Gmove, RefusesWhatDoesNotFit) {
  const ArrayMap map =
      ArrayMap::create(test::nodesOf({2}), {Axis::block(0, 8, 0, 2).value()}, {Shadow{}}).value();
  const auto refuses = [&](Subscript left, Subscript right) {
    return !gmove({{&map, {left}, {}}, {&map, {right}, {}}, {0, 1}, {0, 1}}, 0);
  };

  EXPECT_FALSE(refuses({0, 4, 2}, {3, 4, -1}));
  EXPECT_TRUE(refuses({0, 4, 2}, {3, 3, -1}));
  EXPECT_TRUE(refuses({5, 4, 1}, {0, 4, 1}));
  EXPECT_TRUE(refuses({0, 4, 1}, {2, 4, -1}));
  EXPECT_TRUE(refuses({0, 0, 1}, {0, 0, 1}));
  EXPECT_TRUE(refuses({0, 4, 0}, {0, 4, 1}));
  EXPECT_TRUE(refuses(Subscript::index(2), {0, 4, 1}));
  EXPECT_FALSE(refuses({0, 4, 1}, Subscript::index(2)));
}

} // namespace

} // namespace tutti::distribution
