// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __CUDACC__
// For the files that call the kernel; compilers of devices take no notice.
// clang-format off
#pragma oss task device(cuda) ndrange(1, n, 128) in([n]x) inout([n]y)
// clang-format on
#endif
__global__ void axpy(long n, double a, const double *x, double *y);
