// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops whose iterations become tasks.
#include "runtime/model/tasks/loop.h"

#include "runtime/model/tasks/tasks.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace tutti::model::tasks {

namespace {

/// Of a loop. Clang counts the iterations of one whose bounds leave nothing, and
/// whose steps are longer than one, as if its numbers went round; its tasks find that there are
/// none.
constexpr std::uint64_t kMostParts = std::uint64_t{1} << 20;

} // namespace

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

void Tasks::iterate(std::uint32_t period) {
  Task &task = current();
  if (task.isFinal()) {
    return; // What it makes is in no graph.
  }
  Changes changes(devices_.get());
  order_.iterate(domainOf(task), period, changes);
  settleEnded();
  queueAll(changes);
}

void Tasks::submitLoop(Task &task, std::uint64_t lower, std::uint64_t upper, std::int64_t stride,
                       void (*duplicate)(tutti_task_block *, tutti_task_block *, std::int32_t)) {
  Task &creator = *task.parent();
  task.endDescription(creator);
  const std::uint64_t count = iterations(lower, upper, stride);
  const std::int64_t asked = task.description ? task.description->grainsize : 0;
  std::uint64_t grain =
      std::max<std::uint64_t>(asked > 0 ? static_cast<std::uint64_t>(asked) : count / slots_, 1);
  grain *= count / grain / kMostParts + 1;
  const bool isWhole = (task.flags & kWhole) != 0;
  const std::uint64_t chunks = count == 0 ? 0
                               : isWhole  ? 1
                                          : std::max<std::uint64_t>(count / grain, 1);
  std::uint64_t first = 0;
  for (std::uint64_t index = 0; index < chunks; ++index) {
    // Programs that cut their memory into blocks of what they ask for count on parts that begin
    // where these do.
    const bool isLast = index + 1 == chunks;
    const std::uint64_t equal = count / chunks + (index < count % chunks ? 1 : 0);
    const std::uint64_t size = asked <= 0 ? equal : isLast ? count - first : grain;
    Task &copy = copyOf(task, creator);
    copy.block.lower = lower + first * static_cast<std::uint64_t>(stride);
    copy.block.upper = lower + (first + size - 1) * static_cast<std::uint64_t>(stride);
    copy.block.stride = stride;
    copy.block.isLast = isLast ? 1 : 0;
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

/// A loop whose iterations several workers take, a few at a time.
///
/// Ownership: of those who take, the last of whom takes it away.
struct Tasks::Division {
  std::uint64_t lower;
  std::uint64_t count;
  std::uint64_t chunk;
  std::int64_t stride;
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint32_t> users;
};

/// Not where all that is below the task has to run at once, or elsewhere than the task itself; nor
/// if its copies are more than bytes of the block.
bool Tasks::mayDivide(const Task &task) const {
  constexpr std::uint32_t kExcluding = kFinal | kArrived | kLeaves | kDestroys;
  return (task.flags & (kWhole | kDivides | kExcluding)) == (kWhole | kDivides) &&
         task.variables.isEmpty() && engine_.size() > 1 && !task.included();
}

void Tasks::divide(Task &task) {
  const tutti_task_block &block = task.block;
  const std::uint64_t count = iterations(block.lower, block.upper, block.stride);
  const std::uint64_t workers = engine_.size();
  const std::uint64_t chunk = block.part > 0 ? static_cast<std::uint64_t>(block.part)
                                             : std::max<std::uint64_t>(count / workers, 1);
  const std::uint64_t chunks = count / chunk + (count % chunk > 0 ? 1 : 0);
  if (chunks < 2) {
    call(task);
    return;
  }
  const std::uint64_t helpers = std::min(workers, chunks) - 1;
  auto *division = new Division{block.lower,  count, chunk,
                                block.stride, {},    static_cast<std::uint32_t>(helpers + 1)};
  bind(task, helpers); // It is complete when they have ended; nobody waits for that here.
  for (std::uint64_t index = 0; index < helpers; ++index) {
    Task &helper = copyOf(task, task);
    helper.flags = kHelps;
    helper.block.reductions = division; // The word means nothing to a task for.
    task.alive.fetch_add(1, std::memory_order_relaxed);
    engine_.submit(helper.work);
  }
  callInParts(*division, task);
}

void Tasks::callInParts(Division &division, Task &task) {
  while (true) {
    const std::uint64_t first = division.next.fetch_add(division.chunk, std::memory_order_relaxed);
    if (first >= division.count) {
      break;
    }
    const std::uint64_t size = std::min(division.chunk, division.count - first);
    const auto stride = static_cast<std::uint64_t>(division.stride);
    task.block.lower = division.lower + first * stride;
    task.block.upper = division.lower + (first + size - 1) * stride;
    call(task);
  }
  if (division.users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete &division;
  }
}

void Tasks::callInParts(Task &task) {
  if ((task.flags & kHelps) != 0) {
    callInParts(*static_cast<Division *>(task.block.reductions), task);
    current_ = &root_; // What follows is nobody's body.
    fulfil(*task.parent(), 1);
  } else if (mayDivide(task)) {
    divide(task);
  } else {
    call(task);
  }
}

} // namespace tutti::model::tasks
