// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// All that waits here, and what it waits for.
#pragma once

#include "runtime/model/fragments/ask.h"
#include "runtime/model/fragments/call.h"

namespace tutti::model::fragments {

class Calls;
class Unfolding;

/// All that waits here, and what it waits for.
///
/// Threading: externally synchronised.
class Waiters {
public:
  Waiters(Unfolding &unfolding, Calls &calls) : unfolding_(unfolding), calls_(calls) {
    all_.before = &all_;
    all_.behind = &all_;
  }

  Waiters(const Waiters &) = delete;
  Waiters &operator=(const Waiters &) = delete;

  template <typename Function> void forEach(const Function &function) const {
    for (const Waiter *waiter = all_.behind; waiter != &all_; waiter = waiter->behind) {
      function(*waiter);
    }
  }

  /// Null if nothing waits.
  Waiter *first() const { return all_.behind == &all_ ? nullptr : all_.behind; }

  void link(Waiter &waiter) {
    waiter.before = all_.before;
    waiter.behind = &all_;
    all_.before->behind = &waiter;
    all_.before = &waiter;
  }

  static void unlink(Waiter &waiter) {
    waiter.before->behind = waiter.behind;
    waiter.behind->before = waiter.before;
  }

  /// Waits for what an attempt lacked; whether there was anything.
  bool park(Waiter &waiter, Ask &ask);

  /// What waited for it alone goes on.
  void wake(Entry &entry);

  /// It has to go on before it is known what else there is.
  static bool isStructure(const Waiter &waiter) {
    return !waiter.isCall || static_cast<const Call &>(waiter).rank < 0;
  }

private:
  Unfolding &unfolding_;
  Calls &calls_;
  Waiter all_; ///< Ring of calls and of activities that wait.
};

} // namespace tutti::model::fragments
