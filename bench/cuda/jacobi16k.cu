// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// bench/jacobi16k by hand, on one GPU or several: each has a block of rows and one more on either
/// side, which its neighbours write. Rows at the border are computed first and go to the neighbours
/// beside the rest. The norm is handed to the host in every iteration.
///
/// usage: jacobi16k [n] [iterations] [gpus]
#include <cmath>
#include <utility>
#include <vector>

#include "bench.cuh"

constexpr int kThreads = 128;
constexpr int kRows = 32; ///< That a thread goes down.

/// Rows [lower, upper) of a block of rows of `n` points.
__global__ void sweep(int n, int lower, int upper, const float *__restrict__ old,
                      float *__restrict__ next, float *__restrict__ partials) {
  const int x = 1 + blockIdx.x * kThreads + threadIdx.x;
  const int first = lower + blockIdx.y * kRows;
  const int last = min(first + kRows, upper);
  float square = 0;
  if (x < n - 1) {
    std::size_t at = std::size_t(first) * n + x;
    float above = old[at - n];
    float here = old[at];
    for (int y = first; y < last; ++y, at += n) {
      const float below = old[at + n];
      const float value = 0.25f * (old[at + 1] + old[at - 1] + below + above);
      const float change = value - here;
      next[at] = value;
      square += change * change;
      above = here;
      here = below;
    }
  }
  square = overBlock<Sum>(square);
  if (threadIdx.x == 0) {
    partials[std::size_t(blockIdx.y) * gridDim.x + blockIdx.x] = square;
  }
}

/// One GPU's part.
struct Part {
  int rows; ///< Without those of the neighbours.
  float *old, *next;
  float *partials; ///< Of the inner rows, then of the first and the last.
  float *residual; ///< On the host.
  cudaStream_t inner, border;
  cudaEvent_t swept, sent;

  std::size_t blocks(int n, int count) const {
    return std::size_t((n - 2 + kThreads - 1) / kThreads) * ((count + kRows - 1) / kRows);
  }

  void run(int n, int lower, int upper, float *target, cudaStream_t stream) const {
    const dim3 grid((n - 2 + kThreads - 1) / kThreads, (upper - lower + kRows - 1) / kRows);
    sweep<<<grid, kThreads, 0, stream>>>(n, lower, upper, old, next, target);
  }
};

int main(int argc, char **argv) {
  const int n = int(argument(argc, argv, 1, 16384));
  const long iterations = argument(argc, argv, 2, 1000);
  const int gpus = int(argument(argc, argv, 3, 1));
  std::vector<Part> parts(gpus);
  for (int g = 0; g < gpus; ++g) {
    Part &part = parts[g];
    CHECK(cudaSetDevice(g));
    for (int other = 0; other < gpus; ++other) {
      if (other != g) {
        CHECK(cudaDeviceEnablePeerAccess(other, 0));
      }
    }
    const int begin = int(long(n - 2) * g / gpus);
    part.rows = int(long(n - 2) * (g + 1) / gpus) - begin;
    const std::size_t points = std::size_t(part.rows + 2) * n;
    part.old = allocate<float>(points);
    part.next = allocate<float>(points);
    std::vector<float> edges(points);
    for (int y = 0; y < part.rows + 2; ++y) {
      const float edge = std::sin(2 * float(M_PI) * float(begin + y) / float(n - 1));
      edges[std::size_t(y) * n] = edges[std::size_t(y) * n + n - 1] = edge;
    }
    for (float *plate : {part.old, part.next}) {
      CHECK(cudaMemcpy(plate, edges.data(), points * sizeof(float), cudaMemcpyHostToDevice));
    }
    part.partials = allocate<float>(part.blocks(n, part.rows) + 2 * part.blocks(n, 1));
    part.residual = allocateMapped<float>(1);
    CHECK(cudaStreamCreateWithPriority(&part.inner, cudaStreamNonBlocking, 0));
    CHECK(cudaStreamCreateWithPriority(&part.border, cudaStreamNonBlocking, -1));
    for (cudaEvent_t *event : {&part.swept, &part.sent}) {
      CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
  }

  const std::size_t bytes = sizeof(float) * std::size_t(n - 2);
  double norm = 0;
  const auto step = [&] {
    for (int g = 0; g < gpus; ++g) {
      Part &part = parts[g];
      CHECK(cudaSetDevice(g));
      part.run(n, 2, part.rows, part.partials, part.inner);
      float *const rest = part.partials + part.blocks(n, part.rows - 2);
      part.run(n, 1, 2, rest, part.border);
      part.run(n, part.rows, part.rows + 1, rest + part.blocks(n, 1), part.border);
      const Part &above = parts[(g + gpus - 1) % gpus];
      const Part &below = parts[(g + 1) % gpus];
      CHECK(cudaMemcpyAsync(above.next + std::size_t(above.rows + 1) * n + 1, part.next + n + 1,
                            bytes, cudaMemcpyDefault, part.border));
      CHECK(cudaMemcpyAsync(below.next + 1, part.next + std::size_t(part.rows) * n + 1, bytes,
                            cudaMemcpyDefault, part.border));
      CHECK(cudaEventRecord(part.sent, part.border));
      CHECK(cudaStreamWaitEvent(part.inner, part.sent, 0));
      combine<Sum><<<1, 1024, 0, part.inner>>>(
          long(part.blocks(n, part.rows - 2) + 2 * part.blocks(n, 1)), part.partials,
          part.residual);
    }
    double square = 0;
    for (int g = 0; g < gpus; ++g) {
      CHECK(cudaSetDevice(g));
      CHECK(cudaStreamSynchronize(parts[g].inner)); // The program looks at the norm.
      square += *parts[g].residual;
      std::swap(parts[g].old, parts[g].next);
    }
    norm = std::sqrt(square);
  };
  for (int warm = 0; warm < 10; ++warm) {
    step();
  }
  const double time = secondsPerIteration(iterations, step);
  report("jacobi16k", n, iterations, time, 2.0 * sizeof(float) * double(n) * n, "GB/s", norm);
}
