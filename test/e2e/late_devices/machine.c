// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine on which a driver of GPUs seems to run, and in place of the PTX of late.c its loops on the parameters
// of their kernels, as in unlike_devices/relaxation_kernels.c.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum { kHighDistance = 2, kLower, kUpper, kValues = 8, kSteps = 100, kLong = 2000, kFirst = 900000000 };

int access(const char *path, int mode) {
  if (strcmp(path, "/dev/nvidiactl") == 0) {
    return 0;
  }
  return ((int (*)(const char *, int))dlsym(RTLD_NEXT, "access"))(path, mode);
}

static int run(const uint64_t *parameters, int first, int steps) {
  uint64_t *values = (uint64_t *)(parameters[kValues] + parameters[kHighDistance]);
  for (uint64_t i = parameters[kLower]; i < parameters[kUpper]; ++i) {
    for (int step = 0; step < (i == 0 ? first : steps); ++step) {
      values[i] = values[i] * 3 + (values[i] >> 7) + i;
    }
  }
  return 0;
}

int fake_cuda_tutti_shortLoop_omp_outlined_flat(const uint64_t *parameters) {
  return run(parameters, kSteps, kSteps);
}

int fake_cuda_tutti_longLoop_omp_outlined_flat(const uint64_t *parameters) {
  return run(parameters, kLong * kSteps, kLong * kSteps);
}

int fake_cuda_tutti_unevenLoop_omp_outlined_flat(const uint64_t *parameters) {
  return run(parameters, kFirst, 1);
}
