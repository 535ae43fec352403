// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/critical.h"

namespace tutti::model::tasks {

void Critical::enter() {
  Waiter waiter;
  {
    const SpinGuard guard(lock_);
    if (!isTaken_) {
      isTaken_ = true;
      return;
    }
    (last_ ? last_->next : first_) = &waiter;
    last_ = &waiter;
  }
  waiter.parked.wait();
}

void Critical::leave() {
  Waiter *waiter = nullptr;
  {
    const SpinGuard guard(lock_);
    waiter = first_;
    if (!waiter) {
      isTaken_ = false;
      return;
    }
    first_ = waiter->next;
    last_ = first_ ? last_ : nullptr;
  }
  waiter->parked.resume();
}

} // namespace tutti::model::tasks
