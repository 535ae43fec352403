/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file Start and end of the runtime by a program, which both happen without it, too. */
#ifndef TUTTI_NANOS6_LIBRARY_MODE_H
#define TUTTI_NANOS6_LIBRARY_MODE_H

#ifdef __cplusplus
extern "C" {
#endif

/** Returns null, or what is wrong. */
char const *nanos6_library_mode_init(void);

/** Waits for all tasks. */
void nanos6_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif
