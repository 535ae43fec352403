// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether and for which caches threads execute nests of loops in blocks (abi/cache.h). Until it is
/// allowed, none are.
#pragma once

#include <cstdint>

namespace tutti::entry {

/// `bytes`: of the second cache, as large as each thread is to have it; 0 for what the system says.
///
/// Threading: before any thread asks.
void allowCacheBlocks(std::uint64_t bytes);

} // namespace tutti::entry
