// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Thread-private variables of constructs that are distributed: as scratch memory, from loop to
/// loop and from construct to construct, copied in, of more threads than a rank has.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3000, BINS = 64, THREADS = 4 };

static double scratch[32];
static int count, begin[BINS];
#pragma omp threadprivate(scratch, count, begin)

static int sizes[THREADS][BINS];
static int *keys, *sorted;
static double out[N];

static void fill(double *to, int n, int by) {
  for (int i = 0; i < n; ++i) {
    to[i] = (by * 31 + i * 7) % 101;
  }
}

/// The last thread to be counted leaves what the next construct copies in.
static void scratches(void) {
  double sum = 0, found[8] = {0};
  count = 5;
#pragma omp parallel copyin(count) num_threads(THREADS)
  {
    double own[8] = {0};
    count += omp_get_thread_num();
#pragma omp for reduction(+ : sum) schedule(static)
    for (int k = 0; k < N; ++k) {
      fill(scratch, 32, k);
      for (int i = 0; i < 16; ++i) {
        own[(int)(scratch[2 * i] + scratch[2 * i + 1]) % 8] += 1;
      }
      sum += scratch[k % 32];
      out[k] = scratch[(k + 1) % 32] + count;
      ++count;
    }
#pragma omp critical
    for (int i = 0; i < 8; ++i) {
      found[i] += own[i];
    }
  }
  int counted = 0;
#pragma omp parallel reduction(+ : counted) num_threads(THREADS)
  counted += count * (omp_get_thread_num() + 1);
  double all = 0;
  for (int i = 0; i < N; ++i) {
    all += out[i] * (i % 13);
  }
  printf("scratches %.1f %.1f %d %d", sum, all, counted, count);
  for (int i = 0; i < 8; ++i) {
    printf(" %.0f", found[i]);
  }
  printf("\n");
}

/// Pointers are loaded here: they do not lead to what has no address.
static void sort(void) {
#pragma omp parallel num_threads(THREADS)
  {
    const int id = omp_get_thread_num(), threads = omp_get_num_threads();
    for (int b = 0; b < BINS; ++b) {
      sizes[id][b] = 0;
    }
#pragma omp for schedule(static)
    for (int i = 0; i < N; ++i) {
      ++sizes[id][keys[i] >> 4];
    }
    for (int b = 0; b < BINS; ++b) {
      begin[b] = b > 0 ? begin[b - 1] : 0;
      for (int k = 0; k < threads; ++k) {
        begin[b] += k < id ? sizes[k][b] : b > 0 ? sizes[k][b - 1] : 0;
      }
    }
#pragma omp for schedule(static)
    for (int i = 0; i < N; ++i) {
      sorted[begin[keys[i] >> 4]++] = keys[i];
    }
    for (int b = 0; b < BINS; ++b) {
      for (int k = id + 1; k < threads; ++k) {
        begin[b] += sizes[k][b];
      }
    }
  }
  long sum = 0;
#pragma omp parallel for num_threads(THREADS) schedule(dynamic) reduction(+ : sum)
  for (int b = 0; b < BINS; ++b) {
    for (int i = b > 0 ? begin[b - 1] : 0; i < begin[b]; ++i) {
      sum += (long)sorted[i] * (i % 97) + b;
    }
  }
  printf("sort %ld\n", sum);
}

int main(void) {
  keys = malloc(N * sizeof *keys);
  sorted = malloc(N * sizeof *sorted);
  scratches();
  for (int t = 0; t < 2; ++t) {
    for (int i = 0; i < N; ++i) {
      keys[i] = (i * 7919 + t) % (BINS * 16);
    }
    sort();
  }
  free(keys);
  free(sorted);
  return 0;
}
