// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory that threads of parallel constructs allocate for themselves: the C library's, on any
/// rank.
#include "abi/abi.h"
#include "base/log.h"
#include "runtime/entry/exports.h"

#include <algorithm>
#include <cstdlib>

namespace {

/// What `new` gives where no exception can leave: a parallel construct ends the program then.
void *orEnd(void *memory) {
  if (memory == nullptr) {
    tutti::log::fatal("there is no memory for what a parallel loop allocates");
  }
  return memory;
}

} // namespace

TUTTI_EXPORT void *tutti_private_malloc(std::size_t size) { return std::malloc(size); }

TUTTI_EXPORT void *tutti_private_calloc(std::size_t count, std::size_t size) {
  return std::calloc(count, size);
}

TUTTI_EXPORT void *tutti_private_new(std::size_t size) {
  return orEnd(std::malloc(size > 0 ? size : 1));
}

TUTTI_EXPORT void *tutti_private_new_aligned(std::size_t size, std::size_t alignment) {
  const std::size_t pieces = std::max<std::size_t>((size + alignment - 1) / alignment, 1);
  return orEnd(std::aligned_alloc(alignment, pieces * alignment));
}

TUTTI_EXPORT void tutti_private_free(void *memory) { std::free(memory); }
