// Swapped and lost values in loops, switches, early exits, and a loop in a loop.
// RUN: %kernel-ir %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: %ptxas %t.ptx
// RUN: tutti-kernel --target=opencl %t.ll | FileCheck %s
#include "kernel.h"

// CHECK-DAG: switch (
// CHECK-DAG: _next
static ulong gcd(ulong a, ulong b, ulong *steps) {
  while (b != 0) {
    const ulong rest = a % b;
    a = b;
    b = rest;
    ++*steps;
  }
  return a;
}

static ulong rotate(ulong a, ulong b, ulong c, uint rounds) {
  for (uint i = 0; i < rounds; ++i) {
    const ulong first = a;
    a = b;
    b = c;
    c = first;
    if ((a ^ i) % 7 == 3) {
      break;
    }
  }
  return a * 3 + b * 5 + c;
}

static ulong machine(ulong word) {
  ulong state = 0;
  ulong seen = 1;
  for (int i = 0; i < 32; ++i, word >>= 2) {
    switch (state * 4 + (word & 3)) {
    case 0:
      state = 1;
      break;
    case 3:
    case 9:
      state = 2;
      seen += word;
      break;
    case 5:
      return seen ^ word;
    case 6:
      seen *= 3;
      state = 3;
      continue;
    case 14:
      state = 0;
      break;
    default:
      state = (state + 1) & 3;
      seen ^= i;
    }
    seen += state;
  }
  return seen;
}

KERNEL(run) {
  const ulong *words = AT(in);
  ulong *results = AT(out);
  (void)n, (void)total, (void)partials;
  FOR_ITEMS(i, 0, lower, upper) {
    ulong steps = 0;
    results[4 * i] = gcd(words[3 * i], words[3 * i + 1], &steps);
    results[4 * i + 1] = steps;
    results[4 * i + 2] = rotate(words[3 * i], words[3 * i + 1], words[3 * i + 2], words[3 * i] & 31);
    results[4 * i + 3] = machine(words[3 * i + 2]);
  }
}
