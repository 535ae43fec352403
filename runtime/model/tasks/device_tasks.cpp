// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/device_tasks.h"

#include "base/spin_lock.h"
#include "runtime/graph/runs.h"
#include "runtime/model/tasks/task.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace tutti::model::tasks {

namespace {

/// As many are given to devices before the first of them is done: more would only fill the
/// driver's queues.
constexpr std::size_t kMostUnderway = 256;

/// The same where one device has a long chain and another one has room. Of what is done there only
/// some is seen at a time, so all that is ready would be given before any end was seen.
constexpr std::size_t kMostForRoom = kMostUnderway + 64;

/// Of those under way as many are asked at a time: the oldest ones ...
constexpr std::size_t kOldest = 24;

/// ... and of the others as many, in turn. They may be on another queue, or device, than a long
/// chain in front of them.
constexpr std::size_t kOthers = 8;

/// Of those that are ready as many are looked at, for one whose device has room.
constexpr std::size_t kMostLooked = 16;

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
    ++changes_;
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

/// Which of those under way are asked this time, in rising order.
std::vector<std::size_t> DeviceTasks::asked() {
  const std::size_t oldest = std::min(underway_.size(), kOldest);
  const std::size_t others = underway_.size() - oldest;
  std::vector<std::size_t> asked(oldest + std::min(others, kOthers));
  std::iota(asked.begin(), asked.end(), std::size_t{0});
  if (others > kOthers) {
    for (std::size_t index = oldest; index < asked.size(); ++index) {
      asked[index] = oldest + turn_++ % others;
    }
    std::ranges::sort(asked);
  }
  return asked;
}

/// Takes away what is done. False if nothing is.
bool DeviceTasks::settle() {
  std::vector<Underway> done;
  std::vector<Task *> free;
  {
    const ScopedLock lock(mutex_);
    for (const std::size_t index : asked()) {
      const auto each = underway_.begin() + static_cast<std::ptrdiff_t>(index - done.size());
      const Result<bool> hasEnded = accelerators_.hasEnded(each->handle.get());
      if (!hasEnded) {
        fail(*each->task, hasEnded.error());
      }
      if (*hasEnded) {
        done.push_back(std::move(*each));
        underway_.erase(each);
      }
    }
    changes_ += done.size();
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

/// The most urgent one that is ready. Null if there is none, or enough is under way.
Task *DeviceTasks::takeNext() {
  if (ready_.empty()) {
    return nullptr;
  }
  const std::optional<std::size_t> enough = accelerators_.enough();
  if (underway_.size() >= std::min(kMostUnderway, enough.value_or(kMostUnderway))) {
    return enough ? takeForRoom() : nullptr;
  }
  std::pop_heap(ready_.begin(), ready_.end());
  Task *const task = ready_.back().task;
  ready_.pop_back();
  return task;
}

/// The same of those whose device has room, while others have more than is enough.
Task *DeviceTasks::takeForRoom() {
  if (inVain_ == changes_ || underway_.size() >= kMostForRoom) {
    return nullptr;
  }
  Task *found = nullptr;
  std::vector<Ready> before;
  while (!found && !ready_.empty() && before.size() < kMostLooked) {
    std::pop_heap(ready_.begin(), ready_.end());
    Task *const task = ready_.back().task;
    if (accelerators_.hasRoomFor(task->description->device, task->description->accesses())) {
      found = task;
    } else {
      before.push_back(ready_.back());
    }
    ready_.pop_back();
  }
  for (const Ready &each : before) {
    ready_.push_back(each);
    std::push_heap(ready_.begin(), ready_.end());
  }
  inVain_ = found ? inVain_ : changes_;
  return found;
}

/// False if nothing is ready, or enough is under way.
bool DeviceTasks::launchNext() {
  Task *task = nullptr;
  {
    const ScopedLock lock(mutex_);
    task = takeNext();
    if (!task) {
      return false;
    }
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
