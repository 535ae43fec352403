// Loops whose accesses are in closed form are divided, however they are written.
// RUN: %tuttic++ -c -o /dev/null %s 2>&1 | FileCheck %s --implicit-check-not="stays on rank 0"
#include <cmath>
#include <complex>
#include <vector>

double global[100][200];

static double square(double x) { return x * x; }

struct Total {
  double sum;
  int count;
};
#pragma omp declare reduction(add : Total : omp_out.sum += omp_in.sum, omp_out.count += omp_in.count) \
    initializer(omp_priv = Total{0, 0})

void loops(int n, double *x, double *y, const std::vector<double> &v, int *index) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) x[i] = std::sqrt(y[i]) + square(v[i]);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for schedule(static, 4)
  for (unsigned i = 1; i < 99; i += 3)
    for (unsigned j = 0; j < 200; j++) global[i][j] = 1;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for schedule(dynamic, 2)
  for (long i = n - 1; i >= 0; i--) y[i] += x[i];
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; i++) y[i] += x[i];
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; i++) y[i] += x[i];
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for collapse(2)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) y[i * n + j] = x[i * n + j - 1];
  int last = 0;
  double first[3] = {x[0], x[1], x[2]};
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for lastprivate(last) firstprivate(first)
  for (int i = 0; i < n; i++) {
    first[i % 3] += 1;
    x[i] = first[i % 3];
    last = i;
  }
  Total total{0, 0};
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for reduction(add : total)
  for (int i = 0; i < n; i++) {
    total.sum += x[i];
    total.count++;
  }
  double bins[8] = {};
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for reduction(+ : bins[:8])
  for (int i = 0; i < n; i++) bins[i & 7] += x[index[i]];
  // Private copies whose size is not constant are set to zero in a loop before the shared one.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for reduction(+ : y[last : n / 2])
  for (int i = 0; i < n; i++) y[last + i % (n / 2)] += x[i];
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel
  {
    double table[4];
    for (int k = 0; k < 4; k++) table[k] = k;
    #pragma omp for
    for (int i = 0; i < n; i++) y[i] = table[i & 3];
  }
  x[0] = last + total.sum + bins[3];
}

void iterators(std::vector<double> &v) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (auto it = v.begin(); it < v.end(); ++it) *it *= 2;
}

// Copies of iterators are read as integers when the optimiser is done with them.
template <typename Iterator> void iteratorArguments(Iterator begin, Iterator end) {
  // CHECK: :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop is distributed
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (Iterator it = begin; it < end; ++it) *it += 1;
}
template void iteratorArguments(std::vector<float>::iterator, std::vector<float>::iterator);
template void iteratorArguments(std::vector<double>::reverse_iterator,
                                std::vector<double>::reverse_iterator);
template void iteratorArguments(int *, int *);

void mathematics(int n, double *x, float *y) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = std::hypot(x[i], std::erfc(x[i])) + std::tgamma(x[i]);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = std::fdim(std::scalbn(y[i], 2), std::lgamma(y[i]));
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int quotient;
    x[i] = std::remquo(x[i], 3, &quotient) + quotient + std::ilogb(x[i]);
  }
}

void complexNumbers(int n, std::complex<double> *x, std::complex<float> *y) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = x[i] * x[i] / std::exp(x[i]) + std::abs(x[i]);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = y[i] / (y[i] * y[i]) + std::sqrt(y[i]);
}
