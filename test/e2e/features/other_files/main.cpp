// Loops that call functions of other files, which call others in turn: with a table of constants, a
// shared variable, templates, loops of a construct that stands elsewhere. All are distributed.
#include <cstdio>
#include <vector>

#include "others.h"

int main() {
  const int n = 20000;
  std::vector<double> a(n), b(n);
  double *u = a.data(), *v = b.data();
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    u[i] = shape(i * 0.001, i % 7);
  }
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    v[i] = smooth(u, i) + entry(i);
  }
  table[3] = -1.0; // Behind the compiler's back of the file that reads it.
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    double seed = i;
    sum += v[i] + entry(i) * next(&seed) + next(&seed);
  }
  for (int step = 0; step < 3; ++step) {
    sweep(u, v, n);
  }
#pragma omp parallel
  for (int step = 0; step < 4; ++step) {
    relax(u, v, n);
  }
  double rest = 0.0;
  for (int i = 0; i < n; ++i) {
    rest += u[i] * (i % 5);
  }
  std::printf("%.10g %.10g\n", sum, rest);
}
