// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// In front of the C library's functions that install handlers of signals.
#include "runtime/entry/signals.h"

#include "runtime/entry/exports.h"
#include "runtime/entry/next.h"
#include "runtime/entry/runtime.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <pthread.h>

namespace {

using tutti::entry::Runtime;
using Action = struct sigaction;

std::atomic<bool> areHandled{false};

/// What a thread brings about itself cannot wait.
constexpr std::array kOwn{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

int install(int number, const Action *action, Action *before) {
  static const auto next = tutti::entry::next<int (*)(int, const Action *, Action *)>("sigaction");
  return next(number, action, before);
}

/// The same on the stack that signals have of their own: the kernel gives up where the program's
/// is protected.
bool withOwnStack(int number, Action &action) {
  if (!Runtime::active() || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
    return false;
  }
  if (std::ranges::find(kOwn, number) == kOwn.end()) {
    areHandled.store(true, std::memory_order_relaxed);
  }
  action.sa_flags |= SA_ONSTACK;
  return true;
}

} // namespace

namespace tutti::entry {

bool areSignalsHandled() { return areHandled.load(std::memory_order_relaxed); }

HeldSignals::HeldSignals(bool isNeeded) : isHolding_(isNeeded) {
  if (!isHolding_) {
    return;
  }
  sigset_t all;
  sigfillset(&all);
  for (const int number : kOwn) {
    sigdelset(&all, number);
  }
  pthread_sigmask(SIG_BLOCK, &all, &before_);
}

HeldSignals::~HeldSignals() {
  if (isHolding_) {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
}

} // namespace tutti::entry

TUTTI_EXPORT int sigaction(int number, const Action *action, Action *before) noexcept {
  Action own{};
  if (action) {
    own = *action;
    withOwnStack(number, own);
  }
  return install(number, action ? &own : nullptr, before);
}

TUTTI_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  static const auto next = tutti::entry::next<sighandler_t (*)(int, sighandler_t)>("signal");
  const sighandler_t before = next(number, handler);
  Action action{};
  if (before != SIG_ERR && install(number, nullptr, &action) == 0 && withOwnStack(number, action)) {
    install(number, &action, nullptr);
  }
  return before;
}
