// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Standard input, arguments, environment, exit status and output order.
// ARGS: alpha 12 omega
// STDIN: 5 7.5 word
// EXIT: 3
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void leave(void) { printf("at exit\n"); }

int main(int argc, char **argv) {
  int number = 0;
  double real = 0.0;
  char word[20] = "";
  atexit(leave);
  if (scanf("%d %lf %19s", &number, &real, word) != 3) {
    printf("no input\n");
    return 1;
  }
  const int n = argc > 2 ? atoi(argv[2]) : 1;
  double *a = malloc((size_t)n * sizeof *a);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = i * real + number;
  }
  printf("%d %s %s %s\n", argc, argv[1], argv[3], word);
  for (int i = 0; i < n; ++i) {
    printf("%.1f ", a[i]);
  }
  printf("\n%zu %d\n", strlen(word), getenv("PATH") != NULL);
  free(a);
  exit(3);
}
