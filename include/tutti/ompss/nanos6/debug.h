/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file What the runtime says of itself. */
#ifndef TUTTI_NANOS6_DEBUG_H
#define TUTTI_NANOS6_DEBUG_H

#ifdef __cplusplus
extern "C" {
#endif

/** Workers of this process; of all. */
unsigned int nanos6_get_num_cpus(void);
unsigned int nanos6_get_total_num_cpus(void);

/** The calling worker, and the processor that it is on. */
unsigned int nanos6_get_current_virtual_cpu(void);
long nanos6_get_current_system_cpu(void);

/** Comes back when all workers run. */
void nanos6_wait_for_full_initialization(void);

int nanos6_is_dlb_enabled(void);

#ifdef __cplusplus
}
#endif

#endif
