// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that access one of several places: values of conditional expressions, of which the
/// optimiser makes addresses that are chosen. Every loop is distributed and has a kernel.
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 120 };

static const long kTable[8] = {3, 1, 4, 1, 5, 9, 2, 6};
long offsets[8] = {2, 7, 1, 8, 2, 8, 1, 8};

struct Cell {
  long value;
  int left;
  int right;
};

static void shifted(long *a, const long *b, long n, long left) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = i == 0 ? left : b[i - 1];
  }
}

static void joined(long *a, const long *b, const long *c, long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = i < m ? b[i] : c[i];
  }
}

static void limited(long *a, const long *b, const long *c, long n, long most) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long x;
    if (c[i] > 5) {
      x = b[i];
    } else {
      x = most;
    }
    a[i] = 2 * x;
  }
}

static void symmetric(long *a, const long *b, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long sum = 0;
    for (long j = 0; j < n; ++j) {
      sum += j <= i ? b[i * n + j] : b[j * n + i];
    }
    a[i] = sum;
  }
}

static void private_or_shared(long *a, const long *c, long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long mine[8];
    for (long j = 0; j < 8; ++j) {
      mine[j] = i * j;
    }
    const long *from = &mine[i & 7];
    if (m) {
      from = &c[i / m];
    }
    a[i] = *from;
  }
}

static void one_of_two(long *a, const long *b, const long *c, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    const long *p = i % 2 ? b : c;
    a[i] = p[i] + p[(i + 1) % n];
  }
}

/* Neighbours on a ring, and at borders that repeat what is inside. */
static void ring(long *a, const long *b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const int left = i == 0 ? n - 1 : i - 1;
    const int right = i == n - 1 ? 0 : i + 1;
    a[i] = b[left] - 2 * b[i] + b[right];
  }
}

static void clamped(long *a, const long *b, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    const long left = i > 2 ? i - 3 : 0;
    const long right = i + 3 < n ? i + 3 : n - 1;
    a[i] = b[left] + 3 * b[right];
  }
}

static void plane(long *a, const long *b, long rows, long columns) {
#pragma omp parallel for
  for (long i = 0; i < rows; ++i) {
    const long up = i ? i - 1 : rows - 1;
    for (long j = 0; j < columns; ++j) {
      const long left = j ? j - 1 : columns - 1;
      a[i * columns + j] = b[up * columns + j] + 5 * b[i * columns + left];
    }
  }
}

static void narrow_plane(long *a, const long *b, int rows, int columns) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    const int up = i == 0 ? rows - 1 : i - 1;
    for (int j = 0; j < columns; ++j) {
      const int left = j == 0 ? columns - 1 : j - 1;
      const int right = j == columns - 1 ? 0 : j + 1;
      a[i * columns + j] = b[up * columns + j] + b[i * columns + left] + 2 * b[i * columns + right];
    }
  }
}

/* Half a matrix, row by row. */
static void packed(long *a, const long *b, const long *x, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long sum = 0;
    for (long j = 0; j < n; ++j) {
      sum += (j <= i ? b[i * (i + 1) / 2 + j] : b[j * (j + 1) / 2 + i]) * x[j];
    }
    a[i] = sum;
  }
}

static void table_or_shared(long *a, const long *c, long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    const long *from = c[i] > m ? kTable : offsets;
    a[i] = from[i & 7] + 2 * from[c[i] & 7];
  }
}

static void one_of_four(long *a, const long *b, const long *c, long n, long most) {
  long own = 17;
#pragma omp parallel for firstprivate(own)
  for (long i = 0; i < n; ++i) {
    const long *from;
    switch (c[i] % 4) {
    case 0:
      from = &b[i];
      break;
    case 1:
      from = &most;
      break;
    case 2:
      from = &c[n - 1 - i];
      break;
    default:
      from = &own;
    }
    own += i & 1;
    own -= i & 1;
    a[i] = *from * 3 + (i & 1);
  }
}

static void nested(long *a, const long *b, const long *c, long n, long most) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long mine[8];
    for (long j = 0; j < 8; ++j) {
      mine[j] = i * j;
    }
    const long *from;
    switch (c[i] % 4) {
    case 0:
      from = b[i] > 3 ? &mine[c[i] & 7] : &c[n - 1 - i];
      break;
    case 2:
      from = &most;
      break;
    default:
      from = b[i] & 1 ? &b[n - i] : &mine[3];
    }
    a[i] = 1;
    for (long j = 0; j < n; ++j) {
      a[i] += c[j] * mine[j & 7];
    }
    a[i] += *from;
  }
}

static void rows_of_two(long *a, const long *b, const long *c, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    const long *row = i % 3 ? &b[i * n] : c;
    long sum = 0;
    for (long j = 0; j < n; ++j) {
      sum = sum * 3 % 1009 + row[j];
    }
    a[i] = sum;
  }
}

/* Rows that are found in memory: `other` where there is none. */
static void found_or_other(long *a, long *const *rows, const long *other, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    const long *row = rows[i] ? rows[i] : other;
    for (long j = 0; j < 4; ++j) {
      a[i * 4 + j] = row[j] + i;
    }
  }
}

static void sides(struct Cell *a, const struct Cell *b, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    const struct Cell *from = b[i].left > b[i].right ? &b[i] : &b[n - 1 - i];
    a[i] = *from;
    a[i].left += i;
  }
}

static void written(long *a, long *b, const long *c, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long *to = c[i] % 3 ? a : b;
    to[i] = c[i] + i;
    *(i < n / 2 ? &a[i + n] : &b[i + n]) += 2 * i;
  }
}

static void written_beside(long *a, const long *c, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long mine[4] = {1, 2, 3, 4};
    long *to = c[i] & 1 ? &mine[i & 3] : &a[i];
    *to += 5;
    a[n + i] = mine[0] + mine[1] * 10 + mine[2] * 100 + mine[3] * 1000;
  }
}

static long summed(const long *b, const long *c, long n, long some) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; ++i) {
    sum += c[i] > 4 ? b[n - i] : i & 1 ? c[i] : some;
  }
  return sum;
}

static void show(const char *name, const long *a, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    sum = sum * 31 % 1000003 + a[i];
  }
  printf("%s %ld %ld %ld\n", name, a[0], a[n - 1], sum);
}

int main(void) {
  const long n = kRows;
  long *a = malloc(n * n * sizeof *a);
  long *d = malloc(2 * n * sizeof *d);
  long **rows = malloc(n * sizeof *rows);
  struct Cell *cells = malloc(2 * n * sizeof *cells);
  long *b = malloc(n * n * sizeof *b);
  long *c = malloc(n * sizeof *c);
  for (long i = 0; i < n * n; ++i) {
    b[i] = i % 13;
  }
  for (long i = 0; i < n; ++i) {
    c[i] = i % 11;
    d[i] = d[n + i] = i;
    rows[i] = i % 5 ? &b[i * n] : NULL;
    cells[i] = (struct Cell){i * 3, i % 7, i % 4};
    cells[n + i] = cells[i];
  }
  for (int round = 0; round < 3; ++round) {
    shifted(a, b, n, 1000 + round);
    show("shifted", a, n);
    joined(a, b, c, n, 40 + round);
    show("joined", a, n);
    limited(a, b, c, n, 2000 + round);
    show("limited", a, n);
    symmetric(a, b, n);
    show("symmetric", a, n);
    private_or_shared(a, c, n, round);
    show("private or shared", a, n);
    one_of_two(a, b, c, n);
    show("one of two", a, n);
    ring(a, b, n);
    show("ring", a, n);
    clamped(a, b, n);
    show("clamped", a, n);
    plane(a, b, n, n);
    show("plane", a, n * n);
    narrow_plane(a, b, n - round, n);
    show("narrow plane", a, n * (n - round));
    packed(a, b, c, n);
    show("packed", a, n);
    table_or_shared(a, c, n, 3 + round);
    show("table or shared", a, n);
    one_of_four(a, b, c, n, 3000 + round);
    show("one of four", a, n);
    nested(a, b, c, n, 4000 + round);
    show("nested", a, n);
    rows_of_two(a, b, c, n);
    show("rows of two", a, n);
    found_or_other(a, rows, c, n);
    show("found or other", a, 4 * n);
    sides(cells + n, cells, n);
    show("sides", (const long *)(cells + n), 2 * n);
    written(a, d, c, n);
    show("written", a, 2 * n);
    show("written too", d, 2 * n);
    written_beside(a, c, n);
    show("written beside", a, 2 * n);
    printf("summed %ld\n", summed(b, c, n, round));
    b[round * 7] += 5;
    c[round] += 6;
    offsets[round] += 4;
    cells[round].left += 9;
    rows[round] = round ? NULL : &b[n];
  }
  free(a);
  free(b);
  free(c);
  free(d);
  free(rows);
  free(cells);
  return 0;
}
