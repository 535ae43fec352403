// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What OmpSs-2 programs call by name: <nanos6.h> and its parts.
#include "abi/abi.h"
#include "include/tutti/ompss/nanos6/blocking.h"
#include "include/tutti/ompss/nanos6/cluster.h"
#include "include/tutti/ompss/nanos6/debug.h"
#include "include/tutti/ompss/nanos6/directory.h"
#include "include/tutti/ompss/nanos6/events.h"
#include "include/tutti/ompss/nanos6/library-mode.h"
#include "include/tutti/ompss/nanos6/task-instantiation.h"
#include "runtime/entry/cluster.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/tasks.h"
#include "runtime/model/tasks/tasks.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <sched.h>

namespace {

using tutti::entry::clusterNode;
using tutti::entry::tasks;
using tutti::model::tasks::Task;

Task &taskOf(void *context) { return *static_cast<Task *>(context); }

} // namespace

TUTTI_EXPORT void *nanos6_get_current_blocking_context() { return &tasks().current(); }

TUTTI_EXPORT void nanos6_block_current_task(void *context) { tasks().block(taskOf(context)); }

TUTTI_EXPORT void nanos6_unblock_task(void *context) { tasks().unblock(taskOf(context)); }

TUTTI_EXPORT uint64_t nanos6_wait_for(uint64_t microseconds) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  tasks().sleep(std::min(microseconds, UINT64_MAX / 1000) * 1000);
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count());
}

TUTTI_EXPORT void *nanos6_get_current_event_counter() { return &tasks().current(); }

TUTTI_EXPORT void nanos6_increase_current_task_event_counter(void *counter, unsigned increment) {
  tasks().bind(taskOf(counter), increment);
}

TUTTI_EXPORT void nanos6_decrease_task_event_counter(void *counter, unsigned decrement) {
  tasks().fulfil(taskOf(counter), decrement);
}

TUTTI_EXPORT unsigned nanos6_get_num_cpus() { return tasks().engine().size(); }

TUTTI_EXPORT unsigned nanos6_get_total_num_cpus() { return nanos6_get_num_cpus(); }

TUTTI_EXPORT unsigned nanos6_get_current_virtual_cpu() {
  tasks();
  const auto *worker = tutti::engine::Worker::current();
  return worker ? worker->number() : 0;
}

TUTTI_EXPORT long nanos6_get_current_system_cpu() { return sched_getcpu(); }

TUTTI_EXPORT void nanos6_wait_for_full_initialization() { tasks(); }

TUTTI_EXPORT int nanos6_is_dlb_enabled() { return 0; }

TUTTI_EXPORT int nanos6_in_final() {
  return tutti::entry::hasTasks() && tasks().current().isFinal() ? 1 : 0;
}

TUTTI_EXPORT int nanos6_in_serial_context() { return nanos6_in_final(); }

TUTTI_EXPORT void nanos6_spawn_function(void (*function)(void *), void *args,
                                        void (*completion)(void *), void *completionArgs,
                                        const char *label) {
  tasks().spawn(function, args, completion, completionArgs, label);
}

TUTTI_EXPORT const char *nanos6_library_mode_init() {
  tasks();
  return nullptr;
}

TUTTI_EXPORT void nanos6_shutdown() { tutti::entry::finishTasks(); }

/// Unified memory goes where tasks name it.
TUTTI_EXPORT void *oss_device_alloc(oss_device_t, int, size_t size, size_t, size_t) {
  return tutti_malloc(size);
}

TUTTI_EXPORT void oss_device_free(void *address) { std::free(address); }

TUTTI_EXPORT int nanos6_in_cluster_mode() { return clusterNode().nodes > 1 ? 1 : 0; }

TUTTI_EXPORT int nanos6_is_master_node() { return clusterNode().rank == 0 ? 1 : 0; }

TUTTI_EXPORT int nanos6_get_cluster_node_id() { return clusterNode().rank; }

TUTTI_EXPORT int nanos6_get_num_cluster_nodes() { return clusterNode().nodes; }

/// Unified memory goes where tasks name it: how it is divided at first is a hint.
TUTTI_EXPORT void *nanos6_dmalloc(size_t size, nanos6_data_distribution_t, size_t, size_t *) {
  return tutti::entry::allocateForCluster(size);
}

TUTTI_EXPORT void nanos6_dfree(void *memory, size_t) { tutti::entry::freeForCluster(memory); }

TUTTI_EXPORT void *nanos6_lmalloc(size_t size) { return tutti::entry::allocateForCluster(size); }

TUTTI_EXPORT void nanos6_lfree(void *memory, size_t) { tutti::entry::freeForCluster(memory); }
