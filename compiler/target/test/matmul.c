// A dot product per work-item: the loop over k is unrolled and contracted where the source allows.
// RUN: %kernel-ir %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %ptxas %t.ptx
// RUN: tutti-kernel --target=opencl %t.ll | FileCheck %s --check-prefix=CL
// RUN: sed 's/nounwind/nounwind "tutti-registers"="96"/' %t.ll > %t.few.ll
// RUN: tutti-kernel --target=ptx %t.few.ll | FileCheck %s --check-prefix=FEW
#include "kernel.h"

// FEW: .maxnreg 96

// In that loop the elements of a column are reached by additions.
// PTX: fma.rn.f64
// PTX-NOT: {{mul|mad|shl}}
// PTX-COUNT-3: fma.rn.f64

// CL: tutti_muladd(
KERNEL(run) {
  const double *a = AT(in);
  double *c = AT(out);
  const int size = (int)n / 16;
  (void)total, (void)partials;
  FOR_ITEMS(i, 1, lower, upper < size ? upper : size) {
    FOR_ITEMS(j, 0, 0, size) {
      double sum = 0;
      for (int k = 0; k < size; ++k) {
        sum += a[i * size + k] * a[k * size + j];
      }
      c[i * size + j] = sum;
    }
  }
}
