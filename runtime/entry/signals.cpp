// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// In front of the C library's functions that install handlers of signals. Those of the program for
/// memory faults come behind the runtime's.
#include "runtime/entry/signals.h"

#include "runtime/entry/exports.h"
#include "runtime/entry/next.h"
#include "runtime/entry/runtime.h"
#include "runtime/memory/faults.h"

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

/// `signal` for a number whose faults are the runtime's first.
sighandler_t setFaultHandler(sighandler_t handler, int flags) {
  Action own{};
  Action before{};
  own.sa_handler = handler;
  own.sa_flags = flags | SA_ONSTACK;
  tutti::memory::exchangeFaultAction(&own, &before);
  return before.sa_handler;
}

/// Whether the program's action for a signal comes behind the runtime's.
bool comesSecond(int number) {
  return number == SIGSEGV && tutti::memory::isFaultHandlerInstalled();
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
  if (comesSecond(number)) {
    tutti::memory::exchangeFaultAction(action ? &own : nullptr, before);
    return 0;
  }
  return install(number, action ? &own : nullptr, before);
}

TUTTI_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (comesSecond(number)) {
    return setFaultHandler(handler, SA_RESTART);
  }
  static const auto next = tutti::entry::next<sighandler_t (*)(int, sighandler_t)>("signal");
  const sighandler_t before = next(number, handler);
  Action action{};
  if (before != SIG_ERR && install(number, nullptr, &action) == 0 && withOwnStack(number, action)) {
    install(number, &action, nullptr);
  }
  return before;
}

/// What `signal` is to a program compiled for the C standard alone.
TUTTI_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  constexpr int kFlags = static_cast<int>(SA_RESETHAND) | SA_NODEFER;
  if (comesSecond(number)) {
    return setFaultHandler(handler, kFlags);
  }
  Action action{};
  Action before{};
  action.sa_handler = handler;
  action.sa_flags = kFlags;
  return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}
