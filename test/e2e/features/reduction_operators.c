// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every built-in reduction operator on every kind of number.
// LIBS: -latomic
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>

enum { N = 997 };

static int ints[N];

#define ARITHMETIC(type, format, modulus)                                                          \
  {                                                                                                \
    type sum = 5, difference = 7, product = 1, low = 100, high = 0;                                \
    _Pragma("omp parallel for reduction(+ : sum) reduction(- : difference)") for (int i = 0;       \
                                                                                  i < N; ++i) {    \
      sum += (type)(ints[i] % modulus);                                                            \
      difference -= (type)(ints[i] % modulus);                                                     \
    }                                                                                              \
    _Pragma("omp parallel for reduction(* : product)") for (int i = 0; i < N; ++i) {               \
      product *= (type)(i % 100 == 3 ? 2 : 1);                                                     \
    }                                                                                              \
    _Pragma("omp parallel for reduction(min : low) reduction(max : high)") for (int i = 0; i < N;  \
                                                                                ++i) {             \
      const type value = (type)(ints[i] % 90);                                                     \
      low = value < low ? value : low;                                                             \
      high = value > high ? value : high;                                                          \
    }                                                                                              \
    printf(#type ": " format " " format " " format " " format " " format "\n", sum, difference,    \
           product, low, high);                                                                    \
  }

#define BITS(type, format)                                                                         \
  {                                                                                                \
    type all = (type)~0, any = 0, odd = 1;                                                         \
    _Pragma(                                                                                       \
        "omp parallel for reduction(& : all) reduction(| : any) reduction(^ : odd)") for (int i =  \
                                                                                              0;   \
                                                                                          i < N;   \
                                                                                          ++i) {   \
      all &= (type)(ints[i] | 0x11);                                                               \
      any |= (type)(ints[i] & 0x2a);                                                               \
      odd ^= (type)ints[i];                                                                        \
    }                                                                                              \
    printf(#type " bits: " format " " format " " format "\n", all, any, odd);                      \
  }

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    ints[i] = (i * 7919 + 13) % 251;
  }
  ARITHMETIC(char, "%d", 3)
  ARITHMETIC(unsigned char, "%d", 3)
  ARITHMETIC(short, "%d", 20)
  ARITHMETIC(int, "%d", 1000)
  ARITHMETIC(unsigned, "%u", 1000)
  ARITHMETIC(long, "%ld", 1000)
  ARITHMETIC(unsigned long long, "%llu", 1000)
  ARITHMETIC(float, "%.2f", 8)
  ARITHMETIC(double, "%.4f", 1000)
  ARITHMETIC(long double, "%.4Lf", 1000)
  BITS(unsigned char, "%d")
  BITS(short, "%d")
  BITS(int, "%d")
  BITS(unsigned long, "%lu")

  bool all = true, any = false;
  int none = 1, some = 0;
#pragma omp parallel for reduction(&& : all, none) reduction(|| : any, some)
  for (int i = 0; i < N; ++i) {
    all = all && ints[i] < 251;
    none = none && ints[i] != 17;
    any = any || ints[i] == 17;
    some = some || ints[i] > 1000;
  }
  printf("logic %d %d %d %d\n", all, none, any, some);

  double complex z = 1.0 + 2.0 * I;
#pragma omp parallel for reduction(+ : z)
  for (int i = 0; i < N; ++i) {
    z += ints[i] * (0.5 - 0.25 * I);
  }
  printf("complex %.4f %.4f\n", creal(z), cimag(z));
  return 0;
}
