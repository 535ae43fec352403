// Loops inside of a kernel's chunk loop that may be divided over work-items as well.
// RUN: clang -O1 -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin \
// RUN:   -passes='function(loop-simplify,lcssa),print<tutti-parallel-nest>' -disable-output 2>&1 \
// RUN:   | FileCheck %s
#define KERNEL(name, ...)                                                                          \
  void name(char *arena, long low, long high, long lower, long upper, long total, double *partials, \
            __VA_ARGS__)
#define AT(p) ((double *)((p) + ((unsigned long)(p) < (1ul << 32) ? low : high)))
double sin(double);

// Two dimensions, the inner one over contiguous memory; right if the objects are different ones.
// CHECK-LABEL: nest of 'stencil': 2 loops, order 1 0, objects disjoint
// CHECK-NEXT:    extent ((-1 * %3) + %4)
// CHECK-NEXT:    extent (-2 + %9)
// CHECK-NEXT:    needs (((-1 * %7) + %8) smax ((-1 * %8) + %7)) >= 1
// CHECK:         there is no loop inside
KERNEL(stencil, long a, long b, long n) {
  double *old = AT(a), *new = AT(b);
  for (long i = lower; i < upper; ++i)
    for (long j = 1; j < n - 1; ++j)
      new[i * n + j] = old[i * n + j - 1] + old[i * n + j + 1] + old[(i + 1) * n + j];
}

// As above, with the int counters of most programs, whose sums are extended.
// CHECK-LABEL: nest of 'stencil_int': 2 loops, order 1 0, objects disjoint
KERNEL(stencil_int, long a, long b, int n) {
  double *old = AT(a), *new = AT(b);
  for (int i = (int)lower; i < (int)upper; ++i)
    for (int j = 1; j < n - 1; ++j)
      new[i * n + j] = old[i * n + j - 1] + old[(i - 1) * n + j] + old[(i + 1) * n + j];
}

// Three dimensions, in one array: the buffers must be far enough apart, whichever is the first.
// CHECK-LABEL: nest of 'heat': 3 loops, order 2 1 0{{$}}
// CHECK:         needs (-33264 + {{.*}} smax {{.*}} >= 512
// CHECK:         needs (-504 + {{.*}} smax {{.*}} >= 8
// CHECK:         deepest
KERNEL(heat, long p, int from, int to) {
  double(*u)[66][66][66] = (double(*)[66][66][66])AT(p);
  for (long i = lower + 1; i < upper + 1; ++i)
    for (int j = 1; j < 65; ++j)
      for (int k = 1; k < 65; ++k)
        u[to][i][j][k] = u[from][i - 1][j][k] + u[from][i][j - 1][k] + u[from][i][j][k + 1];
}

// Three dimensions of run-time extents; rows and planes may not overlap.
// CHECK-LABEL: nest of 'cube': 3 loops, order 2 1 0, objects disjoint
// CHECK:         needs (8 * %[[M:[0-9]+]]) >=
KERNEL(cube, long a, long b, long n, long m) {
  double *from = AT(a), *to = AT(b);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      for (long k = 0; k < m; ++k)
        to[(i * n + j) * m + k] = 2 * from[(i * n + j) * m + k];
}

// A sum that stays in the work-item: its loop is not divided, the store behind it is.
// CHECK-LABEL: nest of 'product': 2 loops, order 1 0, objects disjoint
// CHECK:         results are written or combined outside of the inner loop
KERNEL(product, long pa, long pb, long pc, long n) {
  double *a = AT(pa), *b = AT(pb), *c = AT(pc);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j) {
      double sum = 0;
      for (long k = 0; k < n; ++k)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] += sum;
    }
}

// Two loops over columns, one of them within a sequential loop.
// CHECK-LABEL: nest of 'rank_one_updates': 2 loops, order 1 0, objects disjoint
// CHECK:         extent {{.*}}, 2 loops alike
KERNEL(rank_one_updates, long pa, long pb, long pc, long n, long m) {
  double *a = AT(pa), *b = AT(pb), *c = AT(pc);
  for (long i = lower; i < upper; ++i) {
    for (long j = 0; j < n; ++j)
      c[i * n + j] = 1 + j;
    for (long k = 0; k < m; ++k)
      for (long j = 0; j < n; ++j)
        c[i * n + j] += a[i * m + k] * b[k * n + j];
  }
}

// Every other point of a row, in place: neighbours are never written, other rows are far away.
// Rows differ in their first point, so the extent is an upper bound.
// CHECK-LABEL: nest of 'red_black': 2 loops, order 1 0{{$}}
// CHECK-NEXT:    extent
// CHECK-NEXT:    extent (1 + {{.*}} /u 2)
// CHECK:         needs {{.*}}smax{{.*}} >= 8
KERNEL(red_black, long p, int n, int colour) {
  double *u = AT(p), largest = 0;
  for (int i = (int)lower; i < (int)upper; ++i)
    for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2) {
      const unsigned long at = (unsigned long)i * n + j;
      const double change = 0.25 * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1]) - u[at];
      u[at] += change;
      largest = __builtin_fabs(change) > largest ? __builtin_fabs(change) : largest;
    }
  *partials = largest;
}

// A reduction over both dimensions, besides a store.
// CHECK-LABEL: nest of 'residual': 2 loops, order 1 0, objects disjoint
KERNEL(residual, long a, long b, long n) {
  double *old = AT(a), *new = AT(b), sum = 0;
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j) {
      new[i * n + j] = sin(old[i * n + j]);
      const double change = new[i * n + j] - old[i * n + j];
      sum += change * change;
    }
  *partials = sum;
}

// A reduction alone: nothing is written, so any addresses will do.
// CHECK-LABEL: nest of 'total': 3 loops, order 2 1 0{{$}}
KERNEL(total, long a, long n, long p) {
  double *x = AT(a), sum = 0;
  int *index = (int *)AT(p);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      for (long k = 0; k < n; ++k)
        if (x[i + j + index[k]] > 0)
          sum += x[i + j + k];
  *partials = sum;
}

// Column after column: the parallel loop itself runs over contiguous memory.
// CHECK-LABEL: nest of 'columns': 2 loops, order 0 1{{$}}
KERNEL(columns, long a, long n) {
  double *x = AT(a);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      x[j * n + i] = 1;
}

// Elimination: the row with the pivot lies in front of all rows of the chunk.
// CHECK-LABEL: nest of 'eliminate': 2 loops, order 1 0{{$}}
KERNEL(eliminate, long p, long n, long k) {
  double *a = AT(p);
  for (long i = lower; i < upper; ++i)
    for (long j = k + 1; j < n; ++j)
      a[(k + 1 + i) * n + j] -= a[(k + 1 + i) * n + k] * a[k * n + j];
}

// Components of records: other components are not touched.
// CHECK-LABEL: nest of 'records': 2 loops, order {{.*}}{{$}}
// CHECK-NOT:     smax
// CHECK:         there is no loop inside
KERNEL(records, long p, long n) {
  struct { double x, y, z; } *r = (void *)AT(p);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      r[i * n + j].x = r[i * n + j].y + r[i * n + j].z;
}

// An array that each iteration of the inner loop fills anew.
// CHECK-LABEL: nest of 'temporary': 2 loops, order 1 0, objects disjoint
KERNEL(temporary, long a, long b, long n, long m) {
  double *old = AT(a), *new = AT(b);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j) {
      double window[64];
      for (long k = 0; k < m; ++k)
        window[k] = old[(i * n + j) * 64 + k];
      new[i * n + j] = window[(long)window[0]];
    }
}

// An array that each iteration of the outer loop fills anew: so does each work-item.
// CHECK-LABEL: nest of 'table': 2 loops, order 1 0, objects disjoint
KERNEL(table, long a, long b, long n) {
  double *x = AT(a);
  int *index = (int *)AT(b);
  for (long i = lower; i < upper; ++i) {
    double t[4];
    t[0] = t[1] = t[2] = t[3] = x[i];
    t[index[i]] = 2;
    for (long j = 0; j < n; ++j)
      x[(i + 1) * n + j] = t[index[j]];
  }
}

// What the outer body computes from memory that the inner loop does not write.
// CHECK-LABEL: nest of 'scaled': 2 loops, order 1 0, objects disjoint
KERNEL(scaled, long a, long b, long n) {
  double *factor = AT(a), *x = AT(b);
  for (long i = lower; i < upper; ++i) {
    const double f = sin(factor[i]);
    if (f > 0)
      for (long j = 0; j < n; ++j)
        x[i * n + j] *= f;
  }
}

// Sizes that are kept in memory of their own arrive as values, like those of std::vector.
// CHECK-LABEL: nest of 'down': 2 loops, order 1 0{{$}}
KERNEL(down, long a, unsigned long rows, unsigned long columns) {
  double *x = AT(a);
  for (unsigned long i = lower; i < (unsigned long)upper; ++i)
    for (unsigned long j = columns; j-- > 0;)
      x[i * columns + j] = 0.5 * x[i * columns + j];
}
