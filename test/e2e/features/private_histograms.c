// What threads have counted in arrays of their own during one loop, told to others in critical sections; and
// what else threads do there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 20000
int main(void) {
  double *a = malloc(N * 8);
  for (int i = 0; i < N; i++) a[i] = (i * 7919L % 1013) * 0.25;
  long bins[64];
  double sums[7];
  int rounds = 0;
  for (int r = 0; r < 5; r++) {
    memset(bins, 0, sizeof bins);
    for (int k = 0; k < 7; k++) sums[k] = k;
    long most = -1;
#pragma omp parallel
    {
      long mine[64];
      double own[7] = {0};
      long top = -1;
      for (int k = 0; k < 64; k++) mine[k] = 0;
#pragma omp for schedule(dynamic, 100)
      for (int i = 0; i < N; i++) {
        int k = ((int)a[i] * 7 + r) % 64;
        mine[k]++;
        own[k % 7] += a[i];
        if (k * 3L + i % 5 > top) top = k * 3L + i % 5;
      }
#pragma omp critical
      {
        for (int k = 0; k < 64; k++) bins[k] += mine[k];
        for (int k = 0; k < 7; k++) sums[k] += own[k];
        if (top > most) most = top;
      }
    }
    long h = 3;
    for (int k = 0; k < 64; k++) h = h * 31 + bins[k];
    printf("%lx %ld", h, most);
    for (int k = 0; k < 7; k++) printf(" %.3f", sums[k]);
    printf("\n");
  }
  int threads = 0; long all = 0;
#pragma omp parallel
  {
    long mine = 0;
#pragma omp for
    for (int i = 0; i < N; i++) mine += i;
#pragma omp critical
    { all += mine; threads += mine > 0; }
  }
  printf("%ld %d\n", all, threads > 0);
  // In the order of arrival.
  int count = 0; long got[64];
#pragma omp parallel
  {
    long mine = 0;
#pragma omp for
    for (int i = 0; i < N; i++) mine ^= i * 77L;
#pragma omp critical
    got[count++] = mine;
  }
  long x = 0;
  for (int i = 0; i < count; i++) x ^= got[i];
  printf("%ld\n", x);
  int *queue = malloc(N * 4), tail = 0;
#pragma omp parallel
  {
    int local[64], n = 0;
#pragma omp for
    for (int i = 0; i < N; i++) if ((int)a[i] % 50 == 3) {
      local[n++] = i;
      if (n == 64) {
#pragma omp critical
        { for (int k = 0; k < n; k++) queue[tail++] = local[k]; }
        n = 0;
      }
    }
#pragma omp critical
    { for (int k = 0; k < n; k++) queue[tail++] = local[k]; }
  }
  long s = 0;
  for (int i = 0; i < tail; i++) s += queue[i];
  printf("%d %ld\n", tail, s);
  double total = 0, mean = 0;
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for
    for (int i = 0; i < N; i++) mine += a[i];
#pragma omp critical
    total += mine;
#pragma omp barrier
#pragma omp master
    mean = total / N;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < N; i++) a[i] -= mean;
  }
  double t = 0; for (int i = 0; i < N; i++) t += a[i];
  printf("%.6f %d\n", mean, t < 1e-6 && t > -1e-6);
}
