/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file Tasks that pause and are resumed. */
#ifndef TUTTI_NANOS6_BLOCKING_H
#define TUTTI_NANOS6_BLOCKING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the calling task is blocked and unblocked by; for one blocking. */
void *nanos6_get_current_blocking_context(void);

/** Pauses the calling task until the context is unblocked; its worker runs other tasks meanwhile. */
void nanos6_block_current_task(void *blocking_context);

/** From any thread; may come before the blocking. */
void nanos6_unblock_task(void *blocking_context);

/** Pauses the calling task for about as many microseconds. Returns how many it were. */
uint64_t nanos6_wait_for(uint64_t time_us);

#ifdef __cplusplus
}
#endif

#endif
