// Constant tables, private arrays with variable indices, structures and unions.
// RUN: %kernel-ir %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: %ptxas %t.ptx
// RUN: tutti-kernel --target=opencl %t.ll | FileCheck %s
#include "kernel.h"

// CHECK-DAG: __constant ulong {{.*}}_k0[] = {0x
// CHECK-DAG: *(__constant any_
// CHECK-DAG: *(__private any_
static const int kPrimes[] = {2, 3, 5, 7, 11, -13, 17, 19, 23};
static const double kWeights[] = {0.5, -1.25, 1e300, 3.0};
static const struct {
  char tag;
  short number;
  float weight;
} kRows[] = {{1, -2, 0.5f}, {3, 400, 1e-3f}, {5, 6, -7.0f}};

struct Pair {
  uint first;
  double second;
  uchar tail[5];
};

KERNEL(run) {
  const ulong *words = AT(in);
  ulong *results = AT(out);
  (void)n, (void)total, (void)partials;
  FOR_ITEMS(i, 0, lower, upper) {
    ulong counts[8] = {0};
    struct Pair pairs[3] = {{1, 2.0, {3}}, {4, 5.0, {6, 7}}, {8, 9.0, {10, 11, 12}}};
    for (int k = 0; k < 32; ++k) {
      counts[words[3 * i] >> k & 7] += kPrimes[(words[3 * i + 1] >> k) % 9];
      pairs[(words[3 * i + 2] >> k) % 3].first ^= k;
      pairs[k % 3].tail[(words[3 * i] >> k) % 5] += kRows[k % 3].tag;
    }
    const struct Pair chosen = pairs[words[3 * i] % 3];
    ulong hash = 0;
    for (int k = 0; k < 8; ++k) {
      hash = hash * 31 + counts[k];
    }
    for (int k = 0; k < 5; ++k) {
      hash = hash * 31 + chosen.tail[k];
    }
    union {
      double number;
      ulong bits;
      float half[2];
    } both;
    both.number = kWeights[words[3 * i] & 3] * chosen.second;
    both.half[words[3 * i + 1] & 1] += kRows[words[3 * i + 2] % 3].weight;
    results[2 * i] = hash + kRows[words[3 * i] % 3].number;
    results[2 * i + 1] = both.bits + chosen.first;
  }
}
