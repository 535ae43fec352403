// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The ways in which tasks wait, and go on.
#include "base/log.h"
#include "runtime/model/tasks/tasks.h"

#include <atomic>
#include <memory>
#include <optional>

namespace tutti::model::tasks {

using engine::Latch;
using engine::Parked;
using engine::Work;
using engine::Worker;

namespace {

std::int32_t doNothing(std::int32_t, void *) { return 0; }

} // namespace

/// Runs what `task` waits for, as long as this worker has some of it: it cannot wait for `task`
/// itself.
void Tasks::runOnTop(Task &task) {
  Worker *worker = Worker::current();
  const auto isBelow = [&task](const Work &work) { return Task::of(work).isBelow(task); };
  std::optional<engine::ThreadState> state;
  while (worker && worker->hasRoom(__builtin_frame_address(0)) && task.children() > 0) {
    Work *work = worker->takeIf(isBelow);
    if (!work) {
      return;
    }
    if (!state) {
      state.emplace(worker->usualFloatControl());
    }
    worker->runOnTop(*work, isBelow);
  }
}

void Tasks::waitFor(Task &task) {
  // What is checked is not to run on a stack that it may touch.
  if (!remote_ || !remote_->checks()) {
    runOnTop(task);
  }
  Parked parked;
  task.parked = &parked;
  std::uint64_t alive = task.alive.load(std::memory_order_acquire);
  do {
    if (alive == 1) {
      return;
    }
    // Pairs with the exchange of the last child, which takes the mark off.
  } while (!task.alive.compare_exchange_weak(alive, alive | kAwaited, std::memory_order_acq_rel,
                                             std::memory_order_acquire));
  parked.wait();
}

void Tasks::waitForChildren() {
  Task &task = current();
  if (task.children() > 0) {
    waitFor(task);
    current_ = &task;
  }
  if (task.hasGraph()) {
    Changes changes(*this);
    {
      const SpinGuard guard(graphLock_);
      graph_.closeDomain(task.node, changes);
    }
    settleEnded();
    queueAll(changes);
  }
}

void Tasks::beginNaming(const char *source) {
  Task &names = create(0, sizeof(tutti_task_block), 0, doNothing);
  names.source = source;
  names.flags |= kNames;
}

void Tasks::endWaiting() {
  Task &task = *described();
  if (!task.description || task.description->isEmpty()) {
    task.endDescription(*task.parent());
    discard(task);
    return;
  }
  task.flags |= kUndeferred;
  submit(task);
}

void Tasks::endReleasing() {
  Task &task = current();
  Task &names = *task.described;
  names.endDescription(task);
  if (names.description && !names.description->isEmpty() && task.hasGraph()) {
    Changes changes(*this);
    bool isKnown = false;
    {
      const SpinGuard guard(graphLock_);
      isKnown = graph_.release(task.node, names.description->accesses(), changes);
    }
    settleEnded();
    if (!isKnown) {
      log::fatal("{}: task {} releases what it has not named, or not in that way",
                 names.source ? names.source : "?", task.name());
    }
    queueAll(changes);
  }
  discard(names);
}

void Tasks::enterCritical(void **lock) {
  const std::atomic_ref<void *> place(*lock);
  auto *critical = static_cast<Critical *>(place.load(std::memory_order_acquire));
  if (!critical) {
    const ScopedLock guard(criticalsMutex_);
    critical = static_cast<Critical *>(place.load(std::memory_order_relaxed));
    if (!critical) {
      criticals_.push_back(std::make_unique<Critical>());
      critical = criticals_.back().get();
      place.store(critical, std::memory_order_release);
    }
  }
  Task &task = current();
  critical->enter();
  current_ = &task;
}

void Tasks::leaveCritical(void **lock) {
  static_cast<Critical *>(std::atomic_ref<void *>(*lock).load(std::memory_order_acquire))->leave();
}

void Tasks::block(Task &task) {
  Parked parked;
  task.parked = &parked;
  if (task.wakes.fetch_sub(1, std::memory_order_acq_rel) <= 0) {
    parked.wait();
    current_ = &task;
  }
}

void Tasks::unblock(Task &task) {
  if (task.wakes.fetch_add(1, std::memory_order_acq_rel) < 0) {
    task.parked->resume();
  }
}

/// To what else may go on.
void Tasks::giveTurn() {
  Parked turn;
  turn.resume();
  turn.wait();
}

void Tasks::sleep(std::uint64_t nanoseconds) {
  Task &task = current();
  const auto until = engine::Timers::Clock::now() + std::chrono::nanoseconds(nanoseconds);
  giveTurn(); // The time may be over before the wait begins, again and again.
  Latch latch;
  timers_.setAt(until, latch);
  latch.wait();
  current_ = &task;
}

void Tasks::bind(Task &task, std::uint64_t count) {
  task.flags |= kHasEvents;
  task.events.fetch_add(static_cast<std::int64_t>(count), std::memory_order_relaxed);
}

void Tasks::fulfil(Task &task, std::uint64_t count) {
  const auto taken = static_cast<std::int64_t>(count);
  if (count == 0 || task.events.fetch_sub(taken, std::memory_order_acq_rel) != taken) {
    return;
  }
  if ((task.flags & kOnReady) != 0) {
    task.flags &= ~(kOnReady | kHasEvents);
    task.events.store(1, std::memory_order_relaxed);
    becomeReady(task);
  } else if ((task.flags & kAwaitsEvents) != 0) {
    task.parked->resume();
  } else if (Work *next = complete(task)) {
    engine_.submit(*next);
  }
}

bool Tasks::hasEvents(const Task &task) {
  const std::int64_t events = task.events.load(std::memory_order_acquire);
  // Suspended until they have happened, it has none of its own.
  return events > ((task.flagsNow() & kAwaitsEvents) != 0 ? 0 : 1);
}

bool Tasks::maySuspend(const Task &task) const {
  return !isMain(task) && &task != &root_ &&
         (task.flags & (kForeign | kOpenMp | kImplicit | kOnDevice | kDivides | kHelps)) == 0;
}

void Tasks::setResumption(Task &task, Resumption how, std::uint64_t nanoseconds) {
  suspensions_.setResumption(task, how, nanoseconds);
  task.raise(kSuspends);
}

void Tasks::suspend(Task &task) {
  suspensions_.suspend(task);
  task.raise(kSuspends);
}

/// Between two calls of the task's body. False if it was the last one.
bool Tasks::waitSuspended(Task &task) {
  task.lower(kSuspends);
  const Suspension suspension = suspensions_.take(task);
  if (!suspension.isWanted) {
    return false;
  }
  switch (suspension.how) {
  case Resumption::Unblocked:
    block(task);
    break;
  case Resumption::AtOnce:
    giveTurn();
    break;
  case Resumption::InTime:
    sleep(suspension.nanoseconds);
    break;
  case Resumption::AfterEvents:
    waitForEvents(task);
    break;
  }
  current_ = &task;
  return true;
}

void Tasks::waitForEvents(Task &task) {
  Parked parked;
  task.parked = &parked;
  task.raise(kAwaitsEvents);
  // Its body's own event. Pairs with the last one's in `fulfil`.
  if (task.events.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    parked.wait();
  }
  task.lower(kAwaitsEvents);
  task.events.store(1, std::memory_order_relaxed);
}

void Tasks::spawn(void (*body)(void *), void *argument, void (*then)(void *), void *thenArgument,
                  const char *label) {
  Task &task = newTask(root_, sizeof(tutti_task_block) + sizeof(Spawned), 0);
  task.block.entry = [](std::int32_t, void *block) -> std::int32_t {
    const Spawned &spawned = spawnedOf(*static_cast<tutti_task_block *>(block));
    spawned.body(spawned.argument);
    return 0;
  };
  spawnedOf(task.block) = {body, argument, then, thenArgument};
  task.flags = kSpawned;
  task.label = label;
  root_.alive.fetch_add(1, std::memory_order_relaxed);
  if (!Worker::current()) {
    engine_.addWorker();
  }
  engine_.submit(task.work);
}

std::uint64_t Tasks::originalOf(std::uint64_t byte) {
  std::uint64_t original = byte;
  const auto look = [&](const graph::ReductionGroup &group) {
    const auto *copies = static_cast<const Copies *>(group.copies);
    if (const auto offset = copies ? copies->offsetOf(byte) : std::nullopt) {
      original = group.begin + *offset;
    }
  };
  for (Task *task = &current(); task && original == byte; task = task->parent()) {
    if (task->hasGraph()) {
      const SpinGuard guard(graphLock_);
      graph_.forEachReduction(task->node, look);
    }
  }
  settleEnded();
  return original;
}

void *Tasks::privateOf(void *original) {
  std::uint64_t byte = originalOf(reinterpret_cast<std::uint64_t>(original));
  original = reinterpret_cast<void *>(byte);
  if (hasReducers_.load(std::memory_order_relaxed)) [[unlikely]] {
    byte = standInFor(current(), byte);
    original = reinterpret_cast<void *>(byte);
  }
  Worker *worker = Worker::current();
  if (!worker) { // Runs no task, but asks what the parts of a loop name.
    return original;
  }
  const auto sharesWith = [](const Task &task) {
    return task.included() || (task.flags & kHelps) != 0 ? task.parent() : nullptr;
  };
  for (Task *task = &current(); task; task = sharesWith(*task)) {
    if (!task->hasGraph()) {
      continue;
    }
    graph::ReductionGroup *group = nullptr;
    {
      const SpinGuard guard(graphLock_);
      group = graph_.reductionOf(task->node, byte);
      if (group && !group->copies) {
        group->copies = new Copies(*group, otherRanks() + 1);
      }
    }
    settleEnded();
    if (group) {
      return static_cast<Copies *>(group->copies)->of(worker->index()) + (byte - group->begin);
    }
  }
  return original;
}

Statistics Tasks::statistics() const {
  Statistics sum;
  {
    const SpinGuard guard(graphLock_);
    const graph::TaskGraph::Counts counts = graph_.counts();
    sum.lookups = counts.lookups;
    sum.replayed = counts.replayed;
  }
  for (const PerWorker &each : perWorker_) {
    sum.created += each.created;
  }
  sum.workers = engine_.size();
  for (const auto &worker : engine_.workers()) {
    const engine::WorkerCounts &counts = worker->counts();
    sum.run += counts.run;
    sum.stolen += counts.stolen;
    sum.blocked += counts.blocked;
    sum.stacks += counts.stacks;
    sum.allocations += worker->allocations();
  }
  return sum;
}

void Tasks::finish() {
  waitForChildren();
  waitFor(root_);
  current_ = &main_;
}

} // namespace tutti::model::tasks
