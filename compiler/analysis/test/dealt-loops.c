// Loops inside of a kernel's chunk loop that the work-items of a group may execute together.
// RUN: clang -O1 -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin \
// RUN:   -passes='function(loop-simplify,lcssa),print<tutti-dealt-loops>' -disable-output 2>&1 \
// RUN:   | FileCheck %s
#define KERNEL(name, ...)                                                                          \
  void name(char *arena, long low, long high, long lower, long upper, long total, double *partials, \
            __VA_ARGS__)
#define AT(p) ((double *)((p) + ((unsigned long)(p) < (1ul << 32) ? low : high)))
void step(void);

// Row k is the own one or a whole number of rows away, and column k is read before it is written.
// CHECK-LABEL: loops of 'paths': 1, 0 stores, 1 barriers{{$}}
// CHECK-NEXT:    extent 500
// CHECK-NEXT:    barrier in front of  br
// CHECK-NOT:     needs {{.*}} >= 8
KERNEL(paths, long p, long k) {
  double(*d)[500] = (double(*)[500])AT(p);
  for (long i = lower; i < upper; ++i) {
    const double first = d[i][k];
    for (long j = 0; j < 500; ++j) {
      const double sum = first + d[k][j];
      d[i][j] = sum < d[i][j] ? sum : d[i][j];
    }
  }
}

// A row must be longer than what is touched of it, and that worth to be divided. Where an iteration
// may have nothing to do, a barrier stands behind what it does.
// CHECK-LABEL: loops of 'part': 1, 0 stores, 2 barriers{{$}}
// CHECK-NEXT:    extent %[[N:[0-9]+]]
// CHECK:         needs (8 * %{{[0-9]+}}) >= (8 * %[[N]])
// CHECK:         needs %[[N]] >= 32
KERNEL(part, long p, long n, long m, long k) {
  double *d = AT(p);
  for (long i = lower; i < upper; ++i) {
    const double first = d[i * m + k];
    for (long j = 0; j < n; ++j)
      d[i * m + j] += first * d[k * m + j];
  }
}

// If the distance is no whole number of rows, it has to be large.
// CHECK-LABEL: loops of 'askew': 1, 0 stores, 1 barriers{{$}}
// CHECK:         needs {{.*}} >= 8
KERNEL(askew, long p, long n, long k) {
  double *d = AT(p);
  for (long i = lower; i < upper; ++i) {
    const double first = d[i * 64 + k];
    for (long j = 0; j < 64; ++j)
      d[i * 64 + j] += first * d[k * 64 + j + n];
  }
}

// What is stored outside is for one work-item, behind what the others have loaded; the loop only
// loads what nobody stores before the next barrier.
// CHECK-LABEL: loops of 'stored': 1, 1 stores, 2 barriers{{$}}
// CHECK-NEXT:    extent 100
// CHECK-NEXT:    barrier in front of  store
// CHECK-NEXT:    barrier in front of  br
KERNEL(stored, long p, long k) {
  double(*d)[100] = (double(*)[100])AT(p);
  for (long i = lower; i < upper; ++i) {
    const double factor = d[i][k] / 3;
    d[i][k] = factor;
    for (long j = 0; j < 100; ++j)
      d[i][j] -= factor;
  }
}

// One loop after the other, and what the first has written between them.
// CHECK-LABEL: loops of 'turns': 2, 0 stores, 3 barriers{{$}}
// CHECK-NEXT:    extent 200
// CHECK-NEXT:    barrier in front of  br
// CHECK-NEXT:    barrier in front of  %{{.*}} = load
// CHECK-NEXT:    barrier in front of  br
KERNEL(turns, long p) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i) {
    const double first = d[i][0];
    for (long j = 0; j < 100; ++j)
      d[i][j] /= first;
    const double last = d[i][99];
    for (long j = 0; j < 200; ++j)
      d[i][j] += last;
  }
}

// A loop around, whose iterations follow one another, and inner bounds that differ.
// CHECK-LABEL: loops of 'triangle': 1, 0 stores, 2 barriers{{$}}
KERNEL(triangle, long p) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i)
    for (long k = 0; k < 200; ++k) {
      const double pivot = d[i][k];
      for (long j = k; j < 200; ++j)
        d[i][j] -= pivot / j;
    }
}

// Under a condition that is the group's; then what comes behind the loop waits as well.
// CHECK-LABEL: loops of 'others': 1, 0 stores, 2 barriers{{$}}
KERNEL(others, long p, long k) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i)
    if (i != k) {
      const double first = d[i][k];
      for (long j = 0; j < 200; ++j)
        d[i][j] -= first * d[k][j];
    }
}

// CHECK-LABEL: loops of 'carried': none: iterations of an inner loop may touch the same memory
KERNEL(carried, long p) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i) {
    const double first = d[i][0];
    for (long j = 2; j < 200; ++j)
      d[i][j] += first * d[i][j - 2];
  }
}

// CHECK-LABEL: loops of 'last': none: a loop carries a value from one iteration to the next
KERNEL(last, long p) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i) {
    double sum = d[i][0];
    for (long j = 0; j < 200; ++j)
      d[i][j] = sum += d[i][j];
  }
}

// CHECK-LABEL: loops of 'used': none: a value of an inner loop's last iteration is used after it
KERNEL(used, long p) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i) {
    double left = 0, first = d[i][0];
    for (long j = 0; j < 200; ++j)
      d[i][j] = left = d[i][j] * first;
    d[i][3] = left + first;
  }
}

// CHECK-LABEL: loops of 'calls': none: an iteration has an effect that may not happen twice
KERNEL(calls, long p) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i) {
    const double first = d[i][0];
    step();
    for (long j = 0; j < 200; ++j)
      d[i][j] *= first;
  }
}

// CHECK-LABEL: loops of 'leaves': none: an inner loop may be left early
KERNEL(leaves, long p) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i) {
    const double first = d[i][0];
    for (long j = 0; j < 200 && d[i][j] > 0; ++j)
      d[i][j] *= first;
  }
}

// CHECK-LABEL: loops of 'short_ones': none: its inner loops have few iterations
KERNEL(short_ones, long p) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i) {
    const double first = d[i][0];
    for (long j = 0; j < 31; ++j)
      d[i][j] *= first;
  }
}

// Neighbouring iterations of the outer loop touch neighbouring memory.
// CHECK-LABEL: loops of 'columns': none: its inner loops do not go over contiguous memory
KERNEL(columns, long p) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i) {
    const double first = d[0][i];
    for (long j = 0; j < 200; ++j)
      d[j][i] *= first;
  }
}

// A sum in the program's order is for one work-item; all of them would take as long as one.
// CHECK-LABEL: loops of 'sum': none: each work-item would repeat a long loop
KERNEL(sum, long p) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i) {
    double sum = 0;
    for (long j = 0; j < 200; ++j)
      sum += d[i][j];
    for (long j = 0; j < 200; ++j)
      d[i][j] /= sum;
  }
}

// The work-items' private arrays would differ behind the loop.
// CHECK-LABEL: loops of 'private': none: an inner loop writes to a private array
KERNEL(private, long p, long k) {
  double(*d)[200] = (double(*)[200])AT(p);
  for (long i = lower; i < upper; ++i) {
    double own[200];
    for (long j = 0; j < 200; ++j) {
      own[j] = d[i][j] * 2;
      d[i][j] = own[k ^ j];
    }
    d[i][0] = own[k];
  }
}
