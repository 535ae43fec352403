// A narrow counter, extended at once where its loop begins, of a loop that becomes a dimension.
// RUN: %tutticc -Rpass-analysis=tutti -c -o /dev/null %s 2>&1 | FileCheck %s

// CHECK: kernel over 3 loops
long down(int n, long m, long p, long *a) {
  long most = 0;
  #pragma omp parallel for reduction(max : most)
  for (int i = 0; i < n; i++)
    for (int j = (int)(m - 1); j >= 1; j -= 2)
      for (int k = 0; k < m / 3; k++)
        for (unsigned char l = m / 3; l < (unsigned char)m; l++)
          a[i * p + 10 * j + (long)l + 10] = 3 * a[i * p + (long)j + 10 * l + 10];
  return most;
}
