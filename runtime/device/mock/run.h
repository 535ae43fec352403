/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * \file
 * Kernels of a program's own, for mock devices: functions of the host, which stand under the
 * kernel's name where a compiler for devices would put the kernel's stub. Plain C, so that test
 * programs can bring such a file in place of one in a language of devices.
 *
 *     void scale(const tutti_mock_run *run) {
 *       long n = *(const long *)run->arguments[0];
 *       uintptr_t x = *(const uintptr_t *)run->arguments[1];
 *       for (long i = 0; i < n; i++)
 *         *(double *)run->at(run, x + i * sizeof(double)) *= 2;
 *     }
 */
#pragma once

#include <stdint.h>

/** One launch, whose turn has come: the function stands for all of its work-items. */
typedef struct tutti_mock_run {
  uint64_t groups[3];
  uint32_t group[3];
  uint64_t localBytes;
  uint64_t count;
  /** Copies of them. Pointers into the window are as the program has given them. */
  const void *const *arguments;
  /** The byte at an address of the window in the device's memory, with those behind it up to the
   *  next multiple of 64 KiB. Does not come back if the device has no such byte: the launch fails.
   */
  void *(*at)(const struct tutti_mock_run *run, uintptr_t address);
} tutti_mock_run;

typedef void (*tutti_mock_kernel)(const tutti_mock_run *run);
