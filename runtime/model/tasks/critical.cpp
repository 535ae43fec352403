// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/critical.h"

#include <atomic>

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

Critical &Criticals::of(void **word) {
  const std::atomic_ref<void *> place(*word);
  auto *critical = static_cast<Critical *>(place.load(std::memory_order_acquire));
  if (!critical) {
    const ScopedLock guard(mutex_);
    critical = static_cast<Critical *>(place.load(std::memory_order_relaxed));
    if (!critical) {
      all_.push_back(std::make_unique<Critical>());
      critical = all_.back().get();
      place.store(critical, std::memory_order_release);
    }
  }
  return *critical;
}

} // namespace tutti::model::tasks
