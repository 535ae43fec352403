// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of OpenMP that some nodes run more often than others, and one that node 0 never runs.
#include <stdio.h>
#include <xmp.h>
#pragma xmp nodes p[*]
#define N 2000
static double a[N];

int main(void) {
  int me = xmpc_all_node_num();
  double s = 0;
#pragma omp parallel for reduction(+ : s) // all
  for (int i = 0; i < N; i++) {
    s += i;
  }
  for (int k = 0; k < me; k++) {
#pragma omp parallel for // others
    for (int i = 0; i < N; i++) {
      a[i] = i * k;
    }
  }
  printf("%g\n", s + a[0]);
}
