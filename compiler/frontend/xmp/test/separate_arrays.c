// The compiler is told that arrays of a nest do not overlap, where one of them is stored to.
// RUN: %tutti-xmp - clang -fopenmp %s | FileCheck %s
double a[8], b[8], c[8];
double *pointer;
#pragma xmp nodes p[*]
#pragma xmp template t[8]
#pragma xmp distribute t[block] onto p
#pragma xmp align [i] with t[i] :: a, b, c
#pragma xmp align pointer[i] with t[i]
// CHECK-LABEL: void stored
void stored(void) {
  // CHECK: __builtin_assume_separate_storage([[A:tutti_a_[0-9]+_base]], [[B:tutti_b_[0-9]+_base]]);
  // CHECK-NOT: separate_storage
  // CHECK: for
#pragma xmp loop on t[i]
  for (int i = 0; i < 8; i++)
    a[i] += b[i];
}
// CHECK-LABEL: double read
double read(void) {
  double sum = 0;
  // CHECK-NOT: separate_storage
#pragma xmp loop on t[i] reduction(+ : sum)
  for (int i = 0; i < 8; i++)
    sum += a[i] * b[i];
  return sum;
}
// CHECK-LABEL: void by_pointer
void by_pointer(double *x) {
#pragma xmp align x[i] with t[i]
  // CHECK-NOT: separate_storage
#pragma xmp loop on t[i]
  for (int i = 0; i < 8; i++) {
    pointer[i] = a[i];
    x[i] = a[i];
  }
}
// CHECK-LABEL: void apart
void apart(void) {
  // CHECK-NOT: separate_storage
#pragma xmp loop on t[i]
#pragma omp parallel for
  for (int i = 0; i < 8; i++)
    c[i] = a[i];
}
