// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the hand-written forms of examples/xmp/acc share: ranks, each with a GPU.
///
/// Each program prints `name n ranks seconds_per_step check`.
#pragma once

#include <mpi.h>

#include <algorithm>

#include "../bench.cuh"

struct Ranks {
  int own, all;
};

inline Ranks start(int *argc, char ***argv) {
  Ranks ranks;
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.all);
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaSetDevice(ranks.own % devices));
  return ranks;
}

/// Runs `step` so often on all ranks; the seconds of one.
template <typename Step> double together(long steps, Step step) {
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = seconds();
  for (long i = 0; i < steps; ++i) {
    step();
  }
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  return (seconds() - start) / double(steps);
}

inline void finish(const Ranks &ranks, const char *name, long n, double perStep, double check) {
  if (ranks.own == 0) {
    std::printf("%s %ld %d %.6e %.9e\n", name, n, ranks.all, perStep, check);
  }
  MPI_Finalize();
}
