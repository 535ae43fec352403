// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Flags that many iterations set to one value: a fixed point, a search by levels, components.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool hasMoved; // A variable of the program.

struct State {
  int rounds;
  bool more;
  double value;
};

/// A variable of the caller's, next to others.
static int settle(int *a, int n, struct State *state) {
  state->more = true;
  while (state->more) {
    state->more = false;
    ++state->rounds;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      if (a[i] > 5) {
        a[i] -= 3;
        state->more = true;
      }
    }
  }
  return state->rounds;
}

/// Levels of a graph in which node i leads to 2 i + 1 and 2 i + 2; nobody writes a level twice.
static int levels(int *level, int n) {
  int depth = 0;
  bool found = true;
  for (int i = 0; i < n; ++i) {
    level[i] = -1;
  }
  level[0] = 0;
  while (found) {
    found = false;
#pragma omp parallel for schedule(static)
    for (int i = 1; i < n; ++i) {
      if (level[i] < 0 && level[(i - 1) / 2] == depth) {
        level[i] = depth + 1;
#pragma omp atomic write
        found = true;
      }
    }
    ++depth;
  }
  return depth;
}

/// Set in two places, in an inner loop, or in no iteration.
static int outside(const double *x, int n, int m, double limit) {
  int isOutside = 0;
  hasMoved = false;
#pragma omp parallel for collapse(1)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      if (x[i * m + j] > limit) {
        isOutside = 1;
      }
    }
    if (x[i * m] < -limit) {
      isOutside = 1;
      hasMoved = true;
    }
  }
  return 2 * isOutside + hasMoved;
}

/// Different values are another matter: the last iteration that writes is not known.
static int either(const double *x, int n) {
  int sign = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (i == 3) {
      sign = x[i] > 1 ? 7 : 9;
    }
  }
  return sign;
}

int main(void) {
  const int n = 6000;
  int *a = malloc(sizeof *a * n);
  double *x = malloc(sizeof *x * n);
  struct State state = {0, false, 0.5};
  for (int i = 0; i < n; ++i) {
    a[i] = i % 37;
    x[i] = i % 101;
  }
  printf("%d", settle(a, n, &state));
  printf(" %d %.1f\n", a[12 * 37 + 36], state.value);
  printf("%d\n", levels(a, n));
  printf("%d %d", outside(x, 60, 100, 99.5), outside(x, 60, 100, 200));
  x[500] = -300;
  printf(" %d\n", outside(x, 60, 100, 200));
  printf("%d\n", either(x, n));
  free(a);
  free(x);
}
