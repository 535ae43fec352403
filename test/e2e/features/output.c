// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Iterations that print, to a file in place of standard output: each of their lines is there once,
/// those of one iteration in order, between what is printed before the loop and behind it.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 3000, PARTS = 4 };

/// Puts a file in the place of standard output.
static FILE *divert(int *before) {
  FILE *file = tmpfile();
  fflush(stdout);
  *before = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  return file;
}

/// Prints the lines "<iteration.part> ..." of a file in the order of iterations, and others where
/// they stand: in front of all of these, or behind them.
static void show(FILE *file, int before) {
  fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  rewind(file);
  static char lines[N][PARTS][96];
  static int next[N];
  static char line[256];
  memset(lines, 0, sizeof lines);
  memset(next, 0, sizeof next);
  int count = 0;
  while (fgets(line, sizeof line, file)) {
    int iteration, part;
    if (sscanf(line, "<%d.%d>", &iteration, &part) != 2) {
      printf("behind %d: %s", count, line);
    } else if (part != next[iteration]) {
      printf("out of order: %s", line);
    } else {
      strcpy(lines[iteration][part], line);
      ++next[iteration];
      ++count;
    }
  }
  fclose(file);
  for (int i = 0; i < N; ++i) {
    for (int part = 0; part < PARTS; ++part) {
      fputs(lines[i][part], stdout);
    }
  }
}

/// Every function that prints, what is printed of numbers, and of texts that all threads see.
static void always(const double *a, char (*names)[8]) {
  int before;
  FILE *file = divert(&before);
  printf("before\n");
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    char own[16];
    snprintf(own, sizeof own, "own %d", i);
    printf("<%d.0> %g %5.2f %-6d|%s|%.2s|%*d %c %%\n", i, a[i], a[i] / 3, i % 7, names[i], own, 8,
           i, 'a' + i % 5);
    fprintf(stdout, "<%d.1> %s %x %lu\n", i, own, i, (unsigned long)i << 33);
    fflush(stdout);
  }
  puts("behind");
  show(file, before);
}

/// Some iterations print, which also do something else; with a sum, and chunks that are dealt out.
static double sometimes(double *a) {
  int before;
  double sum = 0;
  FILE *file = divert(&before);
  fputs("before\n", stdout);
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : sum)
  for (int i = 0; i < N; ++i) {
    sum += a[i];
    if (i % 37 == 3) {
      char text[32];
      const int length = snprintf(text, sizeof text, "<%d.0> %g\n", i, a[i]);
      fwrite(text, 1, (size_t)length, stdout);
    }
    a[i] += 1;
  }
  printf("behind %g\n", sum);
  show(file, before);
  return sum;
}

/// Formats, and texts, among which iterations choose.
static void chosen(const double *a) {
  int before;
  FILE *file = divert(&before);
  puts("before");
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    printf(a[i] > 300 ? "<%d.0> %g is much\n" : "<%d.0> only %g\n", i, a[i]);
    if (i % 3 == 0) {
      printf("<%d.1> %s, and by 3\n", i, i % 2 == 0 ? "even" : "odd");
    } else {
      printf("<%d.1> %s\n", i, i % 2 == 0 ? "also even" : "also odd");
    }
  }
  show(file, before);
}

/// A construct of several loops, some of which print, over time.
static void conducted(double *a) {
  int before;
  FILE *file = divert(&before);
#pragma omp parallel
  for (int step = 0; step < 3; ++step) {
#pragma omp single
    printf("step %d\n", step);
#pragma omp for
    for (int i = 0; i < N; ++i) {
      a[i] += step;
    }
#pragma omp for
    for (int i = 0; i < N; ++i) {
      if (i % 3 == step && a[i] > 100) {
        printf("<%d.0> %g in step %d\n", i, a[i], step);
      }
    }
  }
  show(file, before);
}

/// Threads that divide work by their numbers, and say so.
static void numbers(double *a) {
  int before;
  FILE *file = divert(&before);
  printf("before\n");
#pragma omp parallel num_threads(5)
  {
    const int id = omp_get_thread_num(), team = omp_get_num_threads();
    double sum = 0;
    for (int i = id * N / team; i < (id + 1) * N / team; ++i) {
      a[i] += id;
      sum += a[i];
    }
    printf("<%d.0> of %d\n", id, team);
#pragma omp barrier
#pragma omp critical
    {
      printf("<%d.1> found ", id);
      printf("%g, then %g\n", sum, a[(id + 1) % team * N / team]);
    }
  }
  printf("behind\n");
  show(file, before);
}

int main(void) {
  double *a = malloc(sizeof *a * N);
  char(*names)[8] = malloc(sizeof *names * N);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    a[i] = 0.25 * i;
    names[i][0] = (char)('a' + i % 26);
    names[i][1] = (char)('A' + i % 25);
    names[i][2] = 0;
  }
  always(a, names);
  printf("%g\n", sometimes(a));
  chosen(a);
  conducted(a);
  numbers(a);
  free(a);
  free(names);
  return 0;
}
