// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// solver.fa by hand, with the same three parts: [0, c) on the cores with OpenMP, [c, d) dragged through the
// GPU in portions on three streams, from and to pinned memory, [d, cells) in the GPU's memory.
//   hand CELLS LOAD STEPS CPU-SHARE DRAG-SHARE PORTIONS    prints seconds of the steps, and the sum
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kStreams = 3;
constexpr int kThreads = 256;

void check(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "hand: %s\n", cudaGetErrorString(status));
    std::exit(1);
  }
}

__host__ __device__ double relaxed(double x, double west, double east, int load) {
  for (int k = 0; k < load; ++k) {
    x = x + 0.25 * (west - 2.0 * x + east);
  }
  return x;
}

/// Cells 1 to `count` of `old`, between neighbours at 0 and `count` + 1.
__global__ void relax(int count, int load, const double *old, double *made) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i <= count) {
    made[i] = relaxed(old[i], old[i - 1], old[i + 1], load);
  }
}

void launch(int count, int load, const double *old, double *made, cudaStream_t stream) {
  relax<<<(count + kThreads - 1) / kThreads, kThreads, 0, stream>>>(count, load, old, made);
  check(cudaGetLastError());
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 7) {
    return 2;
  }
  const int cells = std::atoi(argv[1]), load = std::atoi(argv[2]), steps = std::atoi(argv[3]);
  const int c = (int)(std::atof(argv[4]) * cells);
  const int d = std::min(cells, c + (int)(std::atof(argv[5]) * cells));
  const int portions = d > c ? std::atoi(argv[6]) : 0;
  const int own = cells - d;
  // Cell i of the host is element i + 1; a wall stands in front of the first and behind the last.
  double *host[2], *device[2], *dragged[kStreams][2];
  const int largest = portions > 0 ? (d - c + portions - 1) / portions : 0;
  cudaStream_t streams[kStreams], main;
  check(cudaStreamCreate(&main));
  for (int way = 0; way < 2; ++way) {
    check(cudaMallocHost(&host[way], (cells + 2) * sizeof(double)));
    check(cudaMalloc(&device[way], (own + 2) * sizeof(double)));
    std::fill(host[way], host[way] + cells + 2, 0.0);
  }
  for (int s = 0; s < kStreams; ++s) {
    check(cudaStreamCreate(&streams[s]));
    for (double *&memory : dragged[s]) {
      check(cudaMalloc(&memory, (largest + 2) * sizeof(double)));
    }
  }
  for (int i = 0; i < cells; ++i) {
    const double at = (double)i / cells;
    host[0][i + 1] = at * (1 - at);
  }
  for (double *memory : device) {
    check(cudaMemcpy(memory, host[0] + d, (own + 2) * sizeof(double), cudaMemcpyDefault));
  }
  const auto start = std::chrono::steady_clock::now();
  for (int t = 0; t < steps; ++t) {
    double *old = host[t % 2], *made = host[(t + 1) % 2];
    double *mine = device[t % 2], *next = device[(t + 1) % 2];
    if (own > 0) {
      check(cudaMemcpyAsync(mine, old + d, sizeof(double), cudaMemcpyDefault, main));
      launch(own, load, mine, next, main);
      check(cudaMemcpyAsync(made + d + 1, next + 1, sizeof(double), cudaMemcpyDefault, main));
    }
    for (int p = 0; p < portions; ++p) {
      const int first = c + p * largest, count = std::min(largest, d - first), s = p % kStreams;
      if (count > 0) {
        check(cudaMemcpyAsync(dragged[s][0], old + first, (count + 2) * sizeof(double),
                              cudaMemcpyDefault, streams[s]));
        launch(count, load, dragged[s][0], dragged[s][1], streams[s]);
        check(cudaMemcpyAsync(made + first + 1, dragged[s][1] + 1, count * sizeof(double),
                              cudaMemcpyDefault, streams[s]));
      }
    }
#pragma omp parallel for schedule(static)
    for (int i = 1; i <= c; ++i) {
      made[i] = relaxed(old[i], old[i - 1], old[i + 1], load);
    }
    check(cudaDeviceSynchronize());
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  check(cudaMemcpy(host[steps % 2] + d + 1, device[steps % 2] + 1, own * sizeof(double),
                   cudaMemcpyDefault));
  double sum = 0;
  for (int i = 0; i < cells; ++i) {
    sum += host[steps % 2][i + 1];
  }
  std::printf("%.9f %.17g\n", seconds, sum);
}
