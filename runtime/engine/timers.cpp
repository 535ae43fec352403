// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/timers.h"

#include <functional>
#include <utility>

namespace tutti::engine {

Timers::~Timers() {
  std::thread thread;
  {
    const ScopedLock lock(mutex_);
    isEnding_ = true;
    thread = std::move(thread_);
    changed_.notifyAll();
  }
  if (thread.joinable()) {
    thread.join();
  }
}

void Timers::setAt(Clock::time_point time, Latch &latch) {
  const ScopedLock lock(mutex_);
  const bool isFirst = entries_.empty() || time < entries_.top().time;
  entries_.push({time, &latch});
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { serve(); });
  } else if (isFirst) {
    changed_.notifyAll();
  }
}

void Timers::serve() {
  RelockableLock lock(mutex_);
  while (!isEnding_) {
    if (entries_.empty()) {
      changed_.wait(mutex_);
      continue;
    }
    const Entry first = entries_.top();
    if (Clock::now() < first.time) {
      changed_.waitUntil(mutex_, first.time);
      continue;
    }
    entries_.pop();
    lock.unlock();
    first.latch->set();
    lock.lock();
  }
}

} // namespace tutti::engine
