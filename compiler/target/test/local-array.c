// Blocks of what all work-items read go through an array in local memory.
// RUN: %kernel-ir %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %ptxas %t.ptx
// RUN: tutti-kernel --target=opencl %t.ll | FileCheck %s --check-prefix=CL
#include "kernel.h"

// PTX:     .shared .align 16 .b8 run_array504[504];
// PTX:     bar.sync 0;
// PTX:     st.shared.u64
// PTX:     bar.sync 0;
// PTX:     ld.shared{{.*}}.u64
// PTX-NOT: tutti_local

// CL:      ulong c2) {
// CL-DAG:  __local ulong2 tutti_array504[32];
// CL-DAG:  __local uchar *[[ARRAY:v[0-9]+]];
// CL-DAG:  [[ARRAY]] = (__local uchar *)tutti_array504;
// CL-DAG:  barrier(CLK_LOCAL_MEM_FENCE);
// CL-DAG:  *(__local any_ulong *)
KERNEL(run) {
  enum { kBlock = 63, kBlocks = 5, kOutputs = 4 };
  const ulong *words = AT(in);
  ulong *results = AT(out);
  ulong *block = localArray(kBlock * sizeof(ulong));
  const long end = upper * kOutputs;
  (void)n, (void)total, (void)partials;
  // All work-items of a group as often as the first one.
  for (long first = lower + itemId(0) - localId(); first < end; first += itemCount(0)) {
    const long i = first + localId();
    ulong sum = 0;
#pragma nounroll
    for (int done = 0; done < kBlocks * kBlock; done += kBlock) {
      barrier();
      for (int own = localId(); own < kBlock; own += localCount()) {
        block[own] = words[done + own];
      }
      barrier();
#pragma nounroll
      for (int j = 0; j < kBlock; ++j) {
        sum = 31 * sum + (block[j] ^ (ulong)i);
      }
    }
    if (i < end) {
      results[i] = sum;
    }
  }
}
