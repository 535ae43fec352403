/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks that are sent to nodes, with all that they may carry. The argument is their number. */
#include <stdio.h>
#include <stdlib.h>

#include "cluster.h"

typedef struct {
  double weight;
  int numbers[5];
} Record;

static int table[64];
static double total;

static void stack_variables(int nodes) {
  int cells[32];
  long results[8] = {0};
  for (int i = 0; i < 32; ++i) {
    cells[i] = i;
  }
  for (int n = 0; n < 8; ++n) {
#pragma oss task in(cells)out(results[n]) node(n % nodes)
    {
      results[n] = n;
      for (int i = 0; i < 32; ++i) {
        results[n] += cells[i] * n;
      }
    }
  }
#pragma oss taskwait
  for (int n = 0; n < 8; ++n) {
    printf("%ld ", results[n]);
  }
  printf("\n");
}

static void copies(int nodes, int length) {
  Record record = {0.5, {1, 2, 3, 4, 5}};
  double row[length];
  float big[300];
  double *sums = malloc(8 * sizeof *sums);
  for (int i = 0; i < length; ++i) {
    row[i] = i;
  }
  for (int i = 0; i < 300; ++i) {
    big[i] = (float)i;
  }
  for (int n = 0; n < 8; ++n) {
    record.numbers[2] = n;
    row[1] = 10 * n;
#pragma oss task firstprivate(record, row, big) out(sums[n]) node((n + 1) % nodes)
    sums[n] = record.weight + record.numbers[2] + row[1] + row[2] + row[length - 1] + big[299];
  }
#pragma oss taskwait
  for (int n = 0; n < 8; ++n) {
    printf("%g ", sums[n]);
  }
  printf("%d %g\n", record.numbers[2], row[1]);
  free(sums);
}

/* Boxes, weak accesses, tasks below tasks, and data that is handed from node to node. */
static void matrix(int nodes) {
  enum { kSize = 48, kBlock = 16 };

  double(*a)[kSize] = malloc(sizeof(double[kSize][kSize]));
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) {
      a[i][j] = i * kSize + j;
    }
  }
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < kSize; i += kBlock) {
      for (int j = 0; j < kSize; j += kBlock) {
#pragma oss task inout(a[i; kBlock][j; kBlock]) node((i / kBlock + j / kBlock + step) % nodes)
        for (int k = i; k < i + kBlock; ++k) {
#pragma oss task inout(a[k][j; kBlock])
          for (int l = j; l < j + kBlock; ++l) {
            a[k][l] = a[k][l] * 0.5 + step;
          }
        }
      }
    }
  }
#pragma oss task weakinout(a[0; kSize][0; kSize])
  for (int i = 0; i < kSize; i += kBlock) {
#pragma oss task inout(a[i; kBlock][0; kSize]) node(i / kBlock % nodes) wait
    for (int k = i; k < i + kBlock; ++k) {
      a[k][k] = -1;
    }
  }
#pragma oss task weakin(a[0; kSize][0; kSize]) weakinout(total) node(nodes - 1)
  {
#pragma oss task in(a[0; kSize][0; kSize])inout(total)
    for (int i = 0; i < kSize; ++i) {
      for (int j = 0; j < kSize; ++j) {
        total += a[i][j];
      }
    }
  }
#pragma oss taskwait
  printf("%.10g\n", total);
  free(a);
}

static void in_turns(int nodes) {
  int count = 0, last = 0;
  long sum = 3;
  double most = -1;
  short parts[7] = {0};
  for (int n = 0; n < 12; ++n) {
#pragma oss task commutative(count) node(n % nodes)
    count += n;
#pragma oss task concurrent(last) node(n % nodes)
    __atomic_fetch_add(&last, 1, __ATOMIC_RELAXED);
#pragma oss task reduction(+ : sum, parts) reduction(max : most) node(n % nodes)
    {
      sum += n;
      parts[n % 7] += (short)n;
      if (most < n * 0.25) {
        most = n * 0.25;
      }
      for (int k = 0; k < 2; ++k) {
#pragma oss task reduction(+ : sum)
        sum += k;
      }
    }
  }
#pragma oss task in(sum)inout(count) node(nodes - 1)
  count += (int)sum;
#pragma oss taskwait
  printf("%d %d %ld %g", count, last, sum, most);
  for (int k = 0; k < 7; ++k) {
    printf(" %d", parts[k]);
  }
  printf("\n");
}

static void loops(int nodes) {
#pragma oss taskloop grainsize(5) out(table[i]) node(nodes - 1)
  for (int i = 0; i < 64; ++i) {
    table[i] = i * i;
  }
#pragma oss task for inout(table[0; 64]) chunksize(8) node(nodes / 2)
  for (int i = 0; i < 64; ++i) {
    table[i] += 1;
  }
  for (int n = 0; n < nodes; ++n) {
#pragma oss task inout(table[0; 64]) node(n) if (0)
    table[n] += n;
#pragma oss task inout(table[0; 64]) node(n) final(1)
    {
#pragma oss task inout(table[1])
      table[1] += 2;
      table[2] += table[1];
    }
  }
#pragma oss taskwait in(table[0; 32])
  long sum = 0;
  for (int i = 0; i < 32; ++i) {
    sum += table[i];
  }
#pragma oss taskwait
  for (int i = 32; i < 64; ++i) {
    sum += table[i];
  }
  printf("%ld\n", sum - 3 * nodes * nodes);
}

#ifdef _OMPSS_2
#define NODE(expected) nanos6_get_cluster_node_id()
#else
#define NODE(expected) (expected)
#endif

static void identities(int nodes) {
  int found[9];
  for (int n = 0; n < 4; ++n) {
    int *own = &found[n];
#pragma oss task out(*own) node(n % nodes)
    *own = NODE(n % nodes);
  }
  for (int n = 4; n < 8; ++n) {
#pragma oss task out(found[n]) node(n % nodes)
    found[n] = NODE(n % nodes);
  }
#pragma oss task out(found[8]) node(nanos6_cluster_no_offload)
  found[8] = NODE(0);
#pragma oss taskwait
  for (int n = 0; n < 9; ++n) {
    printf("%d ", found[n]);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  int nodes = argc > 1 ? atoi(argv[1]) : 1;
  stack_variables(nodes);
  copies(nodes, 9);
  matrix(nodes);
  in_turns(nodes);
  loops(nodes);
  identities(nodes);
}
