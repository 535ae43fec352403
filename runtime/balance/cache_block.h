// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How large the blocks are in which a thread walks through a nest of loops, so that what one
/// iteration of its outer loop leaves in the caches is still there in the next one.
#pragma once

#include <cstdint>

namespace tutti::balance {

/// What one iteration of the outer loop touches.
struct NestUse {
  std::uint64_t trip;   ///< Iterations of the inner loop.
  std::uint64_t moving; ///< Bytes of lines, for each of them,
  std::uint64_t fixed;  ///< and beside that.
  std::uint64_t
      column; ///< How far lines are apart of which the next iterations use the rest, or 0.
};

/// Iterations of the inner loop in a block; 0 if the nest is better executed as a whole.
/// `cache`: bytes of the second cache that the thread has for itself; 0: not known.
std::uint64_t cacheBlock(std::uint64_t cache, const NestUse &use);

} // namespace tutti::balance
