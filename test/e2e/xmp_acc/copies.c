// Device copies are objects of their own: variables of all kinds, entered often and left by all ways.
#include <stdio.h>
#define N 203
double a[N], b[N];
int factor = 3;
double table[4] = {1, 2, 4, 8};
struct pair {
  int first;
  double second;
} pair = {2, 0.5};
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp shadow a[1]
#pragma xmp acc replicate (b, factor)

static double sum(double *values) {
  (void)values;
  double total = 0;
#pragma xmp loop on t[i] reduction(+ : total)
  for (int i = 0; i < N; i++) {
    total += b[i] * (i % 11);
  }
  return total;
}

static void fill(int by) {
#pragma xmp acc replicate_sync in (factor)
#pragma xmp loop on t[i] acc
  for (int i = 0; i < N; i++) {
    b[i] = i * factor + by;
  }
}

static int often(int n) {
  int scratch[3] = {n, n + 1, n + 2};
#pragma xmp acc replicate (a, scratch)
  {
    if (n % 3 == 0) {
      return n;
    }
    if (n % 100 == 1) {
#pragma xmp acc replicate_sync in (scratch, a)
#pragma xmp loop on t[i] acc
      for (int i = 0; i < N; i++) {
        a[i] += scratch[i % 3];
      }
#pragma xmp acc replicate_sync out (a)
    }
    if (n % 3 == 1) {
      goto end;
    }
  }
end:
  return 1;
}

int main(void) {
  int i, last = -1, lost = 7, private = 5;
#pragma xmp loop on t[i]
  for (i = 0; i < N; i++) {
    a[i] = i;
    b[i] = -1;
  }
  fill(1);
#ifdef _XCALABLEMP
  const double before = sum(b); // The host's is what it was.
#pragma xmp acc replicate_sync out (b)
  double minus = 0;
  for (i = 0; i < N; i++) {
    minus -= i % 11;
  }
  if (before != minus) {
    printf("the copy was no object of its own: %g\n", before);
  }
#endif
  printf(sum(b) > 0 ? "" : "nothing\n");
  factor = 5;
  fill(2);
#pragma xmp acc replicate_sync out (b)
  const double second = sum(b);
  const double *at = &table[1];
  int largest = -1;
  double total = 0;
#pragma xmp acc replicate (table, pair)
  {
    // No sync: the host changes its own.
#pragma xmp acc replicate_sync in (table, pair)
#ifdef _XCALABLEMP
    table[1] = 1000;
    pair.first = 1000;
#endif
    int unchanged = lost;
    (void)unchanged;
#pragma xmp loop on t[i] reduction(+ : total) reduction(max : largest) acc private(private) \
    firstprivate(at) shared(last)
    for (i = 0; i < N; i++) {
      private = i * pair.first;
      total += private * table[i % 4] + pair.second;
      if (private % 101 > largest) {
        largest = private % 101;
      }
      if (i == 77) {
        last = i;
      }
    }
#ifdef _XCALABLEMP
#pragma xmp acc replicate_sync out (table, pair)
    if (table[1] != 2 || pair.first != 2) {
      printf("%g %d\n", table[1], pair.first);
    }
#endif
  }
  (void)at;
#pragma xmp reduction(max : last)
#pragma xmp loop on t[i] acc
  for (i = 0; i < N; i++) {
    b[i] = lost;
    lost = lost; // By value.
  }
  int calls = 0;
  for (int n = 0; n < 3000; n++) {
    calls += often(n);
  }
  double all = 0;
#pragma xmp loop on t[i] reduction(+ : all)
  for (i = 0; i < N; i++) {
    all += a[i] * (i % 13);
  }
#pragma xmp task on p[0]
  printf("%g %g %d %d %d %d %g\n", second, total, largest, last, lost, calls, all);
  return 0;
}
