#include "shared.h"

static double factors[N];
#pragma xmp align factors[i] with t[i]

void fill(int k) {
#pragma xmp loop(i) on t[i]
  for (int i = 0; i < N; i++) {
    numbers[i] = i + 1;
    factors[i] = k;
    for (int j = 0; j < M; j++) {
      table[i][j] = factors[i] * (i + j);
    }
  }
}
