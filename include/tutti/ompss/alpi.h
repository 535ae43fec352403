/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file The services of the runtime for libraries that make other things task-aware. */
#ifndef TUTTI_ALPI_H
#define TUTTI_ALPI_H

#include <stddef.h>
#include <stdint.h>

#define ALPI_VERSION_MAJOR 1
#define ALPI_VERSION_MINOR 2
#define ALPI_VERSION ((ALPI_VERSION_MAJOR << 8) | ALPI_VERSION_MINOR)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum alpi_error_t {
  ALPI_SUCCESS = 0,
  ALPI_ERR_VERSION,
  ALPI_ERR_NOT_INITIALIZED,
  ALPI_ERR_PARAMETER,
  ALPI_ERR_OUT_OF_MEMORY,
  ALPI_ERR_OUTSIDE_TASK,
  ALPI_ERR_UNKNOWN,
  ALPI_ERR_FEATURE_UNKNOWN,
  ALPI_ERR_MAX
} alpi_error_t;

typedef enum alpi_info_t {
  ALPI_INFO_RUNTIME_NAME = 0,
  ALPI_INFO_RUNTIME_VENDOR,
  ALPI_INFO_VERSION
} alpi_info_t;

/** Bits of `alpi_feature_check`. */
#define ALPI_FEATURE_BLOCKING (1 << 0)
#define ALPI_FEATURE_EVENTS (1 << 1)
#define ALPI_FEATURE_RESOURCES (1 << 2)
#define ALPI_FEATURE_SUSPEND (1 << 3)
#define ALPI_SUPPORTED_FEATURES                                                                    \
  (ALPI_FEATURE_BLOCKING | ALPI_FEATURE_EVENTS | ALPI_FEATURE_RESOURCES | ALPI_FEATURE_SUSPEND)

struct alpi_task;
struct alpi_attr;

const char *alpi_error_string(int error);

/** Success if the runtime is of that major version and at least of that minor one. */
int alpi_version_check(int major, int minor);
int alpi_version_get(int *major, int *minor);

/** A text, cut off at `max_length` characters with the null at its end; its length, unless that is
    null. */
int alpi_info_get(alpi_info_t query, char *buffer, size_t max_length, int *length);

/** Success if there are all features of the mask. */
int alpi_feature_check(int feature_mask);

/** The calling task; null outside of any. */
int alpi_task_self(struct alpi_task **handle);

int alpi_task_block(struct alpi_task *handle);
int alpi_task_unblock(struct alpi_task *handle);

int alpi_task_events_increase(struct alpi_task *handle, uint64_t increment);
int alpi_task_events_decrease(struct alpi_task *handle, uint64_t decrement);
/** Whether the task waits for events. */
int alpi_task_events_test(struct alpi_task *handle, uint64_t *has_events);

int alpi_task_waitfor_ns(uint64_t target_ns, uint64_t *actual_ns);

/** When the body of a suspended task is called again, from its begin. */
typedef enum alpi_suspend_mode_t {
  /** After an `alpi_task_unblock`. */
  ALPI_SUSPEND_NONE = 0,
  /** At once, but others have their turn. The argument is 0 or 1, which asks to stand behind all
      that are ready; here both are the same. */
  ALPI_SUSPEND_SUBMIT,
  /** After so many nanoseconds. */
  ALPI_SUSPEND_TIMEOUT_SUBMIT,
  /** When the task's events have happened. */
  ALPI_SUSPEND_EVENT_SUBMIT
} alpi_suspend_mode_t;

/** How the calling task goes on when it is suspended next; without it, by `alpi_task_unblock`. */
int alpi_task_suspend_mode_set(struct alpi_task *handle, alpi_suspend_mode_t mode, uint64_t args);
/** When the body of the calling task returns, the task has not ended: the body is called again. An
    invalid parameter for `main`, completion callbacks, tasks on devices, and those of OpenMP. */
int alpi_task_suspend(struct alpi_task *handle);

/** Attributes of spawned tasks. There are none so far: they have no bytes, and their handle is the
   null pointer, which means the usual ones. */
int alpi_attr_create(struct alpi_attr **attr);
int alpi_attr_destroy(struct alpi_attr *attr);
int alpi_attr_init(struct alpi_attr *attr);
int alpi_attr_size(uint64_t *attr_size);

int alpi_task_spawn(void (*body)(void *), void *body_args, void (*completion_callback)(void *),
                    void *completion_args, const char *label, const struct alpi_attr *attr);

int alpi_cpu_count(uint64_t *count);
int alpi_cpu_logical_id(uint64_t *logical_id);
int alpi_cpu_system_id(uint64_t *system_id);

#ifdef __cplusplus
}
#endif

#endif
