// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Threads that the program's signals do not reach: those are for its own threads.
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

namespace tutti {

/// A thread that executes `run` with all signals blocked.
template <typename Run> std::thread startQuietThread(Run &&run) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // The new thread inherits it.
  std::thread thread(std::forward<Run>(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

} // namespace tutti
