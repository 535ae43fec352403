// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// PROGRAM MEMORY N BLOCK ROUNDS RUNS: one of the programs. MEMORY: heap, managed or pinned. Prints
/// the least seconds of the runs and a sum; each run begins with data that the host has written,
/// and ends when the host has read every cache line of the result.
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "programs.h"

static const struct Program *const kPrograms[] = {&kMatmul, &kCholesky, &kBlackScholes, &kSaxpy,
                                                  &kTriad,  &kHotspot,  &kJacobi};

static void *allocate(const char *kind, size_t bytes) {
  void *memory = NULL;
  if (strcmp(kind, "heap") == 0) {
    memory = malloc(bytes);
  } else if (strcmp(kind, "managed") == 0
                 ? cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal) != cudaSuccess
                 : cudaMallocHost(&memory, bytes) != cudaSuccess) {
    memory = NULL;
  }
  if (!memory) {
    fprintf(stderr, "no %s memory of %zu bytes\n", kind, bytes);
    exit(2);
  }
  return memory;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/// Of one cell of each cache line.
static double sumOf(const struct Program *program, const void *cells, long count) {
  const long step = 64 / program->cellBytes;
  double sum = 0;
  for (long i = 0; i < count; i += step) {
    sum += program->cellBytes == sizeof(float) ? (double)((const float *)cells)[i]
                                               : ((const double *)cells)[i];
  }
  return sum;
}

int main(int count, char **words) {
  if (count != 7) {
    fprintf(stderr, "usage: %s PROGRAM heap|managed|pinned N BLOCK ROUNDS RUNS\n", words[0]);
    return 1;
  }
  const struct Program *program = NULL;
  for (size_t i = 0; i < sizeof kPrograms / sizeof *kPrograms; ++i) {
    program = strcmp(words[1], kPrograms[i]->name) == 0 ? kPrograms[i] : program;
  }
  struct Arrays arrays = {atol(words[3]), atol(words[4]), {NULL}};
  if (!program || arrays.block <= 0 || arrays.n % arrays.block != 0) {
    fprintf(stderr, "no program %s, or no whole blocks\n", words[1]);
    return 1;
  }
  const long cells = program->isSquare ? arrays.n * arrays.n : arrays.n;
  for (int i = 0; i < program->arrays; ++i) {
    arrays.at[i] = allocate(words[2], (size_t)cells * (size_t)program->cellBytes);
  }
  double least = 1e9;
  double sum = 0;
  for (long run = 0; run < atol(words[6]); ++run) {
    program->fill(&arrays);
    const double begin = now();
    const int result = program->run(&arrays, atol(words[5]));
#pragma oss taskwait
    sum = sumOf(program, arrays.at[result], cells);
    const double took = now() - begin;
    least = took < least ? took : least;
  }
  printf("%.6f %.12g\n", least, sum);
  return 0;
}
