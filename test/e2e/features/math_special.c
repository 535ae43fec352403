// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Math functions of zeros, infinities, numbers that are none, and denormal ones.
// FLAGS: -O2 -fno-math-errno
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>

enum { SIZE = 12 };

static double at[SIZE] = {0.0,     -0.0,     INFINITY, -INFINITY, NAN, 5e-324,
                          -3e-310, 1.5e-320, 1e308,    -1e308,    1.0, -2.5};
static float atf[SIZE];
static int exponents[SIZE];
static int exponentsf[SIZE];
static double results[SIZE][23];
static double pairs[SIZE][10];

int main(void) {
  for (int i = 0; i < SIZE; ++i) {
    atf[i] = (float)at[i];
  }
#pragma omp parallel for
  for (int i = 0; i < SIZE; ++i) {
    exponents[i] = ilogb(at[i]);
    exponentsf[i] = ilogbf(atf[i]);
  }
#pragma omp parallel for
  for (int i = 0; i < SIZE; ++i) {
    const double x = at[i];
    const double y = at[(i + 5) % SIZE];
    double *out = results[i];
    out[0] = logb(x);
    out[1] = fmin(x, y);
    out[2] = fmax(x, y);
    out[3] = fdim(x, y);
    out[4] = hypot(x, y);
    out[5] = atan2(x, y);
    out[6] = pow(x, y);
    out[7] = fmod(x, y);
    out[8] = remainder(x, y);
    out[9] = copysign(x, y);
    out[10] = sqrt(x);
    out[11] = cbrt(x);
    out[12] = log(x);
    out[13] = exp(x);
    out[14] = round(x);
    out[15] = rint(x);
    out[16] = floor(x);
    out[17] = ldexp(x, 3);
    out[18] = scalbn(x, -3);
    out[19] = tgamma(x);
    out[20] = nextafter(x, y);
    out[21] = isnan(x) + 2 * !!isinf(x) + 4 * !!signbit(x) + 8 * !!isnormal(x) + 16 * (x == x);
    out[22] = fmod(x, 3.0); // The quotient has more digits than a double.
  }
  // Results through pointers.
#pragma omp parallel for
  for (int i = 0; i < SIZE; ++i) {
    double sine, cosine, whole;
    float sinef, cosinef, wholef;
    int exponent, exponentf;
    double *out = pairs[i];
    sincos(at[i], &sine, &cosine);
    sincosf(atf[i], &sinef, &cosinef);
    out[0] = modf(at[i], &whole);
    out[1] = modff(atf[i], &wholef);
    out[2] = frexp(at[i], &exponent);
    out[3] = frexpf(atf[i], &exponentf);
    out[4] = whole + 2 * (double)wholef;
    out[5] = exponent + 5000 * exponentf;
    out[6] = sine;
    out[7] = cosine;
    // Of the last digits of floats the host may have others.
    out[8] = round(sinef * 1e4);
    out[9] = round(cosinef * 1e4);
  }
  for (int i = 0; i < SIZE; ++i) {
    for (int k = 0; k < 10; ++k) {
      printf("%.13g ", isnan(pairs[i][k]) ? -12345.0 : pairs[i][k]);
    }
    printf("%d %d", exponents[i], exponentsf[i]);
    for (int k = 0; k < 23; ++k) {
      const double x = results[i][k];
      // The sign of what is no number is not defined.
      printf(" %.13g", isnan(x) ? -12345.0 : x);
    }
    printf("\n");
  }
  return 0;
}
