// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Page-locked memory that copies between host and device go through.
#pragma once

#include "base/result.h"
#include "runtime/device/cuda/context.h"

#include <cstddef>
#include <cstdint>

namespace tutti::device::cuda {

/// Bytes are taken at the front and given back at the back, in the order in which they were taken.
/// Positions only grow.
///
/// Threading: externally synchronised.
/// Ownership: the context outlives it.
class Staging {
public:
  /// In flight at once; and in one piece: enough pieces for the host to fill or empty one while
  /// the device is busy with others.
  static constexpr std::size_t kBytes = std::size_t{32} << 20;
  static constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

  explicit Staging(Context &context) : context_(context) {}

  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;
  ~Staging();

  /// A run of at most `kPieceBytes`, or null if so much is not free.
  ///
  /// Errors: OutOfMemory  the host has no memory to lock.
  /// Cost:   locks the memory at the first call: milliseconds.
  Result<std::byte *> take(std::size_t bytes);

  /// Behind everything that was taken.
  std::uint64_t front() const { return front_; }

  /// Gives back all that was taken before `position`.
  void giveBack(std::uint64_t position) { back_ = position; }

private:
  Context &context_;
  std::byte *memory_ = nullptr;
  std::uint64_t front_ = 0;
  std::uint64_t back_ = 0;
};

} // namespace tutti::device::cuda
