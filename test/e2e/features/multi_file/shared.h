// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

enum { SIZE = 900 };

extern double field[SIZE];
extern double weight;

void advance(int step);
double total(void);

static inline double cube(double x) { return x * x * x; }
