// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Huge pages for fresh memory of the window. What closes, opens and locks pages then takes one
/// step where it took 512, and so does what touches them for the first time.
///
/// The system's choice for files in memory (`shmem_enabled`, mostly "never") is one for whoever
/// asks for nothing; this asks for the pages one by one.
#pragma once

#include "base/range.h"
#include "runtime/memory/window.h"

#include <cstddef>
#include <cstdint>

namespace tutti::memory {

inline constexpr std::uint64_t kHugePageBytes = std::uint64_t{2} << 20;

/// Puts huge pages behind those of `bytes`, of a mirrored window, that lie in it as a whole and of
/// which nearly nothing has been touched: for who is about to fill them. Others stay as they are,
/// since their bytes would have to be copied. False if the kernel makes none.
///
/// Threading: any, beside whatever touches the bytes; these do not change.
/// Cost:   takes and clears the memory, with a few threads where there is much.
/// Source: madvise with MADV_COLLAPSE (Linux 6.1).
bool makeHuge(const Window &window, Range bytes);

/// Whether there are huge pages that lie in `bytes`, of a mirrored window, as a whole, and nearly
/// nothing of them has been touched.
///
/// Threading: any.
/// Cost:   one system call for each.
bool isFresh(const Window &window, Range bytes);

} // namespace tutti::memory
