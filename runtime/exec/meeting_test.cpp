// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/meeting.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace tutti::exec {

namespace {

constexpr std::uint64_t kBegin = 1 << 20;

/// Doubles from element `index` on; iterations are `step` elements apart.
IterationBox boxOf(std::int64_t index, std::int64_t count, std::int64_t step,
                   std::initializer_list<tutti_dim> dims = {}, std::int64_t first = 0) {
  IterationBox box{
      kBegin + static_cast<std::uint64_t>(8 * index), 8, {}, first, count, 8 * step, {0, 0}};
  for (const tutti_dim &dim : dims) {
    box.dims.push_back({8 * dim.stride, dim.count});
  }
  box.hull = {0, std::uint64_t{1} << 40};
  return box;
}

constexpr std::int64_t kRow = 100;

TEST(MeetingTest, TellsElementsOfIterationsApart) {
  const IterationBox own = boxOf(0, 1000, 1);
  EXPECT_FALSE(mayMeet(own, own));
  EXPECT_TRUE(mayMeet(own, boxOf(-1, 1000, 1)));
  EXPECT_TRUE(mayMeet(own, boxOf(999, 1000, 1))) << "the first one reads what the last one writes";
  EXPECT_FALSE(mayMeet(own, boxOf(1000, 1000, 1)));
  EXPECT_TRUE(mayMeet(own, boxOf(500, 1000, 0)));
  EXPECT_FALSE(mayMeet(own, boxOf(1000, 1000, 0)));
  EXPECT_TRUE(mayMeet(boxOf(0, 1000, 0), boxOf(0, 1000, 0)));
}

TEST(MeetingTest, TellsEvenElementsFromOddOnes) {
  const IterationBox even = boxOf(0, 1000, 2);
  EXPECT_FALSE(mayMeet(even, boxOf(1, 1000, 2)));
  EXPECT_FALSE(mayMeet(even, boxOf(-1, 1000, 2)));
  EXPECT_TRUE(mayMeet(even, boxOf(2, 1000, 2)));
}

TEST(MeetingTest, TellsRowsAndColumnsApart) {
  const IterationBox rows = boxOf(0, kRow, kRow, {{1, kRow}});
  const IterationBox columns = boxOf(0, kRow, 1, {{kRow, kRow}});
  EXPECT_FALSE(mayMeet(rows, rows));
  EXPECT_FALSE(mayMeet(columns, columns));
  EXPECT_TRUE(mayMeet(rows, columns)) << "transposed in place";
  EXPECT_TRUE(mayMeet(rows, boxOf(-kRow, kRow, kRow, {{1, kRow}})));
  EXPECT_TRUE(mayMeet(rows, boxOf(0, kRow, kRow, {{1, kRow + 1}})))
      << "a row reaches into the next";
}

TEST(MeetingTest, TellsStepsOfEliminationApart) {
  const IterationBox rest = boxOf(kRow + 1, kRow - 1, kRow, {{1, kRow - 1}});
  EXPECT_FALSE(mayMeet(rest, boxOf(1, kRow - 1, 0, {{1, kRow - 1}}))) << "the row of the pivot";
  EXPECT_FALSE(mayMeet(rest, boxOf(kRow, kRow - 1, kRow))) << "its column";
  EXPECT_FALSE(mayMeet(boxOf(0, kRow, kRow, {{1, kRow}}), boxOf(0, kRow, kRow + 1)))
      << "the diagonal, in the row of each iteration";
}

TEST(MeetingTest, TellsDescendingIterationsApart) {
  const IterationBox down = boxOf(999, 1000, -1);
  EXPECT_FALSE(mayMeet(down, down));
  EXPECT_TRUE(mayMeet(down, boxOf(998, 1000, -1)));
  EXPECT_TRUE(mayMeet(down, boxOf(0, 1000, 1)));
  EXPECT_FALSE(mayMeet(down, boxOf(1000, 1000, 1)));
}

TEST(MeetingTest, ComparesIterationsOfDifferentPieces) {
  const IterationBox one = boxOf(0, 10, 1);
  EXPECT_FALSE(mayMeet(one, boxOf(10, 10, 1, {}, 10)));
  EXPECT_TRUE(mayMeet(one, boxOf(9, 10, 1, {}, 10)));
}

/// The elements that each iteration touches, looked at one by one.
std::vector<std::set<std::int64_t>> elementsOf(const IterationBox &box) {
  std::vector<std::set<std::int64_t>> all;
  for (std::int64_t k = 0; k < box.count; ++k) {
    std::vector<std::int64_t> touched{static_cast<std::int64_t>(box.address) + k * box.step};
    for (const tutti_dim &dim : box.dims) {
      std::vector<std::int64_t> more;
      for (const std::int64_t at : touched) {
        for (std::int64_t i = 0; i < dim.count; ++i) {
          more.push_back(at + i * dim.stride);
        }
      }
      touched = std::move(more);
    }
    all.emplace_back(touched.begin(), touched.end());
  }
  return all;
}

bool doMeet(const IterationBox &one, const IterationBox &other) {
  const auto ofOne = elementsOf(one);
  const auto ofOther = elementsOf(other);
  for (std::size_t i = 0; i < ofOne.size(); ++i) {
    for (std::size_t j = 0; j < ofOther.size(); ++j) {
      for (const std::int64_t at : ofOne[i]) {
        if (one.first + static_cast<std::int64_t>(i) !=
                other.first + static_cast<std::int64_t>(j) &&
            ofOther[j].contains(at)) {
          return true;
        }
      }
    }
  }
  return false;
}

TEST(MeetingTest, NeverMissesAMeeting) {
  std::mt19937 random(1);
  const auto number = [&](int least, int most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  int apart = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::int64_t count = number(1, 5);
    const bool areSame = number(0, 3) > 0;
    const auto some = [&](std::int64_t first) {
      return boxOf(number(0, 30), count, number(-6, 6),
                   {{number(-8, 8), number(1, 4)}, {number(-2, 2), number(1, 3)}}, first);
    };
    const IterationBox one = some(0);
    const IterationBox other = some(areSame ? 0 : count);
    const bool may = mayMeet(one, other);
    apart += may ? 0 : 1;
    ASSERT_TRUE(may || !doMeet(one, other)) << "round " << round;
  }
  EXPECT_GT(apart, 1000);
}

} // namespace

} // namespace tutti::exec
