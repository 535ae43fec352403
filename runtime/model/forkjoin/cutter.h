// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Cuts launches into parts of places: as before where that is known, where the data lies, on fewer
/// devices, or as the placement wishes. Sends nothing and changes no memory.
#pragma once

#include "runtime/balance/cost.h"
#include "runtime/balance/recut.h"
#include "runtime/exec/engine.h"
#include "runtime/exec/owners.h"
#include "runtime/exec/placement.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::model::forkjoin {

/// What the cuts of one loop rest on.
///
/// Threading: externally synchronised.
struct CutHistory {
  std::array<std::vector<exec::Share>, 2> cuts; ///< The latest two that differ; the latest first.
  balance::Recut recut;
  std::uint32_t plansMade = 0; ///< One after the other, for launches that were not in place.
  std::uint32_t plansNew = 0;  ///< One after the other, for launches in place or not.
  bool takesHulls = false;     ///< Places may get more than they touch.
  /// The latest launch was too short for all devices, and cut where its data lies all the same:
  /// bringing that together takes many copies.
  bool liesApart = false;
  std::uint32_t cutsDue = 0;      ///< Launches that are to be cut as wished, as the one before was.
  std::uint32_t missed = 0;       ///< Times in a row that its data lay where it could not stay,
  std::uint32_t skipped = 0;      ///< and launches since the last of them.
  std::uint64_t bytesOnFewer = 0; ///< What the last launch touched, if too little for all devices.

  /// Whether launches are taken to be new each time, and to move on through what they touch: a
  /// steady loop has gone round before.
  bool plansEachLaunch() const { return plansMade >= kManyPlans; }

  /// Whether launches are new each time, in place or not.
  bool areNewEachLaunch() const { return plansNew >= kManyPlans; }

  /// Whether launches are new each time, in place so far, and those before were not cut as
  /// `wished`. What they touch next lies as they were cut, whatever this one would move.
  bool leavesItsPlaces(const std::vector<exec::Share> &wished) const {
    return areNewEachLaunch() && cuts[0] != wished;
  }

private:
  static constexpr std::uint32_t kManyPlans = 8;
};

/// What a cut has to weigh.
struct CutCosts {
  /// Of the iterations of the launch, in parts that take the same time; nothing if not measured.
  std::optional<double> seconds;
  double shortestPart;    ///< Seconds of a part that does nothing, as far as cuts go by that.
  double memoryBandwidth; ///< Of one place. Units: bytes per second.
  double bandwidth;       ///< Of moves between places.
};

/// Threading: immutable.
class Cutter {
public:
  Cutter(exec::Engine &engine, const exec::Placer &placer) : engine_(engine), placer_(placer) {}

  /// Whether a cut on these places may follow the data, and so weighs `CutCosts::seconds`.
  static bool mayFollowData(const exec::Placement &placement);

  /// The plan of `launch` on the places of `placement`, or on fewer devices if it is too short for
  /// all. Sets the launch's shares, and whether it takes hulls.
  ///
  /// Cost: one look-up if a launch like this has been cut as the latest one.
  exec::Planner::Planned plan(CutHistory &history, exec::Launch &launch,
                              const exec::Placement &placement,
                              const CutCosts &costs) const TUTTI_IN_TURN;

private:
  using Planned = exec::Planner::Planned;

  std::optional<Planned> find(const CutHistory &history, exec::Launch &launch) const TUTTI_IN_TURN;
  Planned planOf(const CutHistory &history, exec::Launch &launch) const TUTTI_IN_TURN;
  std::optional<Planned> planOnFewer(const CutHistory &history, exec::Launch &launch,
                                     const exec::Placement &placement) const TUTTI_IN_TURN;
  std::optional<Planned> planAsBefore(const CutHistory &history, exec::Launch &launch,
                                      const exec::Placement &placement) const TUTTI_IN_TURN;
  std::optional<Planned> planWhereDataIs(CutHistory &history, exec::Launch &launch,
                                         const exec::Placement &placement,
                                         const CutCosts &costs) const TUTTI_IN_TURN;
  std::optional<Planned> planFollowingData(CutHistory &history, exec::Launch &launch,
                                           const exec::Placement &placement, const CutCosts &costs,
                                           bool liesApart) const TUTTI_IN_TURN;
  Planned planShort(CutHistory &history, exec::Launch &launch, const exec::Placement &placement,
                    const CutCosts &costs, bool mayFollowData, Planned onAll) const TUTTI_IN_TURN;

  exec::Engine &engine_;
  const exec::Placer &placer_;
};

} // namespace tutti::model::forkjoin
