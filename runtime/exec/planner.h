// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The directory of one rank, step by step: from launches to plans. What is known already
/// is looked up (known_plans.h), what is in place is planned in a short way (in_place_plans.h), and
/// all else is made from a survey: what moves (transfers.h), and what waits for it (pieces.h).
///
/// There is one directory, and it changes in place. What a plan changes is applied only when
/// somebody looks into the directory: a loop that goes round never does.
#pragma once

#include "runtime/exec/in_place_plans.h"
#include "runtime/exec/known_plans.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/rooms.h"
#include "runtime/exec/site.h"
#include "runtime/exec/survey.h"
#include "runtime/exec/touched.h"
#include "runtime/memory/directory.h"
#include "runtime/memory/window.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tutti::exec {

/// Threading: externally synchronised.
class Planner {
public:
  Planner(Rank self, const memory::Topology &topology, const memory::Window &window,
          const Rooms &rooms);

  /// Applies events of rank 0 to the current state, in order.
  ///
  /// Cost: what they change.
  void apply(std::span<const memory::Event> events);

  struct Planned {
    std::shared_ptr<const Plan> plan; ///< Shared by the planner's memory of plans.
    bool isKnown;                     ///< It was made for an earlier launch.
  };

  /// What `launch` means in the current state, which stays as it is. The launch's events have been
  /// applied, its allocations are complete.
  ///
  /// Cost: unless the plan is known, linear in the records of all places and the runs of what is
  ///       not in place, see survey.h.
  Planned plan(const Launch &launch);

  /// The same, if the plan is known.
  ///
  /// Cost: one look-up.
  std::optional<Planned> find(const Launch &launch);

  /// How to divide `launch`, whose parts some devices cannot hold. Its portion does not matter.
  ///
  /// Cost: unless it is known, some evaluations of the access function for each portion.
  Division divide(const Launch &launch);

  /// Goes on to the state after `plan`, which was made in the current state.
  ///
  /// Cost: allocates nothing. But what many plans in a row have changed is applied now and then.
  void commit(const Plan &plan);

  /// Watches bytes from now on: notes when anybody's copy of some of them becomes valid or invalid,
  /// once. False, and nothing is watched, if a place may write some of them unnoticed, because it
  /// alone has a valid copy.
  bool watch(const std::shared_ptr<Watched> &watched);

  /// The current state, until the next call of the planner.
  ///
  /// Cost: what has changed since somebody looked.
  const memory::Directory &directory();

  /// The directory before the latest `commit`, until the next call of the planner.
  ///
  /// Cost: what has changed since somebody looked, and since that commit.
  const memory::Directory &directoryBefore();

private:
  void applyPending(std::size_t count);
  void noteChange(std::span<const Range> ranges);
  std::shared_ptr<const Plan> make(const Launch &launch);
  std::shared_ptr<const Outcome> unchanged();
  Survey survey(const Launch &launch);
  bool mustBeExact(const Launch &launch, const Survey &survey) const;
  bool writesWhatItFollows(const Launch &launch, const Survey &survey) const;
  void addMoves(Plan &plan, const Launch &launch, const Survey &survey,
                const TouchedObjects &touched);
  void addCosts(Plan &plan, const Survey &survey) const;
  std::optional<Place> tooSmall(Launch &launch, std::uint64_t portions) const;
  RangeSet footprint(const memory::ChunkAccess &access) const;
  RangeSet footprintAt(const Survey &survey, Place place) const;
  void addParts(Plan &plan, const Survey &survey) const;
  std::span<const Range> arraysOf(const Launch &launch) const;

  Site site_;
  std::unique_ptr<InPlacePlans> inPlace_; ///< Stays where it is.
  memory::Identity state_;                ///< The current one.
  memory::Directory directory_;           ///< The current one but for what is pending.
  /// Of the latest commits, in their order; `undo_` is empty while there are any.
  std::vector<std::shared_ptr<const Outcome>> pending_;
  std::shared_ptr<const Outcome> unchanged_; ///< Of the latest plan that changes nothing.
  memory::Assignments undo_; ///< What leads from `directory_` to the one before the latest commit.
  /// Arrays among the program's variables as the launches so far have shown them: a launch that
  /// touches a part of one need not show again what lies around the part.
  RangeSet arrays_;
  std::uint64_t arraysVersion_ = 0;
  /// Shared with who wants to know; nothing has changed there yet.
  std::vector<std::shared_ptr<Watched>> watched_;
  KnownPlans known_;
};

} // namespace tutti::exec
