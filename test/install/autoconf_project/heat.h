// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void smooth(int n, const double *from, double *to);
double sum(int n, const double *values);

#ifdef __cplusplus
}
#endif
