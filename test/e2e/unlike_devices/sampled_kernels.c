// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In place of the PTX of sampled.c, as in relaxation_kernels.c.
#include <stdint.h>

enum { kHighDistance = 2, kLower, kUpper, kValues = 8 };

static uint64_t *valuesOf(const uint64_t *parameters) {
  return (uint64_t *)(parameters[kValues] + parameters[kHighDistance]);
}

int fake_cuda_tutti_main_omp_outlined_flat(const uint64_t *parameters) {
  uint64_t *values = valuesOf(parameters);
  for (uint64_t i = parameters[kLower]; i < parameters[kUpper]; ++i) {
    for (int step = 0; step < 2000; ++step) {
      values[i] = values[i] * 3 + (values[i] >> 7) + i;
    }
  }
  return 0;
}

int fake_cuda_tutti_main_omp_outlined_1_flat(const uint64_t *parameters) {
  uint64_t *values = valuesOf(parameters);
  for (uint64_t i = parameters[kLower]; i < parameters[kUpper]; ++i) {
    values[i] += i;
  }
  return 0;
}
