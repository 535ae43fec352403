// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Allocation, growth and release inside a time loop.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  size_t n = 100;
  double *kept = calloc(n, sizeof *kept);
  double sum = 0.0;
  for (int step = 0; step < 15; ++step) {
    double *work = malloc(n * sizeof *work);
    float *zero = calloc(n, sizeof *zero);
#pragma omp parallel for
    for (size_t i = 0; i < n; ++i) {
      work[i] = kept[i] + i + zero[i];
    }
    const size_t more = n + 150 * (size_t)(step + 1);
    kept = realloc(kept, more * sizeof *kept);
#pragma omp parallel for
    for (size_t i = 0; i < more; ++i) {
      kept[i] = i < n ? work[i] * 0.5 : 1.0;
    }
    if (step % 4 == 3) {
      kept = realloc(kept, (more / 2) * sizeof *kept);
      n = more / 2;
    } else {
      n = more;
    }
    free(work);
    free(zero);
    sum += kept[n - 1] + kept[n / 2];
  }
  double *aligned = aligned_alloc(4096, 4096 * sizeof *aligned);
  void *page = NULL;
  const int status = posix_memalign(&page, 256, 8000);
  char *text = page;
#pragma omp parallel for
  for (int i = 0; i < 4096; ++i) {
    aligned[i] = i;
    text[i] = (char)('a' + i % 26);
  }
  text[20] = '\0';
  char *copy = strdup(text);
  printf("aligned %d %d %d %s\n", (int)((uintptr_t)aligned % 4096), (int)((uintptr_t)page % 256),
         status, copy);
  for (size_t i = 0; i < n; ++i) {
    sum += kept[i];
  }
  sum += aligned[4095];
  printf("n %zu sum %.6f\n", n, sum);
  free(copy);
  free(page);
  free(aligned);
  free(kept);
  free(NULL);
  return 0;
}
