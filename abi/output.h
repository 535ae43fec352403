// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What compiled code and runtime agree on for regions that print by streams of the C++ library, in
/// addition to abi/abi.h.
#pragma once

#include "abi/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A flag of regions that are TUTTI_REGION_PRINTS: `run` calls `tutti_output_object`, too.
#define TUTTI_REGION_PRINTS_OBJECTS 1024

/// As `tutti_output`, for a `std::ostream *`: `std::cout` or, if `isError` is 1, `std::cerr`.
void *tutti_output_object(const tutti_chunk *chunk, void *stream, int32_t isError);

#ifdef __cplusplus
}
#endif
