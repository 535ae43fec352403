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
    Changes changes(devices_.get());
    order_.closeDomain(task, changes);
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
    Changes changes(devices_.get());
    const bool isKnown = order_.release(task, names.description->accesses(), changes);
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
  Task &task = current();
  criticals_.of(lock).enter();
  current_ = &task;
}

void Tasks::leaveCritical(void **lock) { criticals_.of(lock).leave(); }

void Tasks::block(Task &task) {
  Blocking::block(task);
  current_ = &task;
}

void Tasks::unblock(Task &task) { Blocking::unblock(task); }

void Tasks::sleep(std::uint64_t nanoseconds) {
  Task &task = current();
  blocking_.sleep(nanoseconds);
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
  blocking_.wait(task, suspension);
  current_ = &task;
  return true;
}

void Tasks::spawn(void (*body)(void *), void *argument, void (*then)(void *), void *thenArgument,
                  const char *label) {
  Task &task = newTask(root_, sizeof(tutti_task_block) + sizeof(Spawned), 0);
  task.block.entry = [](std::int32_t, void *block) -> std::int32_t {
    const Spawned &spawned = Spawned::of(*static_cast<tutti_task_block *>(block));
    spawned.body(spawned.argument);
    return 0;
  };
  Spawned::of(task.block) = {body, argument, then, thenArgument};
  task.flags = kSpawned;
  task.label = label;
  root_.alive.fetch_add(1, std::memory_order_relaxed);
  if (!Worker::current()) {
    engine_.addWorker();
  }
  engine_.submit(task.work);
}

std::uint64_t Tasks::originalOf(std::uint64_t byte) {
  const std::uint64_t original = reductions_.originalOf(current(), byte);
  settleEnded();
  return original;
}

void *Tasks::privateOf(void *original) {
  void *own = reductions_.privateOf(current(), original);
  settleEnded();
  return own;
}

Statistics Tasks::statistics() const {
  Statistics sum;
  const graph::TaskGraph::Counts counts = order_.counts();
  sum.lookups = counts.lookups;
  sum.replayed = counts.replayed;
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
