// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// OpenMP's functions for memory of devices: that is the program's memory, and the number of the
/// device makes no difference.
#include "abi/abi.h"
#include "runtime/entry/exports.h"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <omp.h>

namespace {

/// One side of a copy of boxes: bytes of the whole array, per index of the outermost dimension, and
/// where the box begins.
struct Side {
  const std::size_t *extents;
  const std::size_t *offsets;

  /// Elements from one index of the outermost of so many dimensions to the next.
  std::size_t stride(int dimensions) const {
    std::size_t elements = 1;
    for (int inner = 1; inner < dimensions; ++inner) {
      elements *= extents[inner];
    }
    return elements;
  }

  Side inner() const { return {extents + 1, offsets + 1}; }
};

void copyBox(char *to, const char *from, std::size_t element, int dimensions,
             const std::size_t *volume, Side target, Side source) {
  const std::size_t toStep = element * target.stride(dimensions);
  const std::size_t fromStep = element * source.stride(dimensions);
  to += target.offsets[0] * toStep;
  from += source.offsets[0] * fromStep;
  if (dimensions == 1) {
    std::memcpy(to, from, element * volume[0]);
    return;
  }
  for (std::size_t index = 0; index < volume[0]; ++index) {
    copyBox(to + index * toStep, from + index * fromStep, element, dimensions - 1, volume + 1,
            target.inner(), source.inner());
  }
}

} // namespace

TUTTI_EXPORT void *omp_target_alloc(std::size_t bytes, int) {
  return bytes > 0 ? tutti_malloc(bytes) : nullptr;
}

TUTTI_EXPORT void omp_target_free(void *memory, int) { std::free(memory); }

TUTTI_EXPORT int omp_target_is_present(const void *memory, int) { return memory ? 1 : 0; }

TUTTI_EXPORT int omp_target_is_accessible(const void *, std::size_t, int) { return 1; }

TUTTI_EXPORT void *omp_get_mapped_ptr(const void *memory, int) {
  return const_cast<void *>(memory);
}

/// There is no memory of a device that could stand for memory of the host.
TUTTI_EXPORT int omp_target_associate_ptr(const void *host, const void *device, std::size_t,
                                          std::size_t offset, int) {
  return host == static_cast<const char *>(device) + offset ? 0 : EXIT_FAILURE;
}

TUTTI_EXPORT int omp_target_disassociate_ptr(const void *, int) { return 0; }

TUTTI_EXPORT int omp_target_memcpy(void *to, const void *from, std::size_t bytes,
                                   std::size_t toOffset, std::size_t fromOffset, int, int) {
  if (bytes == 0) {
    return 0;
  }
  if (!to || !from) {
    return EXIT_FAILURE;
  }
  std::memcpy(static_cast<char *>(to) + toOffset, static_cast<const char *>(from) + fromOffset,
              bytes);
  return 0;
}

/// Without arrays: how many dimensions there may be.
TUTTI_EXPORT int omp_target_memcpy_rect(void *to, const void *from, std::size_t element,
                                        int dimensions, const std::size_t *volume,
                                        const std::size_t *toOffsets,
                                        const std::size_t *fromOffsets,
                                        const std::size_t *toExtents,
                                        const std::size_t *fromExtents, int, int) {
  if (!to && !from) {
    return INT_MAX;
  }
  if (!to || !from || element == 0 || dimensions < 1 || !volume || !toOffsets || !fromOffsets ||
      !toExtents || !fromExtents) {
    return EXIT_FAILURE;
  }
  copyBox(static_cast<char *>(to), static_cast<const char *>(from), element, dimensions, volume,
          {toExtents, toOffsets}, {fromExtents, fromOffsets});
  return 0;
}

TUTTI_EXPORT void *omp_target_memset(void *memory, int value, std::size_t bytes, int) {
  return std::memset(memory, value, bytes);
}
