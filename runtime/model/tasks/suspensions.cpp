// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/suspensions.h"

namespace tutti::model::tasks {

void Suspensions::setResumption(const Task &task, Resumption how, std::uint64_t nanoseconds) {
  const ScopedLock guard(mutex_);
  Suspension &suspension = of_[&task];
  suspension.how = how;
  suspension.nanoseconds = nanoseconds;
}

void Suspensions::suspend(const Task &task) {
  const ScopedLock guard(mutex_);
  of_[&task].isWanted = true;
}

Suspension Suspensions::take(const Task &task) {
  const ScopedLock guard(mutex_);
  const auto node = of_.extract(&task);
  return node ? node.mapped() : Suspension{};
}

} // namespace tutti::model::tasks
