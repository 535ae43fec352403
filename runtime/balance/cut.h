// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which place runs which iterations. Pure: every rank computes the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::balance {

/// Iterations [lower, upper).
struct Chunk {
  std::int64_t lower;
  std::int64_t upper;

  bool empty() const { return lower >= upper; }

  friend bool operator==(const Chunk &, const Chunk &) = default;
};

/// Contiguous blocks of [0, total) in the order of `weights`, in proportion to them; the border
/// behind a block is the exact share of all blocks so far, rounded up. Blocks may be empty.
///
/// Shape: at least one weight, not all zero; their sum is less than 2^31.
inline std::vector<Chunk> cut(std::int64_t total, std::span<const std::uint32_t> weights) {
  std::int64_t all = 0;
  for (const std::uint32_t weight : weights) {
    all += weight;
  }
  std::vector<Chunk> chunks;
  chunks.reserve(weights.size());
  std::int64_t before = 0;
  std::int64_t lower = 0;
  for (const std::uint32_t weight : weights) {
    before += weight;
    // total * before / all, without overflow.
    const std::int64_t rest = (total % all) * before;
    const std::int64_t upper = (total / all) * before + rest / all + (rest % all != 0 ? 1 : 0);
    chunks.push_back({lower, upper});
    lower = upper;
  }
  return chunks;
}

/// One of equal parts of every chunk of a launch.
struct Portion {
  std::int32_t index = 0;
  std::int32_t count = 1;
};

/// The part of `chunk` that belongs to `portion`; may be empty. Sizes differ by one at most.
inline Chunk partOf(const Chunk &chunk, Portion portion) {
  if (portion.count == 1) {
    return chunk; // Nearly always, and divisions take as long as all else here.
  }
  const std::int64_t size = chunk.upper - chunk.lower;
  const std::int64_t each = size / portion.count;
  const std::int64_t longer = size % portion.count; // The first ones.
  const auto begin = [&](std::int64_t index) {
    return chunk.lower + each * index + (index < longer ? index : longer);
  };
  return {begin(portion.index), begin(portion.index + 1)};
}

} // namespace tutti::balance
