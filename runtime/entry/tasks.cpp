// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The entry points of abi/tasks.h.
#include "runtime/entry/tasks.h"

#include "abi/backends.h"
#include "abi/tasks.h"
#include "base/log.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/task_devices.h"
#include "runtime/model/tasks/operation.h"
#include "runtime/model/tasks/tasks.h"

#include <array>
#include <cstdarg>
#include <vector>

namespace {

using tutti::entry::tasks;
using tutti::model::tasks::SectionDim;
using tutti::model::tasks::Task;
using tutti::model::tasks::Tasks;

/// The task that is being described; ends the job if there is none.
Task &described(const char *what) {
  Task *task = tasks().described();
  if (!task) {
    tutti::log::fatal("{} outside of the description of a task", what);
  }
  return *task;
}

} // namespace

TUTTI_EXPORT tutti_task_block *tutti_task_create(std::uint32_t flags, std::size_t bytes,
                                                 std::size_t shareds, tutti_task_entry entry) {
  return &tasks().create(flags, bytes, shareds, entry).block;
}

TUTTI_EXPORT char *tutti_task_begin(const char *source, const char *label, std::uint32_t traits) {
  Task &task = described("tutti_task_begin");
  task.source = source;
  task.label = label;
  task.flags |= traits;
  return nullptr;
}

TUTTI_EXPORT char *tutti_task_option(std::uint32_t option, std::int64_t value) {
  tasks().setOption(described("tutti_task_option"), option, value);
  return nullptr;
}

TUTTI_EXPORT char *tutti_task_device(const tutti_task_kernel *kernel, std::uint32_t device,
                                     std::uint32_t shape, std::uint32_t dimensions,
                                     std::int64_t size0, std::int64_t size1, std::int64_t size2,
                                     std::int64_t group0, std::int64_t group1,
                                     std::int64_t group2) {
  Task &task = described("tutti_task_device");
  if (!tasks().hasDevices()) {
    tutti::log::fatal("task {} is for a device of kind {}, and this process has no device",
                      task.name(), tutti::abi::deviceKindName(device));
  }
  tasks().setDevice(
      task, {kernel, shape, dimensions, {size0, size1, size2}, {group0, group1, group2}, 0, {}});
  return nullptr;
}

TUTTI_EXPORT void tutti_task_launch(std::uint32_t count, ...) {
  std::vector<tutti::model::tasks::KernelArgument> arguments(count);
  std::va_list list;
  va_start(list, count);
  for (tutti::model::tasks::KernelArgument &argument : arguments) {
    argument.value = va_arg(list, const void *);
    argument.bytes = va_arg(list, std::size_t);
    argument.isPointer = va_arg(list, int) != 0;
  }
  va_end(list);
  tasks().launchKernel(arguments);
}

TUTTI_EXPORT void *tutti_task_queue() { return tutti::entry::TaskDevices::currentQueue(); }

/// The compiler takes all calls away.
TUTTI_EXPORT void tutti_task_kernel_named() {}

TUTTI_EXPORT char *tutti_task_instance(const char *label) {
  if (label) {
    tasks().description(described("tutti_task_instance")).instance = label;
  }
  return nullptr;
}

TUTTI_EXPORT char *tutti_task_copy(const volatile void *variable, std::size_t bytes,
                                   int isInitialised) {
  Task &task = described("tutti_task_copy");
  task.variables.add(task.block, task.sharedsBytes, variable, bytes, isInitialised != 0);
  return nullptr;
}

TUTTI_EXPORT char *tutti_task_access(std::uint32_t kind, const volatile void *base,
                                     std::size_t bytes) {
  Task &task = described("tutti_task_access");
  if (bytes > 0) {
    tasks().description(task).add(kind, reinterpret_cast<std::uint64_t>(base), bytes);
  }
  return nullptr;
}

TUTTI_EXPORT char *tutti_task_section(std::uint32_t kind, const volatile void *base,
                                      std::uint32_t dimensions, ...) {
  Task &task = described("tutti_task_section");
  constexpr std::size_t kMost = 32;
  std::array<SectionDim, kMost> dims{};
  bool isKnown = dimensions <= kMost;
  std::va_list arguments;
  va_start(arguments, dimensions);
  for (std::uint32_t index = 0; isKnown && index < dimensions; ++index) {
    dims[index].step = va_arg(arguments, std::size_t);
    dims[index].first = va_arg(arguments, std::int64_t);
    dims[index].count = va_arg(arguments, std::int64_t);
  }
  va_end(arguments);
  isKnown = isKnown && tasks().description(task).addSection(
                           kind, reinterpret_cast<std::uint64_t>(base), {dims.data(), dimensions});
  if (!isKnown) {
    tutti::log::fatal("task {} names a section of too many dimensions: {}", task.name(),
                      dimensions);
  }
  return nullptr;
}

namespace {

std::uint64_t originalOf(const void *base) {
  return tasks().originalOf(reinterpret_cast<std::uint64_t>(base));
}

} // namespace

TUTTI_EXPORT char *tutti_task_reduction(std::uint32_t weak, void *base, std::size_t bytes,
                                        std::uint32_t operation, std::uint32_t type) {
  Task &task = described("tutti_task_reduction");
  if (!tutti::model::tasks::isOperation(operation, type)) {
    tutti::log::fatal("task {}: there is no reduction {} of type {}", task.name(), operation, type);
  }
  tasks().description(task).addReduction(weak != 0, originalOf(base), bytes,
                                         tutti::model::tasks::keyOf(operation, type));
  return nullptr;
}

TUTTI_EXPORT char *tutti_task_reduction_by(std::uint32_t weak, void *base, std::size_t bytes,
                                           std::size_t element, void (*initialize)(void *, void *),
                                           void (*combine)(void *, void *)) {
  Task &task = described("tutti_task_reduction_by");
  tasks().description(task).addReduction(weak != 0, originalOf(base), bytes,
                                         tutti::model::tasks::keyOf(element, initialize, combine));
  return nullptr;
}

TUTTI_EXPORT void *tutti_task_private(void *original) { return tasks().privateOf(original); }

TUTTI_EXPORT char *tutti_task_object(const volatile void *variable) {
  tasks().nameObject(described("tutti_task_object"), const_cast<const void *>(variable));
  return nullptr;
}

TUTTI_EXPORT char *tutti_task_variables(const tutti_task_variable *first, std::size_t count) {
  tasks().setVariables(described("tutti_task_variables"), {first, count});
  return nullptr;
}

TUTTI_EXPORT void tutti_task_submit(tutti_task_block *block) { tasks().submit(Task::of(block)); }

TUTTI_EXPORT void tutti_task_submit_loop(tutti_task_block *block, std::uint64_t *lower,
                                         std::uint64_t *upper, std::int64_t stride,
                                         void (*duplicate)(tutti_task_block *, tutti_task_block *,
                                                           std::int32_t)) {
  tasks().submitLoop(Task::of(block), *lower, *upper, stride, duplicate);
}

TUTTI_EXPORT std::uint32_t tutti_task_asks() { return Tasks::asks(); }

TUTTI_EXPORT std::int32_t tutti_task_iterate(std::uint32_t period) {
  tasks().iterate(period);
  return 0;
}

TUTTI_EXPORT void tutti_task_wait(const char *) {
  if (tutti::entry::hasTasks()) {
    tasks().waitForChildren();
  }
}

TUTTI_EXPORT char *tutti_task_wait_begin(const char *source) {
  tasks().beginNaming(source);
  return nullptr;
}

TUTTI_EXPORT void tutti_task_wait_end() { tasks().endWaiting(); }

TUTTI_EXPORT char *tutti_task_release_begin(const char *source) {
  tasks().beginNaming(source);
  return nullptr;
}

TUTTI_EXPORT void tutti_task_release_end() { tasks().endReleasing(); }

TUTTI_EXPORT void tutti_task_critical_begin(void **lock) { tasks().enterCritical(lock); }

TUTTI_EXPORT void tutti_task_critical_end(void **lock) { tasks().leaveCritical(lock); }
