// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequential code looks at a grid after each step, whose loops write every other point of its
// inside: what comes back are rows with border points between them, which stay as they are.
//
//   grids_looked_at [points per side] [steps]
#include <stdio.h>
#include <stdlib.h>

static void relax(double *grid, long n, int colour) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i) {
    for (long j = 1 + (i + colour) % 2; j < n - 1; j += 2) {
      grid[i * n + j] = 0.25 * (grid[(i - 1) * n + j] + grid[(i + 1) * n + j] +
                                grid[i * n + j - 1] + grid[i * n + j + 1]);
    }
  }
}

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 130;
  const long steps = argc > 2 ? atol(argv[2]) : 6;
  double *grid = malloc((size_t)(n * n) * sizeof *grid);
  if (!grid) {
    return 1;
  }
  for (long i = 0; i < n * n; ++i) {
    grid[i] = (double)(i % 17 + (i % n == 0 ? 100 : 0));
  }
  for (long step = 0; step < steps; ++step) {
    relax(grid, n, 0);
    relax(grid, n, 1);
    double sum = 0;
    for (long i = 0; i < n * n; ++i) {
      sum += grid[i] * (double)(i % 3 + 1);
    }
    printf("step %ld: %.10g\n", step, sum);
    for (long i = 0; i < n; ++i) { // The border changes where the grid is.
      grid[i * n] += 1;
    }
  }
  free(grid);
  return 0;
}
