// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/cost.h"

#include <algorithm>
#include <bit>

namespace tutti::balance {

namespace {

/// Weight of the newest measurement.
constexpr double kNewest = 0.3;
/// A gain below this fraction is noise.
constexpr double kLeastGain = 0.05;

void update(double &average, double sample) {
  average = average == 0 ? sample : (1 - kNewest) * average + kNewest * sample;
}

/// Announcing a launch and hearing of its end.
double overhead(const Machine &machine) {
  const int levels = std::bit_width(static_cast<unsigned>(machine.ranks - 1));
  return 2 * levels * machine.latency;
}

} // namespace

void RegionHistory::addHome(std::int64_t iterations, double seconds) {
  ++homes;
  update(homeSecondsPerIteration, seconds / static_cast<double>(iterations));
}

void RegionHistory::addDistributed(const Machine &machine, std::int64_t iterations, double seconds,
                                   double bytes) {
  ++distributions;
  steadyBytes = bytes;
  credit = 0;
  if (bytes / machine.bandwidth < 0.2 * seconds) {
    update(distributedSecondsPerIteration, seconds / static_cast<double>(iterations));
  }
}

double homeSeconds(const Machine &machine, const RegionHistory &history, std::int64_t iterations,
                   double bytesTouched) {
  if (history.homeSecondsPerIteration > 0) {
    return history.homeSecondsPerIteration * static_cast<double>(iterations);
  }
  if (history.distributedSecondsPerIteration > 0) {
    return history.distributedSecondsPerIteration * static_cast<double>(iterations) *
           machine.ranks;
  }
  return bytesTouched / machine.memoryBandwidth;
}

bool isTooShort(const Machine &machine, const RegionHistory &history, std::int64_t iterations) {
  return history.homeSecondsPerIteration > 0 &&
         history.homeSecondsPerIteration * static_cast<double>(iterations) < overhead(machine);
}

bool isWorthDistributing(const Machine &machine, RegionHistory &history, const Proposal &proposal) {
  const double home =
      homeSeconds(machine, history, proposal.iterations, proposal.bytesTouched);
  const double share =
      1.0 / static_cast<double>(std::min<std::int64_t>(proposal.iterations, machine.ranks));
  double away = home * share + overhead(machine);
  if (history.distributedSecondsPerIteration > 0) {
    away = std::max(away, history.distributedSecondsPerIteration *
                              static_cast<double>(proposal.iterations));
  } else if (history.distributions > 0) {
    away += std::min(history.steadyBytes, proposal.bytesToDistribute) / machine.bandwidth;
  }
  const double gain = home - away;
  const double move = proposal.bytesToDistribute / machine.bandwidth;
  const double moveHome = proposal.bytesToStayHome / machine.bandwidth;
  if (gain < kLeastGain * home) {
    // Home, unless getting the data home costs more than this launch loses by staying away.
    return moveHome - move > -gain && history.distributions > 0;
  }
  if (history.credit + gain + moveHome >= move) {
    return true;
  }
  history.credit += gain;
  return false;
}

} // namespace tutti::balance
