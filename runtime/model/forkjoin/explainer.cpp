// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/explainer.h"

#include "abi/backends.h"
#include "base/format.h"
#include "base/log.h"

#include <algorithm>

namespace tutti::model::forkjoin {

using namespace exec;

namespace {

std::string_view nameOf(Way way) {
  if (way == kHome) {
    return "home";
  }
  if (way == TUTTI_DEVICE_CPU) {
    return "ranks";
  }
  const abi::DeviceKind *kind = abi::findDeviceKind(way);
  return kind ? kind->name : "devices";
}

std::string timeOf(double seconds) {
  if (seconds < 1e-3) {
    return fmt::format("{:.1f} us", seconds * 1e6);
  }
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

/// One row: what a way is expected to take, and took.
void say(const Explained &known, Way way, const balance::Prediction &predicted,
         std::int64_t iterations, std::string_view note = {}) {
  const auto took = known.took.find(way);
  const std::string measured =
      took == known.took.end()
          ? "not measured"
          : fmt::format("measured {}{}",
                        timeOf(took->second.seconds() * static_cast<double>(iterations)),
                        took->second.isKnown() ? "" : " so far");
  log::info("  {:<8} predicted {} = compute {} + transfers {} + overhead {}; {}{}", nameOf(way),
            timeOf(predicted.total()), timeOf(predicted.compute), timeOf(predicted.transfers),
            timeOf(predicted.overhead), measured, note);
}

void sayImpossible(Way way, std::string_view reason) {
  log::info("  {:<8} is not possible: {}", nameOf(way), reason);
}

void sayRounds(const Alternatives::Rounds &rounds) {
  if (rounds.all > 0) {
    log::info(
        "  a round of the loops that choose together: {} on all places, {} on devices alone, {}",
        timeOf(rounds.all), timeOf(rounds.devices),
        rounds.hosts > 0 ? timeOf(rounds.hosts) + " on cores alone" : "cores alone not tried");
  }
}

} // namespace

balance::Proposal proposalOf(const Launch &launch, const Plan &plan) {
  return {launch.total, static_cast<double>(plan.bytesTouched),
          static_cast<double>(plan.bytesToDistribute), static_cast<double>(plan.bytesToStayHome),
          static_cast<double>(plan.bytesToMerge)};
}

Way Explainer::wayOf(const std::vector<Share> &shares) const {
  Way way = TUTTI_DEVICE_AUTO;
  bool hasHosts = false;
  for (const Share &share : shares) {
    if (engine_.topology.isHost(share.place)) {
      hasHosts = true;
      continue;
    }
    const auto index = static_cast<std::size_t>(share.place - engine_.topology.ranks());
    const Way kind = placer_.devices()[index].backend;
    way = way == TUTTI_DEVICE_AUTO || way == kind ? kind : Way{TUTTI_DEVICE_GPU};
  }
  if (!hasHosts) {
    return way;
  }
  return way == TUTTI_DEVICE_AUTO ? Way{TUTTI_DEVICE_CPU} : Way{TUTTI_DEVICE_HYBRID};
}

void Explainer::note(Explained &known, Way way, std::int64_t iterations, double seconds) const {
  if (isOn_) {
    known.took[way].add(seconds / static_cast<double>(iterations));
  }
}

/// Whether there is something to say of this choice; it is noted as said.
bool Explainer::isNew(Explained &known, Way way, std::string_view why) const {
  std::string said = fmt::format("{} {}", nameOf(way), why);
  for (const auto &[each, took] : known.took) {
    said += fmt::format(" {}{}", nameOf(each), took.isKnown() ? "!" : "");
  }
  if (said == known.said) {
    return false;
  }
  known.said = std::move(said);
  return true;
}

/// Of devices it is only known what all of them are guessed to be worth.
balance::Machine Explainer::machineFor(const Placement &placement) const {
  if (!placement.usesDevices) {
    return hosts_;
  }
  const auto worthOfOne = devices_.ranks / (engine_.topology.places() - engine_.topology.ranks());
  balance::Machine machine = devices_;
  machine.ranks = 0;
  for (const Share &share : placement.shares) {
    machine.ranks += engine_.topology.isHost(share.place) ? 1 : worthOfOne;
  }
  return machine;
}

/// Those that there are places for.
std::vector<Way> Explainer::waysOf() const {
  std::vector<Way> ways;
  if (engine_.topology.ranks() > 1) {
    ways.push_back(TUTTI_DEVICE_CPU);
  }
  const std::size_t devices = ways.size();
  for (const abi::DeviceKind &kind : abi::kDeviceKinds) {
    if (kind.isBackend && std::ranges::any_of(placer_.devices(), [&](const DeviceTraits &traits) {
          return traits.backend == kind.number;
        })) {
      ways.push_back(kind.number);
    }
  }
  if (ways.size() > devices + 1) {
    ways.push_back(TUTTI_DEVICE_GPU); // Those of all backends together.
  }
  if (!placer_.devices().empty()) {
    ways.push_back(TUTTI_DEVICE_HYBRID);
  }
  return ways;
}

/// A way that was not weighed, as a first cut on its places would run it.
void Explainer::sayOther(const Explained &known, const Launch &launch, Way way, double homeCompute,
                         const Residency &residency) const {
  const Placement placement =
      way == TUTTI_DEVICE_CPU ? placer_.hosts() : placer_.place(*launch.region, way);
  if (way != TUTTI_DEVICE_CPU && !placement.usesDevices) {
    sayImpossible(way, placement.reason);
    return;
  }
  Launch other = launch;
  other.shares = placement.shares;
  other.portion = {};
  other.takesHulls = false;
  const Planner::Planned planned = engine_.planner.plan(other);
  if (!planned.plan->reasonHome.empty()) {
    sayImpossible(way, planned.plan->reasonHome);
    return;
  }
  say(known, way,
      balance::predictAway(machineFor(placement), homeCompute, proposalOf(other, *planned.plan)),
      launch.total, residency.fits(*planned.plan) ? "" : ", in portions");
}

void Explainer::explain(Explained &known, const Launch &launch, const Decided &decided,
                        const Residency &residency) const {
  if (!isOn_ || !isNew(known, decided.way, decided.why)) {
    return;
  }
  log::info("the loop at {}, {} iterations:", launch.region->source, launch.total);
  const balance::Proposal proposal =
      decided.plan ? proposalOf(launch, *decided.plan) : balance::Proposal{launch.total, 0, 0, 0};
  say(known, kHome,
      balance::predictHome(decided.away ? *decided.away : hosts_, decided.homeCompute, proposal),
      launch.total, decided.plan ? "" : ", transfers not known");
  for (const Way way : waysOf()) {
    if (way == decided.weighed && decided.plan) {
      say(known, way, balance::predictAway(*decided.away, decided.homeCompute, proposal),
          launch.total, launch.portion.count > 1 ? ", in portions" : "");
    } else {
      sayOther(known, launch, way, decided.homeCompute, residency);
    }
  }
  sayRounds(decided.rounds);
  log::info("  chosen:  {}, because {}", nameOf(decided.way), decided.why);
}

void Explainer::explainHome(Explained &known, const Launch &launch, std::string_view why,
                            const Alternatives::Rounds &rounds) const {
  if (isOn_ && isNew(known, kHome, why)) {
    const auto took = known.took.find(kHome);
    sayHome(
        {launch.region->source, launch.total,
         took == known.took.end() ? 0 : took->second.seconds() * static_cast<double>(launch.total),
         why},
        rounds);
  }
}

void sayHome(const AtHome &launch, const Alternatives::Rounds &rounds) {
  log::info("the loop at {}, {} iterations:", launch.source, launch.iterations);
  sayRounds(rounds);
  log::info("  chosen:  home{}, because {}",
            launch.seconds > 0 ? fmt::format(" (measured {})", timeOf(launch.seconds)) : "",
            launch.why);
}

} // namespace tutti::model::forkjoin
