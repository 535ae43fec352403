// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/cache_block.h"

#include <algorithm>

namespace tutti::balance {

namespace {

constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kPage = 4096;
/// Whose addresses a core has at hand, of a column beside all else.
constexpr std::uint64_t kPages = 1500;
/// Lines of a column that stay even where they compete for a few places of the cache.
constexpr std::uint64_t kColumn = 64;
/// Blocks as large as this have whole lines of what they walk through; of blocks half as large the
/// borders, which two of them use, are as much as the rest.
constexpr std::uint64_t kGrain = 8;
/// Of the second cache: what all of an iteration, and what one of a block may touch. The rest is
/// for what streams by.
constexpr double kWhole = 0.75;
constexpr double kBlock = 0.125;

/// Whether what one iteration brings of a column is gone when the next one comes to it. Lines at
/// distances of a power of two have a few places only.
bool isColumnTooLong(std::uint64_t cache, const NestUse &use) {
  if (use.column == 0) {
    return false;
  }
  const std::uint64_t regular = std::max(kLine, use.column & -use.column);
  const std::uint64_t perPage = std::max<std::uint64_t>(kPage / use.column, 1);
  return use.trip > cache / regular || use.trip / perPage > kPages;
}

} // namespace

std::uint64_t cacheBlock(std::uint64_t cache, const NestUse &use) {
  if (cache == 0) {
    return 0;
  }
  const auto trip = static_cast<double>(use.trip);
  const auto moving = static_cast<double>(use.moving);
  const auto fixed = static_cast<double>(use.fixed);
  const double whole = kWhole * static_cast<double>(cache);
  const double block = kBlock * static_cast<double>(cache);
  std::uint64_t size = use.trip;
  if (moving > 0 && fixed + moving * trip > whole && fixed + block <= whole) {
    size = static_cast<std::uint64_t>(std::min(block / moving, trip));
    if (size < kGrain) {
      size = std::min(kGrain, static_cast<std::uint64_t>(2 * block / moving));
    }
    if (size < kGrain / 2) {
      size = use.trip;
    }
  }
  if (isColumnTooLong(cache, use)) {
    size = std::min(size, kColumn);
  }
  if (size >= kGrain) {
    size -= size % kGrain;
  }
  return 2 * size > use.trip ? 0 : size;
}

} // namespace tutti::balance
