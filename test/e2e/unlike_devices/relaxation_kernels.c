// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In place of the PTX of relaxation.c, on the fake CUDA driver: the loop on the parameters of its kernel
// (`tutti_kernel` in abi/abi.h), then the addresses of the two pointers and what they hold.
#include <stdint.h>

enum { kHighDistance = 2, kLower, kUpper, kFrom = 9, kTo };

int fake_cuda_tutti_main_omp_outlined_flat(const uint64_t *parameters) {
  const long *from = (const long *)(parameters[kFrom] + parameters[kHighDistance]);
  long *to = (long *)(parameters[kTo] + parameters[kHighDistance]);
  for (uint64_t i = parameters[kLower] + 1; i < parameters[kUpper] + 1; ++i) {
    to[i] = from[i - 1] + 2 * from[i] - from[i + 1];
  }
  return 0;
}

int fake_cuda_tutti_main_omp_outlined_tile(const uint64_t *parameters) {
  return fake_cuda_tutti_main_omp_outlined_flat(parameters);
}
