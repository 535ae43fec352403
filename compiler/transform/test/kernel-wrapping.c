// A chunk's loop whose number of iterations cannot be computed, because its counter may wrap
// around, is divided by its bounds.
// RUN: %tutticc -fwrapv -Rpass-analysis=tutti -c -o /dev/null %s 2>&1 | FileCheck %s

// CHECK: kernel over 2 loops
unsigned turn(long n, long m, unsigned *restrict a) {
  unsigned bits = 0;
  #pragma omp parallel for collapse(3) schedule(static, 2) reduction(^ : bits)
  for (int i = 0; i < n / 6; i++)
    for (long k = 0; k < 3; k++)
      for (int l = 0; l < 2; l++)
        for (long j = 0; j < m; j++)
          bits ^= a[((i * 3l + k) * 2 + l) * 100 + j] += 2;
  return bits;
}
