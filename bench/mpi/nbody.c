// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/nbody with MPI by hand: blocks of bodies, all bodies gathered in every step.
#include <math.h>

#include "parallel.h"

typedef struct {
  double x, y, z, mass;
} Body;

typedef struct {
  double x, y, z;
} Vector;

static const double kSoftening = 1e-4;

static void accelerate(Block own, int n, const Body *bodies, Vector *velocities, double dt) {
#pragma omp parallel for schedule(static)
  for (long i = own.lower; i < own.upper; ++i) {
    double ax = 0.0;
    double ay = 0.0;
    double az = 0.0;
    for (int j = 0; j < n; ++j) {
      const double dx = bodies[j].x - bodies[i].x;
      const double dy = bodies[j].y - bodies[i].y;
      const double dz = bodies[j].z - bodies[i].z;
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

static double nextRandom(unsigned long long *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) / 9007199254740992.0;
}

int main(int argc, char **argv) {
  start(&argc, &argv);
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int steps = argc > 2 ? atoi(argv[2]) : 10;
  const double dt = 1e-3;
  Body *bodies = malloc((size_t)n * sizeof *bodies);
  Vector *velocities = calloc((size_t)n, sizeof *velocities);
  const Block own = blockOf(rank, n);
  unsigned long long state = 42;
  for (int i = 0; rank == 0 && i < n; ++i) {
    bodies[i].x = nextRandom(&state);
    bodies[i].y = nextRandom(&state);
    bodies[i].z = nextRandom(&state);
    bodies[i].mass = 1.0 / n;
  }
  broadcast(&bodies[0].x, 4L * n);
  for (int k = 0; k < steps; ++k) {
    if (k > 0) {
      allGather(&bodies[0].x, n, 4);
    }
    accelerate(own, n, bodies, velocities, dt);
#pragma omp parallel for
    for (long i = own.lower; i < own.upper; ++i) {
      bodies[i].x += dt * velocities[i].x;
      bodies[i].y += dt * velocities[i].y;
      bodies[i].z += dt * velocities[i].z;
    }
  }

  double energy = 0.0;
  for (long i = own.lower; i < own.upper; ++i) {
    const Vector *v = &velocities[i];
    energy += 0.5 * bodies[i].mass * (v->x * v->x + v->y * v->y + v->z * v->z);
  }
  energy = sumToZero(energy);
  gatherToZero(&bodies[0].x, n, 4);
  if (rank == 0) {
    double checksum = 0.0;
    for (int i = 0; i < n; ++i) {
      checksum += bodies[i].x + 2.0 * bodies[i].y + 3.0 * bodies[i].z;
    }
    printf("nbody %d bodies, %d steps\n", n, steps);
    printf("kinetic energy %.9e\n", energy);
    printf("checksum %.9e\n", checksum);
  }
  free(bodies);
  free(velocities);
  finish();
  return 0;
}
