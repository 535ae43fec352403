// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/cut.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace tutti::balance {

namespace {

using Weights = std::vector<std::uint32_t>;

TEST(Cut, TilesTheIterationsInOrder) {
  for (const std::int64_t total : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7},
                                   std::int64_t{1001}, std::numeric_limits<std::int64_t>::max()}) {
    for (const Weights &weights : {Weights{1}, Weights{1, 1, 1}, Weights{0, 5, 0, 3},
                                   Weights{1000000, 1, 999999}, Weights(12, 1)}) {
      std::int64_t at = 0;
      for (const Chunk &chunk : cut(total, weights)) {
        EXPECT_EQ(chunk.lower, at);
        EXPECT_LE(chunk.lower, chunk.upper);
        at = chunk.upper;
      }
      EXPECT_EQ(at, total);
    }
  }
}

TEST(Cut, GivesTheFirstWithAWeightAtLeastOneIteration) {
  for (std::int64_t total = 1; total < 20; ++total) {
    EXPECT_FALSE(cut(total, Weights{1, 1, 1, 1}).front().empty());
    EXPECT_FALSE(cut(total, Weights{0, 1, 1000}).at(1).empty());
  }
}

TEST(Cut, GivesNothingToAWeightOfZero) {
  const std::vector<Chunk> chunks = cut(1003, Weights{0, 1, 0});

  EXPECT_TRUE(chunks[0].empty());
  EXPECT_EQ(chunks[1], (Chunk{0, 1003}));
  EXPECT_TRUE(chunks[2].empty());
}

TEST(Cut, MakesLengthsOfEqualWeightsDifferByOneAtMost) {
  for (std::int64_t total = 1; total < 100; ++total) {
    for (std::size_t parts = 1; parts <= 12; ++parts) {
      const std::int64_t share = total / static_cast<std::int64_t>(parts);
      for (const Chunk &chunk : cut(total, Weights(parts, 1))) {
        EXPECT_GE(chunk.upper - chunk.lower, share);
        EXPECT_LE(chunk.upper - chunk.lower, share + 1);
      }
    }
  }
}

TEST(Cut, PutsPortionsTogetherToTheChunk) {
  for (const Chunk &chunk : {Chunk{0, 0}, Chunk{5, 6}, Chunk{10, 27}, Chunk{0, INT64_MAX - 1}}) {
    for (std::int32_t count = 1; count <= 9; ++count) {
      std::int64_t at = chunk.lower;
      for (std::int32_t index = 0; index < count; ++index) {
        const Chunk part = partOf(chunk, {index, count});
        EXPECT_EQ(part.lower, at);
        EXPECT_LE(part.upper - part.lower, (chunk.upper - chunk.lower) / count + 1);
        at = part.upper;
      }
      EXPECT_EQ(at, chunk.upper);
    }
  }
}

TEST(Cut, FollowsTheWeights) {
  const std::vector<Chunk> chunks = cut(1000, Weights{1, 3});

  EXPECT_EQ(chunks[0], (Chunk{0, 250}));
  EXPECT_EQ(chunks[1], (Chunk{250, 1000}));
}

} // namespace

} // namespace tutti::balance
