// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory is there once somebody touches it, and not before: a page lies beside the core that
// touches it first, which is to be one that computes with it.
// ARGS: 16
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { kPage = 4096, kMiB = 1 << 20 };

/// How many of the pages that lie in `memory` as a whole are there.
static long pagesOf(char *memory, long bytes) {
  const uintptr_t begin = ((uintptr_t)memory + kPage - 1) / kPage * kPage;
  const long pages = ((uintptr_t)memory + bytes - begin) / kPage;
  unsigned char *there = malloc(pages);
  long count = 0;
  if (!there || mincore((void *)begin, pages * kPage, there) != 0) {
    return -1;
  }
  for (long page = 0; page < pages; ++page) {
    count += there[page] & 1;
  }
  free(there);
  return count;
}

int main(int argc, char **argv) {
  const long bytes = (argc > 1 ? atol(argv[1]) : 16) * kMiB;
  char *memory = malloc(bytes);
  if (!memory) {
    return 1;
  }
  const long before = pagesOf(memory, bytes);
  printf("before: %s\n", before >= 0 && before <= 2 ? "next to none" : "many");
  // As many iterations as there are pages; a launch writes all of them.
  const long pages = bytes / kPage;
#pragma omp parallel for schedule(static)
  for (long page = 0; page < pages; ++page) {
    memory[page * kPage] = (char)page;
  }
  long sum = 0;
  for (long page = 0; page < pages; ++page) {
    sum += memory[page * kPage];
  }
  const long after = pagesOf(memory, bytes);
  printf("after: %s, sum %ld\n", after >= pages - 1 ? "all" : "some", sum);
  free(memory);
  return 0;
}
