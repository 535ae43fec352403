/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * A library that has memory of its own in each thread, for unloaded_module.c.
 */
char *ofThread(void);

static __thread char memory[4096];

char *ofThread(void) { return memory; }
