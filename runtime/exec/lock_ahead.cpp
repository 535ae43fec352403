// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/lock_ahead.h"

#include "base/quiet_thread.h"

#include <algorithm>
#include <pthread.h>
#include <sys/mman.h>
#include <utility>

namespace tutti::exec {

namespace {

/// How long the thread sleeps before it looks for touched pages again: twice as
/// long each time that it finds none.
constexpr std::chrono::milliseconds kLeastPause{1};
constexpr std::chrono::milliseconds kMostPause{64};

/// And at least so many times as long as a look took: programs may allocate much that they never
/// touch.
constexpr int kPauses = 50;

constexpr std::uint64_t kBlock = LockedMemory::kBlock;

using Clock = std::chrono::steady_clock;

} // namespace

void LockAhead::allocated(Range bytes) {
  if (devices_.empty() || bytes.size() < kLeastBytes) {
    return;
  }
  const ScopedLock lock(mutex_);
  if (isEnding_.load(std::memory_order_relaxed)) {
    return;
  }
  bool isNew = false;
  for (std::uint64_t number = bytes.begin / kBlock; number * kBlock < bytes.end; ++number) {
    const Range part{std::max(bytes.begin, number * kBlock),
                     std::min(bytes.end, (number + 1) * kBlock)};
    RangeSet &known = allocated_[number];
    known = known.unite(RangeSet::of({part}));
    if (known.bytes() >= kBlock / 2 && !devices_.front()->isSettled(number)) {
      isNew = waiting_.insert(number).second || isNew;
    }
  }
  if (!isNew) {
    return;
  }
  pause_ = kLeastPause;
  if (!thread_.joinable()) {
    thread_ = startQuietThread([this] { run(); });
  }
  changed_.notifyAll();
}

void LockAhead::stop() {
  std::thread thread;
  {
    const ScopedLock lock(mutex_);
    isEnding_.store(true, std::memory_order_relaxed);
    thread = std::move(thread_);
    changed_.notifyAll();
  }
  if (thread.joinable()) {
    thread.join();
  }
}

void LockAhead::run() {
  pthread_setname_np(pthread_self(), "tutti-lock");
  RelockableLock lock(mutex_);
  while (!isEnding_.load(std::memory_order_relaxed)) {
    if (waiting_.empty()) {
      changed_.wait(mutex_);
      continue;
    }
    std::vector<std::pair<std::uint64_t, RangeSet>> blocks;
    for (const std::uint64_t number : waiting_) {
      blocks.emplace_back(number, allocated_.at(number));
    }
    lock.unlock();
    const auto begin = Clock::now();
    std::vector<std::uint64_t> done;
    for (const auto &[number, bytes] : blocks) {
      if (!isEnding_.load(std::memory_order_relaxed) && isTouched(bytes)) {
        bool isLocked = false;
        for (LockedMemory *device : devices_) {
          isLocked = device->lock(number) || isLocked;
        }
        if (!isLocked) { // Devices that lock nothing, or there is no more to be
                         // locked.
          isEnding_.store(true, std::memory_order_relaxed);
        }
        done.push_back(number);
      }
    }
    lock.lock();
    for (const std::uint64_t number : done) {
      waiting_.erase(number);
    }
    pause_ = done.empty() ? std::min(2 * pause_, kMostPause) : kLeastPause;
    const auto now = Clock::now();
    const Clock::duration pause = std::max<Clock::duration>(pause_, kPauses * (now - begin));
    if (!isEnding_.load(std::memory_order_relaxed)) {
      changed_.waitUntil(mutex_, now + (done.empty() ? pause : pause_));
    }
  }
}

/// Whether the program has touched all of it. Most blocks of which that is not so lack the last
/// page.
bool LockAhead::isTouched(const RangeSet &bytes) const {
  const std::uint64_t last = memory::pagesAround(bytes.hull()).end - memory::kPageBytes;
  return isPresent({last, last + memory::kPageBytes}) &&
         std::ranges::all_of(bytes.ranges(), [this](const Range &range) {
           return isPresent(memory::pagesAround(range));
         });
}

bool LockAhead::isPresent(Range pages) const {
  std::vector<unsigned char> flags(pages.size() / memory::kPageBytes);
  return ::mincore(window_.view(pages.begin), pages.size(), flags.data()) == 0 &&
         std::ranges::all_of(flags, [](unsigned char flag) { return (flag & 1) != 0; });
}

} // namespace tutti::exec
