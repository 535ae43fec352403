/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * A loop that packs borders on devices, for `reflect ... acc`. Part of libtutti_xmp.a, from which a
 * program gets those that the start-up of its files names.
 *
 * Compiled by tutticc once for each size of words (TUTTI_WORD, TUTTI_PACKING). One for both
 * directions, in which the sides change places: it is a kernel for every target.
 */
#include "abi/xmp.h"

typedef TUTTI_WORD __attribute__((may_alias)) Word;

#line 1 "reflect ... acc"

void TUTTI_PACKING(void *packed, void *array, const long counts[3], const long strides[2],
                   long direction) {
  const long n = counts[0], m = counts[1], c = counts[2];
  const int out = direction == TUTTI_XMP_PACK;
  const long s = out ? m * c : strides[0], t = out ? c : strides[1];
  const long u = out ? strides[0] : m * c, v = out ? strides[1] : c;
  Word *const to = out ? packed : array;
  const Word *const from = out ? array : packed;
#pragma tutti device(gpu)
#pragma omp parallel for collapse(3)
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < m; ++j) {
      for (long k = 0; k < c; ++k) {
        to[i * s + j * t + k] = from[i * u + j * v + k];
      }
    }
  }
}
