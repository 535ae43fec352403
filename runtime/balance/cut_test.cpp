// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/cut.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tutti::balance {

namespace {

TEST(Cut, TilesTheIterationsInRankOrder) {
  for (const std::int64_t total : {1, 2, 3, 7, 8, 9, 1000, 1001}) {
    for (std::int32_t ranks = 1; ranks <= 12; ++ranks) {
      std::int64_t at = 0;
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        const Chunk chunk = chunkOf(total, ranks, rank);
        EXPECT_EQ(chunk.lower, at);
        EXPECT_LE(chunk.lower, chunk.upper);
        at = chunk.upper;
      }
      EXPECT_EQ(at, total);
    }
  }
}

TEST(Cut, GivesEveryParticipantAtLeastOneIterationAndTheOthersNone) {
  for (std::int64_t total = 1; total < 20; ++total) {
    for (std::int32_t ranks = 1; ranks <= 12; ++ranks) {
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(chunkOf(total, ranks, rank).empty(), rank >= participants(total, ranks));
      }
    }
  }
}

TEST(Cut, MakesLengthsDifferByOneAtMost) {
  const Chunk first = chunkOf(1003, 4, 0);
  const Chunk last = chunkOf(1003, 4, 3);

  EXPECT_EQ(first, (Chunk{0, 251}));
  EXPECT_EQ(last, (Chunk{753, 1003}));
}

} // namespace

} // namespace tutti::balance
