// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Set arithmetic against sets of numbers one by one.
#include "runtime/distribution/index_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tutti::distribution {

namespace {

std::set<Index> numbersOf(const IndexSet &set) {
  std::set<Index> numbers;
  for (const Progression &progression : set) {
    for (Index k = 0; k < progression.count; ++k) {
      EXPECT_TRUE(numbers.insert(progression.at(k)).second) << "twice";
    }
  }
  return numbers;
}

Index pick(std::mt19937 &random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

/// Runs, or progressions of one stride.
IndexSet randomSet(std::mt19937 &random) {
  IndexSet set;
  Index at = pick(random, -9, 9);
  if (pick(random, 0, 1) == 0) {
    for (Index runs = pick(random, 0, 4); runs > 0; --runs) {
      const Index count = pick(random, 1, 6);
      set.push_back({at, count, 1});
      at += count + pick(random, 0, 5);
    }
    return set;
  }
  const Index stride = pick(random, 2, 12);
  for (Index j = pick(random, 1, stride); j > 0; --j) {
    const Index count = pick(random, 1, 7);
    set.push_back({at++, count, count == 1 ? 1 : stride});
  }
  return set;
}

TEST(IndexSet, IntersectsAsSetsOfNumbersDo) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const IndexSet a = randomSet(random);
    const IndexSet b = randomSet(random);
    std::set<Index> expected;
    for (const Index number : numbersOf(a)) {
      if (contains(b, number)) {
        expected.insert(number);
      }
    }

    const IndexSet both = intersect(a, b);

    EXPECT_EQ(numbersOf(both), expected);
    EXPECT_EQ(countOf(both), static_cast<Index>(expected.size()));
  }
}

TEST(IndexSet, FindsPositionsInSectionsUpAndDown) {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    const IndexSet set = randomSet(random);
    const Index first = pick(random, -9, 40);
    const Index count = pick(random, 0, 30);
    const Index step = pick(random, 1, 7) * (pick(random, 0, 1) == 0 ? 1 : -1);
    std::set<Index> expected;
    for (Index k = 0; k < count; ++k) {
      if (contains(set, first + k * step)) {
        expected.insert(k);
      }
    }

    EXPECT_EQ(numbersOf(positionsOf(set, first, count, step)), expected);
  }
}

TEST(IndexSet, KeepsLargeNumbersApart) {
  constexpr Index kFar = Index{1} << 40;

  const auto both = intersect({kFar, kFar, 1000003}, {kFar + 1, kFar, 999983});

  ASSERT_TRUE(both);
  EXPECT_EQ((both->first - kFar) % 1000003, 0);
  EXPECT_EQ((both->first - kFar - 1) % 999983, 0);
  EXPECT_EQ(both->stride, Index{1000003} * 999983);
}

} // namespace

} // namespace tutti::distribution
