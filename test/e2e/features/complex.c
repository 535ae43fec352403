// Complex numbers: products and quotients (also of infinities and extremes), functions, and random
// numbers whose state is an iteration's own.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 400 };

static double complex special[N];

static double complex number(int i) {
  const double parts[] = {0.0, -0.0, 1.0, -2.5, INFINITY, -INFINITY, NAN, 1e308, 3e-308};
  const int count = sizeof parts / sizeof *parts;
  return __builtin_complex(parts[i % count], parts[i / count % count]);
}

// What is the same however not-a-number came about, and however the last digits are rounded.
static void put(const char *name, int i, double complex z) {
  char text[2][32];
  const double parts[] = {creal(z), cimag(z)};
  for (int k = 0; k < 2; ++k) {
    if (isnan(parts[k])) {
      snprintf(text[k], sizeof text[k], "nan");
    } else {
      snprintf(text[k], sizeof text[k], "%.10g", parts[k]);
    }
  }
  printf("%s %d %s %s\n", name, i, text[0], text[1]);
}

int main(void) {
  enum { PAIRS = 81 * 81 };

  double complex *product = malloc(PAIRS * sizeof *product);
  double complex *quotient = malloc(PAIRS * sizeof *quotient);
  float complex *narrow = malloc(PAIRS * sizeof *narrow);
  for (int i = 0; i < 81; ++i) {
    special[i] = number(i);
  }
#pragma omp parallel for
  for (int i = 0; i < PAIRS; ++i) {
    product[i] = special[i / 81] * special[i % 81];
    quotient[i] = special[i / 81] / special[i % 81];
  }
#pragma omp parallel for
  for (int i = 0; i < PAIRS; ++i) {
    const float complex a = special[i / 81], b = special[i % 81];
    narrow[i] = a * b + a / b;
  }
  for (int i = 0; i < PAIRS; i += 1) {
    put("product", i, product[i]);
    put("quotient", i, quotient[i]);
    put("narrow", i, narrow[i]);
  }

  double complex *z = malloc(N * sizeof *z);
  double *size = malloc(N * sizeof *size);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    const double complex w = cexp(__builtin_complex(0.01 * i, 0.1 * i - 3));
    z[i] = w / (1.0 + w * conj(w));
    size[i] = cabs(z[i]) + carg(w);
  }
  for (int i = 0; i < N; i += 9) {
    printf("%d %.10g %.10g %.10g\n", i, creal(z[i]), cimag(z[i]), size[i]);
  }

  double complex sum = 0;
#pragma omp declare reduction(add : double complex : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp parallel for reduction(add : sum)
  for (int i = 0; i < N; ++i) {
    sum += csqrt(z[i]) * cpow(z[i], 0.25);
  }
  printf("sum %.9g %.9g\n", creal(sum), cimag(sum));

  long hits = 0;
#pragma omp parallel for reduction(+ : hits)
  for (int i = 0; i < N; ++i) {
    unsigned seed = i + 1;
    for (int k = 0; k < 50; ++k) {
      const double x = rand_r(&seed) / (double)RAND_MAX, y = rand_r(&seed) / (double)RAND_MAX;
      hits += x * x + y * y < 1;
    }
  }
  printf("hits %ld\n", hits);
  return 0;
}
