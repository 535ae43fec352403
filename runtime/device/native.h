// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What all backends check of a kernel that the user wrote before they run it, in words for its
/// author; and what some know of its code.
#pragma once

#include "runtime/device/device.h"

#include <cstdint>
#include <string_view>

namespace tutti::device {

/// What a launch is checked against. Borrows its strings.
struct NativeLimits {
  std::string_view kernel;
  std::string_view device; ///< As messages call it.
  const Info &info;
  std::uint32_t maxGroup;       ///< Of the kernel.
  std::uint64_t localBytes = 0; ///< Local memory that a group of the kernel has by itself.
};

/// Errors: InvalidArgument  the device does not take so many groups, work-items of a group or bytes
///         of local memory.
Status checkNative(const NativeLaunch &launch, const NativeLimits &limits);

/// The address that a pointer among the arguments holds; `index` is its number in the launch.
///
/// Errors: InvalidArgument  it is not as long as a pointer.
Result<std::uint64_t> pointerOf(const NativeLaunch &launch, std::size_t index,
                                std::string_view kernel);

/// Errors: InvalidArgument  the launch does not have as many arguments as the kernel parameters.
Status checkArgumentCount(const NativeLaunch &launch, std::size_t parameters,
                          std::string_view kernel);

/// A kernel that the user wrote and whose code is known.
class KnownCode {
public:
  /// Bytes that a run of the kernel writes without fail, whatever they were: it reads none of them.
  /// In the window if arguments that are translated point there. Empty if nothing is known.
  virtual RangeSet surelyWritten(const NativeLaunch &launch) const = 0;

protected:
  KnownCode() = default;
  ~KnownCode() = default;
};

/// The same of a launch, whatever is known of its kernel.
RangeSet surelyWritten(const NativeLaunch &launch);

} // namespace tutti::device
