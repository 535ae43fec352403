// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lastprivate variables hold what the last iteration left.
#include <stdio.h>
#include <stdlib.h>

struct pair {
  int first;
  double second;
};

static int global_last = -1;

/* What is last is read behind the loop, from an address of the last iteration; behind the loop's
   rows nothing changes. */
static int last_of_row(unsigned rows, long columns, long pitch, int *to, int *first) {
  int last = -1;
#pragma omp parallel for lastprivate(last)
  for (unsigned k = 0; k < rows; ++k) {
    int *row = to + k * pitch;
    first[k] = row[2];
    long j = 2;
    while (j < columns) {
      row[j] = (int)k;
      j += 3;
    }
    last = row[j];
  }
  return last;
}

int main(void) {
  for (int n = 1; n < 41; n += 13) {
    double *a = malloc((size_t)(n + 1) * sizeof *a);
    int x = -1;
    double y = -2.0;
    int tail[3] = {-1, -2, -3};
    struct pair p = {-1, -1.0};
    int i = -7;
#pragma omp parallel for lastprivate(x, y, tail, p, i)
    for (i = 0; i < n; ++i) {
      x = i * 2;
      y = i * 0.5;
      for (int k = 0; k < 3; ++k) {
        tail[k] = i + k;
      }
      p.first = x + 1;
      p.second = y + 1;
      a[i] = x + y;
    }
    printf("n %d: %d %.2f %d %d %d %.2f i %d\n", n, x, y, tail[0], tail[2], p.first, p.second, i);

    double both = 3.0;
#pragma omp parallel for firstprivate(both) lastprivate(both, global_last) schedule(static, 4)
    for (int k = 0; k < n; ++k) {
      both = k + 0.25;
      global_last = k;
    }
    printf("both %.2f global %d\n", both, global_last);

    int *to = malloc(1024 * sizeof *to), *first = calloc(128, sizeof *first);
#pragma omp parallel for // Where the next loop runs.
    for (int k = 0; k < 1024; ++k) {
      to[k] = -k;
    }
    printf("last %d", last_of_row((unsigned)n, n % 7, 8, to, first));
    long sum = 0;
    for (int k = 0; k < 1024; ++k) {
      sum += (to[k] + first[k / 8]) * (long)(k + 1);
    }
    printf(" of %ld\n", sum);
    free(to);
    free(first);
    free(a);
  }
  return 0;
}
