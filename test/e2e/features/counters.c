// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Counters of every type and direction, up to the ends of their ranges.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 300 };

static long hits[N];

static void report(const char *name) {
  long sum = 0;
  for (int i = 0; i < N; ++i) {
    sum = (sum * 31 + hits[i]) % 1000000007;
    hits[i] = 0;
  }
  printf("%s %ld\n", name, sum);
}

int main(void) {
#pragma omp parallel for
  for (unsigned i = 3; i < 300u; i += 7) {
    hits[i] += i;
  }
  report("unsigned");
#pragma omp parallel for
  for (int i = N - 1; i >= 0; --i) {
    hits[i] += i + 1;
  }
  report("down");
#pragma omp parallel for
  for (int i = 290; i > 5; i -= 3) {
    hits[i] += i;
  }
  report("down by 3");
#pragma omp parallel for
  for (long long i = -150; i < 150; ++i) {
    hits[i + 150] += i;
  }
  report("negative");
#pragma omp parallel for
  for (unsigned long long i = UINT64_MAX - 200; i < UINT64_MAX; i += 2) {
    hits[UINT64_MAX - i] += 2;
  }
  report("near the end of 64 bits");
#pragma omp parallel for
  for (int i = INT_MAX - 100; i < INT_MAX; ++i) {
    hits[INT_MAX - i] += 3;
  }
  report("near INT_MAX");
#pragma omp parallel for
  for (int i = INT_MIN; i < INT_MIN + 99; ++i) {
    hits[i - INT_MIN] += 4;
  }
  report("from INT_MIN");
#pragma omp parallel for
  for (int i = 0; i != N; i += 1) {
    hits[i] += i * 5;
  }
  report("not equal");
#pragma omp parallel for
  for (short i = 0; i <= 255; i += 5) {
    hits[i] += 6;
  }
  report("short");
#pragma omp parallel for
  for (unsigned char i = 0; i < 200; ++i) {
    hits[i] += i;
  }
  report("unsigned char");
#pragma omp parallel for
  for (size_t i = 1; i <= 299; i = i + 2) {
    hits[i] += (long)i;
  }
  report("size_t");
  const long step = 11;
#pragma omp parallel for schedule(dynamic)
  for (long i = 4; i < N; i += step) {
    hits[i] += i;
  }
  report("step in a variable");
  long *p;
#pragma omp parallel for
  for (p = hits; p < hits + N; ++p) {
    *p += p - hits;
  }
  report("pointer");
  return 0;
}
