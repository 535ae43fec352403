// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What libraries for tasks call by name: <alpi.h>.
#include "include/tutti/ompss/alpi.h"

#include "runtime/entry/exports.h"
#include "runtime/entry/tasks.h"
#include "runtime/model/tasks/tasks.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <sched.h>

#define TUTTI_QUOTED(text) #text
#define TUTTI_TEXT(macro) TUTTI_QUOTED(macro)

namespace {

using tutti::entry::tasks;
using tutti::model::tasks::Task;

Task &taskOf(alpi_task *handle) { return *reinterpret_cast<Task *>(handle); }

/// Else it stands for a thread of the program's own.
bool isTask(const Task &task) { return (task.flags & tutti::model::tasks::kForeign) == 0; }

/// Success if it is the calling task's.
int checkOwn(const alpi_task *handle) {
  const Task &task = tasks().current();
  if (!isTask(task)) {
    return ALPI_ERR_OUTSIDE_TASK;
  }
  return handle == reinterpret_cast<const alpi_task *>(&task) && tasks().maySuspend(task)
             ? ALPI_SUCCESS
             : ALPI_ERR_PARAMETER;
}

template <typename T> int give(T *to, T value) {
  if (!to) {
    return ALPI_ERR_PARAMETER;
  }
  *to = value;
  return ALPI_SUCCESS;
}

} // namespace

TUTTI_EXPORT const char *alpi_error_string(int error) {
  static constexpr std::array<const char *, ALPI_ERR_MAX> kTexts{
      "success",         "another version of the interface",
      "not initialized", "invalid parameter",
      "out of memory",   "not in a task",
      "unknown error",   "no such feature"};
  return error >= 0 && error < ALPI_ERR_MAX ? kTexts[static_cast<std::size_t>(error)]
                                            : "no error code";
}

TUTTI_EXPORT int alpi_version_check(int major, int minor) {
  return major == ALPI_VERSION_MAJOR && minor <= ALPI_VERSION_MINOR ? ALPI_SUCCESS
                                                                    : ALPI_ERR_VERSION;
}

TUTTI_EXPORT int alpi_version_get(int *major, int *minor) {
  const int status = give(major, ALPI_VERSION_MAJOR);
  return status == ALPI_SUCCESS ? give(minor, ALPI_VERSION_MINOR) : status;
}

TUTTI_EXPORT int alpi_info_get(alpi_info_t query, char *buffer, size_t size, int *length) {
  static constexpr std::array<const char *, 3> kTexts{
      "Tutti", "Tutti",
      "ALPI " TUTTI_TEXT(ALPI_VERSION_MAJOR) "." TUTTI_TEXT(ALPI_VERSION_MINOR) " (Tutti)"};
  const auto index = static_cast<std::size_t>(query);
  if (!buffer || size == 0 || index >= kTexts.size()) {
    return ALPI_ERR_PARAMETER;
  }
  std::snprintf(buffer, size, "%s", kTexts[index]);
  if (length) {
    *length = static_cast<int>(std::strlen(buffer));
  }
  return ALPI_SUCCESS;
}

TUTTI_EXPORT int alpi_feature_check(int features) {
  return (features & ~ALPI_SUPPORTED_FEATURES) == 0 ? ALPI_SUCCESS : ALPI_ERR_FEATURE_UNKNOWN;
}

TUTTI_EXPORT int alpi_task_self(alpi_task **handle) {
  Task &task = tasks().current();
  return give(handle, isTask(task) ? reinterpret_cast<alpi_task *>(&task) : nullptr);
}

TUTTI_EXPORT int alpi_task_block(alpi_task *handle) {
  if (!handle) {
    return ALPI_ERR_PARAMETER;
  }
  if (&taskOf(handle) != &tasks().current()) {
    return ALPI_ERR_OUTSIDE_TASK;
  }
  tasks().block(taskOf(handle));
  return ALPI_SUCCESS;
}

TUTTI_EXPORT int alpi_task_unblock(alpi_task *handle) {
  if (!handle) {
    return ALPI_ERR_PARAMETER;
  }
  tasks().unblock(taskOf(handle));
  return ALPI_SUCCESS;
}

TUTTI_EXPORT int alpi_task_events_increase(alpi_task *handle, uint64_t increment) {
  if (!handle) {
    return ALPI_ERR_PARAMETER;
  }
  tasks().bind(taskOf(handle), increment);
  return ALPI_SUCCESS;
}

TUTTI_EXPORT int alpi_task_events_decrease(alpi_task *handle, uint64_t decrement) {
  if (!handle) {
    return ALPI_ERR_PARAMETER;
  }
  tasks().fulfil(taskOf(handle), decrement);
  return ALPI_SUCCESS;
}

TUTTI_EXPORT int alpi_task_events_test(alpi_task *handle, uint64_t *hasEvents) {
  if (!handle) {
    return ALPI_ERR_PARAMETER;
  }
  return give(hasEvents, uint64_t{tutti::model::tasks::Tasks::hasEvents(taskOf(handle)) ? 1U : 0U});
}

TUTTI_EXPORT int alpi_task_waitfor_ns(uint64_t target, uint64_t *actual) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  tasks().sleep(target);
  if (actual) {
    *actual = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
  }
  return ALPI_SUCCESS;
}

TUTTI_EXPORT int alpi_task_suspend_mode_set(alpi_task *handle, alpi_suspend_mode_t mode,
                                            uint64_t args) {
  using tutti::model::tasks::Resumption;
  static constexpr std::array kModes{Resumption::Unblocked, Resumption::AtOnce, Resumption::InTime,
                                     Resumption::AfterEvents};
  const auto index = static_cast<std::size_t>(mode);
  if (index >= kModes.size() || (mode == ALPI_SUSPEND_SUBMIT && args > 1)) {
    return ALPI_ERR_PARAMETER;
  }
  const int status = checkOwn(handle);
  if (status == ALPI_SUCCESS) {
    tasks().setResumption(taskOf(handle), kModes[index], args);
  }
  return status;
}

TUTTI_EXPORT int alpi_task_suspend(alpi_task *handle) {
  const int status = checkOwn(handle);
  if (status == ALPI_SUCCESS) {
    tasks().suspend(taskOf(handle));
  }
  return status;
}

TUTTI_EXPORT int alpi_attr_create(alpi_attr **attr) {
  return give(attr, static_cast<alpi_attr *>(nullptr));
}

TUTTI_EXPORT int alpi_attr_destroy(alpi_attr *) { return ALPI_SUCCESS; }

TUTTI_EXPORT int alpi_attr_init(alpi_attr *) { return ALPI_SUCCESS; }

TUTTI_EXPORT int alpi_attr_size(uint64_t *bytes) { return give(bytes, uint64_t{0}); }

TUTTI_EXPORT int alpi_task_spawn(void (*body)(void *), void *bodyArgs, void (*completion)(void *),
                                 void *completionArgs, const char *label, const alpi_attr *) {
  if (!body) {
    return ALPI_ERR_PARAMETER;
  }
  tasks().spawn(body, bodyArgs, completion, completionArgs, label);
  return ALPI_SUCCESS;
}

TUTTI_EXPORT int alpi_cpu_count(uint64_t *count) {
  return give(count, uint64_t{tasks().engine().size()});
}

TUTTI_EXPORT int alpi_cpu_logical_id(uint64_t *id) {
  if (!isTask(tasks().current())) {
    return ALPI_ERR_OUTSIDE_TASK;
  }
  const auto *worker = tutti::engine::Worker::current(); // Null for `main`, where it is none.
  return give(id, uint64_t{worker ? worker->number() : 0U});
}

TUTTI_EXPORT int alpi_cpu_system_id(uint64_t *id) {
  return give(id, static_cast<uint64_t>(sched_getcpu()));
}
