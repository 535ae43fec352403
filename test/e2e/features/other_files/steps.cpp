#include "others.h"

void sweep(double *u, double *v, int n) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    v[i] = smooth(u, i);
  }
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    u[i] = v[i];
  }
}

void relax(double *u, double *v, int n) {
#pragma omp for
  for (int i = 1; i < n - 1; ++i) {
    v[i] = smooth(u, i);
  }
#pragma omp for
  for (int i = 1; i < n - 1; ++i) {
    u[i] = v[i];
  }
}
