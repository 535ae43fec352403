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
  bool areAlike = true;         ///< None is much faster than rank 0 alone: it takes at most `ranks`
                                ///< times as long as all of them.
};

/// A duration that is measured again and again among disturbances.
///
/// Threading: externally synchronised.
class Measured {
public:
  void add(double seconds);

  /// Brings the value nearer to `guess` by `share` of the way, so that old news loses its weight.
  void doubt(double guess, double share);

  /// Whether there were enough measurements to judge by.
  bool isKnown() const { return samples_ >= kEnough; }

  /// How many of them count.
  std::uint32_t times() const { return samples_; }

  double seconds() const { return seconds_; }

  /// What the first measurement replaces.
  static Measured guess(double seconds) {
    Measured measured;
    measured.seconds_ = seconds;
    return measured;
  }

private:
  static constexpr std::uint32_t kEnough = 3;

  double seconds_ = 0;
  std::uint32_t samples_ = 0;
};

/// What is known of one region.
///
/// Threading: externally synchronised.
struct RegionHistory {
  Measured home;           ///< Per iteration, on rank 0.
  double sampled = 0;      ///< The same at least, by some iterations of a launch; 0: not known.
  Measured distributed;    ///< Per iteration of the whole loop, with all that each launch takes.
  Measured planning;       ///< To find out what distributing a launch would move,
  double following = 0;    ///< and to follow pointers for that, the latest time,
  double ordering = 0;     ///< and whether its iterations need their order, the latest time.
  bool isAway = false;     ///< The last launch was distributed, so the data is where it puts it.
  double regret = 0;       ///< Seconds that staying there has cost, to be weighed against moving.
  std::int32_t stayed = 0; ///< Launches since it came there.
  double sinceLook = 0;    ///< Seconds at home since distributing it was weighed.
  double undoing = 0;   ///< Seconds that it took to undo the latest trial away; 0: none was undone.
  double spentAway = 0; ///< Seconds away since it was at home.
  bool isTrying = false;   ///< It is at home to see what that takes now.
  std::int32_t trials = 0; ///< Launches that it still stays home for, only to see what they take.
  std::int32_t triedHome = 0; ///< Times that this has shown nothing new,
  std::int32_t triedAway = 0; ///< and times that it came home because it was faster there.

  /// What is known of launches of quite another length by what is known of these: nothing of what
  /// they take.
  RegionHistory forAnotherLength() const;

  /// Guesses what an iteration takes at home by `other` launches, which are longer or shorter.
  /// Those that were distributed tell by how much iterations of either take longer.
  void guessHomeBy(const RegionHistory &other);

  /// Takes into account that so many iterations of a launch, which had to fetch nothing, were
  /// executed at home.
  void addSample(std::int64_t iterations, double seconds);

  /// Takes a run at home into account, which fetched about `bytes`.
  void addHome(const Machine &machine, std::int64_t iterations, double seconds, double bytes);

  /// Takes a distributed launch into account, planning included, which moved `bytes`. What moves at
  /// launch after launch is part of what a launch takes; what moved only to get there is not, and
  /// no more is `planned`: seconds to find out what later launches know.
  void addDistributed(const Machine &machine, std::int64_t iterations, double seconds, double bytes,
                      double planned = 0);
};

/// One launch to be decided on.
struct Proposal {
  std::int64_t iterations;
  double bytesTouched;      ///< By all iterations.
  double bytesToDistribute; ///< To be moved if it is distributed, from where the data is now.
  double bytesToStayHome;   ///< To be moved if it stays home.
  double bytesEachTime = 0; ///< To be moved whenever it is distributed, wherever the data is.
};

/// What one way to run a launch is expected to take. Units: seconds.
struct Prediction {
  double compute = 0;
  double transfers = 0; ///< From where the data is valid now.
  double overhead = 0;  ///< Of announcing the launch and hearing of its end.

  double total() const { return compute + transfers + overhead; }
};

/// Seconds that announcing a launch and hearing of its end take, however little it does.
double launchOverhead(const Machine &machine);

/// What a launch is expected to take that stays home, where computing it takes `compute`.
Prediction predictHome(const Machine &machine, double compute, const Proposal &proposal);

/// What a launch is expected to take that is distributed over `machine`, and that would take
/// `homeCompute` on rank 0 alone.
Prediction predictAway(const Machine &machine, double homeCompute, const Proposal &proposal);

/// Seconds that `iterations` take on rank 0 alone, by what is known so far.
double homeSeconds(const Machine &machine, const RegionHistory &history, std::int64_t iterations,
                   double bytesTouched);

/// So many first iterations of a launch are to be executed at home before it is decided where the
/// others are, if nothing else shows what they take: a launch with so many that all cores have
/// some. 0: there are too few of them.
std::int64_t sampleOf(std::int64_t iterations);

/// Whether a region is so short that no distribution can pay, whatever has to be moved.
bool isTooShort(const Machine &machine, const RegionHistory &history, std::int64_t iterations);

/// Whether to weigh distributing a region that is at home: a plan for that costs, and may take only
/// a small share of what the region takes itself.
bool isWorthALook(const RegionHistory &history);

/// Whether to distribute. Moving data pays only over several launches: every launch that stays
/// where the last one was, although it would gain by the other choice, adds its loss to
/// `history.regret`, and once that outweighs the move, the data moves.
///
/// What a region takes at home is tried now and then while it is away, where that is known to cost
/// little beside what the region has taken since.
bool isWorthDistributing(const Machine &machine, RegionHistory &history, const Proposal &proposal);

} // namespace tutti::balance
