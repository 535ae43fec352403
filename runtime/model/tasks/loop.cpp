// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops whose iterations become tasks.
#include "runtime/model/tasks/loop.h"

#include "runtime/model/tasks/tasks.h"

#include <algorithm>
#include <utility>

namespace tutti::model::tasks {

Task &Tasks::copyOf(Task &task, Task &creator) {
  const std::size_t bytes = engine::Pool::bytesOf(&task) - offsetof(Task, block);
  Task &copy = newTask(creator, bytes, 0);
  copy.takeBlockOf(task, bytes);
  return copy;
}

/// Has the task's function name what its iterations use. Where these differ by constants, two tell
/// of all.
void Tasks::askAccesses(Task &task, Task &creator) {
  Description &asked = description(task);
  tutti_task_block &block = task.block;
  const std::uint64_t count = iterations(block.lower, block.upper, block.stride);
  const bool isShort = (task.flags & kAffine) != 0 && count > 2;
  const std::uint64_t last = block.upper;
  const std::size_t before = asked.size();
  if (isShort) {
    block.upper = block.lower + static_cast<std::uint64_t>(block.stride);
  }
  asked.joins = !isShort;
  callForAccesses(task, creator);
  block.upper = last;
  if (isShort && !asked.extend(before, count)) {
    asked.shrink(before);
    asked.joins = true;
    callForAccesses(task, creator);
  }
}

void Tasks::callForAccesses(Task &task, Task &creator) {
  task.beginDescription(creator);
  const std::uint32_t asked = std::exchange(asks_, TUTTI_ASKS_ACCESSES);
  call(task);
  asks_ = asked;
  task.endDescription(creator);
}

void Tasks::submitLoop(Task &task, std::uint64_t lower, std::uint64_t upper, std::int64_t stride,
                       void (*duplicate)(tutti_task_block *, tutti_task_block *, std::int32_t)) {
  Task &creator = *task.parent();
  task.endDescription(creator);
  const std::uint64_t count = iterations(lower, upper, stride);
  const std::int64_t asked = task.description ? task.description->grainsize : 0;
  const std::uint64_t grain =
      std::max<std::uint64_t>(asked > 0 ? static_cast<std::uint64_t>(asked) : count / slots_, 1);
  const bool isWhole = (task.flags & kWhole) != 0;
  const std::uint64_t chunks = count == 0 ? 0
                               : isWhole  ? 1
                                          : std::max<std::uint64_t>(count / grain, 1);
  std::uint64_t first = 0;
  for (std::uint64_t index = 0; index < chunks; ++index) {
    const std::uint64_t size = count / chunks + (index < count % chunks ? 1 : 0);
    Task &copy = copyOf(task, creator);
    copy.block.lower = lower + first * static_cast<std::uint64_t>(stride);
    copy.block.upper = lower + (first + size - 1) * static_cast<std::uint64_t>(stride);
    copy.block.stride = stride;
    copy.block.isLast = index + 1 == chunks ? 1 : 0;
    copy.variables.addAll(copy.block, copy.sharedsBytes, task.variables);
    if (duplicate) {
      duplicate(&copy.block, &task.block, copy.block.isLast);
    }
    if (task.description) {
      description(copy).addAll(*task.description);
    }
    if ((task.flags & kAsksAccesses) != 0) {
      askAccesses(copy, creator);
    }
    copy.beginDescription(creator);
    submit(copy);
    first += size;
  }
  discard(task);
}

} // namespace tutti::model::tasks
