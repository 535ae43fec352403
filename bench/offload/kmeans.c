// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/kmeans with OpenMP's own directives for devices; see jacobi.c.
///
/// usage: kmeans [points] [iterations]
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "spread.h"

enum { K = 8, DIMENSIONS = 4 };

static double nextRandom(unsigned long long *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static void iterate(long n, const double *restrict points, int *restrict owner,
                    double centres[K][DIMENSIONS]) {
  double sums[K][DIMENSIONS] = {{0.0}};
  long counts[K] = {0};
  long moved = 0;
#pragma omp SPREAD reduction(+ : sums, counts, moved)                                              \
    map(present, alloc : points[0 : n * DIMENSIONS], owner[0 : n]) map(to : centres[0 : K])        \
    map(tofrom : sums, counts, moved)
  for (long i = 0; i < n; ++i) {
    const double *point = &points[i * DIMENSIONS];
    int best = 0;
    double bestDistance = 1e300;
    for (int k = 0; k < K; ++k) {
      double distance = 0.0;
      for (int d = 0; d < DIMENSIONS; ++d) {
        const double difference = point[d] - centres[k][d];
        distance += difference * difference;
      }
      if (distance < bestDistance) {
        bestDistance = distance;
        best = k;
      }
    }
    moved += best != owner[i];
    owner[i] = best;
    ++counts[best];
    for (int d = 0; d < DIMENSIONS; ++d) {
      sums[best][d] += point[d];
    }
  }
  for (int k = 0; k < K; ++k) {
    for (int d = 0; d < DIMENSIONS && counts[k] > 0; ++d) {
      centres[k][d] = sums[k][d] / (double)counts[k];
    }
  }
}

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 20000;
  const int iterations = argc > 2 ? atoi(argv[2]) : 10;
  double *points = malloc((size_t)n * DIMENSIONS * sizeof *points);
  int *owner = malloc((size_t)n * sizeof *owner);
  if (points == NULL || owner == NULL || omp_get_num_devices() < 1) {
    fprintf(stderr, "kmeans: no memory or no device\n");
    return 1;
  }
  unsigned long long state = 1;
  for (long i = 0; i < n * DIMENSIONS; ++i) {
    points[i] = nextRandom(&state) + (double)(i / DIMENSIONS % K) * 0.5;
  }
  double centres[K][DIMENSIONS];
  double seconds = 0.0;
  for (int isTimed = 0; isTimed < 2; ++isTimed) { // Once to warm up, from the same numbers.
    for (int k = 0; k < K; ++k) {
      for (int d = 0; d < DIMENSIONS; ++d) {
        centres[k][d] = points[(k * (n / K)) * DIMENSIONS + d];
      }
    }
    for (long i = 0; i < n; ++i) {
      owner[i] = -1;
    }
#pragma omp target data map(to : points[0 : n * DIMENSIONS]) map(tofrom : owner[0 : n])
    {
      const double begin = omp_get_wtime();
      for (int step = 0; step < (isTimed ? iterations : 1); ++step) {
        iterate(n, points, owner, centres);
      }
      seconds = (omp_get_wtime() - begin) / iterations;
    }
  }
  double checksum = 0.0;
  for (int k = 0; k < K; ++k) {
    for (int d = 0; d < DIMENSIONS; ++d) {
      checksum += centres[k][d] * (k + 1) * (d + 1);
    }
  }
  printf("kmeans %ld %d %.6e %.2f GB/s %.9e\n", n, iterations, seconds,
         (double)n * (DIMENSIONS * sizeof(double) + 2 * sizeof(int)) / seconds * 1e-9, checksum);
  return 0;
}
