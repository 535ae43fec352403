// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/nbody by hand: all pairs in double precision, bodies through shared memory in tiles.
/// The arithmetic is the example's; with FAST it is what -ffast-math permits: a reciprocal root in
/// the place of a root and a division.
///
/// usage: nbody [bodies] [steps]
#include <vector>

#include "bench.cuh"

struct Body {
  double x, y, z, mass;
};

struct Vector {
  double x, y, z;
};

constexpr int kTile = 128;
constexpr double kSoftening = 1e-4;

__global__ void accelerate(int n, const Body *__restrict__ bodies, Vector *__restrict__ velocities,
                           double dt) {
  __shared__ Body tile[kTile];
  const int i = blockIdx.x * kTile + threadIdx.x;
  const Body own = bodies[i < n ? i : n - 1];
  double ax = 0.0;
  double ay = 0.0;
  double az = 0.0;
  for (int first = 0; first < n; first += kTile) {
    const int from = first + threadIdx.x;
    tile[threadIdx.x] = from < n ? bodies[from] : Body{0.0, 0.0, 0.0, 0.0};
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < kTile; ++j) {
      const double dx = tile[j].x - own.x;
      const double dy = tile[j].y - own.y;
      const double dz = tile[j].z - own.z;
      const double square = dx * dx + dy * dy + dz * dz + kSoftening;
#ifdef FAST
      const double inverse = rsqrt(square);
      const double factor = tile[j].mass * inverse * inverse * inverse;
#else
      const double factor = tile[j].mass / (square * sqrt(square));
#endif
      ax += factor * dx;
      ay += factor * dy;
      az += factor * dz;
    }
    __syncthreads();
  }
  if (i < n) {
    velocities[i].x += dt * ax;
    velocities[i].y += dt * ay;
    velocities[i].z += dt * az;
  }
}

__global__ void move(int n, Body *__restrict__ bodies, const Vector *__restrict__ velocities,
                     double dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    bodies[i].x += dt * velocities[i].x;
    bodies[i].y += dt * velocities[i].y;
    bodies[i].z += dt * velocities[i].z;
  }
}

static double nextRandom(unsigned long long *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return double(*state >> 11) / 9007199254740992.0;
}

int main(int argc, char **argv) {
  const int n = int(argument(argc, argv, 1, 100000));
  const long steps = argument(argc, argv, 2, 10);
  const double dt = 1e-3;
  std::vector<Body> start(n);
  unsigned long long state = 42;
  for (Body &body : start) {
    body.x = nextRandom(&state);
    body.y = nextRandom(&state);
    body.z = nextRandom(&state);
    body.mass = 1.0 / n;
  }
  Body *bodies = allocate<Body>(n);
  Vector *velocities = allocate<Vector>(n);
  const auto put = [&] {
    CHECK(cudaMemcpy(bodies, start.data(), n * sizeof(Body), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(velocities, 0, n * sizeof(Vector)));
  };
  const int blocks = (n + kTile - 1) / kTile;
  const auto step = [&] {
    accelerate<<<blocks, kTile>>>(n, bodies, velocities, dt);
    move<<<(n + 255) / 256, 256>>>(n, bodies, velocities, dt);
  };
  put();
  step();
  put(); // The check is that of `steps` steps, as the example's.
  const double time = secondsPerIteration(steps, step);
  std::vector<Body> end(n);
  CHECK(cudaMemcpy(end.data(), bodies, n * sizeof(Body), cudaMemcpyDeviceToHost));
  double checksum = 0.0;
  for (const Body &body : end) {
    checksum += body.x + 2.0 * body.y + 3.0 * body.z;
  }
  report(NAME, n, steps, time, 20.0 * n * n, "GFLOP/s", checksum);
}
