// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/native.h"

#include <array>
#include <cstring>

namespace tutti::device {

namespace {

constexpr std::array<std::string_view, 3> kDimensions{"x", "y", "z"};

Status checkDimension(const Grid &grid, std::size_t d, const NativeLimits &limits) {
  if (grid.groups[d] < 1 || grid.group[d] < 1) {
    return failure(ErrorCode::InvalidArgument,
                   "kernel {}: {} groups of {} work-items in dimension {}, where it takes one at "
                   "least",
                   limits.kernel, grid.groups[d], grid.group[d], kDimensions[d]);
  }
  if (grid.groups[d] > limits.info.maxGroups[d]) {
    return failure(ErrorCode::InvalidArgument,
                   "kernel {}: {} groups in dimension {}; {} takes {} at most", limits.kernel,
                   grid.groups[d], kDimensions[d], limits.device, limits.info.maxGroups[d]);
  }
  if (grid.group[d] > limits.info.maxGroupOf[d]) {
    return failure(ErrorCode::InvalidArgument,
                   "kernel {}: groups of {} work-items in dimension {}; {} takes {} at most",
                   limits.kernel, grid.group[d], kDimensions[d], limits.device,
                   limits.info.maxGroupOf[d]);
  }
  return {};
}

} // namespace

Status checkNative(const NativeLaunch &launch, const NativeLimits &limits) {
  const Grid &grid = launch.grid;
  std::uint64_t size = 1; // Each dimension is far below 2^21.
  for (std::size_t d = 0; d < grid.groups.size(); ++d) {
    TUTTI_TRY(checkDimension(grid, d, limits));
    size *= grid.group[d];
  }
  if (size > limits.maxGroup) {
    return failure(ErrorCode::InvalidArgument,
                   "kernel {}: groups of {} x {} x {} = {} work-items; {} takes {} at most of this "
                   "kernel",
                   limits.kernel, grid.group[0], grid.group[1], grid.group[2], size, limits.device,
                   limits.maxGroup);
  }
  const std::uint64_t own = limits.localBytes;
  if (launch.localBytes > 0 &&
      (own > limits.info.localBytes || launch.localBytes > limits.info.localBytes - own)) {
    return failure(
        ErrorCode::InvalidArgument,
        "kernel {}: {} bytes of shared (local) memory for a group, beside {} of its own; "
        "{} has {}",
        limits.kernel, launch.localBytes, own, limits.device, limits.info.localBytes);
  }
  return {};
}

Result<std::uint64_t> pointerOf(const NativeLaunch &launch, std::size_t index,
                                std::string_view kernel) {
  const NativeArgument &argument = launch.arguments[index];
  std::uint64_t address = 0;
  if (argument.bytes != sizeof address) {
    return failure(ErrorCode::InvalidArgument,
                   "kernel {}: argument {} is to be a pointer, but has {} bytes", kernel, index + 1,
                   argument.bytes);
  }
  std::memcpy(&address, argument.value, sizeof address);
  return address;
}

Status checkArgumentCount(const NativeLaunch &launch, std::size_t parameters,
                          std::string_view kernel) {
  if (launch.arguments.size() == parameters) {
    return {};
  }
  return failure(ErrorCode::InvalidArgument,
                 "kernel {}: the declaration that the task was made by has {} parameters, the "
                 "kernel {}",
                 kernel, launch.arguments.size(), parameters);
}

RangeSet surelyWritten(const NativeLaunch &launch) {
  const auto *const known = dynamic_cast<const KnownCode *>(launch.kernel);
  return known ? known->surelyWritten(launch) : RangeSet();
}

} // namespace tutti::device
