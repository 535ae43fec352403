// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// User-declared reductions on structs.
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  double value;
  long index;
} Minimum;

typedef struct {
  double sum, square;
  long count;
} Moments;

static Minimum smaller(Minimum a, Minimum b) {
  if (a.value != b.value) {
    return a.value < b.value ? a : b;
  }
  return a.index < b.index ? a : b;
}

#pragma omp declare reduction(minimum:Minimum : omp_out = smaller(omp_out, omp_in))                \
    initializer(omp_priv = (Minimum){DBL_MAX, 1L << 60})
#pragma omp declare reduction(moments:Moments : omp_out.sum += omp_in.sum,                         \
                                  omp_out.square += omp_in.square, omp_out.count += omp_in.count)  \
    initializer(omp_priv = (Moments){0.0, 0.0, 0})
#pragma omp declare reduction(modular:int : omp_out = (omp_out + omp_in) % 1009)                   \
    initializer(omp_priv = 0)

int main(void) {
  const long n = 1500;
  double *a = malloc((size_t)n * sizeof *a);
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = (double)((i * 7919) % 1499) - 300.0;
  }
  Minimum least = {1e9, -1};
  Moments m = {0.0, 0.0, 0};
  int mod = 17;
#pragma omp parallel for reduction(minimum : least) reduction(moments : m) reduction(modular : mod)
  for (long i = 0; i < n; ++i) {
    least = smaller(least, (Minimum){a[i], i});
    m.sum += a[i];
    m.square += a[i] * a[i];
    ++m.count;
    mod = (mod + (int)(i % 100)) % 1009;
  }
  printf("least %.1f at %ld\n", least.value, least.index);
  printf("moments %.3f %.3f %ld\n", m.sum, m.square, m.count);
  printf("modular %d\n", mod);
  free(a);
  return 0;
}
