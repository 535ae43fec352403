// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the hand-written CUDA programs share: checks, timing, reductions inside a block, and the
/// line that they print:
///
///   name n iterations seconds_per_iteration rate GB/s|GFLOP/s check
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t result = (call);                                                             \
    if (result != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                           \
                   cudaGetErrorString(result));                                                    \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (false)

template <typename T> T *allocate(std::size_t count) {
  T *memory = nullptr;
  CHECK(cudaMalloc(&memory, count * sizeof(T)));
  CHECK(cudaMemset(memory, 0, count * sizeof(T)));
  return memory;
}

/// Memory of the host that kernels write to: results of reductions arrive without a copy.
template <typename T> T *allocateMapped(std::size_t count) {
  T *memory = nullptr;
  CHECK(cudaMallocHost(&memory, count * sizeof(T)));
  return memory;
}

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline long argument(int argc, char **argv, int at, long fallback) {
  return argc > at ? std::atol(argv[at]) : fallback;
}

/// Runs `step` so often with the clock running. A step that hands a result to the host waits for
/// it; the others are waited for at the end. Whoever wants to warm up runs a step before.
template <typename Step> double secondsPerIteration(long iterations, Step step) {
  CHECK(cudaDeviceSynchronize());
  const double start = seconds();
  for (long i = 0; i < iterations; ++i) {
    step();
  }
  CHECK(cudaDeviceSynchronize());
  return (seconds() - start) / double(iterations);
}

inline void report(const char *name, long n, long iterations, double perIteration, double amount,
                   const char *unit, double check) {
  std::printf("%s %ld %ld %.6e %.2f %s %.9e\n", name, n, iterations, perIteration,
              amount / perIteration / 1e9, unit, check);
}

struct Sum {
  template <typename T> __device__ static T of(T a, T b) { return a + b; }
};

struct Max {
  template <typename T> __device__ static T of(T a, T b) { return a > b ? a : b; }
};

/// The values of all threads of a block (a multiple of 32, at most 1024, any dimensions) combined;
/// valid in thread 0. All threads call it.
template <typename Operation, typename T> __device__ T overBlock(T value) {
  __shared__ T ofWarp[32];
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  for (int distance = 16; distance > 0; distance /= 2) {
    value = Operation::of(value, __shfl_down_sync(0xFFFFFFFF, value, distance));
  }
  if (thread % 32 == 0) {
    ofWarp[thread / 32] = value;
  }
  __syncthreads();
  if (thread < 32) {
    value = thread < threads / 32 ? ofWarp[thread] : T(0);
    for (int distance = 16; distance > 0; distance /= 2) {
      value = Operation::of(value, __shfl_down_sync(0xFFFFFFFF, value, distance));
    }
  }
  __syncthreads();
  return value;
}

/// Second stage of a reduction: one block combines `count` results (none below zero if `Max`).
template <typename Operation, typename T>
__global__ void combine(long count, const T *partials, T *result) {
  T value = T(0);
  for (long i = threadIdx.x; i < count; i += blockDim.x) {
    value = Operation::of(value, partials[i]);
  }
  value = overBlock<Operation>(value);
  if (threadIdx.x == 0) {
    *result = value;
  }
}

/// Blocks that fill the device for a kernel that steps through its work.
template <typename Kernel> int fillingBlocks(Kernel kernel, int threads) {
  int device = 0;
  int units = 0;
  int perUnit = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perUnit, kernel, threads, 0));
  return units * perUnit;
}
