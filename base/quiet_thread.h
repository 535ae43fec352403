// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Threads that the program's signals do not reach: those are for its own threads.
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

namespace tutti {

/// While it lives, no signal reaches its thread.
class QuietSignals {
public:
  QuietSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }

  QuietSignals(const QuietSignals &) = delete;
  QuietSignals &operator=(const QuietSignals &) = delete;

  ~QuietSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_;
};

/// A thread that executes `run` with all signals blocked.
///
/// Throws std::system_error where the system gives no thread.
template <typename Run> std::thread startQuietThread(Run &&run) {
  const QuietSignals inherited;
  return std::thread(std::forward<Run>(run));
}

} // namespace tutti
