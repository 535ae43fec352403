// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The applications of HyCOMP's experiments as plain OpenMP: products of matrices (mm), red-black
/// over-relaxation (sor), gravity between all bodies (nbody), and clusters of points (kmeans).
/// Memory is shared as in the paper: each step reads what all parts of the one before have written.
///
///   apps NAME SIZE SECONDS       times steps until so many took SECONDS together
///   apps NAME SIZE 0 STEPS       runs so many steps more, for counters
///
/// Prints `NAME SIZE seconds_per_step steps check`; the check is of the third step.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kFirstSteps = 3, kCentres = 16, kDimensions = 8 };

typedef struct {
  float x, y, z, mass;
} Body;

typedef struct {
  float u, v, w;
} Speed;

static long n;
static float *left, *right, *product;
static double *grid;
static Body *bodies;
static Speed *speeds;
static float *points;
static int *owners;
static float centres[kCentres][kDimensions];

static void *memoryFor(size_t count, size_t bytes) {
  void *memory = malloc(count * bytes);
  if (!memory) {
    fprintf(stderr, "apps: no memory for %zu times %zu bytes\n", count, bytes);
    exit(1);
  }
  return memory;
}

static void mm_make(void) {
  left = memoryFor(n * n, sizeof *left);
  right = memoryFor(n * n, sizeof *right);
  product = memoryFor(n * n, sizeof *product);
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      // Rows add up to about 1, so that powers neither grow nor vanish.
      left[i * n + j] = (float)((i + 2 * j) % 17) / (8.0f * (float)n);
      right[i * n + j] = (float)((3 * i + j) % 13) / 13.0f;
    }
  }
}

static void mm_step(void) {
  const float *a = left, *b = right;
  float *c = product;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      float sum = 0;
      for (long k = 0; k < n; ++k) {
        sum += a[i * n + k] * b[k * n + j];
      }
      c[i * n + j] = sum;
    }
  }
  float *swap = right;
  right = product;
  product = swap;
}

static double mm_check(void) {
  double sum = 0;
  for (long i = 0; i < n * n; ++i) {
    sum += right[i] * (double)(i % 7 + 1);
  }
  return sum;
}

static double mm_touch(void) { return right[n * n - 1]; }

static void sor_make(void) {
  grid = memoryFor(n * n, sizeof *grid);
  for (long i = 0; i < n * n; ++i) {
    grid[i] = i % n == 0 ? 1 : 0;
  }
}

static void sor_sweep(double *points, int colour) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i) {
    for (long j = 1 + (i + colour) % 2; j < n - 1; j += 2) {
      const double mean = 0.25 * (points[(i - 1) * n + j] + points[(i + 1) * n + j] +
                                  points[i * n + j - 1] + points[i * n + j + 1]);
      points[i * n + j] += 1.5 * (mean - points[i * n + j]);
    }
  }
}

static void sor_step(void) {
  sor_sweep(grid, 0);
  sor_sweep(grid, 1);
}

static double sor_check(void) {
  double sum = 0;
  for (long i = 0; i < n * n; ++i) {
    sum += grid[i] * (double)(i % 7 + 1);
  }
  return sum;
}

static double sor_touch(void) { return grid[n * n - n - 2]; }

static void nbody_make(void) {
  bodies = memoryFor(n, sizeof *bodies);
  speeds = memoryFor(n, sizeof *speeds);
  for (long i = 0; i < n; ++i) {
    bodies[i] = (Body){(float)(i * 7 % 101), (float)(i * 11 % 103), (float)(i * 13 % 107),
                       1.0f + (float)(i % 3)};
    speeds[i] = (Speed){0, 0, 0};
  }
}

static void nbody_step(void) {
  Body *all = bodies;
  Speed *own = speeds;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    float ax = 0, ay = 0, az = 0;
    for (long j = 0; j < n; ++j) {
      const float dx = all[j].x - all[i].x, dy = all[j].y - all[i].y, dz = all[j].z - all[i].z;
      const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
      const float pull = all[j].mass * inverse * inverse * inverse;
      ax += dx * pull, ay += dy * pull, az += dz * pull;
    }
    own[i].u += 1e-4f * ax, own[i].v += 1e-4f * ay, own[i].w += 1e-4f * az;
  }
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    all[i].x += 1e-4f * own[i].u, all[i].y += 1e-4f * own[i].v, all[i].z += 1e-4f * own[i].w;
  }
}

static double nbody_check(void) {
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += speeds[i].u * speeds[i].u + speeds[i].v * speeds[i].v + speeds[i].w * speeds[i].w;
  }
  return sum;
}

static double nbody_touch(void) { return bodies[n - 1].x; }

static void kmeans_make(void) {
  points = memoryFor(n * kDimensions, sizeof *points);
  owners = memoryFor(n, sizeof *owners);
  unsigned long state = 42;
  for (long i = 0; i < n * kDimensions; ++i) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    points[i] = (float)(state >> 40) / (float)(1 << 24);
  }
  memcpy(centres, points, sizeof centres);
  memset(owners, 0, n * sizeof *owners);
}

static void kmeans_step(void) {
  const float *all = points;
  int *owner = owners;
  double sums[kCentres][kDimensions] = {{0}};
  long counts[kCentres] = {0};
#pragma omp parallel for reduction(+ : sums, counts)
  for (long i = 0; i < n; ++i) {
    int best = 0;
    float least = 1e30f;
    for (int k = 0; k < kCentres; ++k) {
      float square = 0;
      for (int d = 0; d < kDimensions; ++d) {
        const float apart = all[i * kDimensions + d] - centres[k][d];
        square += apart * apart;
      }
      if (square < least) {
        least = square, best = k;
      }
    }
    owner[i] = best;
    ++counts[best];
    for (int d = 0; d < kDimensions; ++d) {
      sums[best][d] += all[i * kDimensions + d];
    }
  }
  for (int k = 0; k < kCentres; ++k) {
    for (int d = 0; d < kDimensions && counts[k] > 0; ++d) {
      centres[k][d] = (float)(sums[k][d] / (double)counts[k]);
    }
  }
}

static double kmeans_check(void) {
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += owners[i];
  }
  return sum;
}

static double kmeans_touch(void) { return owners[n - 1]; }

typedef struct {
  const char *name;
  void (*make)(void), (*step)(void);
  double (*check)(void), (*touch)(void); // A touch waits for the step that wrote what it reads.
} App;

static const App apps[] = {{"mm", mm_make, mm_step, mm_check, mm_touch},
                           {"sor", sor_make, sor_step, sor_check, sor_touch},
                           {"nbody", nbody_make, nbody_step, nbody_check, nbody_touch},
                           {"kmeans", kmeans_make, kmeans_step, kmeans_check, kmeans_touch}};

static volatile double touched;

static double secondsOf(const App *app, long steps) {
  const double begin = omp_get_wtime();
  for (long step = 0; step < steps; ++step) {
    app->step();
  }
  touched = app->touch();
  return omp_get_wtime() - begin;
}

int main(int argc, char **argv) {
  const App *app = NULL;
  for (size_t each = 0; argc > 3 && each < sizeof apps / sizeof *apps; ++each) {
    app = strcmp(argv[1], apps[each].name) == 0 ? &apps[each] : app;
  }
  if (!app || atol(argv[2]) < kCentres) {
    fprintf(stderr, "usage: apps mm|sor|nbody|kmeans SIZE SECONDS [STEPS]\n");
    return 1;
  }
  n = atol(argv[2]);
  const double enough = atof(argv[3]);
  app->make();
  secondsOf(app, kFirstSteps);
  const double check = app->check();
  double taken = 0;
  long steps = argc > 4 ? atol(argv[4]) : 1;
  if (argc > 4) {
    taken = secondsOf(app, steps);
  } else {
    secondsOf(app, 2); // What was read goes back to where it is computed.
    while ((taken = secondsOf(app, steps)) < enough && steps < 1L << 40) {
      steps *= taken < enough / 16 ? 8 : 2;
    }
  }
  printf("%s %ld %.6e %ld %.9e\n", app->name, n, taken / (double)steps, steps, check);
  return 0;
}
