// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the owner of tasks does for who has some of them run elsewhere: on devices, on other ranks.
#pragma once

#include "base/result.h"

namespace tutti::model::tasks {

struct Task;

/// Threading: from any thread.
class ElsewhereClient {
public:
  /// All of the task's work is done.
  virtual void ended(Task &task) = 0;

  /// The task is to run on a worker of this process.
  virtual void canRun(Task &task) = 0;

protected:
  ~ElsewhereClient() = default;
};

/// Ends the program with a line that names the task.
[[noreturn]] void fail(const Task &task, const Error &error);

} // namespace tutti::model::tasks
