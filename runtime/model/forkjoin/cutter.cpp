// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/cutter.h"

#include <algorithm>
#include <utility>

namespace tutti::model::forkjoin {

using namespace exec;

namespace {

/// Arrays that a loop may write in turn, launch by launch.
constexpr std::uint32_t kArraysInTurn = 3;

/// What a new cut costs beside the bytes that it moves.
constexpr double kCutSeconds = 100e-6;

/// A loop that writes a smaller fraction of what lies there, a column perhaps, is not cut anew:
/// that would move what it writes away from all beside it, which the next launches find where it
/// was.
constexpr std::uint64_t kMostSparse = 8;

/// Of the launches for which that fails in a row, the wait for another try doubles so often.
constexpr std::uint32_t kMostMissed = 6;

/// Whether a plan on devices copies many runs: each is a copy of its own, however short.
bool copiesMany(const Plan &plan) {
  constexpr std::size_t kFewRuns = 8;
  return plan.exchanged.ranges().size() > kFewRuns;
}

/// Whether a launch may stay on fewer devices: nothing moves; or little, of a loop that moves on.
/// To plan that on all devices, too, takes longer.
bool mayStayOnFewer(const CutHistory &history, const Plan &plan) {
  return plan.isInPlace || (history.plansEachLaunch() && plan.reasonHome.empty() &&
                            plan.movesLittle() && !copiesMany(plan));
}

bool areOnSamePlaces(const std::vector<Share> &a, const std::vector<Share> &b) {
  return std::ranges::equal(a, b, {}, &Share::place, &Share::place);
}

void note(CutHistory &history, const Launch &launch) {
  if (history.cuts[0] != launch.shares) {
    history.cuts[1] = std::exchange(history.cuts[0], launch.shares);
  }
}

bool isSparse(const Owned &owned) { return owned.bytes < owned.stride / kMostSparse; }

/// Whether a loop that lies as `owned` says is to be cut as `wished`, for whatever that moves.
bool isCutDue(CutHistory &history, const Launch &launch, const std::vector<Share> &wished,
              const Owned &owned, const CutCosts &costs) {
  if (isSparse(owned)) {
    return false;
  }
  std::vector<std::uint32_t> weights;
  for (const Share &share : wished) {
    weights.push_back(share.weight);
  }
  const balance::Cuts cuts{owned.iterations, weights};
  const auto stride = static_cast<double>(owned.stride);
  const auto iterations = static_cast<double>(launch.total);
  const double guess =
      stride * iterations / costs.memoryBandwidth / static_cast<double>(weights.size());
  return history.recut.isDue(cuts.imbalance(), costs.seconds.value_or(guess),
                             cuts.moved() * stride / costs.bandwidth + kCutSeconds,
                             costs.shortestPart);
}

/// Whether a loop of which some lies elsewhere than in the order of the parts is better off at one
/// place: there it takes no longer than parts take to start. Where it moves on through what one
/// place has, nothing more moves then.
bool isForOnePlace(const Launch &launch, const Owned &owned, const CutCosts &costs) {
  return owned.elsewhere > 0 && !isSparse(owned) && costs.seconds &&
         *costs.seconds * static_cast<double>(launch.shares.size()) < costs.shortestPart;
}

} // namespace

/// The plan of `launch`, if it is known.
std::optional<Cutter::Planned> Cutter::find(const CutHistory &history, Launch &launch) const {
  launch.takesHulls = false;
  std::optional<Planned> known = engine_.planner.find(launch);
  if (!known && history.takesHulls) {
    launch.takesHulls = true;
    known = engine_.planner.find(launch);
  }
  return known;
}

/// Known or not.
Cutter::Planned Cutter::planOf(const CutHistory &history, Launch &launch) const {
  launch.takesHulls = false;
  if (history.takesHulls) {
    if (std::optional<Planned> known = find(history, launch)) {
      return std::move(*known);
    }
  }
  return engine_.planner.plan(launch);
}

/// On the devices that had the launch before, if it was too short for all.
std::optional<Cutter::Planned> Cutter::planOnFewer(const CutHistory &history, Launch &launch,
                                                   const Placement &placement) const {
  launch.shares = placement.shares;
  if (history.bytesOnFewer == 0 || !placer_.dropIdle(launch.shares, history.bytesOnFewer)) {
    return std::nullopt;
  }
  return planOf(history, launch);
}

/// Cut as one of those before, if that plan is known.
std::optional<Cutter::Planned> Cutter::planAsBefore(const CutHistory &history, Launch &launch,
                                                    const Placement &placement) const {
  for (const std::vector<Share> &cut : history.cuts) {
    if (areOnSamePlaces(cut, placement.shares)) {
      launch.shares = cut;
      if (std::optional<Planned> known = find(history, launch)) {
        return known;
      }
    }
  }
  return std::nullopt;
}

/// Cut where the data lies, if that spares nearly all moves and the parts are not too unequal.
std::optional<Cutter::Planned> Cutter::planWhereDataIs(CutHistory &history, Launch &launch,
                                                       const Placement &placement,
                                                       const CutCosts &costs) const {
  if (history.cutsDue > 0) {
    --history.cutsDue;
    return std::nullopt;
  }
  // A loop that was not able to stay is asked more and more seldom.
  const std::uint32_t wait = (1U << std::min(history.missed, kMostMissed)) - 1;
  if (history.skipped++ < wait) {
    return std::nullopt;
  }
  launch.shares = placement.shares;
  if (const auto owned = ownedBy(launch, engine_.window, engine_.planner.directory())) {
    if (isCutDue(history, launch, placement.shares, *owned, costs)) {
      history.cutsDue = kArraysInTurn; // What it writes in the next launches lies as before, too.
      return std::nullopt;
    }
    const bool isForOne = isForOnePlace(launch, *owned, costs);
    for (std::size_t part = 0; part < launch.shares.size(); ++part) {
      const auto all = static_cast<std::uint32_t>(part == owned->most ? launch.total : 0);
      launch.shares[part].weight = isForOne ? all : owned->iterations[part];
    }
    // Where hulls may be taken, the cuts of the latest launches have been looked for
    // (`planAsBefore`).
    launch.takesHulls = history.takesHulls;
    const bool wasSought = std::ranges::find(history.cuts, launch.shares) != history.cuts.end();
    const Planned planned = wasSought ? engine_.planner.plan(launch) : planOf(history, launch);
    if (planned.plan->reasonHome.empty() && (isForOne || planned.plan->movesLittle())) {
      history.missed = 0;
      history.skipped = 0;
      return planned;
    }
  }
  history.skipped = 0;
  ++history.missed;
  return std::nullopt;
}

/// Where its data lies, of a loop that is taken to move on, or that copied many runs the last time.
std::optional<Cutter::Planned> Cutter::planFollowingData(CutHistory &history, Launch &launch,
                                                         const Placement &placement,
                                                         const CutCosts &costs,
                                                         bool liesApart) const {
  const bool movesOn =
      history.plansEachLaunch() || (history.leavesItsPlaces(placement.shares) &&
                                    areOnSamePlaces(history.cuts[0], placement.shares));
  if (!movesOn && !liesApart) {
    return std::nullopt;
  }
  if (auto known = planAsBefore(history, launch, placement)) {
    history.liesApart = liesApart;
    return known;
  }
  auto planned = planWhereDataIs(history, launch, placement, costs);
  std::vector<Share> shares = placement.shares;
  if (!planned || (!movesOn && !placer_.dropIdle(shares, planned->plan->bytesTouched))) {
    return std::nullopt;
  }
  history.liesApart = liesApart;
  note(history, launch);
  return planned;
}

/// Of a launch that is too short for all devices: on those of its shares, which are fewer, unless
/// that takes many copies. `onAll` is its plan on all.
Cutter::Planned Cutter::planShort(CutHistory &history, Launch &launch, const Placement &placement,
                                  const CutCosts &costs, bool mayFollowData, Planned onAll) const {
  const std::vector<Share> fewer = launch.shares;
  const bool takesHulls = launch.takesHulls; // As `onAll` was planned.
  const bool copiesManyOnAll = copiesMany(*onAll.plan);
  std::optional<Planned> onFew; // Takes long to plan where it copies many runs.
  if (!copiesManyOnAll) {
    onFew = planOf(history, launch);
  }
  if (mayFollowData && (copiesManyOnAll || copiesMany(*onFew->plan))) {
    auto apart = planWhereDataIs(history, launch, placement, costs);
    if (apart && !copiesMany(*apart->plan)) {
      history.liesApart = true;
      note(history, launch);
      return std::move(*apart);
    }
  }
  launch.shares = placement.shares;
  note(history, launch);
  if (onFew && copiesMany(*onFew->plan)) {
    launch.takesHulls = takesHulls;
    return onAll;
  }
  launch.shares = fewer;
  history.bytesOnFewer = onAll.plan->bytesTouched;
  return onFew ? std::move(*onFew) : planOf(history, launch);
}

bool Cutter::mayFollowData(const Placement &placement) {
  // The parts of unlike places follow their speeds.
  const bool isHybrid = placement.usesDevices && placement.shares.front().place == 0;
  return placement.shares.size() > 1 && !isHybrid;
}

Planner::Planned Cutter::plan(CutHistory &history, Launch &launch, const Placement &placement,
                              const CutCosts &costs) const {
  history.takesHulls = history.plansEachLaunch() && placement.shares.size() > 1;
  std::optional<Planned> onFewer = planOnFewer(history, launch, placement);
  if (onFewer && mayStayOnFewer(history, *onFewer->plan)) {
    const std::size_t devices = launch.shares.size();
    launch.shares = placement.shares;
    if (placer_.dropIdle(launch.shares, onFewer->plan->bytesTouched) &&
        launch.shares.size() == devices) {
      return std::move(*onFewer);
    }
  }
  history.bytesOnFewer = 0;
  const bool liesApart = std::exchange(history.liesApart, false);
  const bool mayFollowData = Cutter::mayFollowData(placement);
  if (mayFollowData) {
    if (auto planned = planFollowingData(history, launch, placement, costs, liesApart)) {
      return std::move(*planned);
    }
  }
  launch.shares = placement.shares;
  Planned planned = planOf(history, launch);
  if (!planned.plan->reasonHome.empty() || planned.plan->isInPlace ||
      !placer_.dropIdle(launch.shares, planned.plan->bytesTouched)) {
    note(history, launch);
    return planned;
  }
  planned = planShort(history, launch, placement, costs, mayFollowData, std::move(planned));
  if (onFewer && onFewer->plan == planned.plan) {
    planned.isKnown = onFewer->isKnown; // Not because it was made above.
  }
  return planned;
}

} // namespace tutti::model::forkjoin
