// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory of large data fragments. The system's allocator gives what is free back to the kernel,
/// and asks for it anew: largest blocks each time, others where several threads take and give. Then
/// pages have to be made before their first use, which takes longer than what a step computes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::model::fragments {

/// Blocks of at least so many bytes.
inline constexpr std::size_t kLargeBlock = std::size_t{256} << 10;

/// One that was given back before, if there is one of this size; null if there is no memory.
///
/// Threading: from any thread.
void *takeLargeBlock(std::size_t bytes);

/// Keeps it for the next one of its size, unless more is kept than used.
///
/// Threading: from any thread.
void giveLargeBlock(void *block, std::size_t bytes);

/// How many have come from the system.
std::uint64_t largeBlocksOfSystem();

} // namespace tutti::model::fragments
