// Arrays whose dimensions come from types that have names.
#include <stdio.h>

#define N 13
#define M 7

typedef double line[M];
typedef line plane[N];

struct pair {
  line first;
  plane grid;
};

plane a, b;
line lines[N], *rows, single;
#pragma xmp nodes p[*]
#pragma xmp template t[N][M]
#pragma xmp template s[M]
#pragma xmp distribute t[block][*] onto p
#pragma xmp distribute s[cyclic(2)] onto p
#pragma xmp align[i][j] with t[i][j] ::a, b, lines
#pragma xmp align single[j] with s[j]
#pragma xmp align pair.first[j] with s[j]
#pragma xmp align pair.grid[i][j] with t[i][j]
#pragma xmp shadow a[1][0]
struct pair both;

static double total(plane x, const char *what) {
#pragma xmp align x[i][j] with t[i][j]
#pragma xmp shadow x[1][0]
  double sum = 0;
#pragma xmp loop on t[i][*] reduction(+ : sum)
  for (int i = 1; i < N - 1; i++) {
    for (int j = 0; j < M; j++) {
      sum += x[i - 1][j] * 2 + x[i + 1][j] * (i + j);
    }
  }
#pragma xmp task on p[0]
  printf("%s %g\n", what, sum);
  return sum;
}

// What stands in front of a parameter's size is no part of it.
static double diagonal(double x[const static N][M]) {
#pragma xmp align x[i][j] with t[i][j]
#pragma xmp shadow x[1][0]
  double sum = 0;
#pragma xmp loop on t[i][*] reduction(+ : sum)
  for (int i = 0; i < M; i++) {
    sum += x[i][i];
  }
  return sum;
}

static double local(void) {
  plane own;
#pragma xmp align own[i][j] with t[i][j]
  double sum = 0;
#pragma xmp loop on t[i][*] reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++) {
      own[i][j] = lines[i][j] + b[i][j];
      sum += own[i][j];
    }
  }
  return sum + sizeof own + sizeof a[0] + sizeof single;
}

int main(void) {
#pragma xmp loop on t[i][*]
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++) {
      a[i][j] = i * 10 + j;
      b[i][j] = i - j;
      lines[i][j] = i * j;
    }
  }
#pragma xmp reflect(a)
  double sum = total(a, "a") + local() + diagonal(a);
#pragma xmp loop on s[j] reduction(+ : sum)
  for (int j = 0; j < M; j++) {
    single[j] = j * j;
    both.first[j] = 3 - j;
    sum += single[j] * both.first[j];
  }
  line kept = {0};
  rows = &kept;
  sum += (char *)(both.grid + 1) - (char *)both.grid;
  sum += (char *)(both.first + 1) - (char *)both.first;
  sum += (char *)(single + 1) - (char *)single;
#pragma xmp task on p[0]
  printf("%g %g\n", sum, rows[0][M - 1]);
  return 0;
}
