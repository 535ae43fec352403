// Bounds and steps of distributed loops that statements between them and the outer loops change: by
// name, through a pointer, in a function, in the C library, as elements and as members; and bounds
// that only mean something where a branch is taken.
#include <stdio.h>

#define N 18

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
double grid[N][N];
int a[N][N][4];
#pragma xmp align grid[i][*] with t[i]
#pragma xmp align a[*][j][*] with t[j]
#pragma xmp shadow grid[1][0]

static int length[N], level = 3;

static struct range {
  int low, high;
} range;

static void raise_level(void) { level = level % 7 + 1; }

/// Red and black, each column from a row of its own.
static double relax(void) {
  double sum = 0;
  int i, j, start;
#pragma xmp loop(i) on t[i]
  for (i = 0; i < N; i++) {
    for (j = 0; j < N; j++) {
      grid[i][j] = i * j % 5;
    }
  }
  for (int step = 0; step < 4; step++) {
    for (int colour = 0; colour < 2; colour++) {
#pragma xmp reflect(grid)
#pragma xmp loop(i) on t[i]
      for (j = 1; j < N - 1; j++) {
        start = 1 + (j + colour) % 2;
        for (i = start; i < N - 1; i += 2) {
          grid[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
        }
      }
    }
  }
#pragma xmp loop(i) on t[i] reduction(+ : sum)
  for (i = 0; i < N; i++) {
    for (j = 0; j < N; j++) {
      sum += grid[i][j] * (i + 3 * j);
    }
  }
  return sum;
}

static void change(void) {
  int i, j, step = 1, low = 0, *const pointer = &step;
#pragma xmp loop(j) on t[j]
  for (i = 0; i < N; i++) {
    for (j = low; j < N; j++) {
      a[i][j][0] += i + j;
    }
    low = 3 - low;
  }
#pragma xmp loop(j) on t[j]
  for (i = 0; i < N; i++) {
    raise_level();
    for (j = 0; j < N - level; j++) {
      a[i][j][1] += i + j;
    }
  }
#pragma xmp loop(j) on t[j]
  for (i = 0; i < N; i++) {
    *pointer = i % 3 + 1;
    for (j = 0; j < N; j += step) {
      a[i][j][2] += i + j;
    }
  }
#pragma xmp loop(j) on t[j]
  for (i = 0; i < N; i++) {
    range.low = i / 2;
    range.high = i;
    for (j = range.high; j >= range.low; j--) {
      a[i][j][3] += i + j;
    }
  }
#pragma xmp loop(j) on t[j]
  for (i = 0; i < N; i++) {
    length[5] = i;
    for (j = 0; j < length[5]; j++) {
      a[i][j][3] += 3;
    }
  }
#pragma xmp loop(j) on t[j]
  for (i = 0; i < N; i++) {
    sscanf(i % 2 ? "4" : "9", "%d", &low);
    for (j = low; j < N; j++) {
      a[i][j][3] += 5;
    }
  }
}

/// Behind branches, where the bounds mean nothing if these are not taken.
static void guarded(const struct range *limits, int first, int divisor) {
  int i, j;
#pragma xmp loop(j) on t[j]
  for (i = 0; i < N; i++) {
    if (limits) {
      for (j = limits->low; j < limits->high; j++) {
        a[i][j][0] += 2;
      }
    }
  }
#pragma xmp loop(j) on t[j]
  for (i = 0; i < N; i++) {
    if (first < 0) {
      continue;
    }
    for (j = first; j < N; j++) {
      a[i][j][1] += 3;
    }
  }
#pragma xmp loop(j) on t[j]
  for (i = 0; i < N; i++) {
    switch (divisor) {
    case 0:
      break;
    default:
      for (j = 0; j < N / divisor; j++) {
        a[i][j][2] += 5;
      }
    }
  }
}

int main(void) {
  long sum = 0;
#pragma xmp loop(j) on t[j]
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++) {
      for (int k = 0; k < 4; k++) {
        a[i][j][k] = 0;
      }
    }
  }
  const double relaxed = relax();
  change();
  guarded(&(struct range){3, 11}, 4, 3);
  guarded(0, -7, 0);
#pragma xmp loop(j) on t[j] reduction(+ : sum)
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++) {
      for (int k = 0; k < 4; k++) {
        sum += a[i][j][k] * (i * N + j + k * 7);
      }
    }
  }
#pragma xmp task on p[0]
  printf("%.6f %ld\n", relaxed, sum);
  return 0;
}
