// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The same by hand: a launch, an event and asking for it; and launches in one stream.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "kernels.h"

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count() * 1e6;
}

} // namespace

int main() {
  constexpr long kCells = 1024;
  constexpr int kTimes = 2000;
  double *x = nullptr;
  double *y = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  if (cudaMalloc(&x, kCells * sizeof *x) != cudaSuccess ||
      cudaMalloc(&y, kCells * sizeof *y) != cudaSuccess ||
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
      cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess) {
    return 2;
  }
  double waited = 1e9;
  double chain = 1e9;
  for (int run = 0; run < 5; ++run) {
    auto begin = Clock::now();
    for (int i = 0; i < kTimes; ++i) {
      axpy<<<4, 256, 0, stream>>>(kCells, 0, x, y);
      cudaEventRecord(event, stream);
      while (cudaEventQuery(event) == cudaErrorNotReady) {
      }
    }
    waited = std::min(waited, since(begin) / kTimes);
    begin = Clock::now();
    for (int i = 0; i < kTimes; ++i) {
      axpy<<<4, 256, 0, stream>>>(kCells, 0, x, y);
    }
    cudaStreamSynchronize(stream);
    chain = std::min(chain, since(begin) / kTimes);
  }
  std::printf("launch, event, poll   %8.2f us\n", waited);
  std::printf("each of a stream      %8.2f us\n", chain);
  return 0;
}
