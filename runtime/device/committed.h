// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which bytes of the window a device has memory for. Book-keeping only, for backends whose own
/// memory does not tell.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/device/device.h"

#include <cstdint>

namespace tutti::device {

/// Bytes of the window that are committed, in granules: aligned blocks, cut off at the ends of a
/// segment.
///
/// Threading: externally synchronised.
class Committed {
public:
  /// `granule` is a power of two.
  Committed(const Segments &window, std::uint64_t granule) : window_(window), granule_(granule) {}

  const Segments &window() const { return window_; }

  std::uint64_t granule() const { return granule_; }

  /// The granules that hold `bytes`.
  /// Errors: InvalidArgument  not all of it lies in one segment.
  Result<Range> around(Range bytes) const;

  /// The granules that lie wholly in `bytes`; may be empty.
  /// Errors: as for `around`.
  Result<Range> inside(Range bytes) const;

  /// Whether all of `bytes` is committed. Cost: logarithmic in the number of runs.
  bool holds(Range bytes) const;

  /// As `holds`, for operations on `bytes`.
  /// Errors: InvalidArgument  it does not.
  Status require(Range bytes) const;

  /// Both take what `around` and `inside` gave.
  void add(Range granules) { ranges_ = ranges_.unite(RangeSet::of({granules})); }

  void remove(Range granules) { ranges_ = ranges_.subtract(RangeSet::of({granules})); }

  const RangeSet &ranges() const { return ranges_; }

private:
  Result<Range> segmentOf(Range bytes) const;

  Segments window_;
  std::uint64_t granule_;
  RangeSet ranges_;
};

} // namespace tutti::device
