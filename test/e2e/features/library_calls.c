// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Library functions on distributed data: sorting, searching, formatting, system.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  const int x = *(const int *)a;
  const int y = *(const int *)b;
  return (x > y) - (x < y);
}

int main(void) {
  const int n = 20000;
  int *a = malloc((size_t)n * sizeof *a);
  char *text = malloc((size_t)n + 1);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = (int)((i * 48271L) % 20011);
    text[i] = (char)('a' + i % 25);
  }
  text[n] = '\0';
  qsort(a, (size_t)n, sizeof *a, compare);
  const int key = 777;
  const int *found = bsearch(&key, a, (size_t)n, sizeof *a, compare);
  printf("found %d length %zu z %d\n", found != NULL ? (int)(found - a) : -1, strlen(text),
         strchr(text, 'z') != NULL);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    text[i] = (char)(text[i] - 'a' + 'A');
  }
  fwrite(text, 1, 60, stdout);
  putchar('\n');
  fflush(stdout);
  const int status = system("exit 0");
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    sum += (long)a[i] * (i % 10);
  }
  printf("system %d sum %ld\n", status, sum);
  free(a);
  free(text);
  return 0;
}
