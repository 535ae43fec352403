// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a chunk's loop asks the runtime about caches.
#pragma once

#include "abi/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How many iterations of the loop inside of a chunk's loop are to be executed for all iterations
/// of the chunk before the next ones are, so that what these share stays in the cache; 0: all.
/// `trip`: how many there are. In one iteration of the chunk's loop they touch `fixed` bytes, and
/// `moving` more for each of them; `column`, if not 0, is how far lines are apart of which
/// each iteration of the chunk's loop uses some, and the next ones the rest.
///
/// Threading: any of the team, which executes its share of the chunk.
int64_t tutti_cache_block(const tutti_chunk *chunk, int64_t trip, int64_t moving, int64_t fixed,
                          int64_t column);

#ifdef __cplusplus
}
#endif
