// Loops inside of a kernel's chunk loop that are not divided, and why.
// RUN: clang -O1 -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin \
// RUN:   -passes='function(loop-simplify,lcssa),print<tutti-parallel-nest>' -disable-output 2>&1 \
// RUN:   | FileCheck %s
#define KERNEL(name, ...)                                                                          \
  void name(char *arena, long low, long high, long lower, long upper, long total, double *partials, \
            __VA_ARGS__)
#define AT(p) ((double *)((p) + ((unsigned long)(p) < (1ul << 32) ? low : high)))
void use(double *);

// Each element from the one before it.
// CHECK-LABEL: nest of 'prefix': 1 loop, order 0{{$}}
// CHECK-NEXT:    extent
// CHECK-NEXT:    an inner loop carries a value from one iteration to the next
KERNEL(prefix, long p, long n) {
  double *a = AT(p);
  for (long i = lower; i < upper; ++i)
    for (long j = 1; j < n; ++j)
      a[i * n + j] += 2 * a[i * n + j - 1];
}

// Each element from the one two places before it, with int indices.
// CHECK-LABEL: nest of 'recurrence': 1 loop
// CHECK:         iterations of an inner loop may touch the same memory
KERNEL(recurrence, long p, int n) {
  double *a = AT(p);
  for (int i = (int)lower; i < (int)upper; ++i)
    for (int j = 2; j < n; ++j)
      a[i * n + j] = a[i * n + j - 2];
}

// Every other point, from a neighbour of the same colour.
// CHECK-LABEL: nest of 'one_colour': 1 loop
// CHECK:         iterations of an inner loop may touch the same memory
KERNEL(one_colour, long p, long n) {
  double *a = AT(p);
  for (long i = lower; i < upper; ++i)
    for (long j = 2; j < n; j += 2)
      a[i * n + j] = a[i * n + j - 2];
}

// Elements that overlap: eight bytes, four apart.
// CHECK-LABEL: nest of 'overlapping': 1 loop
// CHECK:         iterations of an inner loop may touch the same memory
KERNEL(overlapping, long p, long n) {
  char *a = (char *)AT(p);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      __builtin_memset(a + i * n + 4 * j, 7, 8);
}

// All iterations write the same element.
// CHECK-LABEL: nest of 'invariant': 1 loop
// CHECK:         iterations of an inner loop may touch the same memory
KERNEL(invariant, long p, long q, long n) {
  double *a = AT(p);
  int *index = (int *)AT(q);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      if (index[j])
        a[i] = (double)j;
}

// Addresses from an array.
// CHECK-LABEL: nest of 'scatter': 1 loop
// CHECK:         iterations of an inner loop may touch the same memory
KERNEL(scatter, long p, long q, long n) {
  double *a = AT(p);
  int *index = (int *)AT(q);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      a[i * n + index[j]] = 1;
}

// Rows behind pointers of their own: one might lead to another one, or to the table.
// CHECK-LABEL: nest of 'pointers': 1 loop
// CHECK:         an inner loop writes through a pointer that may lead to other data
KERNEL(pointers, long p, long n) {
  long *row = (long *)AT(p);
  for (long i = lower; i < upper; ++i) {
    double *to = AT(row[i]);
    for (long j = 0; j < n; ++j)
      to[j] = 1;
  }
}

// Fewer iterations for each row.
// CHECK-LABEL: nest of 'triangle': 1 loop
// CHECK:         the number of iterations of an inner loop depends on the outer one
KERNEL(triangle, long p, long n) {
  double *a = AT(p);
  for (long i = lower; i < upper; ++i)
    for (long j = i; j < n; ++j)
      a[i * n + j] = 1;
}

// The inner loop ends where the data says so.
// CHECK-LABEL: nest of 'search': 1 loop
// CHECK:         an inner loop may be left early
KERNEL(search, long p, long q, long n) {
  double *a = AT(p), *b = AT(q);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j) {
      if (a[i * n + j] == 0)
        break;
      b[i * n + j] = 1;
    }
}

// A sum for each iteration of the parallel loop.
// CHECK-LABEL: nest of 'row_sums': 1 loop
// CHECK:         results are written or combined outside of the inner loop
KERNEL(row_sums, long p, long q, long n) {
  double *a = AT(p), *b = AT(q);
  for (long i = lower; i < upper; ++i) {
    double sum = 0;
    for (long j = 0; j < n; ++j)
      sum += a[i * n + j];
    b[i] = sum;
  }
}

// A running sum whose steps are stored.
// CHECK-LABEL: nest of 'running_sum': 1 loop
// CHECK:         an inner loop carries a value from one iteration to the next
KERNEL(running_sum, long p, long q, long n) {
  double *a = AT(p), *b = AT(q);
  for (long i = lower; i < upper; ++i) {
    double sum = 0;
    for (long j = 0; j < n; ++j) {
      sum += a[i * n + j];
      b[i * n + j] = sum;
    }
  }
}

// The region's sum, looked at on the way.
// CHECK-LABEL: nest of 'observed': 1 loop
// CHECK:         a variable keeps its value from one iteration to the next
KERNEL(observed, long p, long n) {
  double *a = AT(p), sum = 0;
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      if (sum < 100)
        sum += a[i * n + j];
  *partials = sum;
}

// Two operations on one variable.
// CHECK-LABEL: nest of 'mixed': 1 loop
// CHECK:         a variable keeps its value from one iteration to the next
KERNEL(mixed, long p, long n) {
  double *a = AT(p), sum = 0;
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      sum = 0.5 * (sum + a[i * n + j]);
  *partials = sum;
}

// Of each row, the last positive element only.
// CHECK-LABEL: nest of 'last_ones': 1 loop
// CHECK:         a variable keeps its value from one iteration to the next
KERNEL(last_ones, long p, long n) {
  long *a = (long *)AT(p), sum = 0;
  for (long i = lower; i < upper; ++i) {
    long next = sum;
    for (long j = 0; j < n; ++j)
      if (a[i * n + j] > 0)
        next = sum + a[i * n + j];
    sum = next;
  }
  *(long *)partials = sum;
}

// A sum that is started anew where the data says so.
// CHECK-LABEL: nest of 'restarted': 1 loop
// CHECK:         a variable keeps its value from one iteration to the next
KERNEL(restarted, long p, long n) {
  long *a = (long *)AT(p), sum = 0;
  for (long i = lower; i < upper; ++i) {
    long next = sum;
    for (long j = 0; j < n; ++j)
      next = a[i * n + j] < 0 ? sum : next + a[i * n + j];
    sum = next;
  }
  *(long *)partials = sum;
}

// The nearest centre: the smallest distance and where it was found belong together.
// CHECK-LABEL: nest of 'nearest': 1 loop
// CHECK:         results are written or combined outside of the inner loop
KERNEL(nearest, long p, long q, long n) {
  double *a = AT(p);
  int *owner = (int *)AT(q);
  for (long i = lower; i < upper; ++i) {
    int best = 0;
    double least = 1e300;
    for (int k = 0; k < n; ++k) {
      const double distance = (a[i] - a[k]) * (a[i] - a[k]);
      if (distance < least) {
        least = distance;
        best = k;
      }
    }
    owner[i] = best;
  }
}

// A private array that the inner loop fills and the outer one reads.
// CHECK-LABEL: nest of 'private_array': 1 loop
// CHECK:         an inner loop writes to a private array
KERNEL(private_array, long p, long n, long m) {
  double *a = AT(p);
  double t[64];
  for (long i = lower; i < upper; ++i) {
    for (long j = 0; j < n; ++j)
      t[j & 63] = a[i * n + j];
    for (long j = 0; j < m; ++j)
      a[i * n + j] = t[(j * 7) & 63];
  }
}

// A private array that counts over all iterations.
// CHECK-LABEL: nest of 'histogram': 1 loop
// CHECK:       nest of 'histogram': 1 loop
// CHECK:         an inner loop writes to a private array
KERNEL(histogram, long p, long n) {
  int *a = (int *)AT(p);
  long t[64] = {0};
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      ++t[a[i * n + j] & 63];
  for (long j = 0; j < 64; ++j)
    partials[j] = t[j];
}

// A private array that lives as long as an iteration of the outer loop.
// CHECK-LABEL: nest of 'outer_array': 1 loop
// CHECK:         an inner loop writes to a private array
KERNEL(outer_array, long p, long q, long n) {
  double *a = AT(p);
  int *index = (int *)AT(q);
  for (long i = lower; i < upper; ++i) {
    double t[64];
    t[0] = t[1] = (double)i;
    for (long j = 0; j < n; ++j) {
      t[index[j]] = 1;
      a[i * n + j] = t[index[i + j]];
    }
  }
}

// One loop reads what other iterations of the one before it write.
// CHECK-LABEL: nest of 'siblings': 1 loop
// CHECK:         iterations of an inner loop may touch the same memory
KERNEL(siblings, long p, long q, long n) {
  double *a = AT(p), *b = AT(q);
  for (long i = lower; i < upper; ++i) {
    for (long j = 0; j < n; ++j)
      a[i * n + j] = (double)j;
    for (long j = 0; j < n; ++j)
      b[i * n + j] = a[i * n + n - 1 - j];
  }
}

// A store between the loops.
// CHECK-LABEL: nest of 'between': 1 loop
// CHECK:         results are written or combined outside of the inner loop
KERNEL(between, long p, long q, long n) {
  double *a = AT(p), *b = AT(q);
  for (long i = lower; i < upper; ++i) {
    for (long j = 0; j < n; ++j)
      a[i * n + j] = (double)j;
    b[i] = 1;
  }
}

// A term of the reduction between the loops: the inner ones would add it many times.
// CHECK-LABEL: nest of 'terms': 2 loops, order 1 0{{$}}
// CHECK:         results are written or combined outside of the inner loop
KERNEL(terms, long p, long n) {
  double *a = AT(p), sum = 0;
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j) {
      sum += 1;
      for (long k = 0; k < n; ++k)
        sum += a[i + j + k];
    }
  *partials = sum;
}

// What the outer body reads is written by the inner loop.
// CHECK-LABEL: nest of 'first_of_row': 1 loop
// CHECK:         iterations of an inner loop may touch the same memory
KERNEL(first_of_row, long p, long n) {
  double *a = AT(p);
  for (long i = lower; i < upper; ++i) {
    const double first = a[i * n];
    for (long j = 0; j < n; ++j)
      a[i * n + j] = first;
  }
}

// A function that is not known.
// CHECK-LABEL: nest of 'called': 1 loop
// CHECK:         an iteration has an effect that may not happen twice
KERNEL(called, long p, long n) {
  double *a = AT(p);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      use(a + i * n + j);
}

// Shared memory in the order in which the program asks for it.
// CHECK-LABEL: nest of 'ordered': 1 loop
// CHECK:         an iteration has an effect that may not happen twice
KERNEL(ordered, long p, long n) {
  volatile double *a = AT(p);
  for (long i = lower; i < upper; ++i)
    for (long j = 0; j < n; ++j)
      a[i * n + j] = 1;
}

// Side by side, with different numbers of iterations.
// CHECK-LABEL: nest of 'two_lengths': 1 loop
// CHECK:         run differently often
KERNEL(two_lengths, long p, long q, long n, long m) {
  double *a = AT(p), *b = AT(q);
  for (long i = lower; i < upper; ++i) {
    for (long j = 0; j < n; ++j)
      a[i * n + j] = 1 + j;
    for (long j = 0; j < m; ++j)
      b[i * m + j] = 2 + j;
  }
}

// A row from the row before it, of which each point needs its neighbours: the loop over rows lies
// between.
// CHECK-LABEL: nest of 'wavefront': 1 loop
// CHECK:         iterations of an inner loop may touch the same memory
KERNEL(wavefront, long p) {
  double *a = AT(p);
  for (long i = lower; i < upper; ++i)
    for (long j = 1; j < 64; ++j)
      for (long k = 1; k < 64; ++k)
        a[(i * 64 + j) * 64 + k] = a[(i * 64 + j - 1) * 64 + k - 1];
}
