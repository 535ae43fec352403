// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/device_tasks.h"

#include "base/spin_lock.h"
#include "runtime/graph/runs.h"
#include "runtime/model/tasks/task.h"

#include <algorithm>
#include <utility>

namespace tutti::model::tasks {

namespace {

/// As many are given to devices before the first of them is done: more would only fill the
/// driver's queues.
constexpr std::size_t kMostUnderway = 256;

/// Of those under way as many are asked at a time, the oldest ones.
constexpr std::size_t kMostAsked = 32;

/// Boxes count as their hulls: a task that waits although it need not is right, too.
bool collide(std::span<const graph::Access> ours, std::span<const graph::Access> theirs) {
  for (const graph::Access &our : ours) {
    if (our.isWeak) {
      continue;
    }
    const Range hull = graph::Runs(our.region).hull();
    for (const graph::Access &their : theirs) {
      const bool isRead = our.kind == graph::AccessKind::In && their.kind == graph::AccessKind::In;
      if (!isRead && hull.overlaps(graph::Runs(their.region).hull())) {
        return true;
      }
    }
  }
  return false;
}

} // namespace

/// Whether something under way names what the task names, and one of both writes it.
bool DeviceTasks::delays(Description &description) {
  const auto accesses = description.accesses();
  return std::ranges::any_of(underway_, [&](const Underway &each) {
    return collide(accesses, each.description->accesses());
  });
}

bool DeviceTasks::take(Task &task) {
  if ((task.flags & kDescribed) == 0) {
    return false;
  }
  if (!task.description->device.isKernel()) {
    if (!isBusy()) {
      return false;
    }
    const ScopedLock lock(mutex_);
    if (!delays(*task.description)) {
      return false;
    }
    held_.push_back(&task);
    return true;
  }
  {
    const ScopedLock lock(mutex_);
    busy_.fetch_add(1, std::memory_order_relaxed);
    ready_.push_back({task.work.priority, ++age_, &task});
    std::push_heap(ready_.begin(), ready_.end());
    helper_.wake();
  }
  serve();
  return true;
}

bool DeviceTasks::serve() {
  if (!isBusy()) {
    return false;
  }
  while (isBusy() && !isServing_.exchange(true, std::memory_order_acquire)) {
    bool hasMoved = settle();
    while (launchNext()) {
      hasMoved = true;
    }
    isServing_.store(false, std::memory_order_release);
    // What came while this thread was serving has been left to it.
    if (!hasMoved) {
      break;
    }
  }
  return isBusy();
}

/// Takes away what is done. False if nothing is.
bool DeviceTasks::settle() {
  std::vector<Underway> done;
  std::vector<Task *> free;
  {
    const ScopedLock lock(mutex_);
    std::size_t asked = 0;
    for (auto each = underway_.begin(); each != underway_.end() && asked < kMostAsked; ++asked) {
      const Result<bool> hasEnded = accelerators_.hasEnded(each->handle.get());
      if (!hasEnded) {
        fail(*each->task, hasEnded.error());
      }
      if (*hasEnded) {
        done.push_back(std::move(*each));
        each = underway_.erase(each);
      } else {
        ++each;
      }
    }
    if (!done.empty()) {
      const auto isFree = [this](Task *task)
                              TUTTI_REQUIRES(mutex_) { return !delays(*task->description); };
      for (std::size_t index = 0; index < held_.size();) {
        if (isFree(held_[index])) {
          free.push_back(held_[index]);
          held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(index));
        } else {
          ++index;
        }
      }
    }
  }
  for (Task *task : free) {
    client_.canRun(*task);
  }
  for (const Underway &each : done) {
    if (each.isApart) {
      accelerators_.conclude(each.handle.get());
      client_.queued(*each.task);
    }
    client_.ended(*each.task);
    busy_.fetch_sub(1, std::memory_order_release);
  }
  return !done.empty();
}

/// False if nothing is ready, or enough is under way.
bool DeviceTasks::launchNext() {
  Task *task = nullptr;
  {
    const ScopedLock lock(mutex_);
    if (ready_.empty() || underway_.size() >= kMostUnderway ||
        underway_.size() >= accelerators_.enough().value_or(kMostUnderway)) {
      return false;
    }
    std::pop_heap(ready_.begin(), ready_.end());
    task = ready_.back().task;
    ready_.pop_back();
  }
  client_.callBody(*task);
  if (!isApart(*task)) {
    client_.queued(*task);
  }
  return true;
}

/// Of a task whose kernel has just been launched.
bool DeviceTasks::isApart(const Task &task) {
  const ScopedLock lock(mutex_);
  const auto found =
      std::ranges::find(underway_.rbegin(), underway_.rend(), &task, &Underway::task);
  return found != underway_.rend() && found->isApart;
}

void DeviceTasks::add(Task &task, Accelerators::Launched launched) {
  const ScopedLock lock(mutex_);
  underway_.push_back({&task, task.description, std::move(launched.handle), launched.isApart});
}

void DeviceTasks::launchKernel(Task &task, std::span<const KernelArgument> arguments) {
  task.description->device.task = {task.name(), task.source};
  auto launched =
      accelerators_.launch(task.description->device, task.description->accesses(), arguments);
  if (!launched) {
    fail(task, launched.error());
  }
  add(task, *std::move(launched));
}

void DeviceTasks::runHostBody(Task &task, const std::function<void()> &body) {
  auto handle =
      accelerators_.callWithQueue(task.description->device, task.description->accesses(), body);
  if (!handle) {
    fail(task, handle.error());
  }
  {
    const ScopedLock lock(mutex_);
    busy_.fetch_add(1, std::memory_order_relaxed);
    helper_.wake();
  }
  add(task, {*std::move(handle)});
}

void DeviceTasks::waitFor(std::uint64_t begin, std::uint64_t bytes) {
  graph::Access access;
  access.region.begin = begin;
  access.region.bytes = bytes;
  access.kind = graph::AccessKind::InOut;
  std::vector<std::pair<Task *, Accelerators::Handle>> awaited;
  {
    const ScopedLock lock(mutex_);
    for (const Underway &each : underway_) {
      if (collide({&access, 1}, each.description->accesses())) {
        awaited.emplace_back(each.task, each.handle);
      }
    }
  }
  for (const auto &[task, handle] : awaited) {
    for (bool isDone = false; !isDone;) {
      const Result<bool> hasEnded = accelerators_.hasEnded(handle.get());
      if (!hasEnded) {
        fail(*task, hasEnded.error());
      }
      isDone = *hasEnded;
      relaxProcessor();
    }
  }
}

} // namespace tutti::model::tasks
