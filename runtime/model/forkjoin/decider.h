// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides where a loop runs: which places are candidates, whether a distributed launch is worth
/// what it costs, into how many portions it has to be divided. Sends nothing and changes no memory:
/// a decision follows from what was asked for, what was measured, and the plan.
#pragma once

#include "base/result.h"
#include "runtime/balance/cost.h"
#include "runtime/balance/crossing.h"
#include "runtime/exec/engine.h"
#include "runtime/exec/placement.h"
#include "runtime/exec/residency.h"
#include "runtime/model/forkjoin/alternatives.h"
#include "runtime/model/forkjoin/cutter.h"
#include "runtime/model/forkjoin/explainer.h"
#include "runtime/model/forkjoin/ropes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace tutti::model::forkjoin {

using exec::DeviceTraits;
using exec::Launch;
using exec::Place;
using exec::Placement;
using exec::Placer;
using exec::Plan;
using exec::Planner;
using exec::Residency;
using exec::Sequence;
using exec::Share;

enum class Distribute { Auto, Always, Never };

/// A launch under decision: where it would run, and what decides whether it does.
struct Candidate {
  Placement placement;
  bool isWanted = false; ///< The user asks for it: no weighing of cost.
  const balance::Machine *machine = nullptr;
  balance::RegionHistory *history = nullptr;
};

/// What launches of a loop of about the same length have taken.
struct LengthHistory {
  balance::RegionHistory onHosts;
  balance::RegionHistory onDevices;
};

/// What decisions on one loop rest on.
///
/// Threading: externally synchronised.
struct LoopHistory : LengthHistory {
  /// A launch of so many iterations begins: from now on this tells of launches of about that
  /// length.
  void begins(std::int64_t iterations);

  /// Guesses what launches of the present length take at home by others, as long as none of them
  /// was measured there.
  void guessHome();

  std::int32_t length = 0;                      ///< The present one, of `lengthOf`; 0: none yet.
  std::map<std::int32_t, LengthHistory> others; ///< Of other lengths.
  RopeHistory rope;
  balance::Crossing crossing;         ///< While it runs on devices alone, unasked,
  std::int32_t crossingLength = 0;    ///< and the length of those launches.
  std::int32_t awaitsSample = 0;      ///< Launches for which it has been put off to try cores.
  bool triesCores = false;            ///< They may run it, too, as that might be better.
  ChoiceHistory choice;               ///< Of a loop that may run on hosts and devices.
  Candidate candidate;                ///< Of the last launch; kept for its memory.
  std::optional<Placement> placement; ///< Always the same, but for the cut.
  std::int32_t unmeasured = 0;        ///< Launches on devices since one was measured,
  std::int32_t measureAfter = 0;      ///< and how many are to be until the next one.
  std::string_view keptOff;           ///< Why devices cannot have it, as it turned out; or empty.
  CutHistory cuts;
  Explained explained;
  bool isTooLarge = false;    ///< Even in portions, for some device; that has been said.
  double bytesToStayHome = 0; ///< That the launch that now stays home has to fetch.
};

/// Where a launch runs.
struct Decision {
  Planner::Planned planned;    ///< For the launch as a whole.
  std::string_view reasonHome; ///< Not empty: it runs at home. Lives as long as `planned`.
  /// Not 0: so many iterations are to be executed at home, then it is to be decided again.
  std::int64_t sample = 0;
};

/// Threading: externally synchronised.
class Decider {
public:
  /// Why a launch stays home that nothing is gained by dividing.
  static constexpr std::string_view kSingle = "it has fewer than two iterations";

  struct Setup {
    std::vector<DeviceTraits> devices; ///< Of all ranks, in the order of places.
    std::uint32_t wanted;              ///< A tutti_device_kind for the whole run, or AUTO.
    Distribute policy;
    bool balances = false;            ///< Cuts follow what parts take.
    bool explains = false;            ///< Each decision is told to the user, with what it rests on.
    std::optional<double> cores = {}; ///< Their part beside devices, where that is fixed.
    std::int32_t threads = 1;         ///< Of each rank.
  };

  Decider(exec::Engine &engine, Setup setup);

  Distribute policy() const { return policy_; }

  /// Sets how long a message takes. Units: seconds.
  void setLatency(double seconds) { hosts_.latency = seconds; }

  /// Whether `noteCrossing` wants to hear of the launches of a loop.
  bool asksForCrossing(const LoopHistory &history, const tutti_region &region) const;

  /// A launch of a loop on devices begins; because of the one before, `bytes` have crossed between
  /// hosts and devices. Whether `noteRounds` is to be called.
  bool noteCrossing(LoopHistory &history, double bytes) const {
    return history.crossing.begins(bytes);
  }

  /// Tells the time then, and how many iterations the launch has. Units: seconds, from any point in
  /// time.
  void noteRounds(LoopHistory &history, std::int64_t iterations, double now) const;

  /// Whether `tellTime` has to be called before `candidateFor`.
  bool asksForTime(LoopHistory &history, const tutti_region &region, std::int64_t iterations);

  /// The time when all launches before have ended. Whether cores that have had a part of a loop are
  /// not to have one soon. Units: seconds.
  bool tellTime(double now) { return alternatives_.tell(now); }

  /// Where a launch of so many iterations would run; in `history`, until the next call.
  Candidate &candidateFor(LoopHistory &history, const tutti_region &region,
                          std::int64_t iterations);

  /// Why a launch of so many iterations stays home whatever it touches; or empty.
  std::string_view reasonToStay(LoopHistory &history, const Candidate &candidate,
                                const Launch &launch) const;

  /// How many words a launch may follow for a look at what distributing it would move: few as long
  /// as nobody knows what the loop takes at home, and so whether it is worth more.
  static std::size_t mostWords(const Candidate &candidate);

  /// Notes what it took to follow `share` of the words of a launch. Units: seconds.
  static void noteFollowing(const Candidate &candidate, double seconds, double share);

  /// Notes what it took to find out whether the iterations of a launch need their order. Units:
  /// seconds.
  static void noteOrdering(const Candidate &candidate, double seconds, bool isOpen);

  /// Decides on a launch that is complete. Takes devices out of `candidate` that can hold no
  /// portion of it; sets the shares of `launch` and how many portions it takes.
  Decision decide(LoopHistory &history, Launch &launch, Candidate &candidate,
                  const Residency &residency) const TUTTI_IN_TURN;

  /// Whether how long the launch takes should be measured. A choice that rests on time needs the
  /// time of whole launches: of some, because waiting for their end lets the devices idle in
  /// between.
  bool isToBeMeasured(LoopHistory &history, const Candidate &candidate) const;

  /// Whether all ranks should tell what their parts of the launch take.
  bool isToBeTimed(LoopHistory &history, const Launch &launch,
                   const Planner::Planned &planned) const;

  /// The plan of `launch` on devices alone, if it has to be known what that takes before a plan is
  /// made on all places; `notePlanOnDevices` is to be called then, before `decide`.
  std::optional<Planner::Planned> planOnDevices(const LoopHistory &history,
                                                const Launch &launch) const TUTTI_IN_TURN;

  /// Notes such a plan. Whether the launch runs by it, as others would take too long to make.
  bool notePlanOnDevices(LoopHistory &history, const Launch &launch, const Plan &plan);

  /// Notes a plan that was made or found, and is about to be run.
  void notePlan(LoopHistory &history, const Planner::Planned &planned);

  /// Notes a launch that is timed.
  void beginsTimed(LoopHistory &history, const Launch &launch, const Plan &plan) {
    ropes_.begins(history.rope, launch, static_cast<double>(plan.bytesTouched));
  }

  /// Whether what parts have taken is still to be told to `learn`, of any loop.
  bool awaitsTimes() const { return ropes_.awaitsTimes(); }

  /// Whether it is of a launch of this loop, and has to be before `candidateFor`.
  bool needsTimes(const LoopHistory &history) const { return ropes_.needsTimes(history.rope); }

  /// Takes what parts have taken into account, for the next cut; whether there is a new one.
  bool learn(const protocol::LaunchTimes &times) { return ropes_.learn(times, hosts_.bandwidth); }

  /// Notes what a distributed launch took that was measured, and moved `bytes`. `planned`: what of
  /// it was spent on finding out what it moves. Units: seconds.
  void noteDistributed(LoopHistory &history, const Launch &launch, double seconds, double bytes,
                       double planned) const;

  /// Notes what the sample took that a decision has asked for.
  void noteSample(LoopHistory &history, std::int64_t iterations, double seconds) const {
    history.onDevices.addSample(iterations, seconds);
  }

  /// Notes a launch that ran at home and might be distributed the next time.
  void noteHome(LoopHistory &history, std::int64_t iterations, double seconds) const;

  /// Gives devices no more launches of a loop for which one has no memory, or whose kernel its
  /// driver refuses, as `refusal` says. Any other failure ends the job.
  void keepOff(LoopHistory &history, const tutti_region &region, const Status &refusal) const;

  /// Places nothing on a device any more. Order: all loops forget their placements.
  void drop(Place device) { placer_.drop(device); }

  /// tutti_kernel_format of a device.
  std::uint32_t formatOf(Place place) const { return placer_.formatOf(place); }

private:
  Alternatives::Known knownOf(LoopHistory &history, std::int64_t iterations) const;
  double costOfATrial(const LoopHistory &history, std::int64_t iterations) const;
  bool isToJoin(const LoopHistory &history, const tutti_region &region,
                std::int64_t iterations) const;
  std::uint32_t wantedFor(const LoopHistory &history, const tutti_region &region) const;
  const Placement &placementOf(LoopHistory &history, const tutti_region &region,
                               std::uint32_t wanted) const;
  void place(LoopHistory &history, const tutti_region &region) const;
  Candidate hostsOnly(LoopHistory &history, std::string_view reason) const;
  std::optional<double> secondsOfParts(const LoopHistory &history, const Candidate &candidate,
                                       std::int64_t iterations) const;
  Decision plan(LoopHistory &history, Launch &launch, Candidate &candidate,
                const Residency &residency) const TUTTI_IN_TURN;
  void passOver(Place place, LoopHistory &history, const Launch &launch,
                Candidate &candidate) const;
  static bool isToBeSampled(const Candidate &candidate, const Launch &launch, const Plan &plan);
  bool isWorth(const Candidate &candidate, const Launch &launch, const Plan &plan) const;
  std::string_view whyDistributed(const LoopHistory &history, const Candidate &candidate) const;
  void explain(LoopHistory &history, const Launch &launch, const Candidate &candidate,
               const Decision &decision, double home,
               const Residency &residency) const TUTTI_IN_TURN;

  exec::Engine &engine_;
  Distribute policy_;
  bool balances_;
  Placer placer_;
  Ropes ropes_;
  Alternatives alternatives_;
  Cutter cutter_;
  balance::Machine hosts_;   ///< What distributing over hosts costs and gains,
  balance::Machine devices_; ///< and over devices.
  Explainer explainer_;
};

} // namespace tutti::model::forkjoin
