/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * What managed memory of a vendor's runtime library becomes where the program was started so:
 * called by what stands in for that library's functions (driver/).
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Memory of the heap, which tasks on devices share; null if managed memory is to stay what it is.
 */
void *tutti_managed_allocate(size_t bytes);

/** Whether `memory` came from there; then it has been freed. */
int tutti_managed_free(void *memory);

#ifdef __cplusplus
}
#endif
