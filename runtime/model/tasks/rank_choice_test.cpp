// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/rank_choice.h"

#include <gtest/gtest.h>

#include <array>

namespace tutti::model::tasks {

namespace {

constexpr double kLong = 1.0;
constexpr double kShort = 1e-6;

/// Two ranks of which tasks take `seconds` each.
std::array<RankLoad, 2> of(std::array<RankLoad, 2> loads, double seconds) {
  for (RankLoad &load : loads) {
    load.seconds = load.underway * seconds;
  }
  return loads;
}

TEST(RankChoice, KeepsWhatMovesNothing) {
  const std::array<RankLoad, 2> idle{{{2, 0, 0}, {2, 0, 0}}};
  EXPECT_EQ(chooseRank(idle, std::array<std::uint64_t, 2>{0, 0}, kLong), 0U);
}

TEST(RankChoice, GoesWhereTheDataIs) {
  const std::array<RankLoad, 3> idle{{{2, 0}, {2, 0}, {2, 0}}};
  EXPECT_EQ(chooseRank(idle, std::array<std::uint64_t, 3>{1 << 24, 1 << 24, 1 << 20}, kLong), 2U);
}

TEST(RankChoice, DoesNotWaitForAWorkerWhereAnotherOneIsIdle) {
  const std::array<RankLoad, 2> loads{{{2, 2}, {2, 1}}};
  EXPECT_EQ(chooseRank(of(loads, kLong), std::array<std::uint64_t, 2>{0, 1 << 20}, kLong), 1U);
  EXPECT_EQ(chooseRank(of(loads, kShort), std::array<std::uint64_t, 2>{0, 1 << 20}, kShort), 0U);
}

TEST(RankChoice, WaitsForTheDataRatherThanMoveIt) {
  const std::array<RankLoad, 2> loads{{{4, 9}, {4, 7}}};
  EXPECT_EQ(chooseRank(of(loads, 1e-2), std::array<std::uint64_t, 2>{0, 1 << 28}, 1e-2), 0U);
  EXPECT_EQ(chooseRank(of(loads, 1e-2), std::array<std::uint64_t, 2>{0, 0}, 1e-2), 1U);
}

TEST(RankChoice, WaitsWhereAllHaveEnoughToDo) {
  const std::array<RankLoad, 2> full{{{2, 128}, {1, 64}}};
  EXPECT_EQ(chooseRank(full, std::array<std::uint64_t, 2>{0, 0}, kLong), std::nullopt);
}

TEST(RankChoice, KeepsWhatIsOverBeforeOthersHaveHeardOfIt) {
  const std::array<RankLoad, 2> loads{{{8, 20}, {8, 0}}};
  EXPECT_EQ(chooseRank(of(loads, 1e-4), std::array<std::uint64_t, 2>{1 << 20, 0}, 1e-4), 0U);
  EXPECT_EQ(chooseRank(of(loads, 1e-3), std::array<std::uint64_t, 2>{1 << 20, 0}, 1e-3), 1U);
}

TEST(RankChoice, WaitsBehindShortTasksRatherThanBehindLongOnes) {
  const std::array<RankLoad, 2> loads{{{1, 2, 2.0}, {1, 3, 0.03}}};
  EXPECT_EQ(chooseRank(loads, std::array<std::uint64_t, 2>{0, 0}, kLong), 1U);
}

TEST(RankChoice, CountsTheWorkersOfEachRank) {
  const std::array<RankLoad, 2> loads{{{1, 1}, {8, 4}}};
  EXPECT_EQ(chooseRank(of(loads, kLong), std::array<std::uint64_t, 2>{0, 0}, kLong), 1U);
}

} // namespace

} // namespace tutti::model::tasks
