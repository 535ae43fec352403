// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions of the C library that follow the program's locale: the same on all ranks until the
/// program chooses one.
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 2000 };

static char lines[n][40];
static double a[n];

static double total(void) {
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int words = 0, isInside = 0;
    for (const char *p = lines[i]; *p; ++p) {
      words += !isspace((unsigned char)*p) && !isInside;
      isInside = !isspace((unsigned char)*p);
    }
    char text[32], upper[40];
    snprintf(text, sizeof text, "%d.%02d", i, i % 100);
    for (int k = 0; k < 40; ++k) {
      upper[k] = (char)toupper((unsigned char)lines[i][k]);
    }
    a[i] = words + strtod(text, NULL) + atof(lines[i] + 1) + (strchr(upper, 'T') - upper) +
           strcasecmp(lines[i], upper);
  }
  for (int i = 0; i < n; ++i) {
    sum += a[i] * (i % 3 + 1);
  }
  return sum;
}

int main(void) {
  for (int i = 0; i < n; ++i) {
    snprintf(lines[i], sizeof lines[i], "w%d.5 the cat %d sat", i, i * i);
  }
  printf("%.3f\n", total());
  // Not on all machines; the name alone makes it another one.
  const char *chosen = setlocale(LC_ALL, "C.UTF-8");
  printf("%.3f\n", total());
  setlocale(LC_ALL, "C");
  printf("%.3f %d\n", total(), chosen != NULL);
}
