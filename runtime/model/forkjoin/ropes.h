// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The ropes of a job: which loops are cut together, when their parts are timed, and what the times
/// teach. Sends nothing.
#pragma once

#include "runtime/balance/rope.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/placement.h"
#include "runtime/memory/topology.h"
#include "runtime/protocol/times.h"

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <vector>

namespace tutti::model::forkjoin {

/// Loops of about the same length on the same places that are launched in turn: most of them work
/// on the same data, and a border that differs from one to the next would move it at each launch.
struct SharedRope {
  std::vector<memory::Place> places;
  std::int64_t total; ///< Of the first loop.
  balance::Rope rope;
  std::int32_t cuts = 0;     ///< Times that it has been cut anew.
  bool isAsGuessed = true;   ///< The weights of the shares are its first cut.
  std::int64_t launches = 0; ///< Of the loop that has been launched most often.
  std::int64_t lessons = 0;  ///< Launches whose times have been taken into account.
};

/// Whether loops of these lengths may work on the same data.
inline bool isSameLength(std::int64_t one, std::int64_t other) {
  constexpr double kTolerated = 0.02;
  return static_cast<double>(std::abs(one - other)) <= kTolerated * static_cast<double>(one);
}

/// Launches of a loop after which one that has not been launched yet does not take turns with it.
inline constexpr std::int64_t kTurns = 3;

/// What a loop knows of its rope.
///
/// Threading: externally synchronised.
struct RopeHistory {
  SharedRope *rope = nullptr;
  balance::Rope::Loop loop = 0;
  std::int64_t launches = 0;
  std::int64_t untimed = 0;  ///< Launches since the latest that was timed,
  double seconds = 0;        ///< what they took, as far as that is known,
  std::int32_t timed = 0;    ///< launches that were, since the latest cut,
  std::int32_t roughly = 0;  ///< those that moved data and were timed all the same,
  double total = 0;          ///< iterations of the latest whose times are known,
  double onCores = 0;        ///< and seconds that the latest slowest part on a host took;
  double planning = 0;       ///< seconds to make a plan of those that are used again,
  std::int32_t cutsSeen = 0; ///< and the cuts of the rope until then.
  std::int64_t lessons = -1; ///< Lessons of the rope after which hosts alone were thought
  double onHosts = 0;        ///< to take so many seconds for an iteration.
  bool isRough = false;      ///< The launch that is to be timed moves data.
};

/// Threading: externally synchronised.
class Ropes {
public:
  /// `devices`: of all ranks, in the order of places. `threads`: of each rank.
  Ropes(const memory::Topology &topology, const std::vector<exec::DeviceTraits> &devices,
        std::int32_t threads)
      : topology_(topology), devices_(devices), threads_(threads) {}

  /// Sets the weights of `shares` as the rope of the loop is cut. Cores beside devices get nothing
  /// if one iteration takes a core longer than the launch takes without them.
  void cut(RopeHistory &history, std::vector<exec::Share> &shares, std::int64_t total);

  /// Whether the parts of a launch are to be timed: the first few of a cut, then now and then.
  /// `waits`: for their end, so that devices idle; that is done more seldom. `moves`: data, so that
  /// devices take less than they seem to; that is done for the first launches alone, on cores and
  /// devices.
  bool isToBeTimed(RopeHistory &history, const std::vector<exec::Share> &shares, bool waits,
                   bool moves) const;

  /// Whether the cut of a loop has been timed a few times since it was last changed.
  bool isSettled(const RopeHistory &history) const;

  /// What a launch of so many iterations would take on the hosts alone at least, from what parts
  /// took, less what it may be to start cores; 0 if that is not known. Units: seconds.
  double secondsOnHosts(RopeHistory &history, std::int64_t total) const;

  /// The same with all that parts took, of which much may have been to start cores.
  double secondsSuspectedOnHosts(RopeHistory &history, std::int64_t total) const;

  /// What the parts of such a launch would take on all places of its loop, did they take the same
  /// time; 0 if that is not known. Units: seconds.
  double secondsBalanced(const RopeHistory &history, std::int64_t total) const;

  /// Notes a launch whose parts are being timed. `bytes`: that it touches.
  void begins(RopeHistory &history, const exec::Launch &launch, double bytes);

  /// Whether times of any launch are still to come.
  bool awaitsTimes() const { return !timed_.empty(); }

  /// Whether those of a launch of this loop are, and it should not be launched again before they
  /// have: nobody knows yet how many times as long the cores take.
  bool needsTimes(const RopeHistory &history) const;

  /// Takes the times of a launch into account; whether its rope has been cut anew. `bandwidth`: of
  /// moves between places, in bytes per second.
  bool learn(const protocol::LaunchTimes &times, double bandwidth);

private:
  struct Timed {
    RopeHistory *history;
    std::vector<balance::PartTime> parts; ///< Whose `place` is the index of the share.
    std::vector<memory::Place> places;
    std::int64_t launches;
    double total; ///< Iterations.
    double bytes;
    bool isRough;
  };

  std::vector<double> speedsAtFirst(const std::vector<exec::Share> &shares, double total) const;
  SharedRope &ropeFor(const std::vector<exec::Share> &shares, std::int64_t total);
  bool isTooLittle(double iterations, double share) const;
  std::vector<std::uint64_t> hardwareOf(const std::vector<exec::Share> &shares) const;
  bool isGpu(const exec::Share &share) const;
  bool areAlike(const std::vector<exec::Share> &shares) const;
  bool isHybrid(const std::vector<memory::Place> &places) const;
  bool areCoresSlow(const protocol::LaunchTimes &times) const;

  const memory::Topology &topology_;
  const std::vector<exec::DeviceTraits> &devices_;
  double threads_;
  std::deque<SharedRope> ropes_; ///< Their addresses stay.
  std::map<exec::Sequence, Timed> timed_;
};

} // namespace tutti::model::forkjoin
