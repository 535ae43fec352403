// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether distributing a region is worth it. Pure: a decision follows from what is passed in.
#pragma once

#include <cstdint>

namespace tutti::balance {

/// What the machine does. Units: seconds, bytes per second.
struct Machine {
  std::int32_t ranks = 1;
  double latency = 20e-6;       ///< Of one small message between two ranks.
  double bandwidth = 1e9;       ///< Of one rank's transfers.
  double memoryBandwidth = 4e9; ///< First guess of what a loop does on one rank.
};

/// A duration that is measured again and again among disturbances.
///
/// Threading: externally synchronised.
class Measured {
public:
  void add(double seconds);

  /// Brings the value a little nearer to `guess`, so that old news loses its weight.
  void doubt(double guess);

  /// Whether there were enough measurements to judge by.
  bool isKnown() const { return samples_ >= kEnough; }

  double seconds() const { return seconds_; }

private:
  static constexpr std::uint32_t kEnough = 3;

  double seconds_ = 0;
  std::uint32_t samples_ = 0;
};

/// What is known of one region.
///
/// Threading: externally synchronised.
struct RegionHistory {
  Measured home;        ///< Per iteration, on rank 0.
  Measured distributed; ///< Per iteration of the whole loop, while little was moved.
  bool isAway = false;  ///< The last launch was distributed, so the data is where it puts it.
  double regret = 0;    ///< Seconds that staying there has cost, to be weighed against moving.

  /// Takes a run at home into account, which fetched about `bytes`.
  void addHome(const Machine &machine, std::int64_t iterations, double seconds, double bytes);

  /// Takes a distributed launch into account, which moved `bytes`.
  void addDistributed(const Machine &machine, std::int64_t iterations, double seconds,
                      double bytes);
};

/// One launch to be decided on.
struct Proposal {
  std::int64_t iterations;
  double bytesTouched;      ///< By all iterations.
  double bytesToDistribute; ///< To be moved if it is distributed, from where the data is now.
  double bytesToStayHome;   ///< To be moved if it stays home.
  double bytesEachTime = 0; ///< To be moved whenever it is distributed, wherever the data is.
};

/// Seconds that `iterations` take on rank 0 alone, by what is known so far.
double homeSeconds(const Machine &machine, const RegionHistory &history, std::int64_t iterations,
                   double bytesTouched);

/// Whether a region is so short that no distribution can pay, whatever has to be moved.
bool isTooShort(const Machine &machine, const RegionHistory &history, std::int64_t iterations);

/// Whether to distribute. Moving data pays only over several launches: every launch that stays
/// where the last one was, although it would gain by the other choice, adds its loss to
/// `history.regret`, and once that outweighs the move, the data moves.
bool isWorthDistributing(const Machine &machine, RegionHistory &history, const Proposal &proposal);

} // namespace tutti::balance
