// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/locked_memory.h"

#include "runtime/memory/huge_pages.h"

#include <algorithm>
#include <unistd.h>

namespace tutti::exec {

namespace {

/// A block is worth locking if this much of it is copied at once, ...
constexpr std::uint64_t kMuch = LockedMemory::kBlock / 2;

/// ... or if it has been copied so often. To lock a block that the host has
/// touched takes as long as what is lost by one copy of it by way of other
/// memory (50 ms for 1 GB, where that copy takes 70 to 100 and one by the
/// device 20).
constexpr std::uint64_t kOften = LockedMemory::kBlock;

/// Copies of less are not worth a look.
constexpr std::uint64_t kSmall = std::uint64_t{64} << 10;

/// Locked pages are nobody else's any more: no more than this part of the
/// machine's memory.
std::uint64_t mostLocked() {
  static const std::uint64_t most = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                    static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
  return most;
}

/// Calls `visit` for the part of each block.
template <typename Visit> Status forBlocks(Range range, Visit &&visit) {
  for (std::uint64_t begin = range.begin; begin < range.end;) {
    const std::uint64_t next = (begin / LockedMemory::kBlock + 1) * LockedMemory::kBlock;
    const Range run{begin, std::min(next, range.end)};
    TUTTI_TRY(visit(run));
    begin = run.end;
  }
  return {};
}

} // namespace

Status LockedMemory::forPieces(const RangeSet &bytes, const Copy &copy) {
  for (const Range &range : bytes.ranges()) {
    TUTTI_TRY(forBlocks(range, [&](Range run) {
      return copy(run, isLocked(run.begin / kBlock, run.size() >= kMuch));
    }));
  }
  return {};
}

/// Calls `copy` for pieces of `bytes`, and notes them.
Status LockedMemory::forOften(const RangeSet &bytes, const Copy &copy) {
  for (const Range &range : bytes.ranges()) {
    if (range.size() < kSmall) {
      TUTTI_TRY(copy(range, false));
      continue;
    }
    TUTTI_TRY(forBlocks(range, [&](Range run) {
      const std::uint64_t number = run.begin / kBlock;
      return copy(run, isLocked(number, isWorthLocking(number, run.size())));
    }));
  }
  return {};
}

Status LockedMemory::forRuns(Range host, const Copy &copy) {
  return forBlocks(host, [&](Range run) {
    const std::uint64_t number = run.begin / kBlock;
    return copy(run, isLocked(number, isWorthLocking(number, std::max(run.size(), kSmall))));
  });
}

bool LockedMemory::isLocked(Range host) const {
  const ScopedLock lock(mutex_);
  for (std::uint64_t number = host.begin / kBlock; number * kBlock < host.end; ++number) {
    const auto block = blocks_.find(number);
    if (block == blocks_.end() || block->second.state != State::Locked) {
      return false;
    }
  }
  return true;
}

/// Notes that bytes of a block are copied. Whether as many as a block has were
/// before.
bool LockedMemory::isWorthLocking(std::uint64_t number, std::uint64_t copied) {
  const ScopedLock lock(mutex_);
  Block &block = blocks_[number];
  const bool isOften = block.copied >= kOften;
  block.copied += copied;
  return isOften;
}

bool LockedMemory::isLocked(std::uint64_t number, bool isWorthIt) {
  {
    const ScopedLock lock(mutex_);
    const State state = blocks_[number].state;
    if (state != State::Open || !isWorthIt) {
      return state == State::Locked;
    }
  }
  return lock(number);
}

Status LockedMemory::copyIn(device::Queue &queue, const RangeSet &bytes, Reading reading) {
  if (ahead_ > 0 && ahead_ + bytes.bytes() > kMostAhead) {
    TUTTI_TRY(queue.finish());
    ahead_ = 0;
  }
  TUTTI_TRY(forOften(bytes, [&](Range run, bool isLocked) {
    ahead_ += isLocked ? run.size() : 0;
    return isLocked ? queue.copyInLocked(bytesOf(run), run.begin)
                    : queue.copyIn(bytesOf(run), run.begin);
  }));
  if (reading == Reading::Later || ahead_ == 0) {
    return {};
  }
  ahead_ = 0;
  return queue.finish();
}

Status LockedMemory::copyOut(device::Queue &queue, const RangeSet &bytes) {
  std::vector<std::uint64_t> fresh; // Blocks that nobody has touched where they are filled.
  for (const Range &range : bytes.ranges()) {
    if (range.size() < kSmall || isLocked(range)) {
      continue;
    }
    TUTTI_TRY(forBlocks(range, [&](Range run) -> Status {
      if (run.size() >= kMuch && memory::isFresh(window_, run)) {
        fresh.push_back(run.begin / kBlock);
      }
      return {};
    }));
    enlargePages(range); // At once, as threads are started for that.
  }
  return forOften(bytes, [&](Range run, bool isLocked) {
    // Huge pages that have just been made are locked in less time than bytes take by way of other
    // memory, and beside the copies of blocks before.
    const std::uint64_t number = run.begin / kBlock;
    const bool isHuge = rangeOf(number).contains(run) && // Short ranges may go on in the next one.
                        std::ranges::binary_search(fresh, number) &&
                        hasHugePages_.load(std::memory_order_relaxed);
    return isLocked || (isHuge && lock(number)) ? queue.copyOutLocked(run.begin, bytesOf(run))
                                                : queue.copyOut(run.begin, bytesOf(run));
  });
}

/// Before bytes are filled or locked.
void LockedMemory::enlargePages(Range bytes) {
  if (hasHugePages_.load(std::memory_order_relaxed) && !memory::makeHuge(window_, bytes)) {
    hasHugePages_.store(false, std::memory_order_relaxed);
  }
}

bool LockedMemory::lock(std::uint64_t number) {
  const Range range = rangeOf(number);
  {
    const ScopedLock lock(mutex_);
    Block &block = blocks_[number];
    if (block.state != State::Open) {
      return block.state == State::Locked;
    }
    if (!window_.contains(range) || locked_ + kBlock > mostLocked()) {
      block.state = State::Refused;
      return false;
    }
    block.state = State::BeingLocked;
    locked_ += kBlock;
  }
  enlargePages(range);
  const bool isDone{device_.lock(bytesOf(range))};
  const ScopedLock lock(mutex_);
  blocks_[number].state = isDone ? State::Locked : State::Refused;
  locked_ -= isDone ? 0 : kBlock;
  return isDone;
}

bool LockedMemory::isSettled(std::uint64_t number) const {
  const ScopedLock lock(mutex_);
  const auto block = blocks_.find(number);
  return block != blocks_.end() &&
         (block->second.state == State::Locked || block->second.state == State::Refused);
}

} // namespace tutti::exec
