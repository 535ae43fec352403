/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file Memory that tasks on devices may name. */
#ifndef TUTTI_NANOS6_DIRECTORY_H
#define TUTTI_NANOS6_DIRECTORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum oss_device_t {
  oss_device_host = 0,
  oss_device_cuda = 1
} oss_device_t;

/** Memory of the device with that index; null where there is none. `access_stride` and `flags` are
    hints. */
void *oss_device_alloc(oss_device_t device, int index, size_t size, size_t access_stride,
                       size_t flags);

void oss_device_free(void *address);

#ifdef __cplusplus
}
#endif

#endif
