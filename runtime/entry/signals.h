// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Signals that the program handles. Its handlers may touch any memory, also such as only a launch
/// that they interrupt could bring.
#pragma once

#include <csignal>

namespace tutti::entry {

/// Whether the program has installed a handler of any signal so far.
bool areSignalsHandled();

/// Keeps the calling thread's signals for the end of a scope; threads that begin in it never get
/// any. If not needed, it costs no system call.
///
/// Threading: any; scopes do not overlap.
class HeldSignals {
public:
  explicit HeldSignals(bool isNeeded);
  HeldSignals(const HeldSignals &) = delete;
  HeldSignals &operator=(const HeldSignals &) = delete;
  ~HeldSignals();

private:
  bool isHolding_;
  sigset_t before_;
};

} // namespace tutti::entry
