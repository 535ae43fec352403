// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Queues of a device for tasks, beside the one for everything else: tasks that touch nothing in
/// common run side by side, and one that follows another is queued after it, without the host.
///
///   queue 0   | a | b |        b writes what a wrote
///   queue 1   | c   |  d |     d reads what c and a wrote: it waits for a's event
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/device/device.h"
#include "runtime/exec/task_work.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>

namespace tutti::exec {

/// Threading: externally synchronised.
/// Ownership: the device outlives it.
/// Errors:    of all operations: those of `device::Queue`.
class TaskQueues {
public:
  explicit TaskQueues(device::Device &device) : device_(device) {}

  /// Gives `work` to one of the queues, after all work before that it must come after, and after
  /// `main` if there is one. Its event is set then.
  Status run(TaskWork &work, device::Event *main);

  /// Lets what `later` is given from now on come after all that touches `bytes`.
  Status order(const RangeSet &bytes, device::Queue &later);

  /// The same for all of it.
  Status order(device::Queue &later);

  /// Lets `later`, a queue of any device, come after what it has to of this one's.
  Status order(const TaskWork &work, device::Queue &later);

  /// Whether nothing is under way. Never blocks.
  Result<bool> isIdle();

  /// The same for what touches `bytes`.
  Result<bool> isIdle(const RangeSet &bytes);

  bool isEmpty() const { return underway_.empty(); }

  /// How many are under way. Never blocks.
  Result<std::size_t> count();

  /// How many are under way that work which touches these bytes, and writes those, need not come
  /// after. Never blocks.
  Result<std::size_t> underwayBeside(const RangeSet &touched, const RangeSet &written);

  /// As many are enough for the device to have something to do until it is given more.
  std::size_t enough() const;

  /// From the end of one task to that of the next while there is something to do, as measured last.
  /// Units: seconds; 0 if no task has ended.
  double taskSeconds() const { return taskSeconds_; }

  /// Waits until nothing is under way. Cost: blocks.
  Status finish();

private:
  static constexpr std::size_t kQueues = 8;

  struct Operation {
    std::size_t queue;
    RangeSet touched;
    RangeSet written;
    std::shared_ptr<device::Event> event;

    bool isBefore(const TaskWork &work) const {
      return written.overlaps(work.touched) || touched.overlaps(work.written);
    }
  };

  Status poll();
  void noteEnds(std::size_t count);
  std::size_t choose(const TaskWork &work) const;

  device::Device &device_;
  std::array<std::unique_ptr<device::Queue>, kQueues> queues_;
  std::deque<Operation> underway_;                  ///< In the order in which they were given.
  std::size_t next_ = 0;                            ///< Queue for who follows nobody.
  std::chrono::steady_clock::time_point busySince_; ///< Or since tasks were seen to end.
  double taskSeconds_ = 0;
};

} // namespace tutti::exec
