// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the numbers of a run mean to whoever started it.
#pragma once

#include "runtime/trace/counters.h"

#include <string>

namespace tutti::trace {

/// Tasks of rank 0's program, teams of OpenMP included.
struct TaskCounts {
  std::uint64_t all = 0;
  std::uint64_t away = 0; ///< Those that ran on other ranks.
};

/// One sentence: whether more ranks helped the loops, how many tasks they ran, what cost most, and
/// what to do about it.
/// Empty for a run on one rank.
std::string verdict(const Report &report, const TaskCounts &tasks);

} // namespace tutti::trace
