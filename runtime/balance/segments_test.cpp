// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Borders of a rope of beads follow their work, and stay where they are good enough.
#include "runtime/balance/segments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tutti::balance {

namespace {

using Work = std::vector<double>;

TEST(Segments, GiveEachTheSame) {
  EXPECT_EQ(evenBorders(Work(8, 1.0), 4), (Borders{0, 2, 4, 6, 8}));
}

TEST(Segments, GiveAHeavyBeadToOneAlone) {
  const Work work{1, 1, 1, 1, 9, 1, 1, 1, 1};

  const Borders borders = evenBorders(work, 3);

  EXPECT_EQ(loadOf(work, borders).most, 9);
}

TEST(Segments, AreAsShortAsTheyCanBe) {
  // Shares of the sum alone would give one of them 8.
  const Work work{5, 3, 5, 3, 5, 3};

  EXPECT_EQ(loadOf(work, evenBorders(work, 4)).most, 8);
  EXPECT_EQ(loadOf(work, evenBorders(work, 6)).most, 5);
}

TEST(Segments, MayBeEmpty) {
  Work work(16, 0.0);
  work[0] = 1;

  const Borders borders = evenBorders(work, 4);

  EXPECT_EQ(loadOf(work, borders).most, 1);
  EXPECT_EQ(borders.front(), 0);
  EXPECT_EQ(borders.back(), 16);
}

TEST(Segments, StayWhereTheLoadIsSteady) {
  Segments segments({0, 16, 32, 48, 64}, 0);

  for (int round = 0; round < 100; ++round) {
    Work work;
    for (int bead = 0; bead < 64; ++bead) {
      work.push_back(1 + 0.09 * ((bead * 7 + round * 13) % 11 - 5) / 5); // It trembles.
    }
    EXPECT_FALSE(segments.add(work));
  }
}

TEST(Segments, StayWhereTimesTrembleMuch) {
  Segments segments({0, 16, 32, 48, 64}, 0);
  int moves = 0;

  for (int round = 0; round < 100; ++round) {
    Work work(64, 1.0);
    const auto disturbed = static_cast<std::size_t>(16 * (round * 7 % 4));
    for (std::size_t bead = disturbed; bead < disturbed + 16; ++bead) {
      work[bead] = 1.5; // Somebody else uses the processor of a segment.
    }
    moves += segments.add(work) ? 1 : 0;
  }

  EXPECT_EQ(moves, 0);
}

TEST(Segments, StayWhereARoundNowAndThenIsDisturbed) {
  Segments segments({0, 16, 32, 48, 64}, 0);

  for (int round = 0; round < 100; ++round) {
    Work work(64, 1.0);
    if (round % 4 == 0) { // As the first one is.
      std::fill_n(work.begin() + 16 * (round % 3), 16, 2.0);
    }
    EXPECT_FALSE(segments.add(work)) << "round " << round;
  }
}

TEST(Segments, StayWhereASegmentIsDisturbedForSomeRounds) {
  Segments segments({0, 16, 32, 48, 64}, 0);

  for (int round = 0; round < 100; ++round) {
    Work work(64, 1.0);
    if (round % 10 < 3) { // Somebody else uses its processor for a while.
      std::fill_n(work.begin() + 16 * (round / 10 % 4), 16, 1.5);
    }
    EXPECT_FALSE(segments.add(work)) << "round " << round;
  }
}

TEST(Segments, StayWhereTheFirstRoundsTakeLongHereAndThere) {
  Segments segments({0, 16, 32, 48, 64}, 0);

  for (int round = 0; round < 30; ++round) {
    Work work(64, 1.0);
    for (std::size_t bead = 0; bead < 64; ++bead) { // Memory is used for the first time.
      work[bead] +=
          round < 4 ? static_cast<double>(4 - round) / 4 * static_cast<double>(bead / 16) : 0;
    }
    EXPECT_FALSE(segments.add(work)) << "round " << round;
  }
}

TEST(Segments, FollowAJumpAfterSomeRounds) {
  for (const double heavy : {1.5, 2.0, 8.0}) {
    Segments segments({0, 16, 32, 48, 64}, 0);
    int rounds = 0;
    Work work(64, 1.0);
    segments.add(work);
    std::fill_n(work.begin(), 16, heavy);
    while (rounds < 10 && !segments.add(work)) {
      ++rounds;
    }

    EXPECT_LE(rounds, 5) << heavy;
    EXPECT_LT(loadOf(work, segments.borders()).most, 1.15 * loadOf(work, segments.borders()).mean);
  }
}

TEST(Segments, StayWhereAMoveCostsMoreThanIsLost) {
  Work work(8, 1e-3);
  work[0] = 5e-3;
  Segments segments({0, 4, 8}, 0.01); // 2 ms of each round are lost.
  int rounds = 1;
  for (; !segments.add(work); ++rounds) {
  }

  EXPECT_GE(rounds, 5);
  EXPECT_LE(rounds, 6);
}

TEST(Segments, FollowAPeakThatWanders) {
  constexpr int kBeads = 256;
  Segments segments({0, 64, 128, 192, 256}, 0);
  int moves = 0;
  int late = 0;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    Work work;
    for (int bead = 0; bead < kBeads; ++bead) {
      const double far = (bead - 0.2 * round) / 20;
      work.push_back(1 + 8 * std::exp(-far * far));
    }
    moves += segments.add(work) ? 1 : 0;
    late += round >= 10 && segments.load().most > 1.15 * segments.load().mean ? 1 : 0;
  }

  EXPECT_GT(moves, 3);
  EXPECT_LT(moves, 60);
  EXPECT_LT(late, 10);
}

} // namespace

} // namespace tutti::balance
