// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A thread that looks for what happens elsewhere while all workers are inside of long tasks.
#pragma once

#include "base/mutex.h"

#include <functional>
#include <thread>

namespace tutti::model::tasks {

/// Threading: internally synchronised.
class ServingThread {
public:
  /// `serve` looks once; whether there is more to look for.
  explicit ServingThread(std::function<bool()> serve) : serve_(std::move(serve)) {}

  ServingThread(const ServingThread &) = delete;
  ServingThread &operator=(const ServingThread &) = delete;

  ~ServingThread() { stop(); }

  /// Waits until the thread has served for the last time. Nothing wakes it any more.
  void stop();

  /// There is something to look for: each millisecond, until there is not.
  void wake();

private:
  void run();

  const std::function<bool()> serve_;
  Mutex mutex_;
  Condition changed_;
  bool isAwake_ TUTTI_GUARDED_BY(mutex_) = false;
  bool isEnding_ TUTTI_GUARDED_BY(mutex_) = false;
  std::thread thread_; ///< Started at the first use.
};

} // namespace tutti::model::tasks
