// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/blocking.h"

#include "runtime/engine/latch.h"
#include "runtime/engine/parked.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tutti::model::tasks {

using engine::Latch;
using engine::Parked;

void Blocking::block(Task &task) {
  Parked parked;
  task.parked = &parked;
  if (task.wakes.fetch_sub(1, std::memory_order_acq_rel) <= 0) {
    parked.wait();
  }
}

void Blocking::unblock(Task &task) {
  if (task.wakes.fetch_add(1, std::memory_order_acq_rel) < 0) {
    task.parked->resume();
  }
}

/// To what else may go on.
void Blocking::giveTurn() {
  Parked turn;
  turn.resume();
  turn.wait();
}

void Blocking::sleep(std::uint64_t nanoseconds) {
  using Time = engine::Timers::Clock::time_point;
  const Time begin = engine::Timers::Clock::now();
  const auto most = static_cast<std::uint64_t>((Time::max() - begin).count());
  const Time until = begin + std::chrono::nanoseconds(std::min(nanoseconds, most));
  giveTurn(); // The time may be over before the wait begins, again and again.
  Latch latch;
  timers_.setAt(until, latch);
  latch.wait();
}

void Blocking::waitForEvents(Task &task) {
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

void Blocking::wait(Task &task, const Suspension &suspension) {
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
}

} // namespace tutti::model::tasks
