// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks whose bodies are called again: what each has said of that while its body runs.
#pragma once

#include "base/mutex.h"

#include <cstdint>
#include <unordered_map>

namespace tutti::model::tasks {

struct Task;

/// When a suspended task goes on.
enum class Resumption : std::uint8_t {
  Unblocked,   ///< Somebody says so.
  AtOnce,      ///< Others that wait have their turn before.
  InTime,      ///< When a time is over.
  AfterEvents, ///< What is bound to it has happened.
};

struct Suspension {
  Resumption how = Resumption::Unblocked;
  std::uint64_t nanoseconds = 0;
  bool isWanted = false; ///< Else it only said how.
};

/// Threading: internally synchronised.
class Suspensions {
public:
  void setResumption(const Task &task, Resumption how, std::uint64_t nanoseconds)
      TUTTI_EXCLUDES(mutex_);
  void suspend(const Task &task) TUTTI_EXCLUDES(mutex_);

  /// What the task has said, which is forgotten.
  Suspension take(const Task &task) TUTTI_EXCLUDES(mutex_);

private:
  Mutex mutex_;
  std::unordered_map<const Task *, Suspension> of_ TUTTI_GUARDED_BY(mutex_);
};

} // namespace tutti::model::tasks
