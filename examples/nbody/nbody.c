// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Gravitation between all pairs of bodies, leapfrog in time.
///
/// usage: nbody [bodies] [steps]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  double x, y, z, mass;
} Body;

typedef struct {
  double x, y, z;
} Vector;

static const double kSoftening = 1e-4;

static void accelerate(int n, const Body *bodies, Vector *velocities, double dt) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) {
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

static void move(int n, Body *bodies, const Vector *velocities, double dt) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    bodies[i].x += dt * velocities[i].x;
    bodies[i].y += dt * velocities[i].y;
    bodies[i].z += dt * velocities[i].z;
  }
}

static double kineticEnergy(int n, const Body *bodies, const Vector *velocities) {
  double energy = 0.0;
#pragma omp parallel for reduction(+ : energy)
  for (int i = 0; i < n; ++i) {
    const Vector *v = &velocities[i];
    energy += 0.5 * bodies[i].mass * (v->x * v->x + v->y * v->y + v->z * v->z);
  }
  return energy;
}

/// Numbers in [0, 1) that are the same on every machine.
static double nextRandom(unsigned long long *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) / 9007199254740992.0;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int steps = argc > 2 ? atoi(argv[2]) : 10;
  const double dt = 1e-3;
  Body *bodies = malloc((size_t)n * sizeof *bodies);
  Vector *velocities = calloc((size_t)n, sizeof *velocities);
  if (bodies == NULL || velocities == NULL) {
    fprintf(stderr, "nbody: no memory for %d bodies\n", n);
    return 1;
  }

  unsigned long long state = 42;
  for (int i = 0; i < n; ++i) {
    bodies[i].x = nextRandom(&state);
    bodies[i].y = nextRandom(&state);
    bodies[i].z = nextRandom(&state);
    bodies[i].mass = 1.0 / n;
  }
  for (int k = 0; k < steps; ++k) {
    accelerate(n, bodies, velocities, dt);
    move(n, bodies, velocities, dt);
  }

  double checksum = 0.0;
  for (int i = 0; i < n; ++i) {
    checksum += bodies[i].x + 2.0 * bodies[i].y + 3.0 * bodies[i].z;
  }
  printf("nbody %d bodies, %d steps\n", n, steps);
  printf("kinetic energy %.9e\n", kineticEnergy(n, bodies, velocities));
  printf("checksum %.9e\n", checksum);
  free(bodies);
  free(velocities);
  return 0;
}
