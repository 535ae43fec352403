// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What tasks know of other ranks: who gets them there, and back what they leave, is somebody
/// else's affair.
#pragma once

#include "abi/tasks.h"
#include "base/range.h"
#include "base/result.h"
#include "runtime/graph/task_graph.h"
#include "runtime/model/tasks/checked_task.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace tutti::model::tasks {

/// How a task on another rank went.
struct RemoteEnd {
  std::uint32_t workers; ///< That the rank has.
  double seconds;
  std::vector<std::byte> results; ///< What it has reduced, in the order of its accesses.
};

/// What comes out where what the code of a task touches is compared with what the task names.
struct Derived {
  std::string_view reason; ///< Why it has to stay, or empty.
  std::vector<Range> read; ///< Beside what it names.
  RangeSet overwritten;    ///< Surely written, and not read.
};

/// The ranks of the job, as rank 0 sees them; its own is the first.
///
/// Threading: from any thread.
class Ranks {
public:
  Ranks() = default;
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;
  virtual ~Ranks() = default;

  virtual std::uint32_t count() const = 0;

  /// Whether other ranks have this function at the same address.
  virtual bool haveCode(tutti_task_entry entry) const = 0;

  /// Whether the bytes are of unified memory, which other ranks have at the same addresses.
  virtual bool areShared(Range bytes) const = 0;

  /// Whether they are a variable of the program, in unified memory.
  virtual bool areOfProgram(Range bytes) const = 0;

  /// Whether the bytes are of memory for which the program has promised to name all that is used
  /// (`nanos6_dmalloc`, `nanos6_lmalloc`).
  virtual bool areOfCluster(Range bytes) const = 0;

  /// What holds the program's arguments and environment: each process has them elsewhere.
  virtual Range arguments() const { return {}; }

  /// Whether the compiler knows what tasks of this function touch.
  virtual bool isDerived(tutti_task_entry entry) const = 0;

  /// What that is for one that is ready. `own`: the memory that the task has for itself.
  virtual Derived derive(tutti_task_block &block, std::span<const Range> own,
                         std::span<const graph::Access> accesses) = 0;

  /// Of what a task names, and `read`, the bytes that each rank would have to get; and of what it
  /// only writes, those that are to lie elsewhere.
  virtual std::vector<std::uint64_t> missing(std::span<const graph::Access> accesses,
                                             std::span<const Range> read) = 0;

  /// Brings what a task names to the own rank, where it is about to run.
  virtual void bring(std::span<const graph::Access> accesses) = 0;

  /// Whether tasks stay on the own rank to be looked at there.
  virtual bool checks() const { return false; }

  /// Runs `body(task)` on the calling thread, and says what it has touched beside what the task
  /// names and `read`. Order: after `bring`; outside of what is checked.
  virtual void check(const CheckedTask &, std::span<const graph::Access> /*accesses*/,
                     std::span<const Range> /*read*/, void (*)(void *task), void * /*task*/) {}

  /// What the calling thread runs is not looked at any more.
  virtual void stopCheck() {}

  /// Gives a task to another rank, which has then what the task names, and `read`. `whenEnded` is
  /// called once, by any thread; it cannot wait.
  ///
  /// Errors: in words for the user.
  virtual Status start(std::uint32_t rank, std::span<const graph::Access> accesses,
                       std::span<const Range> read, std::vector<std::byte> parcel,
                       std::function<void(RemoteEnd end)> whenEnded) = 0;
};

} // namespace tutti::model::tasks
