// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the code of one task touches, as the compiler has found out: a region of one iteration
/// whose first capture is the address of the task's block (TUTTI_REGION_TASK_CODE).
#pragma once

#include "abi/abi.h"
#include "base/range.h"
#include "runtime/exec/region_view.h"
#include "runtime/memory/window.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tutti::exec {

struct TaskTouches {
  std::string_view reason; ///< Why it is not known, or empty.
  RangeSet reads;          ///< May hold more than is read,
  RangeSet writes;         ///< and more than is written.
  RangeSet overwritten;    ///< Surely written, and not read.
  RangeSet decides;        ///< What has been read now to tell all of that.
};

/// `own`: the memory that the task has for itself, which does not count.
///
/// Order: what `decides` holds must not change until the task runs.
/// Cost: linear in the runs of all boxes; reads the program's memory.
TaskTouches touchesOfTask(const tutti_region &code, std::uint64_t block, std::span<const Range> own,
                          const memory::Window &window, const AllocationOf &allocationOf);

} // namespace tutti::exec
