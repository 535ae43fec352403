// A stencil in two dimensions: global loads at constant distances from addresses that advance.
// RUN: %kernel-ir %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %ptxas %t.ptx
// RUN: tutti-kernel --target=opencl %t.ll | FileCheck %s --check-prefix=CL
//
// What the backend does not need is not computed either.
// RUN: tutti-kernel --target=ptx --debug-pass=Structure %t.ll 2>&1 | FileCheck %s \
// RUN:     --check-prefix=PASSES --implicit-check-not="Induction Variable Users"
// PASSES: NVPTX DAG->DAG Pattern Instruction Selection
#include "kernel.h"

// PTX:     .target sm_70
// PTX:     .visible .entry run(
// PTX-NOT: {{(ld|st)\.(f64|global)}}
// PTX:     // tutti: begin
// PTX-NOT: {{(ld|st)\.f64}}
// PTX:     mov.u32 {{.*}}, %ctaid.x
// PTX:     ld.global.f64 {{.*}}, [[[ADDRESS:%rd[0-9]+]]+-8]
// PTX:     ld.global.f64 {{.*}}, [[[ADDRESS]]+8]
// PTX:     add.rn.f64
// PTX:     st.global.f64

// CL:      #pragma OPENCL EXTENSION cl_khr_fp64 : enable
// CL:      #pragma OPENCL FP_CONTRACT OFF
// CL:      __kernel void run(__global uchar *arena, ulong low, ulong high, ulong lower, ulong upper,
// CL-SAME: ulong total, __global uchar *partials, ulong c0, ulong c1, ulong c2) {
// CL:      get_global_id(0)
// CL:      *(__global any_double *)
KERNEL(run) {
  const double *a = AT(in);
  double *b = AT(out);
  const long columns = 16;
  (void)n, (void)total, (void)partials;
  FOR_ITEMS(i, 1, lower + 1, upper / 8 - 1) {
    FOR_ITEMS(j, 0, 1, columns - 1) {
      b[i * columns + j] = 0.25 * (a[i * columns + j - 1] + a[i * columns + j + 1] +
                                   a[(i - 1) * columns + j] + a[(i + 1) * columns + j]);
    }
  }
}
