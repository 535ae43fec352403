// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/xmp/acc/nbody with MPI and CUDA by hand: tiles of bodies in shared memory, all positions
/// gathered in every step by way of pinned memory.
///
/// usage: nbody [bodies] [steps]
#include <cmath>
#include <vector>

#include "nodes.cuh"

constexpr int kTile = 128;

struct Bodies {
  double *x, *y, *z, *mass;
};

__global__ void pull(long n, long lower, long upper, Bodies all, double *__restrict__ u,
                     double *__restrict__ v, double *__restrict__ w, double dt) {
  __shared__ double x[kTile], y[kTile], z[kTile], mass[kTile];
  const long i = lower + blockIdx.x * long(kTile) + threadIdx.x;
  const long own = i < upper ? i : upper - 1;
  const double ownX = all.x[own], ownY = all.y[own], ownZ = all.z[own];
  double ax = 0, ay = 0, az = 0;
  for (long first = 0; first < n; first += kTile) {
    const long from = first + threadIdx.x;
    x[threadIdx.x] = from < n ? all.x[from] : 0;
    y[threadIdx.x] = from < n ? all.y[from] : 0;
    z[threadIdx.x] = from < n ? all.z[from] : 0;
    mass[threadIdx.x] = from < n ? all.mass[from] : 0;
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < kTile; ++j) {
      const double dx = x[j] - ownX, dy = y[j] - ownY, dz = z[j] - ownZ;
      const double square = dx * dx + dy * dy + dz * dz + 0.01;
      const double factor = mass[j] / (square * sqrt(square));
      ax += factor * dx;
      ay += factor * dy;
      az += factor * dz;
    }
    __syncthreads();
  }
  if (i < upper) {
    u[i - lower] += dt * ax;
    v[i - lower] += dt * ay;
    w[i - lower] += dt * az;
  }
}

__global__ void move(long lower, long upper, Bodies all, const double *__restrict__ u,
                     const double *__restrict__ v, const double *__restrict__ w, double dt) {
  const long i = lower + blockIdx.x * long(kTile) + threadIdx.x;
  if (i < upper) {
    all.x[i] += dt * u[i - lower];
    all.y[i] += dt * v[i - lower];
    all.z[i] += dt * w[i - lower];
  }
}

int main(int argc, char **argv) {
  const Ranks ranks = start(&argc, &argv);
  const long n = argument(argc, argv, 1, 100000);
  const long steps = argument(argc, argv, 2, 5);
  const double dt = 0.01;
  const long length = (n + ranks.all - 1) / ranks.all;
  const long lower = std::min(n, ranks.own * length), upper = std::min(n, lower + length);
  std::vector<int> counts(ranks.all), starts(ranks.all);
  for (int r = 0; r < ranks.all; ++r) {
    starts[r] = int(std::min(n, r * length));
    counts[r] = int(std::min(n, (r + 1) * length)) - starts[r];
  }
  const Bodies all{allocate<double>(n), allocate<double>(n), allocate<double>(n),
                   allocate<double>(n)};
  double *u = allocate<double>(length), *v = allocate<double>(length), *w = allocate<double>(length);
  double *pinned = allocateMapped<double>(n);
  std::vector<double> x(n), y(n), z(n), mass(n);
  for (long i = 0; i < n; ++i) {
    x[i] = std::cos(0.7 * double(i)) * (1 + 0.01 * double(i));
    y[i] = std::sin(0.7 * double(i)) * (1 + 0.01 * double(i));
    z[i] = 0.1 * double(i % 17);
    mass[i] = 1.0 / double(1 + i % 3);
  }
  const std::size_t bytes = n * sizeof(double);
  CHECK(cudaMemcpy(all.x, x.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(all.y, y.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(all.z, z.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(all.mass, mass.data(), bytes, cudaMemcpyHostToDevice));

  const unsigned blocks = unsigned((upper - lower + kTile - 1) / kTile);
  const auto gather = [&](double *values) {
    if (ranks.all == 1) {
      return;
    }
    CHECK(cudaMemcpy(pinned + lower, values + lower, (upper - lower) * sizeof(double),
                     cudaMemcpyDeviceToHost));
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, pinned, counts.data(), starts.data(),
                   MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK(cudaMemcpy(values, pinned, bytes, cudaMemcpyHostToDevice));
  };
  const auto step = [&] {
    gather(all.x);
    gather(all.y);
    gather(all.z);
    pull<<<blocks, kTile>>>(n, lower, upper, all, u, v, w, dt);
    move<<<blocks, kTile>>>(lower, upper, all, u, v, w, dt);
  };
  const double time = together(steps, step);
  std::vector<double> speed(upper - lower);
  double energy = 0;
  for (const double *component : {u, v, w}) {
    CHECK(cudaMemcpy(speed.data(), component, speed.size() * sizeof(double), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < speed.size(); ++i) {
      energy += 0.5 * mass[std::size_t(lower) + i] * speed[i] * speed[i];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  finish(ranks, "nbody", n, time, energy);
}
