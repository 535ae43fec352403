// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which nests are executed in blocks, and how large these are.
#include "runtime/balance/cache_block.h"

#include <gtest/gtest.h>

namespace tutti::balance {

namespace {

constexpr std::uint64_t kCache = 2 << 20;

/// A sweep over rows of `columns` numbers, three of which are read for one that is written.
NestUse sweep(std::uint64_t columns) { return {columns, 4 * 8, 4 * 64, 0}; }

/// The same over planes of `rows` rows.
NestUse sweepOfPlanes(std::uint64_t rows, std::uint64_t columns) {
  return {rows, 4 * 8 * columns, 0, 0};
}

/// c[i][j] += a[i][k] * b[k][j], j innermost.
NestUse product(std::uint64_t rows) { return {rows, 8 * rows + 8, 8 * rows + 64, 0}; }

/// b[i][j] = a[j][i]
NestUse transpose(std::uint64_t rows) { return {rows, 64 + 8, 64, 8 * rows}; }

TEST(CacheBlock, LeavesNestsWholeThatFit) {
  EXPECT_EQ(cacheBlock(kCache, sweep(30'000)), 0U);
  EXPECT_EQ(cacheBlock(kCache, sweepOfPlanes(128, 128)), 0U);
  EXPECT_EQ(cacheBlock(kCache, product(300)), 0U);
  EXPECT_EQ(cacheBlock(kCache, transpose(1000)), 0U);
}

TEST(CacheBlock, IsAnEighthOfTheSecondCache) {
  EXPECT_EQ(cacheBlock(kCache, sweep(100'000)), 8192U);
  EXPECT_EQ(cacheBlock(kCache, sweepOfPlanes(256, 256)), 32U);
  EXPECT_EQ(cacheBlock(kCache, product(2000)), 16U);
}

TEST(CacheBlock, IsAPieceOfAColumnWhereItsLinesCompeteOrLieInManyPages) {
  EXPECT_EQ(cacheBlock(kCache, transpose(1024)), 64U);
  EXPECT_EQ(cacheBlock(kCache, transpose(2000)), 64U);
  EXPECT_EQ(cacheBlock(kCache, transpose(100'000)), 64U);
  EXPECT_EQ(cacheBlock(kCache, {100'000, 64 + 8, 64, 96}), 64U);
}

TEST(CacheBlock, IsNotSoSmallThatBordersAreMoreThanTheRest) {
  EXPECT_EQ(cacheBlock(kCache, sweepOfPlanes(2048, 2048)), 8U);
  EXPECT_EQ(cacheBlock(kCache, sweepOfPlanes(8192, 8192)), 0U);
}

TEST(CacheBlock, LeavesNestsWholeWhereWhatStaysBesideABlockIsTooLarge) {
  EXPECT_EQ(cacheBlock(kCache, {100'000, 64, 2 << 20, 0}), 0U);
}

TEST(CacheBlock, LeavesNestsWholeOfWhichTwoBlocksWouldBeMoreThanAll) {
  EXPECT_EQ(cacheBlock(256 << 10, {7, 40 << 10, 0, 0}), 0U);
  EXPECT_EQ(cacheBlock(256 << 10, {100, 72, 64, 1 << 16}), 0U);
}

TEST(CacheBlock, LeavesNestsWholeWhereTheCacheIsNotKnown) {
  EXPECT_EQ(cacheBlock(0, sweep(1'000'000)), 0U);
  EXPECT_EQ(cacheBlock(0, transpose(1'000'000)), 0U);
}

TEST(CacheBlock, TakesNumbersThatAreTooLargeForSums) {
  EXPECT_EQ(cacheBlock(kCache, {1ULL << 31, ~0ULL, ~0ULL, 0}), 0U);
  EXPECT_EQ(cacheBlock(kCache, {0, ~0ULL, 0, ~0ULL}), 0U);
}

} // namespace

} // namespace tutti::balance
