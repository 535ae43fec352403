// Iterations take slots from counters, in an order that the program leaves open: what they put
// there is sorted before it is looked at.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCount = 6000 };

struct queue {
  long size;
  int *items;
};

static int total;
static int out[4 * kCount];

static int compare(const void *one, const void *other) {
  return *(const int *)one - *(const int *)other;
}

static void show(const char *name, int *items, long count) {
  long sum = 7;
  qsort(items, count, sizeof *items, compare);
  for (long i = 0; i < count; ++i) {
    sum = (sum * 31 + items[i]) % 1000003;
  }
  printf("%s %ld %ld\n", name, count, sum);
}

static void push(struct queue *q, int value) {
  long at;
#pragma omp atomic capture
  at = q->size++;
  q->items[at] = value;
}

static int take(int *counter) {
  int at;
#pragma omp atomic capture
  at = ++*counter;
  return at - 1;
}

// A member behind a pointer, in a function that is called.
static void intoQueue(int first, const double *a) {
  struct queue q = {first, out}, *p = &q;
  memset(out, 0, sizeof out);
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 0; i < kCount; ++i) {
    if ((int)a[i] % 3 == first) {
      push(p, i);
    }
  }
  show("queue", out, q.size);
}

// A variable of the program, beside a sum and a last value.
static void withSum(double least, const double *a) {
  double sum = 0;
  int last = -1;
  total = 3;
  memset(out, 0, sizeof out);
#pragma omp parallel for reduction(+ : sum) lastprivate(last) schedule(static, 7)
  for (int i = 0; i < kCount; ++i) {
    last = i;
    if (a[i] > least) {
      out[take(&total)] = i;
      sum += a[i];
    }
  }
  show("sum", out, total);
  printf("%.0f %d\n", sum, last);
}

// Records of different lengths, which lie one behind the other.
static void records(const double *a) {
  unsigned long bytes = 0;
  long sum = 0;
  char *text = calloc(kCount, 8);
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < kCount; ++i) {
    const unsigned long length = (unsigned long)a[i] % 5;
    if (length > 0) {
      unsigned long at;
#pragma omp atomic capture
      {
        at = bytes;
        bytes += length;
      }
      memset(text + at, 'a' + (int)length, length);
    }
  }
  for (unsigned long at = 0; at < bytes; at += text[at] - 'a') {
    sum += text[at] * 3;
  }
  printf("records %lu %ld\n", bytes, sum);
  free(text);
}

// Several in an iteration, and more than there is room; which get it is left open.
static void several(long room, const double *a) {
  long count = 0, put = 0;
#pragma omp parallel for reduction(+ : put)
  for (int i = 0; i < kCount; ++i) {
    for (int k = 0; a[i] > 1000 * k; ++k) {
      long at;
#pragma omp atomic capture
      at = count++;
      if (at < room) {
        out[at] = i;
        ++put;
      }
    }
  }
  printf("several %ld %ld\n", count, put);
}

// None, and fewer iterations than blocks.
static void few(int count) {
  unsigned taken = 5;
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    unsigned at;
#pragma omp atomic capture
    at = taken++;
    out[at] = 3 * i;
  }
  show("few", out + 5, taken - 5);
}

int main(void) {
  double *a = malloc(kCount * sizeof *a);
  for (int i = 0; i < kCount; ++i) {
    a[i] = i * 7919L % 10007;
  }
  for (int round = 0; round < 3; ++round) {
    intoQueue(round, a);
    withSum(2000 * round, a);
    records(a);
    several(kCount * (round + 1), a);
    few(1 + 100 * round);
  }
  free(a);
  return 0;
}
