// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether distributing a region is worth it. Pure: a decision follows from what is passed in.
#pragma once

#include <cstdint>

namespace tutti::balance {

/// What the machine does. Units: seconds, bytes per second.
struct Machine {
  std::int32_t ranks = 1;
  double latency = 20e-6;          ///< Of one small message between two ranks.
  double bandwidth = 1e9;          ///< Of one rank's transfers.
  double memoryBandwidth = 4e9;    ///< First guess of what a loop does on one rank.
};

/// What is known of one region.
///
/// Threading: externally synchronised.
struct RegionHistory {
  double homeSecondsPerIteration = 0;        ///< Measured on rank 0; 0 if never.
  double distributedSecondsPerIteration = 0; ///< Measured while little was moved; 0 if never.
  double steadyBytes = 0;                    ///< Moved by the last distributed launch.
  double credit = 0; ///< What staying home has cost so far, to be weighed against moving.
  std::uint64_t homes = 0;
  std::uint64_t distributions = 0;

  /// Takes a run at home into account.
  void addHome(std::int64_t iterations, double seconds);

  /// Takes a distributed launch into account, which moved `bytes`.
  void addDistributed(const Machine &machine, std::int64_t iterations, double seconds,
                      double bytes);
};

/// One launch to be decided on.
struct Proposal {
  std::int64_t iterations;
  double bytesTouched;       ///< By all iterations.
  double bytesToDistribute;  ///< To be moved if it is distributed, from where the data is now.
  double bytesToStayHome;    ///< To be moved if it stays home.
};

/// Seconds that `iterations` take on rank 0 alone, by what is known so far.
double homeSeconds(const Machine &machine, const RegionHistory &history, std::int64_t iterations,
                   double bytesTouched);

/// Whether a region is so short that no distribution can pay, whatever has to be moved.
bool isTooShort(const Machine &machine, const RegionHistory &history, std::int64_t iterations);

/// Whether to distribute. Moving data pays only over several launches: every launch that stays home
/// although it would gain from being distributed adds its loss to `history.credit`, and once that
/// outweighs the move, the data moves.
bool isWorthDistributing(const Machine &machine, RegionHistory &history, const Proposal &proposal);

} // namespace tutti::balance
