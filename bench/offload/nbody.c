// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/nbody with OpenMP's own directives for devices; see jacobi.c.
///
/// usage: nbody [bodies] [steps]
/// -DNAME=... when compiling, beside other options.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "spread.h"

#ifndef NAME
#define NAME "nbody"
#endif

typedef struct {
  double x, y, z, mass;
} Body;

typedef struct {
  double x, y, z;
} Vector;

static const double kSoftening = 1e-4;

static void accelerate(int n, const Body *restrict bodies, Vector *restrict velocities, double dt) {
#pragma omp SPREAD map(present, alloc : bodies[0 : n], velocities[0 : n])
  for (int i = 0; i < n; ++i) {
    const Body own = bodies[i];
    double ax = 0.0;
    double ay = 0.0;
    double az = 0.0;
    for (int j = 0; j < n; ++j) {
      const double dx = bodies[j].x - own.x;
      const double dy = bodies[j].y - own.y;
      const double dz = bodies[j].z - own.z;
      const double square = dx * dx + dy * dy + dz * dz + kSoftening;
      const double factor = bodies[j].mass / (square * sqrt(square));
      ax += factor * dx;
      ay += factor * dy;
      az += factor * dz;
    }
    velocities[i].x += dt * ax;
    velocities[i].y += dt * ay;
    velocities[i].z += dt * az;
  }
}

static void move(int n, Body *restrict bodies, const Vector *restrict velocities, double dt) {
#pragma omp SPREAD map(present, alloc : bodies[0 : n], velocities[0 : n])
  for (int i = 0; i < n; ++i) {
    bodies[i].x += dt * velocities[i].x;
    bodies[i].y += dt * velocities[i].y;
    bodies[i].z += dt * velocities[i].z;
  }
}

static double nextRandom(unsigned long long *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) / 9007199254740992.0;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int steps = argc > 2 ? atoi(argv[2]) : 10;
  const double dt = 1e-3;
  Body *bodies = malloc((size_t)n * sizeof *bodies);
  Vector *velocities = malloc((size_t)n * sizeof *velocities);
  if (bodies == NULL || velocities == NULL || omp_get_num_devices() < 1) {
    fprintf(stderr, "nbody: no memory or no device\n");
    return 1;
  }
  double seconds = 0.0;
  for (int isTimed = 0; isTimed < 2; ++isTimed) { // Once to warm up, from the same numbers.
    unsigned long long state = 42;
    for (int i = 0; i < n; ++i) {
      bodies[i].x = nextRandom(&state);
      bodies[i].y = nextRandom(&state);
      bodies[i].z = nextRandom(&state);
      bodies[i].mass = 1.0 / n;
      velocities[i] = (Vector){0.0, 0.0, 0.0};
    }
#pragma omp target data map(tofrom : bodies[0 : n]) map(to : velocities[0 : n])
    {
      const double begin = omp_get_wtime();
      for (int k = 0; k < (isTimed ? steps : 1); ++k) {
        accelerate(n, bodies, velocities, dt);
        move(n, bodies, velocities, dt);
      }
      seconds = (omp_get_wtime() - begin) / steps;
    }
  }
  double checksum = 0.0;
  for (int i = 0; i < n; ++i) {
    checksum += bodies[i].x + 2.0 * bodies[i].y + 3.0 * bodies[i].z;
  }
  printf(NAME " %d %d %.6e %.2f GFLOP/s %.9e\n", n, steps, seconds, 20.0 * n * n / seconds * 1e-9,
         checksum);
  return 0;
}
