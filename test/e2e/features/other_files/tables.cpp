#include "others.h"

double table[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

double entry(int i) { return table[i & 15]; }

double third(double x) { return x * x / 3; }

double next(double *seed) {
  *seed = *seed * 0.5 + 1;
  return *seed;
}
