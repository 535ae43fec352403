// Functions of the C library that change texts of the thread's own, or look at texts, and clocks, are no
// reason to stay home, nor are functions that call themselves and do no more
// than that. What depends on the program's locale is looked at when the loop is launched.
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
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    char text[8] = {(char)('0' + i % 10), 0};
    a[i] = atof(text);
  }
}

void shared(int n, const char *text, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = atoi(text + 4 * i);
}

// Where a number of all threads ends is no address in the memory that the loop reads.
void ends(int n, const char *text, char **end) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls '{{.*}}' on memory that is not the iteration's own
  #pragma omp parallel for
  for (int i = 0; i < n; i++) strtol(text + 4 * i, end + i, 10);
}

void copies(int n, char *to, const char *from) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'strcpy' on memory that is not the iteration's own
  #pragma omp parallel for
  for (int i = 0; i < n; i++) strcpy(to + 8 * i, from + 8 * i);
}

void places(int n, const char *text, const char **a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'strchr' on memory that is not the iteration's own
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = strchr(text + 8 * i, ',');
}

void searches(int n, const char *text, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = strchr(text + 8 * i, ',') != NULL;
}

static double fold(const double *v, int low, int high) {
  const int middle = low + (high - low) / 2;
  return high - low < 2 ? v[low] : fold(v, low, middle) * 0.5 + fold(v, middle, high);
}

void folds(int n, const double *v, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = fold(v, i, n);
}

// Addresses are other numbers in the view in which rank 0 computes: one that is not there is not.
static double weigh(const double *v, const double *weights, int low, int high) {
  if (high - low < 2) return v[low] * (weights ? weights[low] : 1);
  const int middle = low + (high - low) / 2;
  return weigh(v, weights, low, middle) * 0.5 + weigh(v, weights, middle, high);
}

void weighs(int n, const double *v, const double *weights, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'weigh', which cannot be analysed in place
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = weigh(v, weights, i, n);
}

static int calls;
static int counted(int n) { return ++calls, n < 2 ? 1 : counted(n - 1) + counted(n - 2); }

void counts(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'counted', which cannot be analysed in place
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = counted(i % 8);
}

static int up(const void *one, const void *other) { return *(const int *)one - *(const int *)other; }
static int noisy(const void *one, const void *other) { return ++calls, up(one, other); }

void sorts(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int own[9];
    for (int k = 0; k < 9; k++) own[k] = i * k % 7;
    qsort(own, 9, sizeof *own, up);
    a[i] = own[4];
  }

  // Comparisons that count are seen by others.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'qsort', which is not defined in this file
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int own[9];
    for (int k = 0; k < 9; k++) own[k] = i * k % 7;
    qsort(own, 9, sizeof *own, noisy);
    a[i] = own[4];
  }
}

int usleep(unsigned time);
void pauses(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    usleep(i);
    a[i] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'rand', which draws from a sequence that all threads share (line [[@LINE+3]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = rand();
  }
}
