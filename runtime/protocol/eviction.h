// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Taking data off a full device: what rank 0 announces with a launch, and what the device's rank
/// does.
#pragma once

#include "runtime/exec/residency.h"
#include "runtime/protocol/job.h"

#include <functional>
#include <vector>

namespace tutti::protocol {

using exec::Leaving;
using exec::Place;
using exec::Progress;

/// What `leaving` means for the directory.
std::vector<memory::Event> eventsOf(const Leaving &leaving, const memory::Topology &topology);

/// Gives memory of a device of this rank back. What no other place has goes to the host first.
///
/// Order:  before its events are applied. Waits, and so lets other events happen, until nothing is
///         under way on this rank's devices.
/// Errors: DeviceLost  some of that is gone with the device; its events must not be applied.
Status evict(Job &job, Progress::Lock &lock, const Leaving &leaving);

/// The same where somebody else knows what no other place has.
Status evict(Job &job, Progress::Lock &lock, const Leaving &leaving,
             const std::function<RangeSet()> &alone);

} // namespace tutti::protocol
