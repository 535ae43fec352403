// A stencil that looks at both ends of a row becomes one of vectors, as the same without ends does.
// RUN: clang++ -O3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s
// RUN: clang++ -O2 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s
// RUN: clang++ -Os -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck --check-prefix=SMALL %s

// CHECK-LABEL: @_Z4heatiPKdddPd(
// CHECK: store <2 x double>
// CHECK: {{^}}}
// SMALL-NOT: store <2 x double>
void heat(int size, const double *before, double first, double last, double *after) {
  for (int i = 0; i < size; ++i) {
    const double west = i > 0 ? before[i - 1] : first;
    const double east = i < size - 1 ? before[i + 1] : last;
    after[i] = before[i] + 0.25 * (west - 2 * before[i] + east);
  }
}
