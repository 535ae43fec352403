// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which rank runs which iterations. Pure: every rank computes the same.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tutti::balance {

/// Iterations [lower, upper).
struct Chunk {
  std::int64_t lower;
  std::int64_t upper;

  bool empty() const { return lower >= upper; }

  friend bool operator==(const Chunk &, const Chunk &) = default;
};

/// Ranks that get iterations: the first ones.
inline std::int32_t participants(std::int64_t total, std::int32_t ranks) {
  return static_cast<std::int32_t>(std::min<std::int64_t>(total, ranks));
}

/// Contiguous blocks of [0, total) in rank order, as equal as possible, longer ones first. Rank 0's
/// is never empty; ranks beyond `total` get an empty one.
inline Chunk chunkOf(std::int64_t total, std::int32_t ranks, std::int32_t rank) {
  const std::int64_t share = total / ranks;
  const std::int64_t longer = total % ranks;
  const std::int64_t lower = rank * share + std::min<std::int64_t>(rank, longer);
  return {lower, lower + share + (rank < longer ? 1 : 0)};
}

} // namespace tutti::balance
