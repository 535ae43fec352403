// Loops that are collapsed may have braces around them, and nothing else between them: what stands
// there would run as often as the innermost body.
// RUN: not clang++ -fopenmp -fplugin=%frontend -fsyntax-only %s 2>&1 | FileCheck %s
// CHECK-NOT: error:
void fill(int (*cells)[4]) {
  #pragma oss taskloop collapse(2)
  for (int i = 0; i < 4; ++i) {
    {
      for (int j = 0; j < 4; ++j) {
        cells[i][j] = 1;
        for (int k = 0; k < 3; ++k) cells[i][j] += k;
      }
    }
  }
}
void before(int (*cells)[4]) {
  #pragma oss taskloop collapse(2)
  for (int i = 0; i < 4; ++i) {
    // CHECK: :[[@LINE+1]]:5: error: a statement stands between loops that are collapsed
    cells[i][0] += 1;
    for (int j = 0; j < 4; ++j) cells[i][j] += 1;
  }
}
struct Cube {
  int cells[4][4][4];
  void after() {
    #pragma oss taskloop collapse(3)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        for (int k = 0; k < 4; ++k) cells[i][j][k] += 1;
        // CHECK: :[[@LINE+1]]:9: error: a statement stands between loops that are collapsed
        cells[i][j][0] += 1;
      }
  }
};
// OpenMP allows it.
// CHECK-NOT: error:
void openmp(int (*cells)[4]) {
  #pragma omp taskloop collapse(2)
  for (int i = 0; i < 4; ++i) {
    cells[i][0] = 1;
    for (int j = 0; j < 4; ++j) cells[i][j] = 1;
  }
}
// The size of a nest may be a template's.
template <int depth> void nest(int (*cells)[4]) {
  #pragma oss taskloop collapse(depth)
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) cells[i][j] = 1;
    // CHECK: :[[@LINE+2]]:5: error: a statement stands between loops that are collapsed
    // CHECK-NOT: error:
    cells[i][0] = 2;
  }
}
void use(int (*cells)[4]) {
  nest<1>(cells);
  nest<2>(cells);
}
