// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

void start(int step);
void stop();
int started();
void put(double value);
double got(double *row, int columns);
int ask(int *isInParallel);
