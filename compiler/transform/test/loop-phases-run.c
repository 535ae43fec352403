// Divided loops compute what they did, for bounds within, at and far behind their ends. Each function is
// here twice, once as it is written.
// RUN: clang -O3 -ffp-contract=off -fpass-plugin=%plugin %s -o %t && %t
// RUN: clang -O2 -g -ffp-contract=off -fpass-plugin=%plugin %s -o %t && %t
// RUN: clang -O2 -ffp-contract=off -fpass-plugin=%plugin %s -S -emit-llvm -fno-discard-value-names -o - | FileCheck %s
// CHECK-COUNT-9: %phases.holds = icmp
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define BOTH(NAME, COUNTER, BOUND, BEGIN, LAST, BODY)                                              \
  static __attribute__((noinline)) double NAME(const double *a, double *b, int n, BOUND end) {     \
    double sum = 1, carried = 2;                                                                   \
    for (COUNTER i = BEGIN; LAST; ++i) {                                                           \
      BODY                                                                                         \
    }                                                                                              \
    return sum + carried;                                                                          \
  }                                                                                                \
  static __attribute__((optnone, noinline)) double NAME##_(const double *a, double *b, int n,      \
                                                           BOUND end) {                            \
    double sum = 1, carried = 2;                                                                   \
    for (COUNTER i = BEGIN; LAST; ++i) {                                                           \
      BODY                                                                                         \
    }                                                                                              \
    return sum + carried;                                                                          \
  }

BOTH(ceases, int, int, 0, i < n, b[i] = i < end ? a[i + 1] : 3;)
BOTH(ends, int, int, 1, i < n, b[i] = a[i - 1] + (i <= end ? a[i + 1] : 3);)
BOTH(begins, int, int, 0, i <= n, b[i] = i >= end ? a[i + 1] : 3;)
BOTH(behind, long, long, 0, i < n, b[i] = end < i ? a[i + 2] : b[i] + 3;)
BOTH(natural, unsigned long, unsigned long, 0, i < (unsigned long)n, b[i] = i < end ? a[i + 1] : 3;)
BOTH(sums, int, int, 0, i < n, if (i < end) sum += a[i]; else sum *= 2;)
BOTH(carries, int, int, 0, i < n, const double next = i < end ? a[i + 1] : carried;
     carried = a[i] - carried; b[i] = next;)
BOTH(both, int, int, 0, i < n, b[i] = (i > 0 ? a[i - 1] : 5) + (i < n - 1 ? a[i + 1] : 7);)
BOTH(narrow, int, int, 0, i < n, const short k = (short)i; b[i] = k < (short)end ? a[i + 1] : 3;)
BOTH(leaves, int, int, 0, i < n, b[i] = i < end ? a[i + 1] : 3; if (b[i] > 40) break;)

// The second loop starts where the first one has ended.
#define FOLLOWS(NAME, ATTRIBUTE)                                                                   \
  static __attribute__((ATTRIBUTE, noinline)) double NAME(const double *a, double *b, int n,       \
                                                          int end) {                               \
    int i = 0, third = 0;                                                                          \
    do {                                                                                           \
      b[i] = i < end ? a[i + 1] : 3;                                                               \
      ++i;                                                                                         \
      third += 3;                                                                                  \
    } while (third < n);                                                                           \
    for (int k = 0; k < n; ++k) {                                                                  \
      b[k] += i + 2 < end ? a[i + 2] : 5;                                                          \
      ++i;                                                                                         \
    }                                                                                              \
    return b[0];                                                                                   \
  }

FOLLOWS(follows, hot)
FOLLOWS(follows_, optnone)

static double a[140], got[140], wanted[140];

#define CHECK(NAME)                                                                                \
  do {                                                                                             \
    memset(got, 0, sizeof got);                                                                    \
    memset(wanted, 0, sizeof wanted);                                                              \
    const double one = NAME(a, got, n, end), other = NAME##_(a, wanted, n, end);                   \
    if (one != other || memcmp(got, wanted, sizeof got)) {                                         \
      printf(#NAME " of %d, %ld: %g, not %g\n", n, (long)end, one, other);                         \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

int main(void) {
  for (int i = 0; i < 140; ++i) {
    a[i] = i * 37 % 101;
  }
  static const int far[] = {INT_MIN, INT_MIN + 1, -1000, 1000, INT_MAX - 1, INT_MAX};
  for (int n = 0; n < 40; ++n) {
    for (int k = -4; k < n + 10; ++k) {
      const int end = k < n + 4 ? k : far[k - n - 4];
      CHECK(ceases);
      CHECK(ends);
      CHECK(begins);
      CHECK(behind);
      CHECK(natural);
      CHECK(sums);
      CHECK(carries);
      CHECK(both);
      CHECK(narrow);
      CHECK(leaves);
      CHECK(follows);
    }
  }
  return 0;
}
