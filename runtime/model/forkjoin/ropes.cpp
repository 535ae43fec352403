// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/ropes.h"

#include "runtime/exec/survey.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tutti::model::forkjoin {

using namespace exec;
using memory::Place;

namespace {

/// Launches of each cut that are timed, one after the other.
constexpr std::int32_t kTimedAtFirst = 4;
/// After these the next one is timed once so much time has gone by, as far as that is known,
constexpr double kSecondsBetween = 5e-3;
/// or after so many launches whose end nobody has waited for.
constexpr std::int64_t kLaunchesBetween = 64;
/// Launches that move data and are timed all the same,
constexpr std::int32_t kTimedRoughly = 2;
/// which shows something if cores take longer than devices seem to take by this factor.
constexpr double kSurelySlower = 2;
/// Launches under way whose times are remembered; more are lost with a rank.
constexpr std::size_t kMostTimed = 256;

/// What cores do beside a device is learned from this part of a loop, as long as nothing is known
/// of it; they may take hundreds of times as long.
constexpr double kCoresAtFirst = 1.0 / 256;
constexpr double kRounding = 1e-3; ///< Of iterations.

/// What a small part of a loop on cores may take to wake their threads, beside devices that have
/// kept the program waiting. Units: seconds.
constexpr double kWakingCores = 50e-6;

bool isOn(const std::vector<Share> &shares, const std::vector<Place> &places) {
  return std::ranges::equal(shares, places, {}, &Share::place);
}

double longestOf(const protocol::LaunchTimes &times) {
  double longest = 0;
  for (const protocol::PlaceTime &each : times.places) {
    longest = std::max(longest, each.seconds);
  }
  return longest;
}

} // namespace

/// Whether nothing is known that makes one of the places faster than another.
bool Ropes::areAlike(const std::vector<Share> &shares) const {
  const auto kindOf = [&](const Share &share) {
    if (topology_.isHost(share.place)) {
      return std::pair<std::uint32_t, std::uint32_t>{};
    }
    const DeviceTraits &traits =
        devices_[static_cast<std::size_t>(share.place - topology_.ranks())];
    return std::pair{traits.backend, traits.units};
  };
  return std::ranges::all_of(shares, [&, first = kindOf(shares.front())](const Share &share) {
    return kindOf(share) == first;
  });
}

bool Ropes::isGpu(const Share &share) const {
  return !topology_.isHost(share.place) &&
         devices_[static_cast<std::size_t>(share.place - topology_.ranks())].isGpu != 0;
}

bool Ropes::isHybrid(const std::vector<Place> &places) const {
  const auto isHost = [&](Place place) { return topology_.isHost(place); };
  return std::ranges::any_of(places, isHost) && !std::ranges::all_of(places, isHost);
}

/// Whether cores have taken longer than devices, whatever of that was to move data and to compile.
bool Ropes::areCoresSlow(const protocol::LaunchTimes &times) const {
  double cores = 0;
  double devices = 0;
  for (const protocol::PlaceTime &each : times.places) {
    double &longest = topology_.isHost(each.place) ? cores : devices;
    longest = std::max(longest, each.seconds);
  }
  return devices > 0 && cores > kSurelySlower * devices;
}

/// By place: equal for those that share a GPU; empty if none do.
std::vector<std::uint64_t> Ropes::hardwareOf(const std::vector<Share> &shares) const {
  std::vector<std::uint64_t> all;
  std::set<std::uint64_t> seen;
  bool isAnyShared = false;
  for (const Share &share : shares) {
    const bool isHost = topology_.isHost(share.place);
    const std::uint64_t hardware =
        isHost ? 0 : devices_[static_cast<std::size_t>(share.place - topology_.ranks())].hardware;
    isAnyShared = isAnyShared || (hardware != 0 && !seen.insert(hardware).second);
    all.push_back(hardware);
  }
  return isAnyShared ? all : std::vector<std::uint64_t>();
}

/// A guess of each place's speed, for the first cut of a loop of `total` iterations.
std::vector<double> Ropes::speedsAtFirst(const std::vector<Share> &shares, double total) const {
  const bool hasDevices = std::ranges::any_of(
      shares, [&](const Share &share) { return !topology_.isHost(share.place); });
  const bool hasGpus =
      std::ranges::any_of(shares, [&](const Share &share) { return isGpu(share); });
  const auto isLimited = [&](const Share &share) { // A device that is no GPU is made of cores.
    return topology_.isHost(share.place) ? hasDevices : hasGpus && !isGpu(share);
  };
  double others = 0;
  double limited = 0;
  for (const Share &share : shares) {
    (isLimited(share) ? limited : others) += isLimited(share) ? 1 : share.weight;
  }
  // One iteration for each core keeps all of them busy, and one more takes as long again.
  const double part = std::max(kCoresAtFirst, (threads_ - kRounding) / total);
  const double most = part * limited < 1 ? others * part / (1 - part * limited) : others;
  std::vector<double> speeds;
  for (const Share &share : shares) {
    speeds.push_back(isLimited(share) ? std::min<double>(share.weight, most) : share.weight);
  }
  return speeds;
}

SharedRope &Ropes::ropeFor(const std::vector<Share> &shares, std::int64_t total) {
  const SharedRope *older = nullptr;
  for (SharedRope &each : ropes_) {
    if (isSameLength(each.total, total) && isOn(shares, each.places)) {
      if (each.launches <= kTurns) {
        return each;
      }
      older = &each;
    }
  }
  std::vector<Place> places;
  for (const Share &share : shares) {
    places.push_back(share.place);
  }
  const std::vector<double> speeds = speedsAtFirst(shares, static_cast<double>(total));
  const balance::Places kind = areAlike(shares) ? balance::Places::Alike : balance::Places::Unlike;
  SharedRope &rope = ropes_.emplace_back(std::move(places), total,
                                         balance::Rope(speeds, kind, hardwareOf(shares)));
  rope.isAsGuessed = std::ranges::equal(shares, speeds, {}, &Share::weight);
  if (older && older->cuts > 0) {
    rope.rope.startAs(older->rope); // Its data may lie there.
    rope.cuts = 1;
    rope.isAsGuessed = false;
  }
  return rope;
}

void Ropes::cut(RopeHistory &history, std::vector<Share> &shares, std::int64_t total) {
  if (shares.size() < 2) {
    return;
  }
  if (!history.rope || !isOn(shares, history.rope->places)) {
    history.rope = &ropeFor(shares, total);
    history.loop = history.rope->rope.addLoop();
    history.lessons = -1;
    history.timed = 0;
    history.launches = 0;
  }
  SharedRope &rope = *history.rope;
  rope.launches = std::max(rope.launches, ++history.launches);
  if (std::exchange(history.cutsSeen, rope.cuts) != rope.cuts) {
    history.timed = 0;
    history.planning = 0;
  }
  if (rope.isAsGuessed) {
    return;
  }
  const bool isHybrid = this->isHybrid(rope.places);
  for (std::size_t index = 0; index < shares.size(); ++index) {
    const std::uint32_t weight = rope.rope.weights()[index];
    const double share = static_cast<double>(weight) / balance::kRopeLength;
    shares[index].weight = isHybrid && topology_.isHost(shares[index].place) &&
                                   isTooLittle(share * static_cast<double>(total), share)
                               ? 0
                               : weight;
  }
}

/// Whether cores that would take so many iterations, `share` of all, beside devices had better take
/// none: with fewer than one for each core they take as long as for that many, and without them
/// the others take a little longer.
bool Ropes::isTooLittle(double iterations, double share) const {
  return iterations < threads_ * (1 - share);
}

bool Ropes::isToBeTimed(RopeHistory &history, const std::vector<Share> &shares, bool waits,
                        bool moves) const {
  if (!history.rope || !isOn(shares, history.rope->places)) {
    return false;
  }
  history.isRough = moves;
  if (moves) {
    return history.roughly < kTimedRoughly && isHybrid(history.rope->places);
  }
  ++history.untimed;
  return history.timed < kTimedAtFirst || (!waits && history.seconds >= kSecondsBetween) ||
         history.untimed >= kLaunchesBetween;
}

bool Ropes::needsTimes(const RopeHistory &history) const {
  return history.rope && history.rope->cuts == 0 && history.timed <= kTimedAtFirst &&
         isHybrid(history.rope->places) && std::ranges::any_of(timed_, [&](const auto &each) {
           return each.second.history->rope == history.rope;
         });
}

bool Ropes::isSettled(const RopeHistory &history) const {
  return history.rope && history.timed >= kTimedAtFirst && history.cutsSeen == history.rope->cuts;
}

double Ropes::secondsOnHosts(RopeHistory &history, std::int64_t total) const {
  const double ofWork = std::max(0.0, history.onCores - kWakingCores);
  return ofWork > 0 ? secondsSuspectedOnHosts(history, total) * ofWork / history.onCores : 0;
}

/// Asked at each launch, so it is worked out anew only where something has been learned since.
double Ropes::secondsSuspectedOnHosts(RopeHistory &history, std::int64_t total) const {
  if (history.total == 0) {
    return 0;
  }
  const SharedRope &rope = *history.rope;
  if (std::exchange(history.lessons, rope.lessons) != rope.lessons) {
    std::vector<bool> areHosts;
    for (const memory::Place place : rope.places) {
      areHosts.push_back(topology_.isHost(place));
    }
    history.onHosts = rope.rope.secondsOn(history.loop, areHosts) / history.total;
  }
  return history.onHosts * static_cast<double>(total); // What was timed may have been longer.
}

double Ropes::secondsBalanced(const RopeHistory &history, std::int64_t total) const {
  return history.total > 0
             ? history.rope->rope.secondsOn(history.loop,
                                            std::vector<bool>(history.rope->places.size(), true)) *
                   static_cast<double>(total) / history.total
             : 0;
}

void Ropes::begins(RopeHistory &history, const Launch &launch, double bytes) {
  const auto total = static_cast<double>(launch.total);
  Timed timed{&history, {},    history.rope->places, std::exchange(history.untimed, 0),
              total,    bytes, history.isRough};
  history.seconds = 0;
  ++(history.isRough ? history.roughly : history.timed);
  for (const balance::Chunk &chunk : chunksOf(launch)) {
    timed.parts.push_back({static_cast<std::int32_t>(timed.parts.size()),
                           static_cast<double>(chunk.lower) / total,
                           static_cast<double>(chunk.upper) / total, 0});
  }
  timed_.insert_or_assign(launch.sequence, std::move(timed));
  if (timed_.size() > kMostTimed) {
    timed_.erase(timed_.begin());
  }
}

bool Ropes::learn(const protocol::LaunchTimes &times, double bandwidth) {
  const auto known = timed_.find(times.sequence);
  if (known == timed_.end()) {
    return false;
  }
  Timed timed = std::move(known->second);
  timed_.erase(known);
  SharedRope &rope = *timed.history->rope;
  if (rope.places != timed.places) {
    return false; // The loop has lost one of its places meanwhile.
  }
  if (timed.isRough && !areCoresSlow(times)) {
    return false;
  }
  const bool isHybrid = this->isHybrid(timed.places);
  double onCores = 0;
  for (const protocol::PlaceTime &each : times.places) {
    const auto place = std::ranges::find(timed.places, each.place);
    if (place == timed.places.end()) {
      continue;
    }
    balance::PartTime &part = timed.parts[static_cast<std::size_t>(place - timed.places.begin())];
    const double iterations = (part.upper - part.lower) * timed.total;
    const bool isHost = topology_.isHost(each.place);
    onCores = isHost ? std::max(onCores, each.seconds) : onCores;
    const bool areSomeIdle = isHybrid && isHost && iterations < threads_;
    part.seconds = each.seconds * (areSomeIdle ? iterations / threads_ : 1);
  }
  const double before = timed.history->total;
  if (timed.total < before && longestOf(times) < balance::kShortestPart) {
    return false; // Longer launches have told more.
  }
  timed.history->total = timed.total;
  if (before > 0 && before != timed.total) {
    rope.rope.scale(timed.history->loop, timed.total / before);
  }
  // Cores that get nothing any more were slow when they got something.
  timed.history->onCores = onCores > 0 ? onCores : timed.history->onCores;
  const bool isCut =
      rope.rope.add(timed.history->loop, timed.parts, std::max<std::int64_t>(timed.launches, 1),
                    {timed.bytes, bandwidth, timed.history->planning});
  ++rope.lessons;
  rope.cuts += isCut ? 1 : 0;
  rope.isAsGuessed = rope.isAsGuessed && !isCut;
  return isCut;
}

} // namespace tutti::model::forkjoin
