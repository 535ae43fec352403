// Whole solvers as one parallel construct: a loop over time with worksharing loops, some in
// functions that are called, a clock that `master` reads, pointers that `single` swaps, a sum that
// ends the loop.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void relax(double *to, const double *from, long n, double by) {
#pragma omp for
  for (long i = 1; i < n - 1; ++i) {
    to[i] = from[i] + by * (from[i - 1] - 2 * from[i] + from[i + 1]);
  }
}

static int steps(double **now, double **next, long n) {
  double change = 0, seconds = 0;
  int done = 0;
#pragma omp parallel
  {
    int step = 0;
#pragma omp master
    seconds = omp_get_wtime();
    while (step < 12) {
      relax(*next, *now, n, step % 2 == 0 ? 0.25 : 0.5);
#pragma omp single
      change = 0;
#pragma omp for reduction(+ : change)
      for (long i = 0; i < n; ++i) {
        change += (*next)[i] != (*now)[i];
      }
#pragma omp single
      {
        double *kept = *now;
        *now = *next;
        *next = kept;
        done = step + 1;
      }
      if (change < 40) {
        break;
      }
      ++step;
    }
#pragma omp barrier
#pragma omp master
    seconds = omp_get_wtime() - seconds;
  }
  return seconds < 0 ? -1 : done;
}

// The same loops in one construct, each in a construct of its own, and divided into tasks.
static void together(double *a, double *b, long n, long count) {
#pragma omp parallel
  for (long step = 0; step < count; ++step) {
    relax(b, a, n, 0.25);
    relax(a, b, n, 0.5);
  }
}

static void apart(double *a, double *b, long n, long count) {
  for (long step = 0; step < count; ++step) {
#pragma omp parallel
    relax(b, a, n, 0.25);
#pragma omp parallel
    relax(a, b, n, 0.5);
  }
}

static void relax_by_tasks(double *to, const double *from, long n, double by) {
#pragma omp taskloop
  for (long i = 1; i < n - 1; ++i) {
    to[i] = from[i] + by * (from[i - 1] - 2 * from[i] + from[i + 1]);
  }
}

static void divided(double *a, double *b, long n, long count) {
#pragma omp parallel
#pragma omp single
  for (long step = 0; step < count; ++step) {
    relax_by_tasks(b, a, n, 0.25);
    relax_by_tasks(a, b, n, 0.5);
  }
}

int main(int argc, char **argv) {
  const long n = 20000;
  double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b), sum = 0;
  a[n / 2] = b[0] = a[0] = 1024;
  if (argc > 2) {
    (strcmp(argv[1], "together") == 0  ? together
     : strcmp(argv[1], "divided") == 0 ? divided
                                       : apart)(a, b, n, atol(argv[2]));
  }
  printf("%d steps\n", steps(&a, &b, n));
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    b[i] = a[i] * 2;
  }
  for (long i = 0; i < n; ++i) {
    sum += b[i] * (double)(i % 17);
  }
  printf("%.6f\n", sum);
  free(a);
  free(b);
  return 0;
}
