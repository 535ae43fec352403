// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// System calls read and write distributed arrays.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  const int n = 50000;
  double *a = malloc((size_t)n * sizeof *a);
  double *b = malloc((size_t)n * sizeof *b);
  FILE *file = tmpfile();
  if (file == NULL) {
    return 1;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = i * 0.5;
  }
  printf("fwrite %zu\n", fwrite(a, sizeof *a, (size_t)n, file));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = -1.0;
    b[i] = -2.0;
  }
  rewind(file);
  printf("fread %zu\n", fread(b, sizeof *b, (size_t)n, file));
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    sum += a[i] + b[i];
  }
  printf("sum %.6f\n", sum);

  const int fd = fileno(file);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = i % 100;
  }
  printf("pwrite %zd\n", pwrite(fd, a + 7, 30000 * sizeof *a, 0));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    b[i] += a[n - 1 - i];
  }
  printf("pread %zd\n", pread(fd, b + 1000, 30000 * sizeof *b, 0));
  sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    sum += b[i] * (i % 5);
  }
  printf("sum %.6f\n", sum);
  fclose(file);
  free(a);
  free(b);
  return 0;
}
