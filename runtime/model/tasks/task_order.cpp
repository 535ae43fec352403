// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/task_order.h"

namespace tutti::model::tasks {

bool TaskOrder::tryLeave(Task &task, graph::Node *own, graph::Sink &sink) {
  if (lock_.tryLock()) {
    leaveGraph(task, own, sink);
    lock_.unlock();
    return true;
  }
  task.work.next = ended_.load(std::memory_order_relaxed);
  // Pairs with the exchange in `takeEnded`.
  while (!ended_.compare_exchange_weak(task.work.next, &task.work, std::memory_order_seq_cst,
                                       std::memory_order_relaxed)) {
  }
  return false;
}

} // namespace tutti::model::tasks
