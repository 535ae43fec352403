// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lloyd's k-means: assigns points to the nearest of K centres and moves the centres.
///
/// usage: kmeans [points] [iterations]
#include <stdio.h>
#include <stdlib.h>

enum { K = 8, DIMENSIONS = 4 };

static double nextRandom(unsigned long long *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static int nearest(const double *point, double centres[K][DIMENSIONS]) {
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
  return best;
}

/// Returns how many points changed their centre.
static long iterate(long n, const double *points, int *owner, double centres[K][DIMENSIONS]) {
  double sums[K][DIMENSIONS] = {{0.0}};
  long counts[K] = {0};
  long moved = 0;
#pragma omp parallel for reduction(+ : sums, counts, moved)
  for (long i = 0; i < n; ++i) {
    const double *point = &points[i * DIMENSIONS];
    const int k = nearest(point, centres);
    moved += k != owner[i];
    owner[i] = k;
    ++counts[k];
    for (int d = 0; d < DIMENSIONS; ++d) {
      sums[k][d] += point[d];
    }
  }
  for (int k = 0; k < K; ++k) {
    for (int d = 0; d < DIMENSIONS && counts[k] > 0; ++d) {
      centres[k][d] = sums[k][d] / (double)counts[k];
    }
  }
  return moved;
}

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 20000;
  const int iterations = argc > 2 ? atoi(argv[2]) : 10;
  double *points = malloc((size_t)n * DIMENSIONS * sizeof *points);
  int *owner = malloc((size_t)n * sizeof *owner);
  if (points == NULL || owner == NULL) {
    fprintf(stderr, "kmeans: no memory for %ld points\n", n);
    return 1;
  }

  unsigned long long state = 1;
  for (long i = 0; i < n * DIMENSIONS; ++i) {
    points[i] = nextRandom(&state) + (double)(i / DIMENSIONS % K) * 0.5;
  }
  double centres[K][DIMENSIONS];
  for (int k = 0; k < K; ++k) {
    for (int d = 0; d < DIMENSIONS; ++d) {
      centres[k][d] = points[(k * (n / K)) * DIMENSIONS + d];
    }
  }
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    owner[i] = -1;
  }

  printf("kmeans %ld points, %d iterations\n", n, iterations);
  for (int step = 0; step < iterations; ++step) {
    printf("moved %ld\n", iterate(n, points, owner, centres));
  }
  double checksum = 0.0;
  for (int k = 0; k < K; ++k) {
    for (int d = 0; d < DIMENSIONS; ++d) {
      checksum += centres[k][d] * (k + 1) * (d + 1);
    }
  }
  printf("checksum %.9e\n", checksum);
  free(points);
  free(owner);
  return 0;
}
