// What is written once in a construct is reported once, though its address and its size are taken,
// and the same tokens in another construct are another mistake.
// RUN: not clang -fopenmp -fplugin=%frontend -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
struct S { int bit : 3; };
void f(int *p, struct S *s) {
  int x;
  // CHECK: :[[@LINE+1]]:23: error: use of undeclared identifier 'q'
  #pragma oss task in(q)
  x = 1;
  // CHECK-NOT: error:
  // CHECK: :[[@LINE+1]]:23: error: use of undeclared identifier 'q'
  #pragma oss task in(q)
  x = 1;
  // CHECK-NOT: error:
  // CHECK: :[[@LINE+1]]:23: error: address of bit-field requested
  #pragma oss task in(s->bit)
  x = 1;
  // CHECK-NOT: error:
  // CHECK: :[[@LINE+1]]:23: error: indirection requires pointer operand ('int' invalid)
  #pragma oss task in(*x, p[y])
  x = 1;
  // CHECK-NOT: error:
  // CHECK: :[[@LINE-3]]:29: error: use of undeclared identifier 'y'
  // CHECK-NOT: error:
  // CHECK: :[[@LINE+1]]:33: error: use of undeclared identifier 'q'
  #pragma oss task reduction(+: q)
  x = 1;
  // CHECK-NOT: error:
  // CHECK: 6 errors generated.
}
