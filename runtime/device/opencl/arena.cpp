// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/arena.h"

#include "runtime/device/opencl/status.h"

#include <algorithm>

namespace tutti::device::opencl {

namespace {

constexpr std::uint64_t kLeastBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kStep = 1 << 16;

Error full(std::uint64_t bytes, const std::string &reason) {
  return failure(ErrorCode::OutOfMemory, "the device gives no buffer of {} bytes: {}", bytes,
                 reason);
}

} // namespace

Range Arena::offsetsOf(Range bytes) const {
  const std::uint64_t distance = window_.low.contains(bytes) ? lowDistance() : highDistance();
  return {bytes.begin + distance, bytes.end + distance};
}

Status Arena::grow(std::uint64_t end, const RangeSet &used) {
  if (end > limits_.largest) {
    return full(end, fmt::format("it has at most {} in one buffer", limits_.largest));
  }
  const std::uint64_t wanted = (std::max(end, ample(end)) + kStep - 1) & ~(kStep - 1);
  std::uint64_t bytes = std::min(wanted, limits_.largest);
  Result<Owned<Memory>> larger = allocate(bytes);
  if (!larger && bytes > end) {
    bytes = end;
    larger = allocate(bytes);
  }
  if (!larger) {
    return std::move(larger).error();
  }
  TUTTI_TRY(copyTo(larger->get(), used));
  buffer_ = std::move(*larger);
  bytes_ = bytes;
  return {};
}

/// Bytes to ask for where `end` are needed.
std::uint64_t Arena::ample(std::uint64_t end) const {
  if (limits_.first > 0 && !buffer_) {
    return limits_.first;
  }
  if (limits_.first == 0 && limits_.isLazy) {
    return limits_.memory / 4 * 3; // It costs nothing; the rest is for other buffers.
  }
  // About twice, so that a heap that grows is not copied each time, but no large part of the device
  // for nothing.
  const std::uint64_t spare = std::min(end, limits_.memory / 8);
  return limits_.first > 0 ? end + spare : std::max(end + spare, kLeastBytes);
}

void Arena::clear() {
  buffer_.reset();
  bytes_ = 0;
}

Result<Owned<Memory>> Arena::allocate(std::uint64_t bytes) {
  Int code = kSuccess;
  Owned<Memory> buffer(library_.createBuffer(context_, kMemReadWrite, bytes, nullptr, &code),
                       library_.releaseMemObject);
  if (code != kSuccess) {
    return full(bytes, "clCreateBuffer: " + nameOf(code));
  }
  // Drivers allocate at the first use; then it would be a kernel that fails.
  const std::uint32_t zero = 0;
  code = library_.enqueueFillBuffer(queue_, buffer.get(), &zero, sizeof zero,
                                    (bytes - sizeof zero) & ~std::uint64_t{3}, sizeof zero, 0,
                                    nullptr, nullptr);
  if (code == kSuccess) {
    code = library_.finish(queue_);
  }
  if (code != kSuccess) {
    return full(bytes, "clEnqueueFillBuffer: " + nameOf(code));
  }
  return buffer;
}

Status Arena::copyTo(Memory target, const RangeSet &used) {
  if (!buffer_) {
    return {};
  }
  for (const Range &run : used.ranges()) {
    const Range offsets = offsetsOf(run);
    TUTTI_TRY(
        statusOf(library_.enqueueCopyBuffer(queue_, buffer_.get(), target, offsets.begin,
                                            offsets.begin, offsets.size(), 0, nullptr, nullptr),
                 "clEnqueueCopyBuffer"));
  }
  return statusOf(library_.finish(queue_), "clFinish");
}

} // namespace tutti::device::opencl
