/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Stands between a program and the functions of a vendor's runtime library that make managed
 * memory: the linker calls these instead (--wrap).
 */
#include "abi/managed.h"

int __real_cudaMallocManaged(void **memory, size_t bytes, unsigned flags);
int __real_cudaFree(void *memory);

__attribute__((visibility("hidden"))) int __wrap_cudaMallocManaged(void **memory, size_t bytes,
                                                                   unsigned flags) {
  void *unified = memory ? tutti_managed_allocate(bytes) : NULL;
  if (!unified) {
    return __real_cudaMallocManaged(memory, bytes, flags);
  }
  *memory = unified;
  return 0;
}

__attribute__((visibility("hidden"))) int __wrap_cudaFree(void *memory) {
  return tutti_managed_free(memory) ? 0 : __real_cudaFree(memory);
}
