// A pragma without a construct is ignored with a warning; without OpenMP, silently.
// RUN: clang -fopenmp -fplugin=%frontend -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: clang -fplugin=%frontend -Wall -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: clang -fopenmp -Wall -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// SILENT-NOT: warning
// UNKNOWN: :[[@LINE+3]]:11: warning: unknown pragma ignored
void f(int n, int *x) {
  // CHECK: :[[@LINE+1]]:3: warning: '#pragma tutti' is ignored: no OpenMP construct follows it
  #pragma tutti device(gpu)
  x[0] = 1;
  // CHECK: :[[@LINE+1]]:3: warning: '#pragma tutti' is ignored: no OpenMP construct follows it
  #pragma tutti device(gpu)
  #pragma omp declare reduction(take : int : omp_out += omp_in)
  #pragma tutti device(gpu)
  #pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = i;
}
