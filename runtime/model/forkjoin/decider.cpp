// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/decider.h"

#include "abi/elements.h"
#include "abi/order.h"
#include "base/log.h"
#include "runtime/exec/finder.h"
#include "runtime/exec/or_die.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace tutti::model::forkjoin {

using namespace exec;

namespace {

/// First guesses of what a device does: hosts that it is worth, seconds to start a kernel and hear
/// of its end (over the levels of a tree, see balance::Machine), bytes per second to and fro.
constexpr std::int32_t kDeviceGuess = 16;
constexpr double kDeviceLatency = 1.5e-6;
constexpr double kDeviceBandwidth = 10e9;
constexpr double kDeviceMemoryBandwidth = 1e12;

/// A loop that touches less is mostly so short that it should not leave home, if nothing shows that
/// it computes much.
constexpr std::uint64_t kShort = 512 << 10;

constexpr std::string_view kElements =
    "each of its many iterations would have to be looked at: a condition or an index has no closed "
    "form";
constexpr std::string_view kCostsMore = "distributing it would cost more than it gains";

using Clock = std::chrono::steady_clock;

/// Nobody but the host of rank 0.
bool isHome(const Placement &placement) {
  return placement.shares.size() == 1 && placement.shares.front().place == 0;
}

std::string_view reasonHome(const Placement &placement) {
  return placement.reason.empty() ? placement.alone : placement.reason;
}

/// The same for launches whose lengths differ by less than a factor of about two. Not 0.
std::int32_t lengthOf(std::int64_t iterations) {
  return 1 + static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(iterations)));
}

/// Launches that are so many doublings shorter say nothing: what starting one takes counts for
/// little in an iteration of a long one, and for most in one of a short one.
constexpr std::int32_t kMuchShorter = 3;

/// What making a plan takes at most where nothing disturbs. Units: seconds.
double mostToMake(const Plan &plan) {
  constexpr double kRun = 4e-6; // What a run of bytes adds.
  std::size_t runs = 1;
  for (const DevicePart &part : plan.devices) {
    runs += part.writes.ranges().size();
  }
  return kRun * static_cast<double>(runs);
}

/// Devices idle while a launch is measured: what it takes is looked at more and more seldom, as
/// long as it stays the same. `each`: seconds of an iteration.
void setNextMeasurement(LoopHistory &history, double each) {
  constexpr std::int32_t kLeast = 16;
  constexpr std::int32_t kMost = 1024;
  constexpr double kSame = 0.25;
  const double known = history.onDevices.distributed.seconds();
  const bool isSame = std::abs(each - known) <= kSame * known;
  history.unmeasured = 0;
  history.measureAfter = isSame ? std::clamp(2 * history.measureAfter, kLeast, kMost) : kLeast;
}

} // namespace

void LoopHistory::begins(std::int64_t iterations) {
  const std::int32_t before = std::exchange(length, lengthOf(iterations));
  if (before == length) {
    return;
  }
  LengthHistory &mine = *this;
  others.emplace(before, mine);
  if (auto same = others.extract(length)) {
    mine = std::move(same.mapped());
  } else {
    mine = {onHosts.forAnotherLength(), onDevices.forAnotherLength()};
  }
  guessHome();
}

/// What was not measured is guessed by launches of the next length of which something is known.
void LoopHistory::guessHome() {
  const auto guess = [this](balance::RegionHistory LengthHistory::*kind) {
    balance::RegionHistory &mine = this->*kind;
    if (mine.home.times() > 0 || mine.isTrying) {
      return;
    }
    const balance::RegionHistory *nearest = nullptr;
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    for (const auto &[other, known] : others) {
      const balance::RegionHistory &theirs = known.*kind;
      const bool saysAnything = theirs.home.times() > 0 || theirs.sampled > 0;
      const std::int32_t away = std::abs(other - length);
      if (saysAnything && other > length - kMuchShorter && away < least) {
        nearest = &theirs;
        least = away;
      }
    }
    if (nearest) {
      mine.guessHomeBy(*nearest);
    }
  };
  guess(&LengthHistory::onHosts);
  guess(&LengthHistory::onDevices);
}

Decider::Decider(Engine &engine, Setup setup)
    : engine_(engine), policy_(setup.policy), balances_(setup.balances),
      placer_(engine.topology, std::move(setup.devices), setup.wanted, setup.cores),
      ropes_(engine.topology, placer_.devices(), setup.threads), alternatives_(engine.topology),
      cutter_(engine, placer_), explainer_(engine, placer_, hosts_, devices_, setup.explains) {
  hosts_.ranks = engine.size();
  devices_.ranks = kDeviceGuess * (engine.topology.places() - engine.topology.ranks());
  devices_.latency = kDeviceLatency;
  devices_.bandwidth = kDeviceBandwidth;
  devices_.areAlike = false;
}

/// A tutti_device_kind: that of the region, but where cores are to be tried.
std::uint32_t Decider::wantedFor(const LoopHistory &history, const tutti_region &region) const {
  return history.triesCores ? std::uint32_t{TUTTI_DEVICE_HYBRID} : placer_.wantedFor(region);
}

bool Decider::asksForCrossing(const LoopHistory &history, const tutti_region &region) const {
  constexpr std::uint32_t kOneDevice = TUTTI_REGION_SCATTERS | TUTTI_REGION_CHASES;
  return policy_ == Distribute::Auto && balances_ && history.candidate.placement.usesDevices &&
         !history.triesCores && (region.flags & kOneDevice) == 0 &&
         placer_.wantedFor(region) == TUTTI_DEVICE_AUTO;
}

/// What it is expected to take to try a loop on hosts that runs on devices. Units: seconds.
double Decider::costOfATrial(const LoopHistory &history, std::int64_t iterations) const {
  constexpr double kLaunches = 8;
  constexpr double kDoubt = 4; // Of a guess of what it takes at home.
  // What threads get that touch page after page. Units: bytes per second.
  constexpr double kTouching = 0.5e9;
  const balance::RegionHistory &known = history.onDevices;
  const bool isHomeKnown = known.home.seconds() > 0;
  if (!isHomeKnown && known.sampled <= 0 && !known.distributed.isKnown()) {
    return std::numeric_limits<double>::infinity();
  }
  return (isHomeKnown ? 1 : kDoubt) * kLaunches *
             balance::homeSeconds(devices_, known, iterations, 0) +
         history.bytesToStayHome * (1 / kTouching + 1 / devices_.bandwidth);
}

void Decider::noteRounds(LoopHistory &history, std::int64_t iterations, double now) const {
  history.crossing.tell(now);
  history.crossingLength = history.length;
  constexpr std::int32_t kMostAwaited = 16;
  if (!history.crossing.isWorthATrial(costOfATrial(history, iterations))) {
    return;
  }
  const balance::RegionHistory &known = history.onDevices;
  const bool isHomeKnown = known.home.seconds() > 0 || known.sampled > 0;
  if (isHomeKnown || ++history.awaitsSample > kMostAwaited) {
    history.triesCores = true;
    history.placement.reset();
  }
}

/// The same for all launches of a region.
const Placement &Decider::placementOf(LoopHistory &history, const tutti_region &region,
                                      std::uint32_t wanted) const {
  const bool scatters = (region.flags & (TUTTI_REGION_SCATTERS | TUTTI_REGION_CHASES)) != 0;
  if (!history.placement && scatters && wanted == TUTTI_DEVICE_AUTO &&
      policy_ != Distribute::Always) {
    // What several places write travels at every launch; what one device writes stays there, or at
    // least is not read by others.
    history.placement = placer_.oneDevice(region);
  } else if (!history.placement) {
    history.placement = placer_.place(region, wanted);
  }
  return *history.placement;
}

Candidate Decider::hostsOnly(LoopHistory &history, std::string_view reason) const {
  Candidate candidate{placer_.hosts(), policy_ == Distribute::Always, &hosts_, &history.onHosts};
  candidate.placement.reason = reason;
  return candidate;
}

void Decider::place(LoopHistory &history, const tutti_region &region) const {
  const std::uint32_t wanted = wantedFor(history, region);
  Candidate &candidate = history.candidate;
  if (!history.keptOff.empty()) {
    candidate = hostsOnly(history, history.keptOff);
    return;
  }
  candidate.placement = placementOf(history, region, wanted);
  alternatives_.restrict(history.choice, candidate.placement);
  candidate.machine = &hosts_;
  candidate.history = &history.onHosts;
  if (candidate.placement.usesDevices) {
    candidate.machine = &devices_;
    candidate.history = &history.onDevices;
  }
  candidate.isWanted = (wanted != TUTTI_DEVICE_AUTO && history.placement->usesDevices) ||
                       policy_ == Distribute::Always;
}

/// Whether another loop is about to try its cores with which this one should choose. By itself it
/// would try them somewhat later, and meanwhile what both work on goes to and fro.
bool Decider::isToJoin(const LoopHistory &history, const tutti_region &region,
                       std::int64_t iterations) const {
  constexpr double kSooner = 4;
  constexpr double kSoonerByAGuess = 2;
  const balance::RegionHistory &known = history.onDevices;
  const bool isHomeKnown = known.home.seconds() > 0 || known.sampled > 0;
  return alternatives_.hasJustBegun(iterations) && asksForCrossing(history, region) &&
         history.crossing.isWorthATrial(costOfATrial(history, iterations) /
                                        (isHomeKnown ? kSooner : kSoonerByAGuess));
}

bool Decider::asksForTime(LoopHistory &history, const tutti_region &region,
                          std::int64_t iterations) {
  history.begins(iterations);
  if (isToJoin(history, region, iterations)) {
    history.triesCores = true;
    history.placement.reset();
  }
  const std::uint32_t wanted = wantedFor(history, region);
  if (!balances_ || wanted != TUTTI_DEVICE_HYBRID || !history.keptOff.empty()) {
    return false;
  }
  const Placement &all = placementOf(history, region, wanted);
  if (!all.usesDevices) {
    return false;
  }
  std::optional<Alternatives::Known> known; // Takes longer than all else here.
  if (alternatives_.enters(history.choice, all, iterations, history.triesCores)) {
    known = knownOf(history, iterations);
  }
  return alternatives_.begins(history.choice, known);
}

/// What it is known to take in the ways that are not measured for it.
Alternatives::Known Decider::knownOf(LoopHistory &history, std::int64_t iterations) const {
  constexpr std::array kDoubts{1.0, 4.0, 2.0}; // Of what was measured never, once and twice,
  constexpr double kStarting = 30e-3; // in cold memory; the first time, threads may be started.
  constexpr double kOfUse = 1.0 / 32; // Of the time on devices, what cores could spare.
  const balance::RegionHistory &known = history.onDevices;
  const auto total = static_cast<double>(iterations);
  const double starting = known.home.times() == 1 ? kStarting : 0;
  const double doubt = known.home.isKnown() ? 1 : kDoubts.at(known.home.times());
  const double measured = std::max(0.0, known.home.seconds() * total - starting) / doubt;
  const double home = std::max(measured, known.sampled * total);
  const double onHosts = home / hosts_.ranks;
  const double onDevices = known.distributed.seconds() * total;
  const bool isSettled = ropes_.isSettled(history.rope);
  return {isSettled,
          std::max(onHosts, isSettled ? ropes_.secondsOnHosts(history.rope, iterations) : 0),
          history.crossing.period(),
          history.triesCores ? history.crossing.round() : 0,
          onHosts == 0 || onDevices == 0 || onDevices > kOfUse * onHosts,
          isSettled ? ropes_.secondsSuspectedOnHosts(history.rope, iterations) : 0,
          ropes_.secondsSuspectedOnHosts(history.rope, iterations)};
}

Candidate &Decider::candidateFor(LoopHistory &history, const tutti_region &region,
                                 std::int64_t iterations) {
  history.begins(iterations);
  place(history, region);
  if (balances_) {
    ropes_.cut(history.rope, history.candidate.placement.shares, iterations);
  }
  return history.candidate;
}

bool Decider::isWorth(const Candidate &candidate, const Launch &launch, const Plan &plan) const {
  return candidate.isWanted || balance::isWorthDistributing(*candidate.machine, *candidate.history,
                                                            proposalOf(launch, plan));
}

/// Whether some iterations of a launch can show what it takes at home where nothing else has. One
/// that touches little may compute so much that it must not be executed there as a whole.
bool Decider::isToBeSampled(const Candidate &candidate, const Launch &launch, const Plan &plan) {
  constexpr std::uint32_t kLoop = TUTTI_REGION_DISTRIBUTABLE | TUTTI_REGION_LOOP;
  constexpr std::uint32_t kMayBe = TUTTI_REGION_THREADS | TUTTI_REGION_FORGETS;
  // Of pieces, a sample may end in the midst of one.
  const std::uint32_t mayBe = kMayBe | (launch.piece == 1 ? TUTTI_REGION_PIECES : 0);
  const balance::RegionHistory &history = *candidate.history;
  const bool isKnown = history.home.seconds() > 0 || history.sampled > 0;
  return candidate.placement.usesDevices && !candidate.isWanted && !isKnown && launch.first == 0 &&
         (launch.region->flags & ~mayBe) == kLoop && !launch.task && launch.portion.count == 1 &&
         plan.merged.empty() && plan.bytesToStayHome == 0 && balance::sampleOf(launch.total) > 0;
}

std::string_view Decider::whyDistributed(const LoopHistory &history,
                                         const Candidate &candidate) const {
  if (policy_ == Distribute::Always) {
    return "TUTTI_DISTRIBUTE=always asks for it";
  }
  if (Alternatives::isTrying(history.choice)) {
    return "all ways to run it are being tried";
  }
  if (Alternatives::isWaiting(history.choice)) {
    return "all ways to run it are tried later, as planning them takes long";
  }
  if (history.choice.shared) {
    return "it took least of all ways that were tried";
  }
  return candidate.isWanted ? "the devices were asked for"
                            : "it is expected to gain more than moving its data costs";
}

/// `home`: what the launch was taken to take on rank 0 when it was decided on, in seconds.
void Decider::explain(LoopHistory &history, const Launch &launch, const Candidate &candidate,
                      const Decision &decision, double home, const Residency &residency) const {
  const Plan *plan = decision.planned.plan.get();
  const bool isPlanned = plan && plan->reasonHome.empty();
  const Way weighed = explainer_.wayOf(launch.shares);
  std::string_view why = decision.reasonHome;
  if (why.empty()) {
    why = whyDistributed(history, candidate);
  } else if (candidate.history->isTrying) {
    why = "what it takes there is tried once more";
  }
  balance::Machine machine = *candidate.machine;
  if (candidate.placement.usesDevices) { // Cores beside devices help, too.
    machine.ranks += static_cast<std::int32_t>(std::ranges::count_if(
        launch.shares, [&](const Share &share) { return engine_.topology.isHost(share.place); }));
  }
  explainer_.explain(history.explained, launch,
                     {decision.reasonHome.empty() ? weighed : kHome, why, weighed,
                      isPlanned ? plan : nullptr, isPlanned ? &machine : nullptr, home,
                      Alternatives::rounds(history.choice)},
                     residency);
}

/// What the iterations of a launch take in parts that take the same time. Where parts have not been
/// timed, all that a launch takes tells more than is true: planning is no part of it.
std::optional<double> Decider::secondsOfParts(const LoopHistory &history,
                                              const Candidate &candidate,
                                              std::int64_t iterations) const {
  if (const double timed = ropes_.secondsBalanced(history.rope, iterations); timed > 0) {
    return timed;
  }
  const double whole = candidate.history->distributed.seconds() * static_cast<double>(iterations);
  return whole > 0
             ? std::optional(std::max(0.0, whole - balance::launchOverhead(*candidate.machine)))
             : std::nullopt;
}

/// The plan of `launch` as a whole where `candidate` places it, less devices that can hold no
/// portion of it; nothing if that leaves nothing but home. Sets how many portions it takes.
Decision Decider::plan(LoopHistory &history, Launch &launch, Candidate &candidate,
                       const Residency &residency) const {
  while (!isHome(candidate.placement)) {
    launch.portion = {};
    const bool usesDevices = candidate.placement.usesDevices;
    Planner::Planned planned = cutter_.plan(
        history.cuts, launch, candidate.placement,
        {Cutter::mayFollowData(candidate.placement)
             ? secondsOfParts(history, candidate, launch.total) // Goes through all of a rope.
             : std::nullopt,
         usesDevices ? 0 : balance::kShortestPart,
         usesDevices ? kDeviceMemoryBandwidth : candidate.machine->memoryBandwidth,
         candidate.machine->bandwidth});
    if (!planned.plan->reasonHome.empty()) {
      const std::string_view reason = planned.plan->reasonHome;
      return {std::move(planned), reason};
    }
    if (residency.fits(*planned.plan)) {
      return {std::move(planned), {}};
    }
    const exec::Division division = engine_.planner.divide(launch);
    if (!division.tooSmall) {
      launch.portion.count = division.portions;
      return {std::move(planned), {}};
    }
    passOver(*division.tooSmall, history, launch, candidate);
  }
  return {{}, reasonHome(candidate.placement)};
}

/// Takes a device out of `candidate` that cannot hold the smallest portion of its part.
void Decider::passOver(Place place, LoopHistory &history, const Launch &launch,
                       Candidate &candidate) const {
  constexpr std::string_view kReason = "a device cannot hold the smallest portion of it";
  if (!std::exchange(history.isTooLarge, true)) {
    log::warn("the loop at {} passes over a device of rank {}: the smallest portion of it takes "
              "more than the {} bytes that the device holds",
              launch.region->source, engine_.topology.rankOf(place),
              engine_.rooms.capacity(static_cast<std::size_t>(place - engine_.topology.ranks())));
  }
  std::vector<Share> shares = candidate.placement.shares;
  std::erase_if(shares, [&](const Share &share) { return share.place == place; });
  const bool hasDevices = std::any_of(shares.begin(), shares.end(), [this](const Share &share) {
    return !engine_.topology.isHost(share.place);
  });
  if (hasDevices) {
    candidate.placement.shares = std::move(shares);
  } else {
    candidate = hostsOnly(history, kReason);
  }
  candidate.placement.reason = kReason;
}

/// The plan of `launch`, or why it is to run at home.
Decision Decider::decide(LoopHistory &history, Launch &launch, Candidate &candidate,
                         const Residency &residency) const {
  const bool isWeighed = !candidate.isWanted;
  const Clock::time_point begin = isWeighed ? Clock::now() : Clock::time_point();
  Decision decision = plan(history, launch, candidate, residency);
  const bool isPlanned = decision.reasonHome.empty();
  // Weighing may forget what was measured at home.
  const double home =
      explainer_.isOn()
          ? balance::homeSeconds(
                *candidate.machine, *candidate.history, launch.total,
                isPlanned ? static_cast<double>(decision.planned.plan->bytesTouched) : 0)
          : 0;
  if (isWeighed) {
    candidate.history->planning.add(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  if (isPlanned) {
    history.bytesToStayHome = static_cast<double>(decision.planned.plan->bytesToStayHome);
    const bool isWorth = this->isWorth(candidate, launch, *decision.planned.plan);
    const bool isShort = decision.planned.plan->bytesTouched < kShort;
    if ((!isWorth || isShort || history.awaitsSample > 0) &&
        isToBeSampled(candidate, launch, *decision.planned.plan)) {
      decision.sample = balance::sampleOf(launch.total);
      return decision;
    }
    const bool isShorterThanItSeems = launch.first > 0 && candidate.history->sampled <= 0;
    if (!isWorth || isShorterThanItSeems) {
      decision.reasonHome = kCostsMore;
    } else if (launch.total < 2 && decision.planned.plan->bytesToStayHome == 0) {
      decision.reasonHome = kSingle; // Elsewhere it gains nothing where home has its data.
    }
  }
  if (explainer_.isOn() && !Alternatives::isMeasuring(history.choice)) {
    explain(history, launch, candidate, decision, home, residency);
  }
  return decision;
}

std::string_view Decider::reasonToStay(LoopHistory &history, const Candidate &candidate,
                                       const Launch &launch) const {
  if (isHome(candidate.placement)) {
    const std::string_view reason = reasonHome(candidate.placement);
    explainer_.explainHome(history.explained, launch, reason, Alternatives::rounds(history.choice));
    return reason;
  }
  if ((launch.region->flags & TUTTI_REGION_ELEMENTS) != 0 && launch.total > TUTTI_MOST_ELEMENTS) {
    explainer_.explainHome(history.explained, launch, kElements, {});
    return kElements;
  }
  if (!candidate.isWanted &&
      balance::isTooShort(*candidate.machine, *candidate.history, launch.total)) {
    constexpr std::string_view kReason = "it is too short";
    history.bytesToStayHome = 0;
    explainer_.explainHome(history.explained, launch, kReason, {});
    return kReason;
  }
  if (!candidate.isWanted && !balance::isWorthALook(*candidate.history)) {
    history.bytesToStayHome = 0;
    return kCostsMore;
  }
  return {};
}

std::size_t Decider::mostWords(const Candidate &candidate) {
  constexpr std::size_t kFirstWords = std::size_t{1} << 15;
  const balance::RegionHistory &history = *candidate.history;
  const bool isKnown = candidate.isWanted || history.isAway || history.following > 0;
  return isKnown ? exec::Finder::kMostWords : kFirstWords;
}

void Decider::noteFollowing(const Candidate &candidate, double seconds, double share) {
  /// What planning takes beside following, where that is most of it.
  constexpr double kPlanning = 4;
  candidate.history->following = share < 1 ? (1 + kPlanning) * seconds / share : seconds;
}

void Decider::noteOrdering(const Candidate &candidate, double seconds, bool isOpen) {
  candidate.history->ordering = seconds;
  if (!isOpen) {
    candidate.history->sinceLook = 0; // This was the look.
  }
}

bool Decider::isToBeMeasured(LoopHistory &history, const Candidate &candidate) const {
  if (!candidate.placement.usesDevices) {
    return true;
  }
  if (candidate.isWanted) {
    return explainer_.isOn() && !Alternatives::isMeasuring(history.choice) &&
           !explainer_.isKnown(history.explained, candidate.placement.shares);
  }
  return !candidate.history->distributed.isKnown() || ++history.unmeasured >= history.measureAfter;
}

void Decider::noteDistributed(LoopHistory &history, const Launch &launch, double seconds,
                              double bytes, double planned) const {
  const Candidate &candidate = history.candidate;
  explainer_.note(history.explained, explainer_.wayOf(launch.shares), launch.total, seconds);
  if (!candidate.isWanted && candidate.placement.usesDevices) {
    setNextMeasurement(history, seconds / static_cast<double>(launch.total));
  }
  if (!candidate.isWanted || !candidate.placement.usesDevices) {
    candidate.history->addDistributed(*candidate.machine, launch.total, seconds, bytes,
                                      history.cuts.plansEachLaunch() ? 0 : planned);
    history.guessHome();
  }
}

std::optional<Planner::Planned> Decider::planOnDevices(const LoopHistory &history,
                                                       const Launch &launch) const {
  if (!balances_ || !history.candidate.placement.usesDevices || !history.placement ||
      !Alternatives::asksForPlan(history.choice)) {
    return std::nullopt;
  }
  Launch onDevices = launch;
  onDevices.shares = history.placement->shares; // Which devices alone would be cut anew.
  std::erase_if(onDevices.shares,
                [this](const Share &share) { return engine_.topology.isHost(share.place); });
  onDevices.portion = {};
  onDevices.takesHulls = false;
  return engine_.planner.plan(onDevices);
}

bool Decider::notePlanOnDevices(LoopHistory &history, const Launch &launch, const Plan &plan) {
  constexpr double kFast = 4; // Cores may be so much faster than is guessed.
  alternatives_.notePlanOnDevices(history.choice, plan.secondsToMake, mostToMake(plan),
                                  static_cast<double>(plan.bytesTouched) / hosts_.ranks /
                                      (kFast * hosts_.memoryBandwidth));
  if (!Alternatives::isWaiting(history.choice)) {
    return false;
  }
  candidateFor(history, *launch.region, launch.total);
  return true;
}

void Decider::notePlan(LoopHistory &history, const Planner::Planned &planned) {
  const Plan &plan = *planned.plan;
  if (planned.isKnown) {
    history.cuts.plansMade = 0;
    history.cuts.plansNew = 0;
    history.rope.planning = std::max(history.rope.planning, plan.secondsToMake);
    return;
  }
  if (!history.cuts.areNewEachLaunch()) {
    alternatives_.notePlanning(history.choice, plan.secondsToMake, mostToMake(plan));
  }
  ++history.cuts.plansNew;
  history.cuts.plansMade += plan.isInPlace ? 0 : 1;
}

bool Decider::isToBeTimed(LoopHistory &history, const Launch &launch,
                          const Planner::Planned &planned) const {
  const bool waits = history.candidate.placement.usesDevices;
  const Plan &plan = *planned.plan;
  // A loop that moves on may move a little at each launch.
  const bool isSteady =
      planned.isKnown || plan.isInPlace || (history.cuts.plansEachLaunch() && plan.movesLittle());
  return balances_ && (isSteady || waits) && launch.portion.count == 1 &&
         ropes_.isToBeTimed(history.rope, launch.shares, waits, !isSteady);
}

void Decider::noteHome(LoopHistory &history, std::int64_t iterations, double seconds) const {
  history.onHosts.addHome(hosts_, iterations, seconds, history.bytesToStayHome);
  history.onDevices.addHome(devices_, iterations, seconds, history.bytesToStayHome);

  if (history.length != history.crossingLength) {
    history.crossing.staysHome();
  }
  explainer_.note(history.explained, kHome, iterations, seconds);
}

void Decider::keepOff(LoopHistory &history, const tutti_region &region,
                      const Status &refusal) const {
  const ErrorCode code = refusal.error().code;
  if (code == ErrorCode::OutOfMemory) {
    history.keptOff = "a device has no memory left";
  } else if (code == ErrorCode::WrongImage || code == ErrorCode::NotSupported) {
    history.keptOff = "the driver refuses its kernel";
  } else {
    orDie(refusal);
  }
  log::warn("the loop at {} is kept off devices: {}", region.source, refusal.error().message);
}

} // namespace tutti::model::forkjoin
