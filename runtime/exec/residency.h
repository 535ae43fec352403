// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Rank 0's account of what all devices of the job hold memory for and when they last used it, by
/// which it decides what leaves a full device. Pure data.
#pragma once

#include "base/range.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/rooms.h"
#include "runtime/memory/topology.h"

#include <memory>
#include <vector>

namespace tutti::exec {

/// Units of a device: those that it gives back, or is to take.
struct Leaving {
  Place place;
  RangeSet units;
};

/// Threading: externally synchronised.
class Residency {
public:
  Residency(const memory::Topology &topology, const Rooms &rooms);

  /// Whether each device could hold its part of `plan` if it held nothing else.
  bool fits(const Plan &plan) const;

  /// What has to leave the devices before they can take their parts of `plan`, least recently used
  /// first; nothing if there is room, also for copies of what is merged where a device can hold
  /// them. Of loops that stream through a device only `kPortionsAtOnce` portions stay: so that each
  /// finds the memory that it had when the loop ran before, and other data stays where there is
  /// room.
  ///
  /// Shape: `plan` fits.
  std::vector<Leaving> makeRoom(const Plan &plan);

  /// Whether the devices have been ready for `plan` since it was used last. Cost: some comparisons.
  bool isRecent(const Plan &plan) const;

  /// Whether `plan` needs of each device just what the plan that was used last needed, and no room
  /// besides: then there is room, and the devices have the memory. So it is with most new launches
  /// of a loop that moves on. Cost: some comparisons.
  bool isLikeLatest(const Plan &plan) const;

  /// By device, what it has to take memory for before it can take its part of `plan`; nothing for
  /// those that need none.
  ///
  /// Cost: some comparisons if `plan` is one of the latest.
  std::vector<Leaving> lacking(const Plan &plan) const;

  /// Notes that a device holds units, which nothing has used so far.
  void holds(const Leaving &units);

  /// Notes that it has left.
  void left(const Leaving &leaving);

  /// Notes that the devices hold and use their parts of `plan`, for which there is room.
  ///
  /// Cost: some comparisons if it is one of the latest plans.
  void use(const std::shared_ptr<const Plan> &plan);

private:
  /// Units of a device that were last used together.
  struct Use {
    RangeSet units;
    bool isPortion; ///< By a portion of a loop.
  };

  /// Of one device, the oldest first.
  ///
  /// Always: disjoint, not empty.
  using Uses = std::vector<Use>;

  std::uint64_t mostFor(const Plan &plan, std::size_t device) const;
  std::size_t portionsBeside(const Plan &plan, std::size_t device) const;
  void foldRecent();
  static void remove(Uses &uses, const RangeSet &units);

  const memory::Topology &topology_;
  const Rooms &rooms_;
  std::vector<RangeSet> held_; ///< By device: all that it holds.
  std::vector<Uses> uses_;     ///< By device; what was used before all of `recent_`.
  std::vector<std::shared_ptr<const Plan>> recent_; ///< The latest last.
};

} // namespace tutti::exec
