// Bodies that attract each other, on devices: each node moves its own, and has all positions in a
// full shadow of the copies.
#include <math.h>
#include <stdio.h>

#ifndef N
#define N 600
#define STEPS 5
#endif

double x[N], y[N], z[N], u[N], v[N], w[N], mass[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align[i] with t[i] ::x, y, z, u, v, w, mass
#pragma xmp shadow[*] ::x, y, z, mass
#pragma xmp acc replicate(x, y, z, u, v, w, mass)

int main(void) {
  const double dt = 0.01;
  double energy = 0;
#pragma xmp loop on t[i] acc
  for (int i = 0; i < N; i++) {
    x[i] = cos(0.7 * i) * (1 + 0.01 * i);
    y[i] = sin(0.7 * i) * (1 + 0.01 * i);
    z[i] = 0.1 * (i % 17);
    u[i] = v[i] = w[i] = 0;
    mass[i] = 1.0 / (1 + i % 3);
  }
#pragma xmp reflect(mass) acc
  for (int step = 0; step < STEPS; step++) {
#pragma xmp reflect(x, y, z) acc
#pragma xmp loop on t[i] acc
    for (int i = 0; i < N; i++) {
      double ax = 0, ay = 0, az = 0;
      for (int j = 0; j < N; j++) {
        const double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
        const double square = dx * dx + dy * dy + dz * dz + 0.01;
        const double pull = mass[j] / (square * sqrt(square));
        ax += pull * dx;
        ay += pull * dy;
        az += pull * dz;
      }
      u[i] += dt * ax;
      v[i] += dt * ay;
      w[i] += dt * az;
    }
#pragma xmp loop on t[i] acc
    for (int i = 0; i < N; i++) {
      x[i] += dt * u[i];
      y[i] += dt * v[i];
      z[i] += dt * w[i];
    }
  }
#pragma xmp loop on t[i] acc reduction(+ : energy)
  for (int i = 0; i < N; i++) {
    energy += 0.5 * mass[i] * (u[i] * u[i] + v[i] * v[i] + w[i] * w[i]);
  }
#pragma xmp task on p[0]
  printf("energy %.10g\n", energy);
  return 0;
}
