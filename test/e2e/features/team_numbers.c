// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leagues whose teams and threads divide work by their numbers, as kernels for GPUs do: with memory of a
// team, barriers, trees of sums, loops that are distributed, and sizes that are known late.
// THREADS: 4
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 4 };

static void print(const char *name, const double *a, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * (i % 13 + 1);
  }
  printf("%s %.10g\n", name, sum);
}

// One element for each thread; the last team is not full.
static void scale(double *to, const double *from, int n, int teams) {
#pragma omp target teams num_teams(teams) thread_limit(kThreads)
#pragma omp parallel
  {
    const int i = omp_get_team_num() * omp_get_num_threads() + omp_get_thread_num();
    if (i < n) {
      to[i] = 2 * from[i] + omp_get_num_teams();
    }
  }
}

// A tree of sums in memory of the team; each thread's own value outlives the barriers.
static void sums(double *to, const double *from, double *ofTeams, int n, int teams) {
#pragma omp target teams num_teams(teams) thread_limit(kThreads)
  {
    double shared[kThreads];
#pragma omp parallel
    {
      const int id = omp_get_thread_num();
      double own = 0;
      for (int i = omp_get_team_num() * kThreads + id; i < n; i += omp_get_num_teams() * kThreads) {
        own += from[i];
      }
      shared[id] = own;
#pragma omp barrier
      for (int half = kThreads / 2; half > 0; half /= 2) {
        if (id < half) {
          shared[id] += shared[id + half];
        }
#pragma omp barrier
      }
      if (id == 0) {
        ofTeams[omp_get_team_num()] = shared[0];
      }
      to[omp_get_team_num() * kThreads + id] = own - shared[0];
    }
  }
}

// Several constructs in a team, with code of the team between them, and sizes that are known late.
static void phases(double *to, const double *from, int n, int teams, int limit) {
#pragma omp target teams num_teams(teams) thread_limit(limit)
  {
    double shared[64];
    const int first = omp_get_team_num() * 64;
    double scale = 1 + omp_get_team_num() % 3;
#pragma omp parallel
    {
      for (int i = omp_get_thread_num(); i < 64; i += omp_get_num_threads()) {
        shared[i] = first + i < n ? from[first + i] : 0;
      }
    }
    scale += shared[0] + omp_get_thread_num();
#pragma omp parallel num_threads(3)
    {
      const int id = omp_get_thread_num(), threads = omp_get_num_threads();
      double before = shared[(id + threads - 1) % threads];
#pragma omp barrier
      shared[id] += before * scale;
#pragma omp for
      for (int i = 8; i < 64; ++i) {
        shared[i] *= scale;
      }
#pragma omp master
      shared[63] += threads;
#pragma omp barrier
      for (int i = id; i < 64 && first + i < n; i += threads) {
        to[first + i] = shared[i];
      }
    }
  }
}

// What is distributed is the teams' share, and the rest follows from numbers.
static void rows(double *to, const double *from, int width, int height, int teams) {
#pragma omp target teams num_teams(teams) thread_limit(kThreads)
  {
    double row[kThreads + 2];
#pragma omp distribute
    for (int y = 0; y < height; ++y) {
#pragma omp parallel
      {
        const int id = omp_get_thread_num();
        for (int begin = 0; begin < width; begin += kThreads) {
          const int x = begin + id;
          row[id + 1] = x < width ? from[y * width + x] : 0;
          if (id == 0) {
            row[0] = begin > 0 ? from[y * width + begin - 1] : 0;
            row[kThreads + 1] = begin + kThreads < width ? from[y * width + begin + kThreads] : 0;
          }
#pragma omp barrier
          if (x < width) {
            to[y * width + x] = row[id] + row[id + 1] + row[id + 2];
          }
#pragma omp barrier
        }
      }
    }
  }
}

// Loops with and without numbers in one team, one of them with a schedule that steps.
static void shares(double *to, const double *from, int n, int teams) {
#pragma omp target teams num_teams(teams) thread_limit(kThreads)
  {
    double factor = 1;
    if (omp_get_num_teams() > 2) {
      factor = 3;
    }
#pragma omp distribute parallel for schedule(static, 1)
    for (int i = 0; i < n / 2; ++i) {
      to[i] = from[i] * factor;
    }
#pragma omp distribute parallel for dist_schedule(static, 5)
    for (int i = n / 2; i < n; ++i) {
      to[i] = from[i] * factor + omp_get_team_num() * 0;
    }
  }
}

// Threads of a team add to its own variables in turns, and teams to shared ones.
static void counts(int *counts, const double *from, int n, int teams) {
#pragma omp target teams num_teams(teams) thread_limit(kThreads)
  {
    int bins[4] = {0, 0, 0, 0};
    int most = 0;
#pragma omp parallel
    {
      for (int i = omp_get_team_num() * kThreads + omp_get_thread_num(); i < n;
           i += kThreads * omp_get_num_teams()) {
#pragma omp atomic
        bins[(int)from[i] % 4]++;
      }
#pragma omp barrier
#pragma omp critical
      most = bins[omp_get_thread_num() % 4] > most ? bins[omp_get_thread_num() % 4] : most;
#pragma omp barrier
      if (omp_get_thread_num() < 4) {
#pragma omp atomic
        counts[omp_get_thread_num()] += bins[omp_get_thread_num()];
      }
      if (omp_get_thread_num() == 3) {
        counts[4 + omp_get_team_num()] = most;
      }
    }
  }
}

int main(int count, char **arguments) {
  const int n = 203, height = 12, width = 15;
  const int teams = (n + kThreads - 1) / kThreads, few = 7;
  double *a = malloc(2 * n * sizeof *a), *b = malloc(2 * n * sizeof *b), *c = calloc(n, sizeof *c);
  int *counted = calloc(4 + few, sizeof *counted);
  for (int i = 0; i < n; ++i) {
    a[i] = i * 7 % 101;
    b[i] = 0;
  }
  for (int round = 0; round < 3; ++round) {
    scale(b, a, n, teams);
    print("scale", b, n);
    sums(b, a, c, n, few);
    print("sums", b, few * kThreads);
    print("of teams", c, few);
    phases(b, a, n, (n + 63) / 64, count > 9 ? 1 : kThreads);
    print("phases", b, n);
    rows(b, a, width, height, few);
    print("rows", b, width * height);
    shares(b, a, n, few);
    print("shares", b, n);
    counts(counted, a, n, few);
    for (int i = 0; i < 4 + few; ++i) {
      printf("%d ", counted[i]);
    }
    puts("");
    for (int i = 0; i < n; ++i) {
      a[i] = (int)(a[i] + b[i]) % 101;
    }
  }
  free(a);
  free(b);
  free(c);
  free(counted);
  return 0;
}
