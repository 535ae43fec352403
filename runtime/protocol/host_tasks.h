// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks that rank 0 has given to hosts of other ranks: they begin with a launch, as those on
/// devices do, and end with a message of their own.
#pragma once

#include "base/range.h"
#include "runtime/exec/engine.h"
#include "runtime/protocol/mail.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace tutti::protocol {

using exec::Sequence;

/// A rank to rank 0: `TaskEnd`.
inline constexpr Kind kTaskEnd("taskend");

/// The task of launch `sequence` is over, and so is all that it has made.
struct TaskEnd {
  Sequence sequence;
  std::uint32_t workers; ///< That the rank runs tasks on.
  double seconds;        ///< From its begin on.
  /// What it wrote on pages of rank 0 that cannot be protected,
  RangeSet returned;
  std::vector<std::byte> bytes;   ///< as one sequence.
  std::vector<std::byte> results; ///< What it has reduced, as its sender has packed it.
};

std::vector<std::byte> encode(const TaskEnd &end);
TaskEnd decodeTaskEnd(Reader &reader);

/// Threading: guarded by the lock of the engine's progress.
class HostTasks {
public:
  HostTasks(exec::Engine &engine, Mail &mail);

  /// What a task that runs here uses of unified memory.
  struct Use {
    RangeSet touched;
    RangeSet written;
    RangeSet returned; ///< Of that: what goes to rank 0 with the end.
  };

  /// @name On the rank that runs the task.
  /// @{

  void begin(Sequence sequence, Use use) TUTTI_IN_TURN;

  /// Tells rank 0.
  void end(TaskEnd end) TUTTI_IN_TURN;

  /// Whether a task that runs may write some of these bytes.
  bool areWritten(const RangeSet &bytes) const TUTTI_IN_TURN;

  /// Whether a task that runs may read or write some of these bytes.
  bool areTouched(const RangeSet &bytes) const TUTTI_IN_TURN;

  /// @}
  /// @name On rank 0.
  /// @{

  /// Called once, from within the poll; it cannot wait.
  using WhenEnded = std::function<void(TaskEnd &end)>;

  void expect(Sequence sequence, WhenEnded whenEnded) TUTTI_IN_TURN;

  /// Whether some task has not ended.
  bool isExpecting() const TUTTI_IN_TURN { return !expected_.empty(); }

  /// @}

private:
  exec::Engine &engine_;
  Mail &mail_;
  std::map<Sequence, Use> running_ TUTTI_GUARDED_BY(exec::kTurn);
  std::map<Sequence, WhenEnded> expected_ TUTTI_GUARDED_BY(exec::kTurn);
};

} // namespace tutti::protocol
