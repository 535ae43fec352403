// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Shares of loops, against one iteration after the other.
#include "runtime/distribution/share.h"
#include "runtime/distribution/test_world.h"

#include <set>

namespace tutti::distribution {

namespace {

using test::pick;
using test::Random;

/// A loop inside of [lower, end).
Iterations randomLoop(Random &random, Index lower, Index end) {
  const Index a = pick(random, lower, end - 1);
  const Index b = pick(random, lower, end - 1);
  const Index step = pick(random, 1, 4);
  return pick(random, 0, 1) == 0 ? Iterations{std::min(a, b), std::max(a, b), step}
                                 : Iterations{std::max(a, b), std::min(a, b), -step};
}

TEST(Share, GivesEachIterationToItsOwnerInOrder) {
  Random random(8);
  for (int round = 0; round < 3000; ++round) {
    const Index parts = pick(random, 1, 5);
    const Axis axis = test::randomAxis(random, pick(random, 1, 40), 0, parts, false);
    const Index offset = pick(random, -3, 3);
    const Iterations loop = randomLoop(random, -offset, axis.extent() - offset);
    for (Index c = 0; c < parts; ++c) {
      std::vector<Index> expected;
      for (Index k = 0; k < loop.count(); ++k) {
        if (axis.ownerOf(loop.at(k) + offset) == c) {
          expected.push_back(loop.at(k));
        }
      }

      const LoopShare share = shareOf(axis, c, offset, loop);

      std::vector<Index> iterations;
      for (Index k = 0; k < share.count; ++k) {
        iterations.push_back(share.at(k, loop.step));
      }
      EXPECT_EQ(iterations, expected);
    }
  }
}

TEST(Share, NeedsNoListForBlocksInTurn) {
  const Axis axis = Axis::cyclic(0, 1000, 0, 3, 8).value();

  EXPECT_TRUE(shareOf(axis, 1, 0, {5, 990, 1}).list.empty());
  EXPECT_TRUE(shareOf(axis, 1, 0, {990, 5, -4}).list.empty());
}

TEST(Share, NeedsNoListForSingleElementsInTurn) {
  for (const Index parts : {1, 3}) {
    const Axis axis = Axis::cyclic(0, 1000, 0, parts, 1).value();

    const LoopShare share = shareOf(axis, 0, 0, {3, 990, 2});

    EXPECT_TRUE(share.list.empty()) << parts;
    EXPECT_EQ(share.begin, 3) << parts;
    EXPECT_EQ(share.cycle, 2 * parts) << parts;
  }
}

std::set<std::vector<Index>> iterationsOf(const std::vector<std::vector<Interval>> &boxes,
                                          std::size_t from, std::size_t to) {
  std::set<std::vector<Index>> all;
  for (std::size_t b = from; b < std::min(to, boxes.size()); ++b) {
    std::vector<Index> extents;
    for (const Interval &interval : boxes[b]) {
      extents.push_back(interval.end - interval.begin);
    }
    test::forAll(extents, [&](std::vector<Index> at) {
      for (std::size_t d = 0; d < at.size(); ++d) {
        at[d] += boxes[b][d].begin;
      }
      EXPECT_TRUE(all.insert(at).second) << "twice";
    });
  }
  return all;
}

TEST(Share, RingsAreWhatAGrownShareHasMoreOrLess) {
  Random random(9);
  for (int round = 0; round < 1000; ++round) {
    NestShare share;
    NestShare plain;
    for (Index d = pick(random, 1, 3); d > 0; --d) {
      const Index count = pick(random, 1, 12);
      const Index begin = pick(random, 0, count - 1);
      share.iterations.push_back({0, count - 1, 1});
      share.intervals.push_back({begin, pick(random, begin, count)});
      share.growths.push_back({pick(random, -2, 2), pick(random, -2, 2), pick(random, 0, 1) == 0});
    }
    plain = share;
    plain.growths.assign(plain.growths.size(), Growth{});

    const auto own = iterationsOf(boxesOf(plain, Ring::Expand), 0, 1);
    const auto expanded = boxesOf(share, Ring::Expand);
    const auto margin = boxesOf(share, Ring::Margin);
    ASSERT_LE(expanded.size(), 1U);
    const auto grown = iterationsOf(expanded, 0, 1);
    const auto ring = iterationsOf(margin, 0, margin.size());
    const bool grows = std::all_of(share.growths.begin(), share.growths.end(),
                                   [](const auto &g) { return g.below >= 0 && g.above >= 0; });
    const bool shrinks = std::all_of(share.growths.begin(), share.growths.end(),
                                     [](const auto &g) { return g.below <= 0 && g.above <= 0; });
    if (grows || shrinks) {
      const auto &more = grows ? grown : own;
      const auto &less = grows ? own : grown;
      std::set<std::vector<Index>> expected;
      std::set_difference(more.begin(), more.end(), less.begin(), less.end(),
                          std::inserter(expected, expected.end()));
      EXPECT_EQ(ring, expected);
    }
    for (std::size_t d = 0; d < share.growths.size() && grows; ++d) {
      for (const auto &at : grown) {
        EXPECT_TRUE(share.growths[d].isUnbound ||
                    (at[d] >= 0 && at[d] < share.iterations[d].count()));
      }
    }
  }
}

TEST(Share, PeelsTheInnerPartFirst) {
  const NestShare share{
      {{4, 8}, {0, 6}}, {{0, 11, 1}, {0, 5, 1}}, {{-1, -1, false}, {-2, -1, false}}};

  const auto boxes = boxesOf(share, Ring::Peel);

  EXPECT_EQ(boxes.front(), (std::vector<Interval>{{5, 7}, {2, 5}}));
  EXPECT_EQ(iterationsOf(boxes, 0, boxes.size()).size(), 4U * 6U);
}

} // namespace

} // namespace tutti::distribution
