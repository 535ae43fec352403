// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// OpenMP's functions for memory of devices. Clang has them only in the library that it offloads
/// with, so there is nothing to compare with: the program knows the right answers.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 40, COLUMNS = 30, SIZE = ROWS * COLUMNS };

static int failures;

static void check(int holds, const char *what) {
  if (!holds) {
    printf("wrong: %s\n", what);
    ++failures;
  }
}

int main(void) {
  const int host = omp_get_initial_device();
  const int device = omp_get_default_device();
  double *values = malloc(SIZE * sizeof *values);
  double *results = calloc(SIZE, sizeof *results);
  for (int i = 0; i < SIZE; ++i) {
    values[i] = i;
  }
  double *there = omp_target_alloc(SIZE * sizeof *there, device);
  check(there != NULL, "omp_target_alloc");
  check(omp_target_alloc(0, device) == NULL, "nothing to allocate");
  check(omp_target_memcpy(there, values, SIZE * sizeof *there, 0, 0, device, host) == 0,
        "omp_target_memcpy");
#pragma omp target teams distribute parallel for is_device_ptr(there)
  for (int i = 0; i < SIZE; ++i) {
    there[i] = 2 * there[i] + 1;
  }
  omp_target_memcpy(results, there, 10 * sizeof *there, 4 * sizeof *there, 7 * sizeof *there, host,
                    device);
  check(results[3] == 0 && results[4] == 15 && results[13] == 33 && results[14] == 0, "offsets");

  // Rows 3 to 7, columns 5 to 14, to rows 1 to 5, columns 0 to 9 of an array of half the width.
  memset(results, 0, SIZE * sizeof *results);
  const size_t volume[] = {5, 10};
  const size_t from[] = {3, 5};
  const size_t to[] = {1, 0};
  const size_t wide[] = {ROWS, COLUMNS};
  const size_t narrow[] = {ROWS, COLUMNS / 2};
  check(omp_target_memcpy_rect(results, there, sizeof *there, 2, volume, to, from, narrow, wide,
                               host, device) == 0,
        "omp_target_memcpy_rect");
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLUMNS / 2; ++j) {
      const int isIn = i >= 1 && i < 6 && j < 10;
      const double expected = isIn ? 2.0 * ((i + 2) * COLUMNS + j + 5) + 1 : 0;
      check(results[i * (COLUMNS / 2) + j] == expected, "a box");
    }
  }
  const size_t planes[] = {2, 3, 4};
  const size_t origin[] = {0, 0, 0};
  const size_t second[] = {1, 2, 3};
  const size_t extents[] = {4, 10, 30};
  check(omp_target_memcpy_rect(results, values, sizeof *there, 3, planes, second, origin, extents,
                               extents, host, host) == 0 &&
            results[300 + 60 + 3] == 0 && results[600 + 120 + 6] == 300 + 60 + 3,
        "three dimensions");
  check(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, host, device) >= 3,
        "how many dimensions");
  check(omp_target_memcpy_rect(results, there, sizeof *there, 2, NULL, to, from, narrow, wide, host,
                               device) != 0,
        "no volume");
  check(omp_target_is_present(values, device) && !omp_target_is_present(NULL, device), "presence");
  check(omp_target_is_accessible(values, SIZE * sizeof *values, device), "access");
  check(omp_get_mapped_ptr(values, device) == values, "omp_get_mapped_ptr");
  check(omp_target_associate_ptr(values, there, sizeof *values, 0, device) != 0,
        "memory that is another's");
  omp_target_free(there, device);
  omp_target_free(NULL, device);
  printf("%d wrong\n", failures);
  return failures != 0;
}
