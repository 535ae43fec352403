// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A rope of beads that is cut into one segment for each rank, where the work of every bead is
/// measured: when the borders between segments move, and where to. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tutti::balance {

/// Where each segment begins, and the end of the last one, in buckets.
using Borders = std::vector<std::int32_t>;

/// Work of the segment that has most, and of all of them on average.
struct SegmentLoad {
  double most = 0;
  double mean = 0;
};

/// Shape: `borders` do not decrease, and begin and end with the buckets.
SegmentLoad loadOf(std::span<const double> buckets, const Borders &borders);

/// Borders of `segments` segments, of which the one with most has about as little as it can have.
Borders evenBorders(std::span<const double> buckets, std::int32_t segments);

/// Follows the work of a rope whose beads are run again and again.
///
/// Borders move when even ones would shorten a round by more than a tenth, and by more than twice
/// of what segments differ by from one round to the next, and once the rounds since the latest move
/// have lost what a move costs: a load that only trembles moves nothing. And they would have
/// shortened both of the latest two rounds by a tenth: what comes once, as the first use of memory
/// does, at the begin and after a move, is no load.
///
/// Threading: externally synchronised.
class Segments {
public:
  /// `moveSeconds`: what moving borders costs about.
  Segments(Borders first, double moveSeconds)
      : borders_(std::move(first)), moveSeconds_(moveSeconds) {}

  /// A round is over, in which the buckets took so long. Whether borders have moved.
  bool add(std::span<const double> buckets);

  const Borders &borders() const { return borders_; }

  /// Of the latest round, at the borders before it was told.
  const SegmentLoad &load() const { return load_; }

private:
  void learn(std::span<const double> buckets);
  double saving(std::span<const double> buckets, const Borders &even) const;

  Borders borders_;
  double moveSeconds_;
  SegmentLoad load_;
  double lost_ = 0;
  double noise_ = 0;             ///< Difference between rounds, as a fraction of a segment.
  std::vector<double> previous_; ///< Buckets of the round before
  std::vector<double> latest_;   ///< the latest one, of that,
  std::vector<double> smooth_;   ///< and smoothed.
};

} // namespace tutti::balance
