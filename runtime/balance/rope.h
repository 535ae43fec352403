// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rope: loops that work on the same data are cut at the same borders, where their parts take
/// the same time on all places. Pure.
#pragma once

#include "runtime/balance/work.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tutti::balance {

/// Sum of all weights of a rope.
inline constexpr std::uint32_t kRopeLength = std::uint32_t{1} << 24;

/// A rope [0, 1) that is cut into one part per place. The parts have borders, told as weights.
///
/// Threading: externally synchronised.
class Rope {
public:
  /// `speeds`: a guess of each place's speed; they decide the first cut. `hardware`: by place,
  /// equal for those that share a device, 0 for those that share none; empty: none does.
  Rope(std::span<const double> speeds, Places kind, std::vector<std::uint64_t> hardware = {});

  /// Begins with the cut of another rope of as many places.
  void startAs(const Rope &other) {
    weights_ = other.weights_;
    borders_ = other.borders_;
  }

  /// One of the loops that are cut by this rope.
  using Loop = std::size_t;

  /// What a new cut costs a loop.
  struct Moves {
    double bytes;        ///< That the loop touches; a part of them changes places with a border.
    double bandwidth;    ///< Of such moves, in bytes per second.
    double planning = 0; ///< Seconds to find out what moves, where that was done once for many.
  };

  Loop addLoop();

  /// What each place gets; none is zero, their sum is about kRopeLength.
  std::span<const std::uint32_t> weights() const { return weights_; }

  /// Begin of each part as a fraction, and 1 at the end.
  std::span<const double> borders() const { return borders_; }

  /// Launches of `loop` have so many times as many iterations from now on.
  void scale(Loop loop, double factor) { loops_[loop].work.scale(factor); }

  /// One launch of a loop, cut as `parts` says, whose parts were timed, and `launches` of it since
  /// the latest one that was. Whether the rope has been cut anew.
  bool add(Loop loop, std::span<const PartTime> measured, std::int64_t launches,
           const Moves &moves);

  /// Seconds of the slowest part of one launch of each loop, and how long they would take if all
  /// parts took the same time.
  struct Length {
    double slowest = 0;
    double balanced = 0;
  };

  Length length() const;

  /// What a launch of `loop` would take on some places alone, from what was learned of them, were
  /// its parts balanced; 0 if nothing was. `uses`: by place. Units: seconds.
  double secondsOn(Loop loop, const std::vector<bool> &uses) const;

private:
  struct Member {
    Work work;
    double frequency = 0; ///< Launches between two looks at the rope, smoothed.
    double bytes = 0;
    double planning = 0;
  };

  struct Sum {
    std::vector<double> buckets;
    std::vector<double> speeds;
  };

  std::vector<PartTime> shared(std::span<const PartTime> parts) const;
  Sum sum() const;
  std::vector<double> wishedFor(const Sum &all) const;
  void take(const std::vector<double> &borders);
  static Length lengthOf(const Sum &all, std::span<const double> borders);
  static std::vector<double> bordersFor(const Sum &all);

  Places kind_;
  std::vector<std::uint64_t> hardware_;
  std::vector<double> guesses_;
  std::vector<std::uint32_t> weights_;
  std::vector<double> borders_;
  std::vector<double> first_; ///< The borders of the first cut.
  std::vector<Member> loops_;
  double lost_ = 0;         ///< Seconds that the present cut has cost,
  double extraAtFirst_ = 0; ///< and that the first cut would have taken longer meanwhile.
  double lossAtCut_ = 0;    ///< What the cut before it seemed to lose, as a fraction,
  double lossAfterCut_ = 0; ///< and the mean of what the present one did at first,
  std::int32_t judged_ = 0; ///< of so many times.
  std::int32_t futile_ = 0; ///< New cuts that lost about as much, less a part for each other one.
};

} // namespace tutti::balance
