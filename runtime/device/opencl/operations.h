// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a queue has under way, so that a failure on the device reaches the events behind it: a
/// marker of OpenCL need not fail because something before it did.
#pragma once

#include "base/result.h"
#include "runtime/device/opencl/library.h"

#include <cstdint>
#include <deque>
#include <optional>

namespace tutti::device::opencl {

/// The operations of one queue, numbered from 1 in its order.
///
/// Threading: externally synchronised, with the queue.
class Operations {
public:
  explicit Operations(const Library &library) : library_(library) {}

  /// The number that the next one gets.
  std::uint64_t next() const { return last_ + 1; }

  /// The last one so far.
  std::uint64_t last() const { return last_; }

  /// `what` says what failed, if it does: "copy to the device".
  void add(Owned<NativeEvent> event, std::string what);

  /// Ownership: the name outlives this.
  void addKernel(Owned<NativeEvent> event, const std::string &name);

  /// Looks at the events of those not known to be done. Never blocks.
  void poll();

  /// All up to this number are done.
  std::uint64_t done() const { return done_; }

  /// Whether one of those up to `number` has failed, as far as `poll` knows; sticky.
  /// Errors: KernelFault, DeviceLost.
  Status outcome(std::uint64_t number) const;

private:
  struct Operation {
    Owned<NativeEvent> event;
    std::string what;
    const std::string *kernel; ///< Its name, if it is one.
  };

  void add(Operation operation);
  const Operation &culprit() const;

  const Library &library_;
  std::deque<Operation> underWay_; ///< Number `done_ + 1` and on.
  std::uint64_t last_ = 0;
  std::uint64_t done_ = 0;
  std::optional<Error> failed_; ///< The first failure.
  std::uint64_t failedNumber_ = 0;
};

/// Execution status of a native event: positive while it is not complete, negative if it failed.
Int statusOfEvent(const Library &library, NativeEvent event);

} // namespace tutti::device::opencl
