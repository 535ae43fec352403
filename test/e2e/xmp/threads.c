// OpenMP's threads work on a node's share; rows and static arrays.
#include <omp.h>
#include <stdio.h>
#define N 1000
double a[N], b[N][7];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[cyclic(7)] onto p
#pragma xmp template s[N]
#pragma xmp distribute s[block] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i][*] with s[i]

static void use(double row[7], double (*all)[7], int k) {
  row[k] += 1;
  (void)all;
}

static int calls(void) {
  static int count[N];
#pragma xmp align count[i] with s[i]
  int sum = 0;
#pragma xmp loop on s[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    count[i] += i % 3;
    sum += count[i];
  }
  return sum;
}

int main(void) {
  double s = omp_is_initial_device() && omp_get_max_threads() > 0, q = 0;
  int i, n = 0;
#pragma xmp loop on t[i]
#pragma omp parallel for
  for (i = 0; i < N; i++) {
    a[i] = i * 0.5;
  }
#pragma omp parallel for
#pragma xmp loop on s[i]
  for (int i = N - 1; i >= 0; i--) {
    for (int j = 0; j < 7; j++) {
      b[i][j] = i + j;
    }
  }
#pragma xmp loop on s[i]
  for (int i = 0; i < N; i++) {
    use(b[i], &b[i], i % 7);
  }
#pragma xmp loop on t[i] reduction(+ : s)
  for (i = 5; i < N; i += 3) {
    if (i % 4 == 0) {
      continue;
    }
    s += a[i];
  }
#pragma xmp loop on s[i] reduction(+ : q)
  for (i = 0; i < N; i++) {
    double(*r)[7] = &b[i];
    q += (*r)[3] + sizeof(b[i]) + sizeof(b) / sizeof b[0];
    n++;
  }
#pragma xmp reduction(+ : n)
  int c = 0;
  for (int k = 0; k < 5; k++) {
    c = c * 3 + calls();
  }
#pragma xmp task on p[0]
  printf("%g %g %d %d\n", s, q, n, c);
  return 0;
}
