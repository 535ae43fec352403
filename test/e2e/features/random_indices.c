// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARGS: 1 2 3 4 5 6
/// \file
/// Random sequences of loops with computed indices and sequential changes, over arrays of all
/// kinds; each argument is the seed of one sequence.
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4000, ARRAYS = 9, PERMUTATIONS = 3, STEPS = 30 };

static unsigned long long state;

static unsigned next(unsigned below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % below;
}

typedef struct {
  double *array[ARRAYS];
  int *index[PERMUTATIONS]; ///< Of 0 to n - 1.
  long *wide;               ///< The same as index[0], backwards.
  int *start;               ///< Rows of at most one entry; n + 1 of them.
  int *column;
} Data;

double global[MOST];
static double local[MOST];
static double shifted[MOST + 1];

#define NOINLINE __attribute__((noinline))

NOINLINE static void gather(long n, double *to, const double *from, const int *index) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    to[i] = from[index[i]];
  }
}

NOINLINE static void gatherWide(int n, double *to, const double *from, const long *index) {
#pragma omp parallel for schedule(dynamic, 7)
  for (int i = 0; i < n; ++i) {
    to[i] += 0.5 * from[index[i]];
  }
}

NOINLINE static void gatherFromEnd(long n, double *to, const double *end, const int *index) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    to[i] = end[-1 - index[i]];
  }
}

NOINLINE static void gatherSome(long n, long first, double *to, const double *from,
                                const int *index) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    if (i >= first && index[i] % 3 != 1) {
      to[i] = from[index[i]];
    }
  }
}

NOINLINE static void gatherInPlace(long n, double *array, const int *index) {
  const long half = n / 2;
#pragma omp parallel for
  for (long i = 0; i < half; ++i) {
    array[i] = 0.5 * array[i] + 0.5 * array[half + index[i] % half];
  }
}

NOINLINE static double sumOfSome(long n, const double *from, const int *index) {
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; ++i) {
    sum += from[index[i]] * (double)(i % 3);
  }
  return sum;
}

NOINLINE static void multiply(int n, const Data *data, double *to, const double *from) {
  const int *start = data->start;
  const int *column = data->column;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int k = start[i]; k < start[i + 1]; ++k) {
      sum += 0.25 * from[column[k]];
    }
    to[i] = sum;
  }
}

NOINLINE static void scatter(long n, double *to, const double *from, const int *index) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    to[index[i]] = 0.5 * to[index[i]] + 0.5 * from[i];
  }
}

NOINLINE static void scatterSome(long n, double *to, const double *from, const int *index) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    if (index[i] % 3 == 2) {
      to[index[i]] = from[i];
    }
  }
}

NOINLINE static void scatterRows(int n, const int *start, double *to, const double *from) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int k = start[i]; k < start[i + 1]; ++k) {
      to[k] = 0.5 * to[k] + 0.25 * from[i];
    }
  }
}

NOINLINE static void smooth(long n, double *to, const double *from) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i) {
    to[i] = 0.5 * (from[i - 1] + from[i + 1]);
  }
}

NOINLINE static void compose(long n, int *to, const int *from) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    to[i] = from[from[i]];
  }
}

static void changeSome(int n, double *array) {
  for (int k = 0; k < 5; ++k) {
    array[next((unsigned)n)] = 0.1 * k;
  }
}

static void swapTwo(int n, int *index) {
  const unsigned a = next((unsigned)n);
  const unsigned b = next((unsigned)n);
  const int kept = index[a];
  index[a] = index[b];
  index[b] = kept;
}

static void step(int n, Data *data) {
  const unsigned chosen = next(ARRAYS);
  double *to = data->array[chosen];
  const double *from = data->array[(chosen + 1 + next(ARRAYS - 1)) % ARRAYS];
  const unsigned permutation = next(PERMUTATIONS);
  int *index = data->index[permutation];
  double sum = 0.0;
  const unsigned what = next(16);
  switch (what) {
  case 0:
    gather(n, to, from, index);
    break;
  case 1:
    gatherWide(n, to, from, data->wide);
    break;
  case 2:
    gatherFromEnd(n, to, from + n, index);
    break;
  case 3:
    gatherSome(n, next((unsigned)n), to, from, index);
    break;
  case 4:
    gatherInPlace(n, to, index);
    break;
  case 5:
    sum = sumOfSome(n, from, index);
    break;
  case 6:
    multiply(n, data, to, from);
    break;
  case 7:
    scatter(n, to, from, index);
    break;
  case 8:
    scatterSome(n, to, from, index);
    break;
  case 9:
    scatterRows(n, data->start, to, from);
    break;
  case 10:
    smooth(n, to, from);
    break;
  case 11:
    compose(n, index, data->index[(permutation + 1) % PERMUTATIONS]);
    break;
  case 12:
    changeSome(n, to);
    break;
  case 13:
    swapTwo(n, index);
    break;
  case 14:
    data->array[0] = realloc(data->array[0], (n + next(5000)) * sizeof(double));
    break;
  default:
    for (int i = 0; i < n; ++i) {
      sum += to[i] * (i % 7);
    }
  }
  printf("%u %.9g %.9g\n", what, sum, data->array[chosen][next((unsigned)n)]);
}

static void fillIndices(int n, Data *data) {
  for (int p = 0; p < PERMUTATIONS; ++p) {
    data->index[p] = malloc((size_t)n * sizeof(int));
    for (int i = 0; i < n; ++i) {
      data->index[p][i] = i;
    }
    for (int i = 0; i < n; ++i) {
      swapTwo(n, data->index[p]);
    }
  }
  data->wide = malloc((size_t)n * sizeof(long));
  data->start = malloc((size_t)(n + 1) * sizeof(int));
  data->column = malloc((size_t)n * sizeof(int));
  data->start[0] = 0;
  for (int i = 0; i < n; ++i) {
    data->wide[i] = data->index[0][n - 1 - i];
    data->start[i + 1] = data->start[i] + (next(3) > 0);
    data->column[i] = (int)next((unsigned)n);
  }
}

static void runSequence(unsigned long long seed) {
  state = 7919 * seed + 1;
  const int n = 200 + (int)next(3000);
  double onStack[MOST];
  double sized[n + 5];
  double *pool = malloc((size_t)(2 * n) * sizeof *pool);
  Data data = {{malloc((size_t)n * sizeof(double)), malloc((size_t)(n + 100) * sizeof(double)),
                pool, pool + n, onStack, sized, global, local, shifted + 1},
               {NULL},
               NULL,
               NULL,
               NULL};
  fillIndices(n, &data);
  for (int a = 0; a < ARRAYS; ++a) {
    for (int i = 0; i < n; ++i) {
      data.array[a][i] = next(1000) / 999.0;
    }
  }
  for (int k = 0; k < STEPS; ++k) {
    step(n, &data);
  }
  for (int a = 0; a < ARRAYS; ++a) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
      sum += data.array[a][i] * (i % 13 + 1);
    }
    printf("array %d: %.9g\n", a, sum);
  }
  free(data.array[0]);
  free(data.array[1]);
  free(pool);
  for (int p = 0; p < PERMUTATIONS; ++p) {
    free(data.index[p]);
  }
  free(data.wide);
  free(data.start);
  free(data.column);
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; ++k) {
    runSequence(strtoull(argv[k], NULL, 10));
  }
  return 0;
}
