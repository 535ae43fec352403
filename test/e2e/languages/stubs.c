// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks for what names a kernel on the host: its stub and the library that knows it.
#include <cuda_runtime.h>

#include <stdio.h>

// As it is called in CUDA C++.
extern const char stub[] __asm__("_Z4axpyldPKdPd") __attribute__((weak));
extern const char other[] __asm__("_Z19__device_stub__axpyldPKdPd") __attribute__((weak));
extern const char functionOf[] __asm__("cudaGetFuncBySymbol") __attribute__((weak));

int main(void) {
  dim3 size = {1, 2, 3};
  printf("stub %d, library %d, size %u\n", stub != 0 || other != 0, functionOf != 0, size.z);
  return 0;
}
