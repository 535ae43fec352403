// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that read what their own iteration has written before, and loops that only seem to. Bytes
/// that no loop writes lie between the rows and around the arrays, and must stay as they are.
///
/// usage: earlier_writes [loop steps]   (only this loop, on the large array)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kGap = 5, kRows = 157, kColumns = 300, kFewRows = 5, kFewColumns = 7 };

/// `c` has `n` rows of `m` elements and a gap, `d` one element per row, `x` is read only.
typedef void Loop(long n, long m, long *restrict c, long *restrict d, const long *restrict x);

static void wholeRows(long n, long m, long *restrict c, long *restrict d, const long *restrict x) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < m; ++j) {
      c[i * (m + kGap) + j] = i;
    }
    for (long k = 0; k < 3; ++k) {
      for (long j = 0; j < m; ++j) {
        c[i * (m + kGap) + j] += x[k] * j;
      }
    }
    d[i] = i;
  }
}

static void wholeRowsBackwards(long n, long m, long *restrict c, long *restrict d,
                               const long *restrict x) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = m - 1; j >= 0; --j) {
      c[i * (m + kGap) + j] = x[j % 3];
    }
    long sum = 0;
    for (long j = 0; j < m; ++j) {
      sum += (j + 1) * c[i * (m + kGap) + j];
    }
    d[i] = sum;
  }
}

static void innerPart(long n, long m, long *restrict c, long *restrict d, const long *restrict x) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    memset(c + i * (m + kGap), 0, (size_t)m * sizeof *c);
    for (long k = 0; k < 3; ++k) {
      for (long j = 1; j < m - 1; ++j) {
        c[i * (m + kGap) + j] += x[k] + j;
      }
    }
    d[i] = 1;
  }
}

/// Only if there are columns; unsigned, so that indices could wrap around.
static void unsignedRows(long n, long m, long *restrict c, long *restrict d,
                         const long *restrict x) {
  const unsigned rows = (unsigned)n;
  const unsigned columns = (unsigned)m;
#pragma omp parallel for
  for (unsigned i = 0; i < rows; ++i) {
    for (unsigned j = 0; j < columns; ++j) {
      c[i * (columns + kGap) + j] = i;
    }
    for (unsigned k = 0; k < 3; ++k) {
      for (unsigned j = 0; j < columns; ++j) {
        c[i * (columns + kGap) + j] += x[k] * (long)j;
      }
    }
    d[i] = 2;
  }
}

/// Pairs of rows, written and read as boxes; the last row of an odd number is left alone.
static void boxes(long n, long m, long *restrict c, long *restrict d, const long *restrict x) {
  const long height = 2;
#pragma omp parallel for
  for (long i = 0; i < n / height; ++i) {
    for (long y = 0; y < height; ++y) {
      for (long j = 0; j < m; ++j) {
        c[(i * height + y) * (m + kGap) + j] = y;
      }
    }
    for (long k = 0; k < 3; ++k) {
      for (long y = 1; y < height; ++y) {
        for (long j = 2; j < m; ++j) {
          c[(i * height + y) * (m + kGap) + j] += x[k] * y;
        }
      }
    }
    d[i] = 3;
  }
}

/// Half of the row is written before all of it is read.
static void halfRows(long n, long m, long *restrict c, long *restrict d, const long *restrict x) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < m / 2; ++j) {
      c[i * (m + kGap) + j] = i;
    }
    for (long k = 0; k < 3; ++k) {
      for (long j = 0; j < m; ++j) {
        c[i * (m + kGap) + j] += x[k] * j;
      }
    }
    d[i] = 4;
  }
}

/// Reads the element behind the last that has been written.
static void oneTooFar(long n, long m, long *restrict c, long *restrict d, const long *restrict x) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < m; ++j) {
      c[i * (m + kGap) + j] = x[j % 3];
    }
    long sum = 0;
    for (long j = 0; j < m; ++j) {
      sum += (j + 1) * c[i * (m + kGap) + j + 1];
    }
    d[i] = sum;
  }
}

/// Which elements are written depends on data; all are read.
static void someElements(long n, long m, long *restrict c, long *restrict d,
                         const long *restrict x) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < m; ++j) {
      if (x[(i + j) % 3] > 1) {
        c[i * (m + kGap) + j] = i;
      }
    }
    long sum = 0;
    for (long j = 0; j < m; ++j) {
      sum += (j + 1) * c[i * (m + kGap) + j];
    }
    d[i] = sum;
  }
}

/// The first loop may end early.
static void untilFound(long n, long m, long *restrict c, long *restrict d, const long *restrict x) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < m; ++j) {
      c[i * (m + kGap) + j] = j;
      if (x[j % 3] == i % 4) {
        break;
      }
    }
    long sum = 0;
    for (long j = 0; j < m; ++j) {
      sum += (j + 1) * c[i * (m + kGap) + j];
    }
    d[i] = sum;
  }
}

/// The write is left out in the first iteration of the loop around both.
static void notTheFirstTime(long n, long m, long *restrict c, long *restrict d,
                            const long *restrict x) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long sum = 0;
    for (long k = 0; k < 3; ++k) {
      if (x[k] > 1) {
        for (long j = 0; j < m; ++j) {
          c[i * (m + kGap) + j] = k;
        }
      }
      for (long j = 0; j < m; ++j) {
        sum += (j + 1) * c[i * (m + kGap) + j];
      }
    }
    d[i] = sum;
  }
}

/// Each element is read from what it was, or from what the element before has become.
static void readFirst(long n, long m, long *restrict c, long *restrict d, const long *restrict x) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 1; j < m; ++j) {
      c[i * (m + kGap) + j] += c[i * (m + kGap) + j - 1] + x[j % 3];
    }
    d[i] = 5;
  }
}

static const struct {
  const char *name;
  Loop *run;
} loops[] = {
    {"wholeRows", wholeRows},   {"wholeRowsBackwards", wholeRowsBackwards},
    {"innerPart", innerPart},   {"unsignedRows", unsignedRows},
    {"boxes", boxes},           {"halfRows", halfRows},
    {"oneTooFar", oneTooFar},   {"someElements", someElements},
    {"untilFound", untilFound}, {"notTheFirstTime", notTheFirstTime},
    {"readFirst", readFirst},
};

static const long factors[3] = {1, 2, 3};
static long global[kRows * (kColumns + kGap)];

static unsigned long checksum(const long *values, long count) {
  unsigned long sum = 0;
  for (long i = 0; i < count; ++i) {
    sum = sum * 31 + (unsigned long)values[i];
  }
  return sum;
}

/// Two launches, so that the second finds parts where the first has left them, on an array that
/// sequential code has filled, and one more with other rows for each rank.
static void check(Loop *run, const char *where, long n, long m, long *c, long *d, long *x) {
  const long count = n * (m + kGap);
  for (long i = 0; i < count; ++i) {
    c[i] = i % 101;
  }
  memset(d, 0, (size_t)n * sizeof *d);
  memcpy(x, factors, sizeof factors);
  run(n, m, c, d, x);
  x[1] = 7;
  run(n, m, c, d, x);
  run(n - 1, m, c, d, x);
  printf(" %s %lx %lx", where, checksum(c, count), checksum(d, n));
}

int main(int argc, char **argv) {
  long *large = malloc((size_t)kRows * (kColumns + kGap) * sizeof *large);
  long *small = malloc((size_t)kFewRows * (kFewColumns + kGap) * sizeof *small);
  long *d = malloc(kRows * sizeof *d);
  long *x = malloc(sizeof factors);
  long local[kFewRows * (kFewColumns + kGap)];
  const int steps = argc > 2 ? atoi(argv[2]) : 0;
  for (size_t loop = 0; loop < sizeof loops / sizeof *loops; ++loop) {
    if (argc > 1 && strcmp(argv[1], loops[loop].name) != 0) {
      continue;
    }
    printf("%s", loops[loop].name);
    for (int step = 0; step < steps; ++step) {
      memcpy(x, factors, sizeof factors);
      for (long i = 0; i < kRows * (kColumns + kGap); ++i) {
        large[i] = i + step;
      }
      loops[loop].run(kRows, kColumns, large, d, x);
    }
    if (steps == 0) {
      check(loops[loop].run, "heap", kRows, kColumns, large, d, x);
      check(loops[loop].run, "global", kRows, kColumns, global, d, x);
      check(loops[loop].run, "small", kFewRows, kFewColumns, small, d, x);
      check(loops[loop].run, "stack", kFewRows, kFewColumns, local, d, x);
      check(loops[loop].run, "empty", kFewRows, 0, small, d, x);
    }
    printf("\n");
  }
  free(large);
  free(small);
  free(d);
  free(x);
  return 0;
}
