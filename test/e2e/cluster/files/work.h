/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
enum { kCells = 600 };

#pragma oss task in(from[0;kCells]) out(to[0;kCells])
void smooth(const double *from, double *to);

#pragma oss task inout(x[0;n]) in(*by)
void scale(int n, double *x, const double *by);
