// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops over rows that lie anywhere: their pointers are found in memory.
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 61, kColumns = 77 };

struct body {
  double x, v;
  struct body *leader;
};

struct slice {
  int length;
  double *values;
};

static double **matrix(int rows, int columns) {
  double **all = malloc((size_t)rows * sizeof *all);
  for (int i = 0; i < rows; ++i) {
    all[i] = malloc((size_t)columns * sizeof **all);
    for (int j = 0; j < columns; ++j) {
      all[i][j] = (i * 31 + j * 17) % 101;
    }
  }
  return all;
}

static void print(const char *name, double **a, int rows, int columns) {
  double sum = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      sum += a[i][j] * (1 + (i * 7 + j) % 13);
    }
  }
  printf("%s %.10g\n", name, sum);
}

static void stencil(double **to, double **from, int rows, int columns) {
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
    for (int j = 1; j < columns - 1; ++j) {
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
    }
  }
}

/// In place, if both are the same or share rows: then columns depend on one another.
__attribute__((noinline)) static void run_along(double **to, double **from, int rows, int columns) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    for (int j = 1; j < columns; ++j) {
      to[i][j] = 0.5 * from[i][j - 1] + 1;
    }
  }
}

static void multiply(double **c, double **a, double **b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      c[i][j] = 0;
    }
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) {
        c[i][j] += a[i][k] * b[k][j];
      }
    }
  }
}

static void planes(double ***cube, int n) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        cube[i][j][k] = cube[i][j][k] * 2 + i - j + k;
      }
    }
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 1; j < n - 1; ++j) {
      for (int k = 0; k < n; ++k) {
        cube[i][j][k] += 1 + i;
      }
    }
  }
}

/// Bytes may be part of anything, also of pointers.
static void blur(unsigned char **to, unsigned char **from, int rows, int columns) {
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
    for (int j = 0; j < columns; ++j) {
      to[i][j] = (unsigned char)((from[i - 1][j] + 2 * from[i][j] + from[i + 1][j]) / 4);
    }
  }
}

static void bodies(void) {
  enum { kBodies = 500 };
  struct body **all = malloc(kBodies * sizeof *all);
  for (int i = 0; i < kBodies; ++i) {
    all[i] = malloc(sizeof **all);
    all[i]->x = i;
    all[i]->v = 1.0 / (i + 1);
    all[i]->leader = all[i / 2];
  }
  double *pull = calloc(kBodies, sizeof *pull);
  for (int step = 0; step < 5; ++step) {
#pragma omp parallel for
    for (int i = 0; i < kBodies; ++i) {
      pull[i] = all[i]->leader->x - all[i]->x;
    }
#pragma omp parallel for
    for (int i = 0; i < kBodies; ++i) {
      all[i]->v += 0.01 * pull[i];
      all[i]->x += all[i]->v;
    }
    struct body *first = all[step]; // Two of them change places.
    all[step] = all[kBodies - 1 - step];
    all[kBodies - 1 - step] = first;
  }
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < kBodies; ++i) {
    sum += all[i]->x * (i % 7);
  }
  printf("bodies %.10g\n", sum);
}

/// Lengths lie beside the pointers; some rows do not exist.
static void slices(void) {
  struct slice all[kRows];
  for (int i = 0; i < kRows; ++i) {
    all[i].length = i % 5 == 3 ? 0 : (i * 7) % 40;
    all[i].values = all[i].length > 0 ? calloc((size_t)all[i].length, sizeof(double)) : NULL;
  }
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel for
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < all[i].length; ++j) {
        all[i].values[j] += i + j * step;
      }
    }
  }
  double sum = 0;
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < all[i].length; ++j) {
      sum += all[i].values[j] * (1 + j % 3);
    }
  }
  printf("slices %.10g\n", sum);
  double *rows[kRows];
  for (int i = 0; i < kRows; ++i) {
    rows[i] = i % 3 == 1 ? NULL : calloc(8, sizeof(double));
  }
#pragma omp parallel for
  for (int i = 0; i < kRows; ++i) {
    if (rows[i]) {
      for (int j = 0; j < 8; ++j) {
        rows[i][j] = i * j;
      }
    }
  }
  sum = 0;
  for (int i = 0; i < kRows; ++i) {
    sum += rows[i] ? rows[i][7] * i : 0;
  }
  printf("missing rows %.10g\n", sum);
}

/// A row for each part of the loop, and columns that are known only when it runs.
static void histograms(void) {
  enum { kBins = 16, kItems = 1000 };

  int **bins = malloc(kRows * sizeof *bins);
  for (int i = 0; i < kRows; ++i) {
    bins[i] = calloc(kBins, sizeof **bins);
  }
  int *items = malloc(kItems * sizeof *items);
  for (int k = 0; k < kItems; ++k) {
    items[k] = (k * 7919) % kBins;
  }
#pragma omp parallel for
  for (int i = 0; i < kRows; ++i) {
    for (int k = i; k < kItems; ++k) {
      ++bins[i][items[k]];
    }
  }
  long found[kRows];
#pragma omp parallel for
  for (int i = 0; i < kRows; ++i) {
    found[i] = bins[i][items[i]] + bins[kRows - 1 - i][items[2 * i]];
  }
  long sum = 0;
  for (int i = 0; i < kRows; ++i) {
    for (int b = 0; b < kBins; ++b) {
      sum += (long)bins[i][b] * (b + i);
    }
    sum += found[i] * i;
  }
  printf("histograms %ld\n", sum);
}

int main(void) {
  double **a = matrix(kRows, kColumns);
  double **b = matrix(kRows, kColumns);
  for (int step = 0; step < 10; ++step) {
    stencil(b, a, kRows, kColumns);
    double **old = a;
    a = b;
    b = old;
  }
  print("stencil", a, kRows, kColumns);
  run_along(b, a, kRows, kColumns);
  print("apart", b, kRows, kColumns);
  run_along(a, a, kRows, kColumns);
  print("in place", a, kRows, kColumns);
  double *shared = b[5];
  b[5] = a[9];
  run_along(b, a, 9, kColumns);
  b[5] = shared;
  double *own[kRows];
  for (int i = 0; i < kRows; ++i) {
    own[i] = a[i];
  }
  run_along(own, a, kRows, kColumns);
  print("same rows", a, kRows, kColumns);
  print("shared row", b, kRows, kColumns);

  double **c = matrix(40, 40);
  multiply(c, a, b, 40);
  print("product", c, 40, 40);
  free(c[39]); // Rows change between launches of one loop.
  c[39] = c[0];
  c[0] = calloc(40, sizeof **c);
  multiply(c, b, a, 39);
  print("product again", c, 40, 40);

  enum { kCube = 14 };

  double ***cube = malloc(kCube * sizeof *cube);
  for (int i = 0; i < kCube; ++i) {
    cube[i] = matrix(kCube, kCube);
  }
  planes(cube, kCube);
  for (int i = 0; i < kCube; i += 5) {
    print("plane", cube[i], kCube, kCube);
  }

  unsigned char *image[2][kRows];
  for (int i = 0; i < kRows; ++i) {
    image[0][i] = malloc(kColumns);
    image[1][i] = calloc(kColumns, 1);
    for (int j = 0; j < kColumns; ++j) {
      image[0][i][j] = (unsigned char)(i * 7 + j * 3);
    }
  }
  long grey = 0;
  for (int step = 0; step < 4; ++step) {
    blur(image[1 - step % 2], image[step % 2], kRows, kColumns);
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      grey += image[0][i][j] * (j % 5);
    }
  }
  printf("image %ld\n", grey);
  bodies();
  slices();
  histograms();
  return 0;
}
