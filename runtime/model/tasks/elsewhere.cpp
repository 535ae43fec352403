// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/elsewhere.h"

#include "base/log.h"
#include "runtime/model/tasks/task.h"

namespace tutti::model::tasks {

void fail(const Task &task, const Error &error) {
  const char *place = task.source ? task.source : "?";
  if (task.label) {
    log::fatal("task {} ({}): {}", task.label, place, error.message);
  }
  log::fatal("the task at {}: {}", place, error.message);
}

} // namespace tutti::model::tasks
