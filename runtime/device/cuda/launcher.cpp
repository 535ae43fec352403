// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/launcher.h"

#include "base/quiet_thread.h"
#include "base/spin_lock.h"
#include "runtime/device/cuda/kernel.h"

#include <algorithm>
#include <cstddef>

namespace tutti::device::cuda {

namespace {

using Clock = std::chrono::steady_clock;

/// Kernels after which it is asked how closely they came.
constexpr std::uint32_t kRow = 16;

/// Has this processor own the cache line at `place` soon.
void prefetchToWrite(const std::byte *place) {
#if defined(__x86_64__)
  // What the compiler has for it only reads where it does not know the processor.
  asm volatile("prefetchw %0" : : "m"(*place));
#else
  __builtin_prefetch(place, 1);
#endif
}

/// Waits until `isOver`, which another thread brings about as soon as it has a processor.
template <typename IsOver> void spinUntil(IsOver isOver) {
  constexpr int kBeforeYield = 1000;
  for (int turn = 0; !isOver(); ++turn) {
    if (turn < kBeforeYield) {
      relaxProcessor();
    } else {
      sched_yield();
    }
  }
}

} // namespace

Launcher::~Launcher() {
  if (!thread_.joinable()) {
    return;
  }
  {
    const ScopedLock lock(mutex_);
    ends_ = true;
  }
  woken_.notifyOne();
  thread_.join();
}

Status Launcher::launch(const KernelCall &call, std::span<const std::uint64_t> parameters) {
  if (comesClosely() && parameters.size() <= kMostParameters &&
      refusal_.load(std::memory_order_relaxed) == kSuccess) {
    enqueue(call, parameters);
    return {};
  }
  TUTTI_TRY(waits_ ? drainSlowly() : Status());
  if (const CUresult result = give(call, parameters)) {
    return context_.failed(result, "launch kernel {}", call.kernel->name());
  }
  return {};
}

/// Whether the last kernels did; looks at the clock once for all of them.
bool Launcher::comesClosely() {
  if (++row_ % kRow == 0) {
    const Clock::time_point now = Clock::now();
    isClose_ = row_ > kRow && now - began_ < kRow * close_;
    began_ = now;
  }
  return isClose_;
}

CUresult Launcher::give(const KernelCall &call, std::span<const std::uint64_t> parameters) const {
  std::size_t bytes = parameters.size_bytes();
  std::array<void *, 5> extra = {
      reinterpret_cast<void *>(kLaunchBuffer), const_cast<std::uint64_t *>(parameters.data()),
      reinterpret_cast<void *>(kLaunchBufferSize), &bytes, reinterpret_cast<void *>(kLaunchEnd)};
  const Library &cuda = context_.cuda();
  if (!call.overlaps) {
    return cuda.cuLaunchKernel(call.kernel->function(), call.groups[0], call.groups[1],
                               call.groups[2], call.group[0], call.group[1], call.group[2],
                               call.shared, stream_, nullptr, extra.data());
  }
  CUlaunchAttribute overlap{kLaunchSerialization, {}, {}};
  overlap.value.programmaticStreamSerializationAllowed = 1;
  const CUlaunchConfig config{.gridDimX = call.groups[0],
                              .gridDimY = call.groups[1],
                              .gridDimZ = call.groups[2],
                              .blockDimX = call.group[0],
                              .blockDimY = call.group[1],
                              .blockDimZ = call.group[2],
                              .sharedMemBytes = call.shared,
                              .hStream = stream_,
                              .attrs = &overlap,
                              .numAttrs = 1};
  return cuda.cuLaunchKernelEx(&config, call.kernel->function(), nullptr, extra.data());
}

void Launcher::enqueue(const KernelCall &call, std::span<const std::uint64_t> parameters) {
  if (!thread_.joinable()) {
    orders_.resize(kRoom);
    thread_ = startQuietThread([this] { run(); });
  }
  const std::uint64_t number = given_.load(std::memory_order_relaxed);
  if (number - seenDone_ >= kRoom) {
    spinUntil([&] {
      seenDone_ = done_.load(std::memory_order_acquire);
      return number - seenDone_ < kRoom;
    });
  }
  Order &order = orders_[number % kRoom];
  order.call = call;
  order.count = parameters.size();
  std::copy(parameters.begin(), parameters.end(), order.parameters.begin());
  waits_ = true;
  given_.store(number + 1, std::memory_order_seq_cst);
  if (isAsleep_.load(std::memory_order_seq_cst)) {
    wake();
  }
  prefetch(number + 1, parameters.size());
}

/// Has this processor own the place of an order of so many parameters, which the thread's has read
/// last, by the time that the order is written: the store that gives it waits for that.
void Launcher::prefetch(std::uint64_t number, std::size_t count) const {
  constexpr std::size_t kLine = 64;
  const auto *const place = reinterpret_cast<const std::byte *>(&orders_[number % kRoom]);
  const std::size_t bytes = offsetof(Order, parameters) + count * sizeof(std::uint64_t);
  for (std::size_t line = 0; line < bytes + kLine; line += kLine) {
    prefetchToWrite(place + std::min(line, bytes - 1));
  }
}

void Launcher::wake() {
  {
    const ScopedLock lock(mutex_);
    isAsleep_.store(false, std::memory_order_relaxed);
  }
  woken_.notifyOne();
}

Status Launcher::drainSlowly() {
  const std::uint64_t given = given_.load(std::memory_order_relaxed);
  spinUntil([&] { return done_.load(std::memory_order_acquire) == given; });
  waits_ = false;
  if (const CUresult result = refusal_.exchange(kSuccess, std::memory_order_relaxed)) {
    return context_.failed(result, "launch kernel {}", refused_->name());
  }
  return {};
}

void Launcher::run() {
  const CUresult entered = context_.makeCurrent();
  for (std::uint64_t done = 0; awaitOrder(done); ++done) {
    const Order &order = orders_[done % kRoom];
    if (refusal_.load(std::memory_order_relaxed) == kSuccess) {
      const CUresult result =
          entered ? entered : give(order.call, std::span(order.parameters).first(order.count));
      if (result != kSuccess) {
        refused_ = order.call.kernel;
        refusal_.store(result, std::memory_order_relaxed);
      }
    }
    done_.store(done + 1, std::memory_order_release);
  }
}

/// Whether there is an order behind so many; false at the end of the thread.
bool Launcher::awaitOrder(std::uint64_t done) {
  constexpr int kPatience = 1000; // Some 50 us.
  while (true) {
    for (int turn = 0; turn < kPatience; ++turn) {
      if (given_.load(std::memory_order_acquire) > done) {
        return true;
      }
      relaxProcessor();
    }
    const ScopedLock lock(mutex_);
    if (ends_) {
      return false;
    }
    isAsleep_.store(true, std::memory_order_seq_cst);
    if (given_.load(std::memory_order_seq_cst) == done) {
      woken_.wait(mutex_);
    }
    isAsleep_.store(false, std::memory_order_relaxed);
  }
}

} // namespace tutti::device::cuda
