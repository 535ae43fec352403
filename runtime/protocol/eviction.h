// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Taking data off a full device: what rank 0 announces with a launch, and what the device's rank
/// does. It has no messages of its own: evictions travel as events of launches, and in
/// reservations.
#pragma once

#include "runtime/exec/engine.h"
#include "runtime/exec/residency.h"
#include "runtime/protocol/loans.h"
#include "runtime/protocol/salvage.h"

#include <functional>
#include <vector>

namespace tutti::protocol {

using exec::Leaving;
using exec::Place;
using exec::Progress;

/// What `leaving` means for the directory.
std::vector<memory::Event> eventsOf(const Leaving &leaving, const memory::Topology &topology);

/// Threading: guarded by the lock of the engine's progress.
class Evictions {
public:
  Evictions(exec::Engine &engine, Salvage &salvage, Loans &loans)
      : engine_(engine), salvage_(salvage), loans_(loans) {}

  /// Gives memory of a device of this rank back. What no other place has goes to the host first.
  ///
  /// Order:  before its events are applied. Waits, and so lets other events happen, until nothing
  ///         is under way on this rank's devices.
  /// Errors: DeviceLost  some of that is gone with the device; its events must not be applied.
  Status evict(Progress::Lock &lock, const Leaving &leaving) TUTTI_IN_TURN;

  /// The same where somebody else knows what no other place has.
  Status evict(Progress::Lock &lock, const Leaving &leaving,
               const std::function<RangeSet()> &alone) TUTTI_IN_TURN;

private:
  exec::Engine &engine_;
  Salvage &salvage_;
  Loans &loans_;
};

} // namespace tutti::protocol
