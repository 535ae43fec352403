// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that are divided into tasks: counters and directions, clauses, functions that hold them,
/// loops of one task, whose iterations need their order, and what is beside them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>

enum { N = 4000 };

static double a[N], b[N];
static int counts[8];

struct Grid {
  int n;
  std::vector<double> v;

  double &at(int i, int j) { return v[i * n + j]; }
};

static double large[700000];

/// Loops that say how many tasks they are to be.
static void parts(std::size_t from, std::size_t to) {
  int threads = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    threads = omp_get_num_threads(); // For all that C++ knows it may throw.
#pragma omp taskloop num_tasks(1)
    for (int i = 0; i < N; ++i) {
      a[i] = i > 0 ? a[i - 1] + 1 : 5;
    }
#pragma omp taskloop num_tasks(8)
    for (std::size_t i = from; i < to; ++i) {
      b[i] = 1;
    }
#pragma omp taskloop num_tasks(7)
    for (std::size_t i = to; i < from; ++i) {
      b[i] = 2;
    }
  }
  printf("%d %g %g %g %g\n", threads, a[N - 1], b[2], b[4], b[5]);
}

/// How often the inner loop runs is a product of counters.
static void squares() {
  double sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop reduction(+ : sum)
  for (int i = 0; i < 60; ++i) {
    double own = 0;
    for (int j = 0; j < i * i; ++j) {
      own += j * 0.5;
    }
    sum += own;
  }
  printf("%g\n", sum);
}

/// Tasks have more of their own than a stack should hold.
static void larges() {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop firstprivate(large)
  for (int i = 0; i < 100; ++i) {
    large[i] += i;
    b[i + 100] = large[i];
  }
  printf("%g %g\n", b[100], b[199]);
}

/// In a construct that makes other tasks, too.
static void steps() {
  int k = 5;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(k)
    k += 1;
#pragma omp taskwait
#pragma omp taskloop simd linear(k : 2)
    for (int i = 0; i < 1000; ++i) {
      a[i] = k;
      k += 2;
    }
  }
  printf("%g %g\n", a[0], a[999]);
}

static void orphan(double *x, int n, double f) {
#pragma omp taskloop
  for (int i = 0; i < n; ++i) {
    x[i] = x[i] * f + 1;
  }
}

static void twice(double *x, int n) {
  orphan(x, n, 0.5);
  orphan(x, n, 2);
}

template <class T> T sum(const T *x, long n) {
  T s = 0;
#pragma omp parallel master taskloop reduction(+ : s) grainsize(n / 7)
  for (long i = 0; i < n; ++i) {
    s += x[i];
  }
  return s;
}

/// Its caller is the one thread of a construct.
static double product(const double *x, const double *y, int n) {
  double s = 0;
  double least = 1e9;
#pragma omp taskloop reduction(+ : s) reduction(min : least)
  for (int i = 0; i < n; ++i) {
    s += x[i] * y[i];
    least = std::min(least, x[i] - y[i]);
  }
  return s + least;
}

/// Conjugate gradients for (1 + i % 5) x = b.
static double solve(int n) {
  static double x[N], r[N], p[N], q[N];
  double error = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop
    for (int i = 0; i < n; ++i) {
      x[i] = 0;
      r[i] = p[i] = i % 9;
    }
    double before = product(r, r, n);
    for (int step = 0; step < 4; ++step) {
#pragma omp taskloop
      for (int i = 0; i < n; ++i) {
        q[i] = (1 + i % 5) * p[i];
      }
      const double alpha = before / product(p, q, n);
#pragma omp taskloop
      for (int i = 0; i < n; ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      }
      double now = 0;
#pragma omp taskloop reduction(+ : now)
      for (int i = 0; i < n; ++i) {
        now += r[i] * r[i];
      }
#pragma omp taskloop
      for (int i = 0; i < n; ++i) {
        p[i] = r[i] + now / before * p[i];
      }
      before = now;
    }
    error = before;
  }
  return error + x[n / 2];
}

int main(int argc, char **argv) {
  const int n = N - argc + 1;
#pragma omp parallel masked taskloop
  for (int i = 0; i < n; ++i) {
    a[i] = i % 17;
    b[i] = 0;
  }
#pragma omp parallel master taskloop num_tasks(argc)
  for (int i = 1; i < n; ++i) {
    b[i] = b[i - 1] + a[i];
  }
  printf("%g\n", b[n - 1]);
#pragma omp parallel master taskloop grainsize(n)
  for (int i = 1; i < n; ++i) {
    b[i] = b[i - 1] * 0.5 + a[i];
  }
  printf("%.12g\n", b[n - 1]);
#pragma omp parallel master taskloop if (argc > 5)
  for (int i = 1; i < n; ++i) {
    b[i] = b[i - 1] * 0.25 + a[i];
  }
  printf("%.12g\n", b[n - 1]);

#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop if (argc < 5)
    for (int i = n - 1; i >= 0; i -= 2) {
      a[i] += 1;
    }
#pragma omp taskloop
    for (unsigned i = 3; i < (unsigned)n; i += 5) {
      a[i] += 2;
    }
#pragma omp taskloop simd
    for (size_t i = 0; i < (size_t)n; i++) {
      b[i] += a[i];
    }
#pragma omp taskloop simd collapse(2)
    for (short i = 0; i < 40; i++) {
      for (unsigned char j = 0; j < 100; j++) {
        b[i * 100 + j] -= 3;
      }
    }
  }
  printf("%.9g\n", solve(n));
  double x = 0;
  long cnt = 0;
  double most = -1;
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    {
      for (int t = 0; t < 4; ++t) {
        twice(a, n);
#pragma omp taskloop reduction(+ : x, cnt) reduction(max : most) firstprivate(t)
        for (int i = 0; i < n; ++i) {
          if (i % (t + 2) == 0) {
            x += a[i];
            cnt++;
          }
          most = fmax(most, a[i]);
          t = t;
        }
        printf("%d %.10g %ld %g\n", t, x, cnt, most);
      }
    }
  }
#pragma omp parallel master taskloop
  for (unsigned i = 10; i < (unsigned)argc; ++i) {
    a[i] = -1;
  }
#pragma omp parallel master taskloop
  for (int i = 10; i < argc; ++i) {
    a[i] = -1;
  }
  Grid g{60, std::vector<double>(3600, 1.0)}, h{60, std::vector<double>(3600, 2.0)};
#pragma omp parallel
  {
#pragma omp single
    for (int t = 0; t < 6; ++t) {
#pragma omp taskloop collapse(2) num_tasks(16) shared(g, h)
      for (int i = 1; i < 59; ++i) {
        for (int j = 1; j < 59; ++j) {
          h.at(i, j) =
              0.25 * (g.at(i - 1, j) + g.at(i + 1, j) + g.at(i, j - 1) + g.at(i, j + 1)) + t;
        }
      }
      std::swap(g.v, h.v);
    }
  }
  printf("%.10g %.10g\n", sum(g.v.data(), 3600), sum(a, N));
  int own[3] = {1, 2, 3};
  int p = 7;
#pragma omp parallel master
#pragma omp taskloop firstprivate(own) private(p)
  for (int i = 0; i < n; ++i) {
    p = own[i % 3] * i;
    own[0] += 0;
    a[i] += p;
  }
#pragma omp parallel master
  {
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup
      for (int i = 0; i < n; ++i) {
        b[i] += a[i];
      }
    }
#pragma omp taskloop
    for (int i = 0; i < n; ++i)
#pragma omp atomic
      counts[(int)a[i] & 7]++;
#pragma omp taskloop shared(own)
    for (int i = 0; i < 3; ++i) {
      own[i] = counts[i] + omp_get_num_threads() - omp_get_num_threads();
    }
#pragma omp taskloop lastprivate(p)
    for (int i = 0; i < n; ++i) {
      p = i + 3;
    }
  }
  printf("%d %d %d %d %d\n", p, counts[0], counts[7], own[0], own[2]);
  int of_each[N] = {0};
#pragma omp parallel num_threads(3)
  { // All threads make the tasks of all iterations.
#pragma omp taskloop
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      of_each[i] += 1;
    }
#pragma omp single
    of_each[0] += 100;
#pragma omp taskloop
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      of_each[i] += 10;
    }
  }
  printf("%d %d\n", of_each[0], of_each[n - 1]);
  parts(5, 2);
  squares();
  larges();
  steps();
  double s = 0;
  for (int i = 0; i < N; ++i) {
    s += a[i] + 3 * b[i] * (i % 5);
  }
  printf("%.10g\n", s);
}
