// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Work that threads divide by their numbers: blocks, turns, elements of their own, with and
/// without worksharing loops and barriers.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3001, BINS = 16, THREADS = 4 };

static double a[N], b[N];
static double found[THREADS * 5 + 2];

static void report(const char *name) {
  double one = 0, other = 0, more = 0;
  for (int i = 0; i < N; ++i) {
    one += a[i] * (i % 5 + 1);
    other += b[i] * (i % 7 + 1);
  }
  for (int i = 0; i < THREADS * 5 + 2; ++i) {
    more += found[i] * (i + 1);
  }
  printf("%s %.6f %.6f %.6f\n", name, one, other, more);
}

static void blocks(int n) {
#pragma omp parallel
  {
    const int id = omp_get_thread_num(), threads = omp_get_num_threads();
    const int first = (long)id * n / threads, end = (long)(id + 1) * n / threads;
    for (int i = first; i < end; ++i) {
      b[i] = 2 * a[i];
    }
  }
}

static void rest_to_the_last(int n) {
#pragma omp parallel num_threads(3)
  {
    const int id = omp_get_thread_num(), threads = omp_get_num_threads();
    const int share = n / threads, first = id * share;
    const int end = id == threads - 1 ? n : first + share;
    for (int i = first; i < end; ++i) {
      b[i] += a[i] * id;
    }
  }
}

static void in_turn(int n) {
#pragma omp parallel
  {
    const int id = omp_get_thread_num(), threads = omp_get_num_threads();
    for (int i = id; i < n; i += threads) {
      found[id] += b[i];
    }
  }
}

static void shares_of_loops(int n) {
#pragma omp parallel
  {
    const int id = omp_get_thread_num();
    double own = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      found[id] += b[i];
    }
#pragma omp for schedule(static, 7) nowait
    for (int i = 0; i < n; ++i) {
      own += b[i] * i;
    }
    found[id] += own * 1e-3;
  }
}

static void kept_over_a_barrier(int n) {
#pragma omp parallel
  {
    const int id = omp_get_thread_num();
    double own = 0;
#pragma omp for schedule(static, 7)
    for (int i = 0; i < n; ++i) {
      own += b[i] * i;
    }
    found[id] += own * 1e-3;
  }
}

static void sums_up_to(int n) {
  double sums[THREADS];
#pragma omp parallel
  {
    const int id = omp_get_thread_num(), threads = omp_get_num_threads();
    const int first = (long)id * n / threads, end = (long)(id + 1) * n / threads;
    double sum = 0;
    for (int i = first; i < end; ++i) {
      sum += a[i];
      b[i] = sum;
    }
    sums[id] = sum;
#pragma omp barrier
    double before = 0;
    for (int k = 0; k < id; ++k) {
      before += sums[k];
    }
    for (int i = first; i < end; ++i) {
      b[i] += before;
    }
  }
}

static void bins_of_threads(int n) {
  int *all = NULL, used = 0;
  int sums[BINS];
#pragma omp parallel
  {
    const int id = omp_get_thread_num(), threads = omp_get_num_threads();
#pragma omp single
    {
      all = calloc((size_t)threads * BINS, sizeof *all);
      used = threads;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) {
      all[id * BINS + (int)a[i] * 7 % BINS]++;
    }
#pragma omp for
    for (int k = 0; k < BINS; ++k) {
      sums[k] = 0;
      for (int t = 0; t < threads; ++t) {
        sums[k] += all[t * BINS + k];
      }
    }
  }
  free(all);
  printf("%d threads:", used);
  for (int k = 0; k < BINS; ++k) {
    printf(" %d", sums[k]);
  }
  printf("\n");
}

static void steps(int n, int count) {
#pragma omp parallel
  {
    const int id = omp_get_thread_num(), threads = omp_get_num_threads();
    const int share = (n - 2 + threads - 1) / threads, first = 1 + id * share;
    const int end = first + share < n - 1 ? first + share : n - 1;
    for (int step = 0; step < count; ++step) {
      for (int i = first; i < end; ++i) {
        b[i] = 0.5 * (a[i - 1] + a[i + 1]);
      }
#pragma omp barrier
      for (int i = first; i < end; ++i) {
        a[i] = b[i];
      }
#pragma omp barrier
    }
  }
}

/// A private array and a private value go on from step to step.
static void private_state(int n) {
#pragma omp parallel
  {
    const int id = omp_get_thread_num(), threads = omp_get_num_threads();
    double mine[4] = {0, 0, 0, 0}, run = id;
    for (int step = 0; step < 5; ++step) {
      for (int i = id; i < n; i += threads) {
        mine[i & 3] += a[i];
      }
      run = run * 0.5 + mine[step & 3];
#pragma omp barrier
      found[id * 5 + step] = run;
#pragma omp barrier
      a[id] += found[((id + 1) % threads) * 5 + step] * 1e-3;
#pragma omp barrier
    }
    found[id * 5] += mine[0] + mine[3];
  }
}

static double told_in_turns(int n) {
  double total = 0;
#pragma omp parallel
  {
    double own = 0;
    const int id = omp_get_thread_num(), threads = omp_get_num_threads();
    for (int i = id; i < n; i += threads) {
      own += (int)a[i];
    }
#pragma omp critical
    total += own;
  }
  return total;
}

static int counted(int n) {
  int threads = 0, sum = 0;
#pragma omp parallel
  {
    const int id = omp_get_thread_num();
    int own = 0;
#pragma omp for nowait
    for (int i = 0; i < n; ++i) {
      own += (int)a[i] * (1 + id);
    }
#pragma omp atomic
    sum += own;
#pragma omp atomic
    threads++;
  }
  return sum + threads;
}

static void one_for_all(int n) {
#pragma omp parallel
  {
    const int id = omp_get_thread_num(), threads = omp_get_num_threads();
#pragma omp master
    printf("%d threads\n", threads);
    found[id] = 0;
    for (int i = id; i < n; i += threads) {
      found[id] += (int)a[i];
    }
#pragma omp barrier
#pragma omp single
    {
      double sum = 0;
      for (int t = 0; t < threads; ++t) {
        sum += found[t];
      }
      printf("of all %.6f\n", sum);
      found[threads] = sum;
    }
    if (id == 0) {
      found[threads + 1] = found[threads];
    }
  }
}

/// What one thread finds from its number on, and has before it changes what it was read from.
static void found_by_one(int n) {
#pragma omp parallel
  {
    const int id = omp_get_thread_num();
    found[id] = id + 1;
#pragma omp barrier
#pragma omp master
    {
      const double before = found[id];
      found[id] = 0.5;
      int at = id;
      while (at < n) {
        found[THREADS] += a[at] + before;
        at = at * 2 + 1;
      }
      found[THREADS + 1] = at + before;
    }
#pragma omp barrier
    b[id] = found[id] * found[THREADS];
  }
}

static void reduced(int n) {
  double sum = 0;
  int most = 0, threads = 0, last = 0;
#pragma omp parallel reduction(+ : sum) reduction(max : most)
  {
    const int id = omp_get_thread_num();
    for (int i = id; i < n; i += omp_get_num_threads()) {
      sum += (int)a[i];
    }
    most = id * 3;
  }
#pragma omp parallel reduction(+ : threads)
  threads += 1 + omp_get_thread_num() * 0;
#pragma omp parallel reduction(+ : last)
  {
    const int id = omp_get_thread_num(), all = omp_get_num_threads();
    int own = 0;
    for (int i = id; i < n; i += all) {
      own += (int)a[i];
    }
#pragma omp barrier
    last = own + id;
#pragma omp single
    threads += all;
    if (id == 0) {
      printf("the first of %d\n", all);
    }
  }
#pragma omp parallel
  {
    const int id = omp_get_thread_num();
#pragma omp for reduction(+ : last)
    for (int i = 0; i < n; ++i) {
      last += id * (int)a[i];
    }
    found[id] = last;
  }
  printf("reduced %.6f %d %d %d\n", sum, most, threads, last);
}

/// Each thread has room of its own, whichever iterations it gets.
static int rooms_of_threads(int n) {
  int *rooms = malloc(THREADS * 16 * sizeof *rooms), total = 0, last = 0;
#pragma omp parallel for schedule(dynamic, 5)
  for (int i = 0; i < n; ++i) {
    int *room = rooms + 16 * omp_get_thread_num();
    for (int k = 0; k < 16; ++k) {
      room[k] = i % 7 * k;
    }
    b[i] = 0;
    for (int k = 0; k < 16; ++k) {
      b[i] += room[k];
    }
  }
#pragma omp parallel for schedule(guided) reduction(+ : total) lastprivate(last)
  for (int i = 3; i < n; i += 2) {
    int *room = rooms + 16 * omp_get_thread_num();
    room[3] = (int)b[i];
    total += room[3];
    last = i;
  }
  free(rooms);
  return total + last;
}

static void check(int errors) {
#pragma omp barrier
  if (errors) {
    printf("%d errors\n", errors);
    exit(1);
  }
}

/// All threads would end the program.
static void checked(int n, int wanted) {
  int errors = 0;
#pragma omp parallel
  {
    const int id = omp_get_thread_num();
#pragma omp master
    {
      errors += omp_get_num_threads() != wanted;
      printf("%d threads wanted\n", wanted);
    }
    check(errors);
    found[id] = id;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      b[i] += a[i];
    }
    check(errors);
    if (wanted > 1 && id == 0) {
      printf("at %d\n", omp_get_wtime() > 0);
    }
    found[id] += b[id];
  }
}

/// Each thread draws from a sequence of its own, which goes on from loop to loop.
static long drawn(int n, int steps) {
  long hits = 0;
#pragma omp parallel
  {
    unsigned seed = 17 + omp_get_thread_num();
    for (int step = 0; step < steps; ++step) {
#pragma omp for reduction(+ : hits)
      for (int i = 0; i < n; ++i) {
        const int number = rand_r(&seed) % 100;
        hits += number < rand_r(&seed) % (50 + step);
      }
    }
    found[omp_get_thread_num()] = seed % 1000;
  }
  return hits;
}

static long drawn_and_counted(int n) {
  long hits = 0;
#pragma omp parallel
  {
    unsigned seeds[2] = {omp_get_thread_num(), 5};
#pragma omp for
    for (int i = 0; i < n; ++i) {
      if (rand_r(&seeds[0]) % 7 < 3 || rand_r(&seeds[1]) % 9 < 2) {
#pragma omp atomic
        hits++;
      }
    }
#pragma omp barrier
    found[omp_get_thread_num()] += seeds[1] % 1000;
  }
  return hits;
}

int main(void) {
  omp_set_num_threads(THREADS);
  for (int i = 0; i < N; ++i) {
    a[i] = i % 17;
  }
  blocks(N);
  report("blocks");
  rest_to_the_last(N);
  report("rest to the last");
  in_turn(N);
  report("in turn");
  shares_of_loops(N);
  report("shares of loops");
  kept_over_a_barrier(N);
  report("kept over a barrier");
  sums_up_to(N);
  report("sums up to");
  bins_of_threads(N);
  steps(N, 6);
  report("steps");
  private_state(N);
  report("private state");
  printf("told in turns %.6f\n", told_in_turns(N));
  printf("counted %d\n", counted(N));
  one_for_all(N);
  report("one for all");
  found_by_one(N);
  report("found by one");
  reduced(N);
  report("reduced");
  checked(N, THREADS);
  report("checked");
  printf("rooms %d\n", rooms_of_threads(N));
  report("rooms of threads");
  printf("drawn %ld\n", drawn(N, 5));
  report("drawn");
  printf("drawn and counted %ld\n", drawn_and_counted(N));
  report("drawn and counted");
}
