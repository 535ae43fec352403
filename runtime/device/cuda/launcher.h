// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A thread that gives the kernels of one stream to the driver, so that who asks for them can
/// prepare the next one meanwhile:
///
///   who asks | prepares 1 | prepares 2 | prepares 3 |
///   launcher              | gives 1    | gives 2    | gives 3 |
///
/// The driver's call takes as long as what leads to it, and a small kernel less than both. A kernel
/// that comes alone would start later by this way, so only those take it that follow each other
/// closely.
#pragma once

#include "base/mutex.h"
#include "base/result.h"
#include "runtime/device/cuda/context.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace tutti::device::cuda {

class CudaKernel;

/// What the driver is told of a kernel, but for its parameters.
struct KernelCall {
  const CudaKernel *kernel;
  std::array<unsigned, 3> groups;
  std::array<unsigned, 3> group;
  unsigned shared;       ///< Dynamic shared memory of a group, in bytes.
  bool overlaps = false; ///< It may begin before the one before it in the stream has ended.
};

/// Threading: externally synchronised, with its stream.
/// Ownership: the context outlives it; kernels outlive the next `drain`.
class Launcher {
public:
  /// `close`: kernels follow each other closely that come so soon after each other.
  Launcher(Context &context, std::chrono::nanoseconds close = std::chrono::microseconds(20))
      : context_(context), close_(close) {}

  Launcher(const Launcher &) = delete;
  Launcher &operator=(const Launcher &) = delete;
  ~Launcher();

  /// The stream of all kernels. Order: before the first of them.
  void setStream(CUstream stream) { stream_ = stream; }

  /// Gives the driver a kernel, now or soon.
  ///
  /// Errors: what the driver says of it, or of one before it.
  /// Cost:   the driver's call, or that of a copy; blocks while too many kernels wait.
  Status launch(const KernelCall &call, std::span<const std::uint64_t> parameters);

  /// Returns when the driver has all kernels; before the stream is given anything else.
  ///
  /// Errors: what the driver says of one of them; it was given none behind that one.
  /// Cost:   a comparison if no kernel waits.
  Status drain() {
    row_ = 0;
    isClose_ = false;
    return waits_ ? drainSlowly() : Status();
  }

private:
  static constexpr std::size_t kMostParameters = 56;

  /// Kernels that may wait. The driver takes a thousand itself.
  static constexpr std::size_t kRoom = 64;

  struct Order {
    KernelCall call;
    std::size_t count;
    std::array<std::uint64_t, kMostParameters> parameters;
  };

  bool comesClosely();
  CUresult give(const KernelCall &call, std::span<const std::uint64_t> parameters) const;
  void enqueue(const KernelCall &call, std::span<const std::uint64_t> parameters);
  void prefetch(std::uint64_t number, std::size_t count) const;
  Status drainSlowly();
  void wake() TUTTI_EXCLUDES(mutex_);
  void run();
  bool awaitOrder(std::uint64_t done) TUTTI_EXCLUDES(mutex_);

  Context &context_;
  std::chrono::nanoseconds close_;
  CUstream stream_ = nullptr;
  std::uint32_t row_ = 0; ///< Kernels since the stream was given anything else.
  std::chrono::steady_clock::time_point began_; ///< When the last kernels were looked at.
  bool isClose_ = false;                        ///< They came closely.
  bool waits_ = false; ///< Kernels were left to the thread since it was waited for.

  std::vector<Order> orders_;  ///< The n-th one is at n modulo the room.
  std::uint64_t seenDone_ = 0; ///< Of `done_`: to look costs as long as the other processor takes.
  /// Orders that were given to the thread, and that it has done. An order's content is visible to
  /// who sees it given, and its place is free to who sees it done.
  alignas(64) std::atomic<std::uint64_t> given_ = 0;
  alignas(64) std::atomic<std::uint64_t> done_ = 0;
  /// Of the first that the driver refused; it is given none after that. Visible to who sees the
  /// order done.
  alignas(64) std::atomic<CUresult> refusal_ = kSuccess;
  const CudaKernel *refused_ = nullptr;

  Mutex mutex_;
  Condition woken_;
  /// The thread waits to be woken. Changed by who holds the mutex. Either this thread sees an order
  /// given after it has set this, or who gave the order sees this set.
  std::atomic<bool> isAsleep_ = false;
  bool ends_ TUTTI_GUARDED_BY(mutex_) = false;
  std::thread thread_; ///< Starts when it is first needed.
};

} // namespace tutti::device::cuda
