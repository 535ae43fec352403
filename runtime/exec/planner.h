// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The directory of one rank, step by step: from launches to plans. Plans are remembered by the
/// identity of the directory and the launch, so that a loop of launches costs one look-up per
/// launch once it has gone round.
///
/// There is one directory, and it changes in place. What a plan changes is applied only when
/// somebody looks into the directory: a loop that goes round never does.
#pragma once

#include "runtime/exec/in_place.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/region_view.h"
#include "runtime/exec/rooms.h"
#include "runtime/exec/survey.h"
#include "runtime/exec/touched.h"
#include "runtime/memory/directory.h"
#include "runtime/memory/window.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
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

  /// Equal portions of a launch, so that no device has to hold more than one at a time.
  struct Division {
    std::int32_t portions;
    std::optional<Place> tooSmall; ///< A device that cannot hold one of even so many.
  };

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
  /// Hash and equality of keys, for look-ups without one being made.
  struct OfWords {
    using is_transparent = void;
    using Words = std::span<const std::uint64_t>;

    /// Hashed at every launch: a step for each word that the next one waits for as little as
    /// possible.
    std::size_t operator()(Words words) const {
      std::uint64_t hash = 0;
      for (const std::uint64_t word : words) {
        hash = (std::rotl(hash, 5) ^ word) * 0x9e3779b97f4a7c15ULL;
      }
      return hash;
    }

    bool operator()(Words a, Words b) const { return std::ranges::equal(a, b); }
  };

  void applyPending(std::size_t count);
  void noteChange(std::span<const Range> ranges);
  std::shared_ptr<const Plan> make(const Launch &launch);
  std::shared_ptr<const Plan> makeInPlace(const Launch &launch);
  std::shared_ptr<Plan> blankInPlace();
  std::shared_ptr<const Outcome> unchanged();
  Survey survey(const Launch &launch);
  bool mustBeExact(const Launch &launch, const Survey &survey) const;
  bool writesWhatItFollows(const Launch &launch, const Survey &survey) const;
  void addMoves(Plan &plan, const Launch &launch, const Survey &survey,
                const TouchedObjects &touched);
  void addCosts(Plan &plan, const Survey &survey) const;
  void addReturns(Plan &plan, memory::Assignments &assignments, const Survey &survey,
                  const RangeSet &protectable) const;
  RangeSet joined(const RangeSet &ranges, Place source) const;
  void joinRuns(std::vector<memory::Transfer> &transfers) const;
  void addLinks(Plan &plan, const std::vector<memory::Transfer> &transfers) const;
  void addCopies(Plan &plan, const std::vector<memory::Transfer> &transfers,
                 const Survey &survey) const;
  void addLoans(Plan &plan, const std::vector<memory::Transfer> &transfers) const;
  std::optional<Place> tooSmall(Launch &launch, std::uint64_t portions) const;
  RangeSet footprint(const memory::ChunkAccess &access) const;
  RangeSet footprintAt(const Survey &survey, Place place) const;
  void addParts(Plan &plan, const Survey &survey) const;
  void addContributors(Plan &plan, const std::vector<bool> &hasPart) const;
  void addPieces(Plan &plan, const Launch &launch, const Survey &survey) const;
  bool mayHaveInteriors(const Plan &plan, const Launch &launch) const;
  std::shared_ptr<const Plan> withInteriors(const Plan &plan, const Launch &launch) const;
  balance::Chunk interiorOf(const Launch &launch, const balance::Chunk &chunk,
                            const RangeSet &moving) const;
  static void addWaiting(Plan &plan, const balance::Chunk &chunk);
  void addPiecesThatWait(Plan &plan, const Launch &launch, const balance::Chunk &chunk) const;
  std::span<const Range> arraysOf(const Launch &launch) const;
  void addPages(Plan &plan, const memory::Directory &after, const RangeSet &transferred,
                const RangeSet &writtenElsewhere, const RangeSet &protectable) const;
  bool isWorthRemembering(const Plan &plan);
  void remember(const std::shared_ptr<const Plan> &plan);
  void forgetIfFull(std::size_t more);

  Rank self_;
  memory::Topology topology_;
  const memory::Window &window_;
  const Rooms &rooms_;
  std::unique_ptr<InPlaceCheck> inPlace_; ///< Regions report to it: it stays where it is.
  memory::Identity state_;                ///< The current one.
  memory::Directory directory_;           ///< The current one but for what is pending.
  /// Of the latest commits, in their order; `undo_` is empty while there are any.
  std::vector<std::shared_ptr<const Outcome>> pending_;
  std::shared_ptr<const Outcome> unchanged_; ///< Of the latest plan that changes nothing.
  /// Plans of launches in place, the latest last, for the memory that they have once nobody else
  /// has them.
  std::deque<std::shared_ptr<Plan>> madeInPlace_;
  memory::Assignments undo_; ///< What leads from `directory_` to the one before the latest commit.
  /// Arrays among the program's variables as the launches so far have shown them: a launch that
  /// touches a part of one need not show again what lies around the part.
  RangeSet arrays_;
  std::uint64_t arraysVersion_ = 0;
  /// Shared with who wants to know; nothing has changed there yet.
  std::vector<std::shared_ptr<Watched>> watched_;
  std::size_t remembered_ = 0; ///< Ranges held by what is remembered.
  std::unordered_map<std::vector<std::uint64_t>, std::shared_ptr<const Plan>, OfWords, OfWords>
      plans_;
  std::vector<std::uint64_t> key_;       ///< Of the launch being planned; kept for its memory.
  std::array<std::size_t, 4096> seen_{}; ///< Hashes of keys, by themselves: what came once.
  std::unordered_map<std::vector<std::uint64_t>, Division, OfWords, OfWords> divisions_;
};

} // namespace tutti::exec
