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
/// Borders that one round calls even are tried on the next one, as chance does not come twice: what
/// they would have saved of it beyond a twentieth is evidence, what falls short of that takes
/// evidence away. Borders move once there is well more evidence than savings have jumped of late,
/// and once the rounds have lost what a move costs. So a peak that wanders is followed soon, as
/// savings grow slowly then, and a jump after some rounds. What goes again moves nothing: the first
/// use of memory, or others on a segment's processor.
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
  double saving(std::span<const double> buckets, const Borders &others) const;

  Borders borders_;
  Borders even_; ///< What the latest round calls even.
  double moveSeconds_;
  SegmentLoad load_;
  double lost_ = 0;     ///< Since there is evidence.
  double evidence_ = 0; ///< Parts of rounds that would have been saved, beyond a twentieth each.
  double saved_ = 0;    ///< Of the latest round.
  double noise_ = 0;    ///< The largest jump of savings, the less the longer ago.
};

} // namespace tutti::balance
