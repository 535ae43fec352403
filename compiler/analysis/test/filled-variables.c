// An array that each thread has for itself, and that several loops of a construct use in turn, is each
// loop's own if the loop fills it before it looks at it. Else one loop could leave something to the next.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
#include <string.h>

void filled(int n, double *a, double *b) {
  double row[5], square[3][4], pair[2];
  #pragma omp parallel private(row, square, pair)
  {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (int i = 0; i < n; i++) {
      for (int m = 0; m < 5; m++) row[m] = a[i] * m;
      for (int k = 0; k < 3; k++)
        for (int m = 0; m < 4; m++) square[k][m] = row[m] - row[k];
      pair[0] = row[1], pair[1] = square[1][2];
      b[i] = pair[i % 2] + square[2][i % 4];
    }
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (int i = 1; i < n; i++) {
      pair[1] = b[i - 1], pair[0] = 3;
      memset(row, 0, sizeof row);
      int m = 0;
      do row[m] += i; while (++m < 5);
      for (int k = 0; k < 3; k++)
        for (int m = 0; m < 4; m++) square[k][m] = row[m] - row[k] + pair[i & 1];
      a[i] = square[i % 3][0];
    }
  }
}

// CHECK-COUNT-8: remark: parallel loop stays on rank 0: {{.*}}one of its loops leaves a private value to what follows
#define OTHER(NAME, FILL)                                                                          \
  void NAME(int n, int k, double *a, double *b) {                                                  \
    double row[5];                                                                                 \
    _Pragma("omp parallel private(row)") {                                                         \
      _Pragma("omp for") for (int i = 0; i < n; i++) {                                             \
        for (int m = 0; m < 5; m++) row[m] = a[i] * m;                                             \
        b[i] = row[i % 5];                                                                         \
      }                                                                                            \
      _Pragma("omp for") for (int i = 1; i < n; i++) {                                             \
        FILL;                                                                                      \
        a[i] = b[i - 1] + row[i % 5];                                                              \
      }                                                                                            \
    }                                                                                              \
  }

OTHER(part, for (int m = 0; m < 4; m++) row[m] = i)
OTHER(steps, for (int m = 0; m < 5; m += 2) row[m] = i)
OTHER(condition, for (int m = 0; m < 5; m++) if (m != k) row[m] = i)
OTHER(around, if (k) for (int m = 0; m < 5; m++) row[m] = i)
OTHER(unknown, for (int m = 0; m < k; m++) row[m] = i)
OTHER(left, for (int m = 0; m < 5; m++) { row[m] = i; if (b[m] > 3) break; })
OTHER(early, b[i] = row[2]; for (int m = 0; m < 5; m++) row[m] = i)
OTHER(sums, for (int m = 0; m < 5; m++) row[m] += i)
