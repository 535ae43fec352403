// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// explicit PROGRAM copies|resident N BLOCK ROUNDS: the same programs by hand. `copies`: each block
/// is copied in, computed and copied out before the next one, from pinned memory, as older task
/// runtimes did. `resident`: all is copied in once, the kernels follow one another in one stream,
/// and the result is copied out.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels.h"

namespace {

double *host(long cells) {
  double *memory = nullptr;
  if (cudaMallocHost(&memory, cells * sizeof *memory) != cudaSuccess) {
    std::exit(2);
  }
  return memory;
}

double *device(long cells) {
  double *memory = nullptr;
  if (cudaMalloc(&memory, cells * sizeof *memory) != cudaSuccess) {
    std::exit(2);
  }
  return memory;
}

void in(double *to, const double *from, long cells) {
  cudaMemcpy(to, from, cells * sizeof *to, cudaMemcpyHostToDevice);
}

void out(double *to, const double *from, long cells) {
  cudaMemcpy(to, from, cells * sizeof *to, cudaMemcpyDeviceToHost);
}

void fill(double *cells, long n, double value) {
  for (long i = 0; i < n; ++i) {
    cells[i] = value;
  }
}

double sumOf(const double *cells, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += cells[i];
  }
  return sum;
}

void axpyRun(bool copies, long n, long block, long rounds, double **h, double **d) {
  if (!copies) {
    in(d[0], h[0], n);
    in(d[1], h[1], n);
  }
  for (long round = 0; round < rounds; ++round) {
    for (long i = 0; i < n; i += block) {
      if (copies) {
        in(d[0], h[0] + i, block);
        in(d[1], h[1] + i, block);
      }
      const long at = copies ? 0 : i;
      axpy<<<(block + 255) / 256, 256>>>(block, 0.5, d[0] + at, d[1] + at);
      if (copies) {
        out(h[1] + i, d[1], block);
      }
    }
  }
  if (!copies) {
    out(h[1], d[1], n);
  }
}

void multiplyRun(bool copies, long n, long block, long rounds, double **h, double **d) {
  const long tiles = n / block;
  const long tile = block * block;
  const dim3 groups(block / 32, block / 32);
  if (!copies) {
    for (int matrix = 0; matrix < 3; ++matrix) {
      in(d[matrix], h[matrix], n * n);
    }
  }
  for (long step = 0; step < rounds * tiles * tiles * tiles; ++step) {
    const long i = step / (tiles * tiles) % tiles;
    const long j = step / tiles % tiles;
    const long k = step % tiles;
    const long at[3] = {(i * tiles + k) * tile, (k * tiles + j) * tile, (i * tiles + j) * tile};
    if (copies) {
      for (int matrix = 0; matrix < 3; ++matrix) {
        in(d[matrix], h[matrix] + at[matrix], tile);
      }
      multiply<<<groups, dim3(32, 32)>>>(block, d[0], d[1], d[2]);
      out(h[2] + at[2], d[2], tile);
    } else {
      multiply<<<groups, dim3(32, 32)>>>(block, d[0] + at[0], d[1] + at[1], d[2] + at[2]);
    }
  }
  if (!copies) {
    out(h[2], d[2], n * n);
  }
}

} // namespace

int main(int count, char **words) {
  if (count != 6) {
    std::fprintf(stderr, "usage: explicit axpy|multiply copies|resident N BLOCK ROUNDS\n");
    return 1;
  }
  const bool isAxpy = std::strcmp(words[1], "axpy") == 0;
  const bool copies = std::strcmp(words[2], "copies") == 0;
  const long n = std::atol(words[3]);
  const long block = std::atol(words[4]);
  const long rounds = std::atol(words[5]);
  const long cells = isAxpy ? n : n * n;
  double *h[3] = {host(cells), host(cells), host(cells)};
  double *d[3] = {device(cells), device(cells), device(cells)};
  double least = 1e9;
  double sum = 0;
  for (int run = 0; run < 5; ++run) {
    fill(h[0], cells, 1);
    fill(h[1], cells, 2);
    fill(h[2], cells, 0);
    const auto begin = std::chrono::steady_clock::now();
    (isAxpy ? axpyRun : multiplyRun)(copies, n, block, rounds, h, d);
    sum = sumOf(h[isAxpy ? 1 : 2], cells);
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    least = took < least ? took : least;
  }
  std::printf("%.6f %.10g\n", least, sum);
  return 0;
}
