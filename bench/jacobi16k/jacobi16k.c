// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The problem of NVIDIA's multi_gpu_jacobi samples in plain OpenMP: Laplace's equation in single
/// precision, left and right edge held at sin(2 pi y), top and bottom periodic, and the norm of the
/// change in every iteration.
///
/// usage: jacobi16k [n] [iterations]
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWarmUp = 10 };

/// Every row of `next` but the first and the last, which follow from the periodic condition.
static float sweep(int n, const float *restrict old, float *restrict next) {
  float square = 0.0f;
#pragma omp parallel for reduction(+ : square)
  for (int y = 1; y < n - 1; ++y) {
    for (int x = 1; x < n - 1; ++x) {
      const size_t at = (size_t)y * n + x;
      const float value = 0.25f * (old[at + 1] + old[at - 1] + old[at + n] + old[at - n]);
      const float change = value - old[at];
      next[at] = value;
      square += change * change;
    }
  }
  return square;
}

static void wrap(int n, float *restrict plate) {
  const size_t last = (size_t)(n - 1) * n;
#pragma omp parallel for
  for (int x = 1; x < n - 1; ++x) {
    plate[x] = plate[last - n + x];
    plate[last + x] = plate[n + x];
  }
}

static void start(int n, float *restrict plate) {
  const float pi = 3.14159265358979f;
#pragma omp parallel for
  for (int y = 0; y < n; ++y) {
    const float edge = sinf(2.0f * pi * (float)y / (float)(n - 1));
    for (int x = 0; x < n; ++x) {
      plate[(size_t)y * n + x] = x == 0 || x == n - 1 ? edge : 0.0f;
    }
  }
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 16384;
  const int iterations = argc > 2 ? atoi(argv[2]) : 1000;
  const size_t bytes = (size_t)n * (size_t)n * sizeof(float);
  float *old = malloc(bytes);
  float *next = malloc(bytes);
  if (n < 3 || old == NULL || next == NULL) {
    fprintf(stderr, "jacobi16k: no memory for %d x %d points\n", n, n);
    return 1;
  }

  start(n, old);
  start(n, next);
  float norm = 0.0f;
  double begin = 0.0;
  for (int k = 0; k < kWarmUp + iterations; ++k) {
    if (k == kWarmUp) {
      begin = omp_get_wtime();
    }
    norm = sqrtf(sweep(n, old, next));
    wrap(n, next);
    float *swap = old;
    old = next;
    next = swap;
    if (k >= kWarmUp && (k - kWarmUp) % 100 == 0) {
      printf("%5d %0.6f\n", k - kWarmUp, norm);
    }
  }
  const double seconds = omp_get_wtime() - begin;

  double checksum = 0.0;
#pragma omp parallel for reduction(+ : checksum)
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      checksum += old[(size_t)y * n + x] * (double)((x + y) % 7 + 1);
    }
  }
  printf("jacobi16k %d x %d, %d iterations\n", n, n, iterations);
  printf("residual %.6e\n", norm);
  printf("checksum %.9e\n", checksum);
  printf("seconds %.6f, per iteration %.6e, GB/s %.1f\n", seconds, seconds / iterations,
         2.0 * (double)bytes * iterations / seconds * 1e-9);
  free(old);
  free(next);
  return 0;
}
