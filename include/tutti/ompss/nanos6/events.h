/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file Tasks that are complete only when something outside of them has happened. */
#ifndef TUTTI_NANOS6_EVENTS_H
#define TUTTI_NANOS6_EVENTS_H

#ifdef __cplusplus
extern "C" {
#endif

void *nanos6_get_current_event_counter(void);

/** By the task itself, in its body or in `onready`. */
void nanos6_increase_current_task_event_counter(void *event_counter, unsigned int increment);

/** From any thread. */
void nanos6_decrease_task_event_counter(void *event_counter, unsigned int decrement);

#ifdef __cplusplus
}
#endif

#endif
