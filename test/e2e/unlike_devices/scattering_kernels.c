// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In place of the PTX of scattering.c, as relaxation_kernels.c: behind the addresses of three pointers what they hold.
#include <stdint.h>

enum { kHighDistance = 2, kLower, kUpper, kFrom = 10, kTo, kIndex };

int fake_cuda_tutti_main_omp_outlined_flat(const uint64_t *parameters) {
  const uint64_t distance = parameters[kHighDistance];
  const int *index = (const int *)(parameters[kIndex] + distance);
  const long *from = (const long *)(parameters[kFrom] + distance);
  long *to = (long *)(parameters[kTo] + distance);
  for (uint64_t i = parameters[kLower]; i < parameters[kUpper]; ++i) {
    to[index[i]] = from[i] + 3 * (long)i;
  }
  return 0;
}
