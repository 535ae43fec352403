/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file Tasks made by functions, and the context that the caller is in. */
#ifndef TUTTI_NANOS6_TASK_INSTANTIATION_H
#define TUTTI_NANOS6_TASK_INSTANTIATION_H

#ifdef __cplusplus
extern "C" {
#endif

/** Whether the calling task runs inside of a final one. */
int nanos6_in_final(void);
int nanos6_in_serial_context(void);

/** Runs `function(args)` as a task that is nobody's child, and `completion_callback(completion_args)`
    when all of it is over, unless that is null. From any thread. The label is for tools. */
void nanos6_spawn_function(void (*function)(void *args), void *args,
                           void (*completion_callback)(void *completion_args),
                           void *completion_args, char const *label);

#ifdef __cplusplus
}
#endif

#endif
