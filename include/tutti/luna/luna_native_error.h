// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the runtime asks after a function of ucenv_gpu.h: whether what it has started could be
/// started. In the program, because each program has a CUDA runtime library of its own.
#pragma once

#if defined(__CUDACC__) || defined(__CUDA__)
#include <cuda_runtime.h>

/// Null if all is well. Forgets the error.
extern "C" __attribute__((weak)) const char *tutti_luna_native_error() {
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
#endif
