// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the parts of a loop take: how its work lies along its iterations, and how fast the places
/// are that run it. Both are learned from the times of parts. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace tutti::balance {

/// Parts that take less take what starting them takes, whatever they do. Units: seconds.
inline constexpr double kShortestPart = 20e-6;

/// The time of one part of a launch. Where it lies is told as fractions of the loop, so that
/// launches of other lengths can be compared.
struct PartTime {
  std::int32_t place; ///< An index, the same at each launch.
  double lower;       ///< In [0, 1].
  double upper;       ///< In [lower, 1].
  double seconds;     ///< Of the part.
};

/// Which part of a difference between places counts as a difference of their speeds. The rest
/// counts as a difference of what they were given.
enum class Places {
  Alike,  ///< As the hosts of a cluster: the work differs, as long as nothing else is shown.
  Unlike, ///< As a GPU and a host.
};

/// The work of one loop.
///
/// A part takes its share of the work divided by the speed of its place. One launch does not tell
/// whether a place is slow or was given much, but launches that were cut at other borders do: the
/// latest of them are remembered until a later cut has been timed a few times, and the estimate is
/// the one that explains them, found by going over them and scaling what they disagree with
/// (multiplicative algebraic reconstruction).
/// Source: hycomp.txt section 3, Eq. 1-3, whose power factors are the speeds.
///
/// Threading: externally synchronised.
class Work {
public:
  /// `speeds`: a guess for each place.
  Work(std::span<const double> speeds, Places kind);

  /// From now on launches take so many times as long, as there are so many times as many iterations
  /// in them.
  void scale(double factor);

  /// Learns from a launch that moved next to nothing. Parts that took no time say nothing.
  void add(std::span<const PartTime> launch);

  bool isKnown() const { return !launches_.empty(); }

  std::int32_t places() const { return static_cast<std::int32_t>(speeds_.size()); }

  /// Of a place, in relation to the others.
  double speed(std::int32_t place) const { return speeds_[static_cast<std::size_t>(place)]; }

  /// By how much times of the same cut differ from one launch to the next, as a fraction of them.
  double noise() const { return noise_; }

  /// How often the latest cut has been timed.
  std::int32_t timesOfLatest() const { return launches_.empty() ? 0 : launches_.back().times; }

  /// Work along the loop: buckets of equal length. Units: seconds of a place of speed 1.
  std::span<const double> buckets() const { return buckets_; }

private:
  struct Launch {
    std::vector<PartTime> parts;
    std::int32_t times = 1;
    std::int32_t doubts = 0; ///< Times in a row that the same cut took quite another time.
  };

  struct Difference {
    double most;    ///< Largest factor by which a part's times differ.
    double average; ///< Of the parts' differences, as fractions.
  };

  static Difference differenceOf(std::span<const PartTime> launch,
                                 std::span<const PartTime> before);
  bool isRepeated(std::span<const PartTime> launch);
  bool isDoubted(std::span<const PartTime> launch, const Difference &difference);
  void fit(const Launch &launch);
  double workOf(const PartTime &part) const;
  void scaleBuckets(const PartTime &part, double factor);

  double noise_ = 0.03;
  double seenNoise_ = 0;          ///< The same without a first guess, and without what was doubted.
  double trusted_ = 0;            ///< The noise before the latest doubt.
  std::vector<PartTime> doubted_; ///< The launch that was doubted last.
  double speedShare_;             ///< Of a difference; see Places.
  double doubt_;                  ///< How fast speeds become guesses again.
  std::vector<double> guesses_;   ///< Of speeds.
  std::vector<double> speeds_;
  std::vector<double> buckets_;
  std::deque<Launch> launches_; ///< That differ in their cuts; the latest last.
};

/// Sum of what the work of a loop takes between two fractions of it.
///
/// Shape: `buckets` not empty, 0 <= lower <= upper <= 1.
double workBetween(std::span<const double> buckets, double lower, double upper);

} // namespace tutti::balance
