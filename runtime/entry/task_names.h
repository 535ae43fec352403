// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a task names, in terms of the engine.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/exec/task_work.h"
#include "runtime/graph/task_graph.h"
#include "runtime/memory/window.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::entry {

/// What becomes of the bytes of an `out` that the task leaves alone.
enum class Unwritten {
  Keep,   ///< They are what was there.
  Forget, ///< They are anything.
};

/// What a task names strongly.
struct TaskNames {
  RangeSet touched; ///< All, and what it writes not beside others.
  RangeSet written;
  RangeSet shared;                        ///< Of unified memory,
  std::vector<exec::TaskAccess> accesses; ///< the same as boxes,
  std::vector<Range> foreign;             ///< and elsewhere.

  /// Errors: an access begins in unified memory and ends outside of it.
  static Result<TaskNames> of(std::span<const graph::Access> accesses, const memory::Window &window,
                              Unwritten unwritten);

  /// Whether an `out` in unified memory may leave something alone.
  bool mayLeave() const;

  /// All of `bytes` is written, whatever it was: an `out` that lies there leaves nothing alone.
  void areWritten(const RangeSet &bytes);
};

} // namespace tutti::entry
