// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace tutti::balance {

namespace {

/// Weight of the newest measurement.
constexpr double kNewest = 0.2;
/// One measurement moves the average by this factor at most: the others met something else, as
/// another program on the same cores.
constexpr double kOutlier = 2;
/// Measurements of launches that spend more than this on moving data say little about the loop.
constexpr double kMostMoving = 0.2;
/// A gain or loss below this fraction is noise.
constexpr double kLeastGain = 0.05;
/// A move has to pay for itself so many times before it is made.
constexpr double kMovePays = 2;
/// How fast measurements that are not repeated lose their weight, as long as nothing has shown that
/// they still hold.
constexpr double kDoubt = 0.01;
/// Launches after a change of sides that may move data only because of that.
constexpr std::int32_t kSettling = 2;
/// What weighing may take of a region's time at home, and trials at home of its time away.
constexpr double kLookShare = 0.02;
constexpr double kTrialShare = 0.02;
/// The same for the first ones, as long as nobody knows at all.
constexpr double kFirstTrialShare = 0.25;
/// Launches of a trial: the first one brings the data.
constexpr std::int32_t kTrialLaunches = 2;
/// A sample is this part of a launch, or so many iterations if those are no more than a larger
/// part.
constexpr std::int64_t kSampleShare = 64;
constexpr std::int64_t kSampled = 64;
constexpr std::int64_t kMostSampleShare = 8;
/// Memory is cold while it is taken, and so much of it is for starting threads.
constexpr double kColdSample = 4;
constexpr double kStarting = 20e-6;
/// No share is halved more often.
constexpr std::int32_t kMostHalvings = 20;

/// A launch runs there: what has been counted since the latest change of sides begins anew with the
/// next one.
void come(RegionHistory &history, bool away) {
  if (std::exchange(history.isAway, away) != away) {
    history.regret = 0;
    history.stayed = 0;
    history.spentAway = 0;
  }
}

/// `value`, halved so often.
double halved(double value, std::int32_t times) {
  return std::ldexp(value, -std::min(times, kMostHalvings));
}

/// Whether the time at home, which may have changed since it was measured or never was, is to be
/// tried once more. A machine of unlike places may be any number of times as fast as home, so
/// what `home` is taken to take counts there, and what has been measured is left at that.
bool isTimeForATrial(const Machine &machine, const RegionHistory &history, double home, double away,
                     double move) {
  const bool isMeasured = history.home.seconds() > 0;
  if (!history.isAway || !history.distributed.isKnown() || (isMeasured && !machine.areAlike)) {
    return false;
  }
  const double launch = machine.areAlike ? away * machine.ranks : home;
  const double most = kTrialLaunches * launch + 2 * std::abs(move);
  const double share = isMeasured || !machine.areAlike ? kTrialShare : kFirstTrialShare;
  return most < halved(share, history.triedHome) * history.spentAway;
}

} // namespace

void Measured::add(double seconds) {
  if (!isKnown()) {
    // The first ones meet cold caches and untouched pages: the best of them counts.
    seconds_ = samples_++ == 0 ? seconds : std::min(seconds_, seconds);
    return;
  }
  seconds_ = (1 - kNewest) * seconds_ +
             kNewest * std::clamp(seconds, seconds_ / kOutlier, seconds_ * kOutlier);
}

void Measured::doubt(double guess, double share) { seconds_ += share * (guess - seconds_); }

RegionHistory RegionHistory::forAnotherLength() const {
  RegionHistory another;
  another.planning = planning;
  another.following = following;
  another.ordering = ordering;
  another.isAway = isAway;
  another.undoing = undoing;
  return another;
}

void RegionHistory::guessHomeBy(const RegionHistory &other) {
  const bool areKnownAway = distributed.isKnown() && other.distributed.isKnown();
  const double factor = areKnownAway ? distributed.seconds() / other.distributed.seconds() : 1;
  home = Measured::guess(factor * other.home.seconds());
  sampled = sampled > 0 ? sampled : factor * other.sampled;
  if (distributed.times() == 0) {
    distributed = Measured::guess(other.distributed.seconds());
  }
}

void RegionHistory::addSample(std::int64_t iterations, double seconds) {
  sampled = std::max(0.0, seconds - kStarting) / static_cast<double>(iterations) / kColdSample;
  regret = 0; // The launch is weighed once more.
}

void RegionHistory::addHome(const Machine &machine, std::int64_t iterations, double seconds,
                            double bytes) {
  come(*this, false);
  trials = std::max(trials - 1, 0);
  sinceLook += seconds;
  if (++stayed > kSettling || bytes / machine.bandwidth < kMostMoving * seconds) {
    home.add(seconds / static_cast<double>(iterations));
  }
}

void RegionHistory::addDistributed(const Machine &machine, std::int64_t iterations, double seconds,
                                   double bytes, double planned) {
  come(*this, true);
  spentAway += seconds;
  if (planned > kMostMoving * seconds) {
    return;
  }
  if (++stayed > kSettling || bytes / machine.bandwidth < kMostMoving * seconds) {
    distributed.add(seconds / static_cast<double>(iterations));
  }
}

double launchOverhead(const Machine &machine) {
  const int levels = std::bit_width(static_cast<unsigned>(machine.ranks - 1));
  return 2 * levels * machine.latency;
}

double homeSeconds(const Machine &machine, const RegionHistory &history, std::int64_t iterations,
                   double bytesTouched) {
  if (history.home.seconds() > 0) {
    return history.home.seconds() * static_cast<double>(iterations);
  }
  if (history.sampled > 0) {
    return std::max(history.sampled * static_cast<double>(iterations),
                    bytesTouched / machine.memoryBandwidth);
  }
  if (history.distributed.isKnown()) {
    return history.distributed.seconds() * static_cast<double>(iterations) * machine.ranks;
  }
  return bytesTouched / machine.memoryBandwidth;
}

std::int64_t sampleOf(std::int64_t iterations) {
  return std::max(iterations / kSampleShare, std::min(kSampled, iterations / kMostSampleShare));
}

Prediction predictHome(const Machine &machine, double compute, const Proposal &proposal) {
  return {compute, proposal.bytesToStayHome / machine.bandwidth, 0};
}

Prediction predictAway(const Machine &machine, double homeCompute, const Proposal &proposal) {
  const auto most = std::min<double>(static_cast<double>(proposal.iterations), machine.ranks);
  return {homeCompute / most, proposal.bytesToDistribute / machine.bandwidth,
          launchOverhead(machine)};
}

bool isTooShort(const Machine &machine, const RegionHistory &history, std::int64_t iterations) {
  return history.home.seconds() > 0 &&
         history.home.seconds() * static_cast<double>(iterations) < launchOverhead(machine);
}

bool isWorthALook(const RegionHistory &history) {
  const bool hasLooked = history.planning.seconds() > 0 || history.ordering > 0;
  const double share = hasLooked ? kLookShare : kFirstTrialShare;
  return history.isAway || history.home.seconds() <= 0 ||
         history.following + history.ordering + history.planning.seconds() <=
             share * history.sinceLook;
}

bool isWorthDistributing(const Machine &machine, RegionHistory &history, const Proposal &proposal) {
  if (proposal.bytesEachTime > 0 && !history.isAway && !history.home.isKnown()) {
    return false; // What costs at each launch must not be begun because the first one met cold
                  // memory.
  }
  const double sinceLook = std::exchange(history.sinceLook, 0);
  if (history.trials > 0) {
    return false;
  }
  const auto iterations = static_cast<double>(proposal.iterations);
  const double home = homeSeconds(machine, history, proposal.iterations, proposal.bytesTouched);
  const Prediction predicted = predictAway(machine, home, proposal);
  const double hoped =
      predicted.compute + predicted.overhead + proposal.bytesEachTime / machine.bandwidth;
  double away = hoped;
  if (history.distributed.isKnown()) {
    if (!history.isAway) {
      history.distributed.doubt(hoped / iterations, halved(kDoubt, history.triedAway));
    }
    away = history.distributed.seconds() * iterations;
  }
  const double move = (proposal.bytesToDistribute - proposal.bytesToStayHome) / machine.bandwidth;
  const double gain = home - away;
  if (isTimeForATrial(machine, history, home, away, move)) {
    // Stays what it was if the trial only shows what it takes to move the data.
    history.home = Measured::guess(history.home.seconds());
    history.trials = kTrialLaunches;
    history.isTrying = true;
    return false;
  }
  if (std::exchange(history.isTrying, false)) {
    ++(gain > 0 ? history.triedHome : history.triedAway);
    return gain > 0; // The way back was part of what the trial may cost.
  }
  const double loss = history.isAway ? -gain : gain;
  if (loss < kLeastGain * home) {
    history.regret = std::max(0.0, history.regret + std::min(loss, 0.0));
    return history.isAway;
  }
  // Launches that stayed without a look have cost as much as this one.
  history.regret += loss * std::max(1.0, sinceLook / home);
  const double price = history.isAway ? -move : move + history.undoing;
  const bool moves = history.regret >= kMovePays * price;
  if (moves && history.isAway) {
    ++history.triedAway;
  } else if (moves) {
    history.distributed = {}; // What was doubted is measured anew.
  }
  return history.isAway != moves;
}

} // namespace tutti::balance
