// Functions with worksharing loops that constructs call in several places, and so are conducted by
// themselves: with what they leave to their callers, under conditions, for one thread, in each
// other, from two constructs and by threads that no construct started; and such that cannot be:
// they get a private array for their loops, or a constant.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSide = 60, kSize = kSide * kSide };

static int told;

static void smooth(int side, double *to, const double *from) {
#pragma omp for
  for (int i = 1; i < side - 1; i++) {
    for (int j = 1; j < side - 1; j++) {
      to[i * side + j] =
          0.5 * from[i * side + j] + 0.125 * (from[(i - 1) * side + j] + from[(i + 1) * side + j] +
                                              from[i * side + j - 1] + from[i * side + j + 1]);
    }
  }
#pragma omp for nowait
  for (int i = 0; i < side; i++) {
    to[i] = from[(side - 2) * side + i];
  }
#pragma omp for
  for (int i = 0; i < side; i++) {
    to[(side - 1) * side + i] = from[side + i];
  }
}

// What it finds goes to a private variable of its caller.
static void measure(int size, const double *values, double *sum, double *most) {
  static double shared_sum, shared_most;
#pragma omp single
  {
    shared_sum = 0;
    shared_most = 0;
    told++;
  }
#pragma omp for reduction(+ : shared_sum) reduction(max : shared_most)
  for (int i = 0; i < size; i++) {
    shared_sum += values[i];
    shared_most = fmax(shared_most, fabs(values[i]));
  }
  *sum = shared_sum;
  *most = shared_most;
#pragma omp barrier
}

static void sweep(int side, double *u, double *v, int times) {
  for (int t = 0; t < times; t++) {
    double sum, most;
    smooth(side, v, u);
    measure(side * side, v, &sum, &most);
    if (most > 4) {
#pragma omp for
      for (int i = 0; i < side * side; i++) {
        v[i] -= sum / (side * side) + (most > 1e6);
      }
    }
    smooth(side, u, v);
  }
}

// Its loops would share what each thread of the program has.
static void scan(int size, double *values, double *own, int from) {
#pragma omp for schedule(static, 50)
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < 4; k++) {
      own[k] = values[i] * (k + 1) + from;
    }
    values[i] = 0;
    for (int k = 0; k < 4; k++) {
      values[i] += own[k];
    }
  }
#pragma omp for schedule(static, 50)
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < 4; k++) {
      own[k] = values[i];
    }
    values[i] = own[0] / 16 + own[3] / 16;
  }
}

static void report(const char *name, const double *values) {
  double sum = 0;
  for (int i = 0; i < kSize; i++) {
    sum += values[i] * (i % 7 + 1);
  }
  printf("%s: %.9g\n", name, sum);
}

int main(int argc, char **argv) {
  (void)argv;
  const int side = argc > 9 ? argc : kSide; // Which the compiler does not know.
  const int size = side * side;
  double *u = malloc(kSize * sizeof *u);
  double *v = malloc(kSize * sizeof *v);
  double *w = malloc(kSize * sizeof *w);
  for (int i = 0; i < kSize; i++) {
    u[i] = i % 13;
    v[i] = 0;
    w[i] = i % 5;
  }
  double last = 0;
#pragma omp parallel
  {
    double sum, most;
    sweep(side, u, v, 2);
    measure(size, u, &sum, &most);
    if (most > 0) {
      sweep(side, v, u, 1);
    }
    for (int t = 0; t < 3; t++) {
      smooth(side, w, u);
      smooth(side, u, w);
      measure(size, w, &sum, &most);
#pragma omp master
      last += sum + most;
#pragma omp barrier
    }
  }
  report("u", u);
  report("v", v);
  report("w", w);
  printf("%d %.9g\n", told > 0, last);
#pragma omp parallel
  {
    double own[4];
    for (int t = 0; t < 2; t++) {
      scan(size, w, own, t);
      scan(size, u, own, t + 1);
    }
    scan(size, v, own, 7);
  }
  report("u", u);
  report("v", v);
  report("w", w);
#pragma omp parallel num_threads(2)
  for (int t = 0; t < 2; t++) {
    smooth(side, v, w);
    smooth(side, w, v);
  }
  sweep(side, u, w, 1); // By one thread.
  report("u", u);
  report("w", w);
  free(u);
  free(v);
  free(w);
  return 0;
}
