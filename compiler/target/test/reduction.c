// A sum per group through local memory.
// RUN: %kernel-ir %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %ptxas %t.ptx
// RUN: tutti-kernel --target=opencl %t.ll | FileCheck %s --check-prefix=CL
#include "kernel.h"

// PTX:     .extern .shared .align 16 .b8 tutti_local[];
// PTX:     st.shared.u64
// PTX-DAG: bar.sync 0;
// PTX-DAG: ld.shared.u64
// PTX-DAG: st.global.u64

// CL: ulong c2, __local ulong2 *tutti_local) {
// CL: *(__local any_ulong *)
// CL: barrier(CLK_LOCAL_MEM_FENCE);
KERNEL(run) {
  const ulong *words = AT(in);
  struct Slot {
    ulong sum, unused;
  } *slots = localMemory();
  ulong sum = 0;
  (void)n, (void)total, (void)out;
  FOR_ITEMS(i, 0, lower, upper) { sum += words[i]; }
  slots[localId()].sum = sum;
  for (int half = localCount() / 2; half > 0; half /= 2) {
    barrier();
    if (localId() < half) {
      slots[localId()].sum += slots[localId() + half].sum;
    }
  }
  if (localId() == 0) {
    ((struct Slot *)partials)[groupId()].sum = slots[0].sum;
  }
}
