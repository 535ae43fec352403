/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Loops over arrays of pointers: a stencil on rows, structures that hold a row and what is computed
 * of it, and columns that are looked up. Between launches sequential code exchanges, resizes and
 * changes rows. Whole numbers, compared with a plain array.
 *
 * Arguments: rows, columns, launches, every how many launches sequential code changes rows.
 */
#include "runtime/exec/test/hand_region.h"

#include <string.h>

typedef uint64_t Number;

static Number relaxed(const Number *above, const Number *row, const Number *below, int64_t j) {
  return (above[j] + below[j] + 3 * row[j - 1] + row[j + 1]) % 1000003;
}

static uint64_t followRow(tutti_sink *sink, uint64_t table, int64_t row) {
  return tutti_follow(sink, table + (uint64_t)(8 * row), 8);
}

static const Number *rowOf(uint64_t table, const tutti_chunk *chunk, int64_t row) {
  return VIEW(const Number, VIEW(const uint64_t, table, chunk)[row], chunk);
}

/* Captures: from, to, rows, columns. Iteration i is row i + 1. */
static void relaxBody(const uint64_t *captures, const tutti_chunk *chunk, int64_t first,
                      int64_t last, void *context) {
  (void)context;
  for (int64_t i = first + 1; i <= last + 1; ++i) {
    const Number *above = rowOf(captures[0], chunk, i - 1);
    const Number *row = rowOf(captures[0], chunk, i);
    const Number *below = rowOf(captures[0], chunk, i + 1);
    Number *to = (Number *)(uintptr_t)rowOf(captures[1], chunk, i);
    for (int64_t j = 1; j < (int64_t)captures[3] - 1; ++j) {
      to[j] = relaxed(above, row, below, j);
    }
  }
}

static void relaxRun(const uint64_t *captures, const tutti_chunk *chunk) {
  runLoop(captures, chunk, relaxBody);
}

static int64_t relaxTrip(const uint64_t *captures, const uint64_t *values) {
  (void)values;
  return (int64_t)captures[2] - 2;
}

static void relaxHome(const uint64_t *captures) {
  homeLoop(captures, relaxTrip(captures, NULL), relaxBody);
}

#define relaxGather noValues

static void relaxAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                          int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  (void)total;
  const tutti_dim all = {8, (int64_t)captures[3]};
  const tutti_dim inner = {8, (int64_t)captures[3] - 2};
  const tutti_dim pointers = {8, upper - lower + 2};
  tutti_access(sink, TUTTI_READ, captures[0], captures[0] + (uint64_t)(8 * lower), 8, 1, &pointers);
  tutti_access(sink, TUTTI_READ, captures[1], captures[1] + (uint64_t)(8 * lower), 8, 1, &pointers);
  for (int64_t i = lower + 1; i <= upper; ++i) {
    const uint64_t above = followRow(sink, captures[0], i - 1);
    const uint64_t row = followRow(sink, captures[0], i);
    const uint64_t below = followRow(sink, captures[0], i + 1);
    const uint64_t to = followRow(sink, captures[1], i);
    tutti_access(sink, TUTTI_READ, above, above + 8, 8, 1, &inner);
    tutti_access(sink, TUTTI_READ, below, below + 8, 8, 1, &inner);
    tutti_access(sink, TUTTI_READ, row, row, 8, 1, &all);
    tutti_access(sink, TUTTI_WRITE, to, to + 8, 8, 1, &inner);
  }
}

USER_REGION(relax, 0x5a01, 4, 0, TUTTI_REGION_FOLLOWS);

typedef struct {
  Number *data;
  Number sum;
  uint32_t length;
} Row;

/* The sum of each row's first numbers. Captures: structures, rows. */
static void sumBody(const uint64_t *captures, const tutti_chunk *chunk, int64_t first, int64_t last,
                    void *context) {
  (void)context;
  for (int64_t i = first; i <= last; ++i) {
    Row *row = VIEW(Row, captures[0], chunk) + i;
    const Number *data = VIEW(const Number, (uintptr_t)row->data, chunk);
    row->sum = 0;
    for (uint32_t j = 0; j < row->length; ++j) {
      row->sum += data[j];
    }
  }
}

static void sumRun(const uint64_t *captures, const tutti_chunk *chunk) {
  runLoop(captures, chunk, sumBody);
}

static int64_t sumTrip(const uint64_t *captures, const uint64_t *values) {
  (void)values;
  return (int64_t)captures[1];
}

static void sumHome(const uint64_t *captures) { homeLoop(captures, (int64_t)captures[1], sumBody); }

#define sumGather noValues

static void sumAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                        int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  (void)total;
  for (int64_t i = lower; i < upper; ++i) {
    const uint64_t row = captures[0] + (uint64_t)i * sizeof(Row);
    const uint64_t data = tutti_follow(sink, row + offsetof(Row, data), 8);
    const tutti_dim dim = {8, (int64_t)tutti_follow(sink, row + offsetof(Row, length), 4)};
    tutti_access(sink, TUTTI_READ, captures[0], row, 8, 0, NULL);
    tutti_access(sink, TUTTI_READ, captures[0], row + offsetof(Row, length), 4, 0, NULL);
    tutti_access(sink, TUTTI_WRITE, captures[0], row + offsetof(Row, sum), 8, 0, NULL);
    tutti_access(sink, TUTTI_READ, data, data, 8, 1, &dim);
  }
}

USER_REGION(sum, 0x5a02, 2, 0, TUTTI_REGION_FOLLOWS);

/* result[i] = row i at columns[i]. Captures: table, rows, columns, result. */
static void lookUpBody(const uint64_t *captures, const tutti_chunk *chunk, int64_t first,
                       int64_t last, void *context) {
  (void)context;
  for (int64_t i = first; i <= last; ++i) {
    VIEW(Number, captures[3], chunk)
    [i] = rowOf(captures[0], chunk, i)[VIEW(const int64_t, captures[2], chunk)[i]];
  }
}

static void lookUpRun(const uint64_t *captures, const tutti_chunk *chunk) {
  runLoop(captures, chunk, lookUpBody);
}

#define lookUpTrip sumTrip
#define lookUpGather noValues

static void lookUpHome(const uint64_t *captures) {
  homeLoop(captures, (int64_t)captures[1], lookUpBody);
}

static void lookUpAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                           int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  (void)total;
  const tutti_dim dim = {8, upper - lower};
  const uint64_t first = (uint64_t)(8 * lower);
  tutti_access(sink, TUTTI_READ, captures[0], captures[0] + first, 8, 1, &dim);
  tutti_access(sink, TUTTI_READ, captures[2], captures[2] + first, 8, 1, &dim);
  tutti_access(sink, TUTTI_WRITE, captures[3], captures[3] + first, 8, 1, &dim);
  for (int64_t i = lower; i < upper; ++i) {
    const uint64_t row = followRow(sink, captures[0], i);
    tutti_access(sink, TUTTI_READ | TUTTI_AT_MOST | TUTTI_ALLOCATION, row, row, 1, 0, NULL);
  }
}

USER_REGION(lookUp, 0x5a03, 4, 0, TUTTI_REGION_FOLLOWS);

/* What the program should hold: the row that a pointer leads to is `plain[index]`. */
typedef struct {
  Number **rows;
  Number **plain;
} Table;

static Table tableOf(int64_t n, int64_t m, Number factor) {
  Table table = {tutti_malloc((size_t)n * sizeof(Number *)), malloc((size_t)n * sizeof(Number *))};
  for (int64_t i = 0; i < n; ++i) {
    table.rows[i] = tutti_malloc((size_t)m * sizeof(Number));
    table.plain[i] = malloc((size_t)m * sizeof(Number));
    for (int64_t j = 0; j < m; ++j) {
      table.rows[i][j] = table.plain[i][j] = (Number)(i * 7919 + j * 31) * factor % 1009;
    }
  }
  return table;
}

static void expectSame(Table table, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    CHECK(memcmp(table.rows[i], table.plain[i], (size_t)m * sizeof(Number)) == 0);
  }
}

/* Rows change places, and one gets memory elsewhere. */
static void changeRows(Table table, int64_t n, int64_t m, int64_t round) {
  const int64_t one = round * 31 % n;
  const int64_t other = round * 17 % n;
  Number *row = table.rows[one];
  table.rows[one] = table.rows[other];
  table.rows[other] = row;
  row = table.plain[one];
  table.plain[one] = table.plain[other];
  table.plain[other] = row;
  const int64_t third = round * 13 % n;
  row = tutti_malloc((size_t)(m + round % 5) * sizeof(Number));
  memcpy(row, table.rows[third], (size_t)m * sizeof(Number));
  free(table.rows[third]);
  table.rows[third] = row;
  table.rows[third][1] = table.plain[third][1] = (Number)round;
}

static void launchRelax(Table from, Table to, int64_t n, int64_t m) {
  const uint64_t captures[4] = {(uintptr_t)from.rows, (uintptr_t)to.rows, (uint64_t)n, (uint64_t)m};
  tutti_launch(&relax, captures);
  for (int64_t i = 1; i < n - 1; ++i) {
    for (int64_t j = 1; j < m - 1; ++j) {
      to.plain[i][j] = relaxed(from.plain[i - 1], from.plain[i], from.plain[i + 1], j);
    }
  }
}

static void launchSum(Table table, Row *rows, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    rows[i].data = table.rows[i];
    rows[i].length = (uint32_t)(m - i % 3);
  }
  const uint64_t captures[2] = {(uintptr_t)rows, (uint64_t)n};
  for (int again = 0; again < 2; ++again) {
    tutti_launch(&sum, captures);
  }
  for (int64_t i = 0; i < n; ++i) {
    Number expected = 0;
    for (int64_t j = 0; j < m - i % 3; ++j) {
      expected += table.plain[i][j];
    }
    CHECK(rows[i].sum == expected);
  }
}

static void launchLookUp(Table table, int64_t *columns, Number *result, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    columns[i] = i * 5 % m;
  }
  const uint64_t captures[4] = {(uintptr_t)table.rows, (uint64_t)n, (uintptr_t)columns,
                                (uintptr_t)result};
  tutti_launch(&lookUp, captures);
  for (int64_t i = 0; i < n; ++i) {
    CHECK(result[i] == table.plain[i][columns[i]]);
  }
}

int main(int argc, char **argv) {
  CHECK(argc == 5);
  const int64_t n = atoll(argv[1]);
  const int64_t m = atoll(argv[2]);
  const int64_t launches = atoll(argv[3]);
  const int64_t every = atoll(argv[4]);

  Table from = tableOf(n, m, 1);
  Table to = tableOf(n, m, 5);
  Row *rows = tutti_malloc((size_t)n * sizeof(Row));
  int64_t *columns = tutti_malloc((size_t)n * sizeof(int64_t));
  Number *result = tutti_malloc((size_t)n * sizeof(Number));
  for (int64_t round = 1; round <= launches; ++round) {
    launchRelax(from, to, n, m);
    const Table swapped = from;
    from = to;
    to = swapped;
    if (round % every == 0) {
      changeRows(from, n, m, round);
      launchSum(from, rows, n, m);
      launchLookUp(to, columns, result, n, m);
      expectSame(from, n, m);
    }
  }
  expectSame(from, n, m);
  expectSame(to, n, m);
  puts("ok");
  return 0;
}
