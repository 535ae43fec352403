// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of HyCOMP 5.4: each step has a region for gravity between bodies and regions for
// successive over-relaxation. Sequential code looks at all points after each step, as a program
// does that writes or checks them: where the grid was relaxed decides what that costs.
//
//   two_regions [bodies] [points per side] [steps] [sweeps per step]
//
// Prints the seconds of all steps, and of a step in the latter half of them.
//
// -DNBODY=cpu, -DSOR=gpu and so on say where a region runs; Tutti decides where nothing is said.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define PRAGMA(text) _Pragma(#text)
#define DEVICE(kind) PRAGMA(tutti device(kind))
#ifdef NBODY
#define NBODY_DEVICE DEVICE(NBODY)
#else
#define NBODY_DEVICE
#endif
#ifdef SOR
#define SOR_DEVICE DEVICE(SOR)
#else
#define SOR_DEVICE
#endif

typedef struct {
  float x, y, z, mass;
} Body;

static void attract(const Body *bodies, float (*speeds)[3], int count) {
  NBODY_DEVICE
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < count; ++j) {
      const float dx = bodies[j].x - bodies[i].x;
      const float dy = bodies[j].y - bodies[i].y;
      const float dz = bodies[j].z - bodies[i].z;
      const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
      const float pull = bodies[j].mass * inverse * inverse * inverse;
      ax += dx * pull, ay += dy * pull, az += dz * pull;
    }
    speeds[i][0] += 1e-4f * ax;
    speeds[i][1] += 1e-4f * ay;
    speeds[i][2] += 1e-4f * az;
  }
}

static void advance(Body *bodies, float (*speeds)[3], int count) {
  for (int i = 0; i < count; ++i) {
    bodies[i].x += 1e-4f * speeds[i][0];
    bodies[i].y += 1e-4f * speeds[i][1];
    bodies[i].z += 1e-4f * speeds[i][2];
  }
}

static void relax(double *grid, long n, int colour) {
  SOR_DEVICE
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i) {
    for (long j = 1 + (i + colour) % 2; j < n - 1; j += 2) {
      const double mean = 0.25 * (grid[(i - 1) * n + j] + grid[(i + 1) * n + j] +
                                  grid[i * n + j - 1] + grid[i * n + j + 1]);
      grid[i * n + j] += 1.5 * (mean - grid[i * n + j]);
    }
  }
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 2000;
  const long n = argc > 2 ? atol(argv[2]) : 300;
  const int steps = argc > 3 ? atoi(argv[3]) : 10;
  const int sweeps = argc > 4 ? atoi(argv[4]) : 1;
  Body *bodies = malloc(count * sizeof *bodies);
  float(*speeds)[3] = malloc(count * sizeof *speeds);
  double *grid = malloc(n * n * sizeof *grid);
  if (!bodies || !speeds || !grid) {
    fprintf(stderr, "two_regions: no memory\n");
    return 1;
  }
  for (int i = 0; i < count; ++i) {
    bodies[i] = (Body){i * 7 % 101, i * 11 % 103, i * 13 % 107, 1.0f + i % 3};
    speeds[i][0] = speeds[i][1] = speeds[i][2] = 0;
  }
  for (long i = 0; i < n * n; ++i) {
    grid[i] = i % n == 0 ? 1 : 0;
  }
  double seen = 0;
  const double begin = omp_get_wtime();
  double middle = begin;
  for (int step = 0; step < steps; ++step) {
    middle = step == steps / 2 ? omp_get_wtime() : middle;
    attract(bodies, speeds, count);
    advance(bodies, speeds, count);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      relax(grid, n, 0);
      relax(grid, n, 1);
    }
    double sum = 0;
    for (long i = 0; i < n * n; ++i) {
      sum += grid[i];
    }
    seen += sum;
  }
  const double end = omp_get_wtime();
  double energy = 0;
  for (int i = 0; i < count; ++i) {
    energy +=
        speeds[i][0] * speeds[i][0] + speeds[i][1] * speeds[i][1] + speeds[i][2] * speeds[i][2];
  }
  printf("seconds %.6f\n", end - begin);
  printf("later %.9f\n", steps > 0 ? (end - middle) / (steps - steps / 2) : 0);
  printf("checksum %.6e %.9e\n", energy, seen);
  free(bodies);
  free(speeds);
  free(grid);
  return 0;
}
