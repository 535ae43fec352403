// Remainders are a function's, also where Clang makes instructions of them and several at once: NVPTX
// would divide, cut and multiply.
// RUN: %kernel-ir -fno-math-errno %s -o %t.ll
// RUN: FileCheck %s --check-prefix=IR < %t.ll
// RUN: tutti-kernel --target=ptx %t.ll | FileCheck %s --check-prefix=PTX
// RUN: tutti-kernel --target=opencl %t.ll | FileCheck %s --check-prefix=CL
#include "kernel.h"
double fmod(double, double);
float fmodf(float, float);

// IR-DAG: frem double
// IR-DAG: frem float
// PTX-NOT: div.rn.f64
// CL-DAG: = fmod(
KERNEL(run) {
  const double *a = AT(in);
  double *b = AT(out);
  (void)total, (void)partials, (void)n;
  FOR_ITEMS(i, 0, lower, upper) {
    b[2 * i] = fmod(a[2 * i], a[2 * i + 1]);
    b[2 * i + 1] = fmodf((float)a[2 * i], (float)a[2 * i + 1]);
  }
}
