// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/serving_thread.h"

#include <chrono>

namespace tutti::model::tasks {

namespace {

constexpr std::chrono::milliseconds kPeriod{1};

} // namespace

void ServingThread::stop() {
  {
    const ScopedLock lock(mutex_);
    isEnding_ = true;
    changed_.notifyAll();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
}

void ServingThread::wake() {
  const ScopedLock lock(mutex_);
  isAwake_ = true;
  if (!thread_.joinable() && !isEnding_) {
    thread_ = std::thread([this] { run(); });
  }
  changed_.notifyAll();
}

void ServingThread::run() {
  while (true) {
    {
      const ScopedLock lock(mutex_);
      while (!isEnding_ && !isAwake_) {
        changed_.wait(mutex_);
      }
      if (isEnding_) {
        return;
      }
      isAwake_ = false; // Unless there is more, or more comes meanwhile.
    }
    std::this_thread::sleep_for(kPeriod);
    if (serve_()) {
      const ScopedLock lock(mutex_);
      isAwake_ = true;
    }
  }
}

} // namespace tutti::model::tasks
