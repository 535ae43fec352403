// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The one buffer that holds a device's mirror of the window: the low segment, then the high one.
///
/// OpenCL has no sparse buffers, so it reaches from the begin of the low segment to the last byte
/// in use, and moves to a larger one when that is not enough. Which bytes of it are in use, the
/// device knows.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/device/device.h"
#include "runtime/device/opencl/library.h"

#include <cstdint>

namespace tutti::device::opencl {

/// Threading: externally synchronised.
/// Ownership: context and queue outlive it.
class Arena {
public:
  struct Limits {
    std::uint64_t largest; ///< Of one buffer.
    std::uint64_t memory;  ///< Of the device.
    bool isLazy;           ///< Takes memory page by page, when it is touched: the host's does.
    std::uint64_t first;   ///< Wanted for the first buffer; 0: what seems best.
  };

  Arena(const Library &library, Context context, CommandQueue queue, const Segments &window,
        Limits limits)
      : library_(library), context_(context), queue_(queue), window_(window), limits_(limits) {}

  /// Where a range of one segment of the window lies in the buffer.
  Range offsetsOf(Range bytes) const;

  /// What to add to an address of a segment for its offset.
  std::uint64_t lowDistance() const { return 0 - window_.low.begin; }

  std::uint64_t highDistance() const { return window_.low.size() - window_.high.begin; }

  /// Whether the buffer reaches to `end`, an offset.
  bool reaches(std::uint64_t end) const { return end <= bytes_; }

  /// Makes it reach to `end` and keeps what `used` (addresses of the window) holds.
  ///
  /// Order:  nothing is under way in the buffer.
  /// Errors: OutOfMemory  the buffer is as it was.
  /// Cost:   blocks; copies `used`.
  Status grow(std::uint64_t end, const RangeSet &used);

  /// Gives all memory back.
  void clear();

  Memory buffer() const { return buffer_.get(); }

  std::uint64_t size() const { return bytes_; }

private:
  std::uint64_t ample(std::uint64_t end) const;
  Result<Owned<Memory>> allocate(std::uint64_t bytes);
  Status copyTo(Memory target, const RangeSet &used);

  const Library &library_;
  Context context_;
  CommandQueue queue_;
  Segments window_;
  Limits limits_;
  Owned<Memory> buffer_;
  std::uint64_t bytes_ = 0;
};

} // namespace tutti::device::opencl
