// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/mock/mock.h"
#include "runtime/exec/lock_ahead.h"
#include "runtime/exec/rooms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

namespace tutti::exec {

namespace {

using device::mock::Operation;

constexpr std::uint64_t kBlock = LockedMemory::kBlock;
constexpr std::uint64_t kHeap = memory::kHeapBase;
constexpr std::uint64_t kFirst = kHeap / kBlock; ///< Number of the heap's first block.

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({16 * kBlock, 1 << 20, {}, true});
  return *mapped;
}

Range bytes(std::uint64_t begin, std::uint64_t end) { return {kHeap + begin, kHeap + end}; }

void touch(Range range) { std::memset(window().view(range.begin), 1, range.size()); }

/// Each test has blocks of its own: what has been touched stays so.
class LockAheadTest : public testing::Test {
protected:
  LockAheadTest() {
    machine_ = std::make_unique<device::mock::Machine>(device::mock::MachinePlan());
    device_ = std::move(machine_->makeDriver()->open(0, segmentsOf(window()))).value();
    locked_ = std::make_unique<LockedMemory>(*device_, window());
    ahead_ = std::make_unique<LockAhead>(window(), std::vector{locked_.get()});
  }

  void awaitBlock(std::uint64_t index) const {
    while (!locked_->isSettled(kFirst + index)) {
      std::this_thread::yield();
    }
  }

  /// Locks asked for; nothing is locked from then on.
  std::ptrdiff_t locks() {
    ahead_->stop();
    return std::ranges::count(machine_->log(), Operation::Lock, &device::mock::Entry::operation);
  }

  std::unique_ptr<device::mock::Machine> machine_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<LockedMemory> locked_;
  std::unique_ptr<LockAhead> ahead_;
};

TEST_F(LockAheadTest, LocksBlocksThatHaveBeenTouched) {
  ahead_->allocated(bytes(0, 4 * kBlock));
  touch(bytes(0, 3 * kBlock - kBlock / 4));
  awaitBlock(0);
  awaitBlock(1);
  EXPECT_EQ(locks(), 2) << "the end of the third is missing, and all of the fourth";
}

TEST_F(LockAheadTest, LocksABlockOfSeveralAllocations) {
  ahead_->allocated(bytes(4 * kBlock, 4 * kBlock + kBlock / 4));
  ahead_->allocated(bytes(4 * kBlock + kBlock / 4, 4 * kBlock + kBlock / 2));
  touch(bytes(4 * kBlock, 4 * kBlock + kBlock / 2));
  awaitBlock(4);
  EXPECT_EQ(locks(), 1);
}

TEST_F(LockAheadTest, LocksNothingOfSmallAllocations) {
  touch(bytes(6 * kBlock, 8 * kBlock));
  for (std::uint64_t at = 6 * kBlock; at < 7 * kBlock; at += kBlock / 32) {
    ahead_->allocated(bytes(at, at + kBlock / 32));
  }
  ahead_->allocated(bytes(7 * kBlock, 8 * kBlock)); // Looked at after what comes before it.
  awaitBlock(7);
  EXPECT_EQ(locks(), 1);
}

TEST_F(LockAheadTest, EndsWhereNothingCanBeLocked) {
  machine_->failNext(0, Operation::Lock, failure(ErrorCode::OutOfMemory, "no more"));
  touch(bytes(8 * kBlock, 10 * kBlock));
  ahead_->allocated(bytes(8 * kBlock, 9 * kBlock));
  awaitBlock(8);
  EXPECT_FALSE(locked_->lock(kFirst + 8)) << "what is refused is not asked for again";
  EXPECT_EQ(locks(), 1);
}

TEST_F(LockAheadTest, CopiesFromWhatIsLocked) {
  touch(bytes(10 * kBlock, 11 * kBlock));
  ahead_->allocated(bytes(10 * kBlock, 11 * kBlock));
  awaitBlock(10);
  EXPECT_EQ(locks(), 1);
  bool isAllLocked = true;
  ASSERT_TRUE(locked_->forPieces(RangeSet::of({bytes(10 * kBlock, 10 * kBlock + 8)}),
                                 [&](Range, bool isLocked) -> Status {
                                   isAllLocked = isAllLocked && isLocked;
                                   return {};
                                 }));
  EXPECT_TRUE(isAllLocked) << "though so little is copied";
}

TEST_F(LockAheadTest, LocksWhatSmallRunsTouchAgainAndAgain) {
  const Range run = bytes(12 * kBlock, 12 * kBlock + 8);
  int unlocked = 0;
  for (int turn = 0; turn < 1000; ++turn) {
    ASSERT_TRUE(locked_->forRuns(run, [&](Range, bool isLocked) -> Status {
      unlocked += isLocked ? 0 : 1;
      return {};
    }));
  }
  EXPECT_GT(unlocked, 100) << "a copy or two are no reason";
  EXPECT_LT(unlocked, 1000);
  EXPECT_TRUE(locked_->isLocked(run));
  EXPECT_FALSE(locked_->isLocked(bytes(12 * kBlock, 14 * kBlock)));
}

TEST_F(LockAheadTest, LocksNothingOutsideOfTheWindow) {
  std::uint64_t number = 0;
  const auto at = reinterpret_cast<std::uint64_t>(&number);
  for (int turn = 0; turn < 1000; ++turn) {
    ASSERT_TRUE(
        locked_->forRuns({at, at + sizeof number}, [&](Range host, bool isLocked) -> Status {
          EXPECT_FALSE(isLocked);
          EXPECT_EQ(static_cast<void *>(locked_->bytesOf(host).data()), &number);
          return {};
        }));
  }
}

} // namespace

} // namespace tutti::exec
