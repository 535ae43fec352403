// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Range sets against sets of single bytes.
#include "base/range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>

namespace tutti {

namespace {

using Bytes = std::set<std::uint64_t>;

Bytes bytesOf(const RangeSet &set) {
  Bytes bytes;
  for (const Range &range : set.ranges()) {
    for (std::uint64_t byte = range.begin; byte < range.end; ++byte) {
      bytes.insert(byte);
    }
  }
  return bytes;
}

void expectNormal(const RangeSet &set) {
  const auto &ranges = set.ranges();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_FALSE(ranges[i].empty());
    EXPECT_TRUE(i == 0 || ranges[i - 1].end < ranges[i].begin);
  }
}

RangeSet randomSet(std::mt19937 &random) {
  std::vector<Range> ranges(random() % 8);
  for (Range &range : ranges) {
    range.begin = random() % 60;
    range.end = range.begin + random() % 12;
  }
  return RangeSet::of(std::move(ranges));
}

TEST(RangeSet, MergesTouchingAndOverlappingRanges) {
  const RangeSet set = RangeSet::of({{8, 9}, {4, 6}, {0, 4}, {5, 7}, {3, 3}});

  EXPECT_EQ(set.ranges(), (std::vector<Range>{{0, 7}, {8, 9}}));
  EXPECT_EQ(set.bytes(), 8U);
  EXPECT_EQ(set.hull(), (Range{0, 9}));
}

TEST(RangeSet, IsEmptyWithoutRanges) {
  EXPECT_TRUE(RangeSet().empty());
  EXPECT_TRUE(RangeSet::of({{5, 5}, {7, 6}}).empty());
  EXPECT_TRUE(RangeSet().hull().empty());
}

TEST(RangeSet, AgreesWithSetsOfBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const RangeSet a = randomSet(random);
    const RangeSet b = randomSet(random);
    const Bytes bytesA = bytesOf(a);
    const Bytes bytesB = bytesOf(b);
    Bytes both;
    Bytes either = bytesA;
    Bytes onlyA;
    either.insert(bytesB.begin(), bytesB.end());
    std::set_intersection(bytesA.begin(), bytesA.end(), bytesB.begin(), bytesB.end(),
                          std::inserter(both, both.end()));
    std::set_difference(bytesA.begin(), bytesA.end(), bytesB.begin(), bytesB.end(),
                        std::inserter(onlyA, onlyA.end()));

    for (const RangeSet &set : {a, b, a.unite(b), a.intersect(b), a.subtract(b)}) {
      expectNormal(set);
    }
    EXPECT_EQ(bytesOf(a.unite(b)), either);
    EXPECT_EQ(bytesOf(a.intersect(b)), both);
    EXPECT_EQ(bytesOf(a.subtract(b)), onlyA);
    EXPECT_EQ(a.overlaps(b), !both.empty());
    EXPECT_EQ(a.bytes(), bytesA.size());
  }
}

} // namespace

} // namespace tutti
