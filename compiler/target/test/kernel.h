// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lets C sources be kernels (compiler/ir/kernel.h): clang makes of them what the kernel pass makes
/// of parallel loops.
#pragma once

typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long ulong;

long itemId(int) __asm__("tutti.item.id") __attribute__((const));
long itemCount(int) __asm__("tutti.item.count") __attribute__((const));
int localId(void) __asm__("tutti.local.id") __attribute__((const));
int localCount(void) __asm__("tutti.local.count") __attribute__((const));
int localExtent(int) __asm__("tutti.local.extent") __attribute__((const));
long groupId(void) __asm__("tutti.group.id") __attribute__((const));
long opaque(long) __asm__("tutti.opaque");
void barrier(void) __asm__("tutti.barrier") __attribute__((convergent));
void *localMemory(void) __asm__("tutti.local.memory") __attribute__((const));
void *localArray(int) __asm__("tutti.local.array") __attribute__((const));

#define KERNEL(name)                                                                               \
  void name(char *arena, ulong low, ulong high, long lower, long upper, long total,                \
            char *partials, ulong in, ulong out, long n)

/// What lies at an address of the window.
#define AT(address) ((void *)((ulong)arena + ((address) < 1ul << 32 ? low : high) + (address)))

/// Loops over the work-items' share of [begin, end).
#define FOR_ITEMS(i, dimension, begin, end)                                                        \
  for (long i = (begin) + itemId(dimension); i < (end); i += itemCount(dimension))
