// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/locked_memory.h"

#include <algorithm>
#include <unistd.h>

namespace tutti::exec {

namespace {

/// A block is worth locking if this much of it is copied at once, ...
constexpr std::uint64_t kMuch = LockedMemory::kBlock / 2;

/// ... or if it has been copied so often. To lock a block that the host has touched takes as long
/// as what is lost by one copy of it by way of other memory (50 ms for 1 GB, where that copy takes
/// 70 to 100 and one by the device 20).
constexpr std::uint64_t kOften = LockedMemory::kBlock;

/// Copies of less are not worth a look.
constexpr std::uint64_t kSmall = std::uint64_t{64} << 10;

/// Locked pages are nobody else's any more: no more than this part of the machine's memory.
std::uint64_t mostLocked() {
  static const std::uint64_t most = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                    static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
  return most;
}

} // namespace

Status LockedMemory::forPieces(const RangeSet &bytes, const Copy &copy) {
  for (const Range &range : bytes.ranges()) {
    for (std::uint64_t begin = range.begin; begin < range.end;) {
      const std::uint64_t number = begin / kBlock;
      const Range run{begin, std::min(rangeOf(number).end, range.end)};
      Block &block = blocks_[number];
      TUTTI_TRY(copy(run, block.isLocked || (run.size() >= kMuch && lock(block, rangeOf(number)))));
      begin = run.end;
    }
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
    for (std::uint64_t begin = range.begin; begin < range.end;) {
      const std::uint64_t number = begin / kBlock;
      const Range run{begin, std::min(rangeOf(number).end, range.end)};
      Block &block = blocks_[number];
      const bool isLocked =
          block.isLocked || (block.copied >= kOften && lock(block, rangeOf(number)));
      block.copied += run.size();
      TUTTI_TRY(copy(run, isLocked));
      begin = run.end;
    }
  }
  return {};
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
  return forOften(bytes, [&](Range run, bool isLocked) {
    return isLocked ? queue.copyOutLocked(run.begin, bytesOf(run))
                    : queue.copyOut(run.begin, bytesOf(run));
  });
}

/// Whether it could be done.
bool LockedMemory::lock(Block &block, Range range) {
  if (block.isRefused) {
    return false;
  }
  block.isLocked =
      window_.contains(range) && locked_ + kBlock <= mostLocked() && device_.lock(bytesOf(range));
  block.isRefused = !block.isLocked;
  locked_ += block.isLocked ? kBlock : 0;
  return block.isLocked;
}

} // namespace tutti::exec
