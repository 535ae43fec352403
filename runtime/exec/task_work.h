// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A task on a device, as the engine knows it: a launch of one iteration, whose access function
/// says what the task names.
#pragma once

#include "abi/abi.h"
#include "base/range.h"
#include "base/result.h"
#include "runtime/device/device.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tutti::exec {

/// Memory that a task names: `bytes` bytes from each point of a box.
struct TaskAccess {
  std::uint32_t flags; ///< tutti_access_flags
  std::uint64_t begin;
  std::uint64_t bytes;
  std::span<const tutti_dim> dimensions;
};

/// A copy between memory of the host, in the window or not, and what lies on the device at another
/// place of the window.
struct HostCopy {
  Range host;
  std::uint64_t place;
};

/// Ownership: who starts it, until the start has returned.
struct TaskWork {
  std::int32_t device = 0; ///< Index among the rank's.
  /// All that it names, in the window or not: it comes after what others are given before that
  /// touches the same bytes, and one of both writes.
  RangeSet touched;
  RangeSet written; ///< Of that; what tasks write beside one another is not in it.
  /// The queue that it is given to; set by who runs the work, unless somebody has set it before.
  std::optional<std::size_t> queue;
  bool isExact = false; ///< Nothing moves with what it names, though that may cost fewer copies.
  const RangeSet *held = nullptr; ///< By the device, all in all; set by who runs the work.
  /// Copied to the device before the work and from it behind it, on the work's own queue: nobody
  /// else knows of these copies. The host's memory is part of `touched` and `written`, and stays as
  /// it is until the work is over. What has not been locked (`RankZero::isLocked`) is read at once.
  std::vector<HostCopy> brought;
  std::vector<HostCopy> takenHome;
  /// Some of what is taken home is there only once somebody has asked the event whether it has
  /// happened. Set by who runs the work.
  bool isStaged = false;
  /// Gives the work to a queue of the device.
  std::function<Status(device::Queue &)> give;
  std::shared_ptr<device::Event> event; ///< After it. Set by who runs the work,
  Status status;                        ///< and whether that was possible.
};

/// The region of which each such task is a launch. The same on all ranks; runs nothing by itself.
const tutti_region &taskRegion();

/// The same for works that are exact.
const tutti_region &exactTaskRegion();

/// What `taskRegion` gets as captures.
std::vector<std::uint64_t> capturesOf(std::span<const TaskAccess> accesses);

} // namespace tutti::exec
