// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/copier.h"

#include <algorithm>
#include <cstring>
#include <sched.h>

namespace tutti::device::cuda {

namespace {

/// Below, waking helpers takes longer than copying.
constexpr std::size_t kWorthHelp = std::size_t{1} << 20;

/// More do not make memory faster.
constexpr unsigned kMostThreads = 8;

constexpr std::size_t kLine = 64;

} // namespace

Copier::~Copier() {
  {
    const ScopedLock lock(mutex_);
    ends_ = true;
  }
  given_.notifyAll();
  for (std::thread &helper : helpers_) {
    helper.join();
  }
}

unsigned Copier::sensibleThreads() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const unsigned count = ::sched_getaffinity(0, sizeof cores, &cores) == 0
                             ? static_cast<unsigned>(CPU_COUNT(&cores))
                             : std::thread::hardware_concurrency();
  return std::clamp(count / 2, 1U, kMostThreads);
}

void Copier::copy(std::byte *target, const std::byte *source, std::size_t bytes) {
  if (bytes < kWorthHelp || threads_ < 2) {
    std::memcpy(target, source, bytes);
    return;
  }
  if (helpers_.empty()) {
    start();
  }
  const Work work{target, source, bytes};
  {
    const ScopedLock lock(mutex_);
    work_ = work;
    busy_ = static_cast<unsigned>(helpers_.size());
    ++round_;
  }
  given_.notifyAll();
  copyPart(work, 0);
  const ScopedLock lock(mutex_);
  while (busy_ > 0) {
    done_.wait(mutex_);
  }
}

void Copier::start() {
  for (unsigned number = 1; number < threads_; ++number) {
    helpers_.emplace_back([this, number] { help(number); });
  }
}

void Copier::help(unsigned number) {
  std::uint64_t seen = 0;
  RelockableLock lock(mutex_);
  while (true) {
    while (!ends_ && round_ == seen) {
      given_.wait(mutex_);
    }
    if (ends_) {
      return;
    }
    seen = round_;
    const Work work = work_;
    lock.unlock();
    copyPart(work, number);
    lock.lock();
    if (--busy_ == 0) {
      done_.notifyOne();
    }
  }
}

void Copier::copyPart(const Work &work, unsigned number) const {
  const std::size_t share = (work.bytes / threads_ + kLine - 1) / kLine * kLine;
  const std::size_t begin = std::min(work.bytes, share * number);
  const std::size_t end = number + 1 == threads_ ? work.bytes : std::min(work.bytes, begin + share);
  std::memcpy(work.target + begin, work.source + begin, end - begin);
}

} // namespace tutti::device::cuda
