// Roots and quotients in the program's own words, in other words where -ffast-math permits it, and
// again its own where it permits only a part.
// RUN: %kernel-ir -fno-math-errno %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll | FileCheck %s --check-prefix=STRICT
// RUN: tutti-kernel --target=opencl %t.ll | FileCheck %s --check-prefix=STRICTCL
// RUN: %kernel-ir -fno-math-errno -freciprocal-math %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll | FileCheck %s --check-prefix=STRICT
// RUN: %kernel-ir -ffast-math %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: FileCheck %s --check-prefix=FAST < %t.ptx
// RUN: FileCheck %s --check-prefix=NONE < %t.ptx
// RUN: %ptxas %t.ptx
// RUN: tutti-kernel --target=opencl %t.ll | FileCheck %s --check-prefix=CL
// RUN: %kernel-ir -ffast-math -fhonor-infinities %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll | FileCheck %s --check-prefix=ZERO
#include "kernel.h"
double sqrt(double);
float sqrtf(float);

// STRICT-DAG: sqrt.rn.f64
// STRICT-DAG: div.rn.f64
// STRICT-DAG: sqrt.rn.f32
// STRICT-DAG: div.rn.f32
// STRICT-NOT: {{rsqrt|approx|full}}

// STRICTCL-NOT: {{rsqrt|native}}

// FAST-DAG: rsqrt.approx.ftz.f64
// FAST-DAG: rsqrt.approx.f32
// FAST-DAG: sqrt.approx.f32
// FAST-DAG: div.full.f32
// NONE:     div.rn.f64
// NONE-NOT: {{div|sqrt}}.rn

// Where a quotient may be infinite, the divisor may be zero.
// ZERO:     rsqrt.approx.f64

// CL-DAG: = rsqrt(
// CL-DAG: = native_sqrt(
// CL-NOT: = sqrt(
KERNEL(run) {
  const double *a = AT(in);
  double *b = AT(out);
  (void)total, (void)partials, (void)n;
  FOR_ITEMS(i, 0, lower, upper) {
    const double x = a[4 * i];
    const double y = a[4 * i + 1];
    b[6 * i] = y / sqrt(x);
    b[6 * i + 1] = y / (x * sqrt(x));
    b[6 * i + 2] = y / (a[4 * i + 2] * sqrt(x));
    const float z = (float)a[4 * i + 3];
    b[6 * i + 3] = 3 / sqrtf(z);
    b[6 * i + 4] = sqrtf(z + 1);
    b[6 * i + 5] = z / (z + 2);
  }
}
