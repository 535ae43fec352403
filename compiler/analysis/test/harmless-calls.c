// Functions of the C library that look at texts of the thread's own, and clocks, are no reason to stay
// home. What depends on the program's locale is another thing on each rank.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
#include <omp.h>
#include <stdlib.h>
#include <string.h>

void texts(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    char text[8] = {(char)('0' + i % 10), (char)('0' + i % 7), 0};
    a[i] = atoi(text) + (int)strtol(text, NULL, 16) + (int)strlen(text) + (strcmp(text, "33") < 0);
  }
}

void clocks(int n, double *a, double *spent) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double begin = omp_get_wtime();
    a[i] = 0.5 * i;
    spent[i] = omp_get_wtime() - begin;
  }
}

void locale(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls '{{.*}}', which is not defined in this file
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    char text[8] = {(char)('0' + i % 10), 0};
    a[i] = atof(text);
  }
}

void shared(int n, const char *text, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls '{{.*}}', which is not defined in this file
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = atoi(text + 4 * i);
}
