// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Copies beside kernels. The mock does things as late as it may, so that what is not ordered after
/// what it needs gets old bytes.
#include "runtime/device/mock/mock.h"
#include "runtime/exec/copy_lanes.h"
#include "runtime/exec/rooms.h"
#include "runtime/memory/huge_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sys/mman.h>
#include <vector>

namespace tutti::exec {

namespace {

using device::mock::KernelRun;
using device::mock::Operation;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kBlock = 16 * kMiB; ///< What is locked at once.
constexpr std::uint64_t kHeap = memory::kHeapBase;

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({256 << 20, 1 << 20, {}, true});
  return *mapped;
}

std::uint64_t &host(std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t *>(window().view(address));
}

RangeSet bytes(std::uint64_t begin, std::uint64_t end) {
  return RangeSet::of({{kHeap + begin, kHeap + end}});
}

/// Whether all pages of the host's memory there have been touched.
bool isPresent(Range pages) {
  std::vector<unsigned char> flags(pages.size() / memory::kPageBytes);
  return ::mincore(window().view(pages.begin), pages.size(), flags.data()) == 0 &&
         std::ranges::all_of(flags, [](unsigned char flag) { return (flag & 1) != 0; });
}

/// A device with a kernel that adds 1 to the word at the address that is its argument.
class CopyLanesTest : public testing::Test {
protected:
  void SetUp() override { open({}); }

  void open(const device::mock::MachinePlan &plan) {
    lanes_.reset();
    main_.reset();
    device_.reset();
    machine_ = std::make_unique<device::mock::Machine>(plan);
    machine_->setFunction("add", [](const KernelRun &run) {
      ++run.value<std::uint64_t>(run.launch().arguments.front());
    });
    device_ = std::move(machine_->makeDriver()->open(0, segmentsOf(window()))).value();
    main_ = std::move(device_->makeQueue()).value();
    locked_ = std::make_unique<LockedMemory>(*device_, window());
    lanes_ = std::move(CopyLanes::make(*device_, *main_, window(), *locked_)).value();
    static constexpr const char *kName = "add";
    kernel_ = {};
    kernel_.name = kName;
    kernel_.text = "";
    kernel_.format = device_->info().format;
    loaded_ = *device_->load(kernel_);
    ASSERT_TRUE(device_->commit({kHeap, kHeap + 4 * kBlock}));
  }

  /// Runs the kernel on the word at the begin of what it is said to touch.
  void add(const RangeSet &touched) {
    ASSERT_TRUE(lanes_->beforeKernel(touched, touched));
    launch(touched.hull().begin);
    ASSERT_TRUE(lanes_->afterKernel(touched));
  }

  void launch(std::uint64_t address) {
    device::KernelLaunch launch;
    launch.kernel = loaded_;
    launch.arguments = {address};
    ASSERT_TRUE(main_->launch(launch));
  }

  std::ptrdiff_t count(Operation operation) const {
    return std::ranges::count(machine_->log(), operation, &device::mock::Entry::operation);
  }

  std::unique_ptr<device::mock::Machine> machine_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Queue> main_;
  std::unique_ptr<LockedMemory> locked_;
  std::unique_ptr<CopyLanes> lanes_;
  tutti_kernel kernel_;
  device::Kernel *loaded_ = nullptr;
};

TEST_F(CopyLanesTest, BringsRunsAndReturnsWhatEachStepNeedsFromTheOneBefore) {
  for (std::uint64_t portion = 0; portion < 4; ++portion) {
    host(kHeap + portion * kBlock) = 10 * portion;
  }

  for (std::uint64_t portion = 0; portion < 4; ++portion) {
    const RangeSet all = bytes(portion * kBlock, (portion + 1) * kBlock);
    ASSERT_TRUE(lanes_->copyIn(all));
    add(all);
    ASSERT_TRUE(lanes_->copyOut(all));
  }
  ASSERT_TRUE(lanes_->finish());

  for (std::uint64_t portion = 0; portion < 4; ++portion) {
    EXPECT_EQ(host(kHeap + portion * kBlock), 10 * portion + 1);
  }
  EXPECT_TRUE(*lanes_->isIdle());
}

TEST_F(CopyLanesTest, WaitsForNothingThatTouchesOtherBytes) {
  ASSERT_TRUE(lanes_->copyIn(bytes(0, kBlock)));
  add(bytes(0, kBlock));
  machine_->clearLog();

  ASSERT_TRUE(lanes_->copyIn(bytes(kBlock, 2 * kBlock)));

  EXPECT_EQ(count(Operation::Wait), 0);
  EXPECT_TRUE(*lanes_->isIdle(bytes(2 * kBlock, 3 * kBlock)));
}

TEST_F(CopyLanesTest, CopiesInAfterKernelsAndCopiesOutOfTheSameBytes) {
  const RangeSet all = bytes(0, kBlock);
  host(kHeap) = 1;
  ASSERT_TRUE(lanes_->copyIn(all));
  add(all);
  ASSERT_TRUE(lanes_->copyOut(all));

  host(kHeap + 8) = 7;
  ASSERT_TRUE(lanes_->copyIn(bytes(8, kBlock))); // The kernel's word stays.
  add(bytes(8, kBlock));
  ASSERT_TRUE(lanes_->copyOut(bytes(8, kBlock)));
  ASSERT_TRUE(lanes_->finish());

  EXPECT_EQ(host(kHeap), 2U);
  EXPECT_EQ(host(kHeap + 8), 8U);
}

TEST_F(CopyLanesTest, ReadsLockedMemoryUntilItSaysSo) {
  open({.delay = 2});
  host(kHeap) = 1;
  ASSERT_TRUE(lanes_->copyIn(bytes(0, kBlock)));
  EXPECT_EQ(count(Operation::Lock), 1);

  EXPECT_FALSE(*lanes_->isCopying(bytes(kBlock, 2 * kBlock)));
  EXPECT_TRUE(*lanes_->isCopying(bytes(8, 16)));
  EXPECT_FALSE(*lanes_->isReading());
  host(kHeap) = 0;

  add(bytes(0, kBlock));
  ASSERT_TRUE(lanes_->copyOut(bytes(0, kBlock)));
  ASSERT_TRUE(lanes_->finish());
  EXPECT_EQ(host(kHeap), 2U);
}

TEST_F(CopyLanesTest, StagesWhatCannotBeLocked) {
  machine_->failNext(0, Operation::Lock, failure(ErrorCode::OutOfMemory, "no more"));
  host(kHeap) = 5;

  ASSERT_TRUE(lanes_->copyIn(bytes(0, kBlock)));
  host(kHeap) = 0;
  ASSERT_TRUE(lanes_->copyIn(bytes(kBlock / 2, kBlock)));
  add(bytes(0, kBlock));
  ASSERT_TRUE(lanes_->copyOut(bytes(0, kBlock)));
  ASSERT_TRUE(lanes_->finish());

  EXPECT_EQ(host(kHeap), 6U);
  EXPECT_EQ(count(Operation::Lock), 1) << "what is refused is not asked for again";
}

TEST_F(CopyLanesTest, LocksNothingForSmallCopies) {
  ASSERT_TRUE(lanes_->copyIn(bytes(100, kBlock / 4)));

  EXPECT_EQ(count(Operation::Lock), 0);
}

TEST_F(CopyLanesTest, LocksWhatIsCopiedOutAgainAndAgain) {
  constexpr int kTimes = 10;
  const RangeSet quarter = bytes(0, kBlock / 4);
  host(kHeap) = 1;
  ASSERT_TRUE(main_->copyIn({window().view(kHeap), kBlock / 4}, kHeap));
  int locks = 0;
  for (int time = 1; time <= kTimes; ++time) {
    host(kHeap) = 0;
    ASSERT_TRUE(locked_->copyOut(*main_, quarter));
    ASSERT_TRUE(main_->finish());
    ASSERT_EQ(host(kHeap), 1U);
    locks += count(Operation::Lock) == 0 ? 1 : 0;
  }
  EXPECT_EQ(count(Operation::Lock), 1);
  EXPECT_EQ(locks, 4) << "once the block went by way of other memory";
}

TEST_F(CopyLanesTest, LocksFreshMemoryThatIsCopiedOutToAtOnce) {
  const Range fresh{kHeap + 4 * kBlock, kHeap + 5 * kBlock};
  if (!memory::makeHuge(window(), {fresh.end, fresh.end + memory::kHugePageBytes})) {
    GTEST_SKIP() << "the kernel makes none";
  }
  ASSERT_TRUE(device_->commit(fresh));

  ASSERT_TRUE(locked_->copyOut(*main_, RangeSet::of({fresh})));

  EXPECT_TRUE(isPresent(fresh)) << "before anything has arrived";
  EXPECT_EQ(count(Operation::Lock), 1);

  const Range quarter{kHeap + 6 * kBlock, kHeap + 6 * kBlock + kBlock / 4};
  ASSERT_TRUE(device_->commit(quarter));
  ASSERT_TRUE(locked_->copyOut(*main_, RangeSet::of({quarter})));
  EXPECT_TRUE(isPresent(quarter));
  EXPECT_EQ(count(Operation::Lock), 1) << "most of that block is not asked for";
}

TEST_F(CopyLanesTest, TakesNoRangeForLockedThatGoesOnBehindALockedBlock) {
  const std::uint64_t border = kHeap + 9 * kBlock;
  const Range fresh{border - kBlock, border - kBlock / 4};
  if (!memory::makeHuge(window(), {border, border + memory::kHugePageBytes})) {
    GTEST_SKIP() << "the kernel makes none";
  }
  const Range over{border - memory::kPageBytes, border + memory::kPageBytes};
  ASSERT_TRUE(device_->commit({border - kBlock, border + kBlock}));

  EXPECT_TRUE(locked_->copyOut(*main_, RangeSet::of({fresh, over})));

  EXPECT_EQ(count(Operation::Lock), 1);
}

TEST_F(CopyLanesTest, LocksNoTouchedMemoryThatIsCopiedOutToOnce) {
  std::ranges::fill(std::span(window().view(kHeap), kBlock), std::byte{});
  ASSERT_TRUE(locked_->copyOut(*main_, bytes(0, kBlock)));
  EXPECT_EQ(count(Operation::Lock), 0);
}

TEST_F(CopyLanesTest, HasReadLockedMemoryWhenCopyingInReturns) {
  open({.delay = 2});
  for (std::uint64_t time = 1; time <= 20; ++time) {
    host(kHeap) = time;
    ASSERT_TRUE(locked_->copyIn(*main_, bytes(0, kBlock / 2), Reading::Done));
    host(kHeap) = 0;
    std::uint64_t found = 0;
    ASSERT_TRUE(main_->copyOut(kHeap, std::as_writable_bytes(std::span(&found, 1))));
    ASSERT_TRUE(main_->finish());
    ASSERT_EQ(found, time);
  }
  EXPECT_EQ(count(Operation::Lock), 1);
}

TEST_F(CopyLanesTest, WaitsForWhatIsReadLaterOnceThatIsMuch) {
  open({.delay = 2});
  const RangeSet block = bytes(0, kBlock);
  ASSERT_TRUE(locked_->copyIn(*main_, block, Reading::Later)); // By way of other memory.
  const std::ptrdiff_t before = count(Operation::Finish);
  for (int time = 0; time < 4; ++time) {
    ASSERT_TRUE(locked_->copyIn(*main_, block, Reading::Later));
  }
  EXPECT_EQ(count(Operation::Finish), before);

  ASSERT_TRUE(locked_->copyIn(*main_, block, Reading::Later));
  EXPECT_EQ(count(Operation::Finish), before + 1);
  ASSERT_TRUE(locked_->copyIn(*main_, bytes(kBlock, kBlock + 8), Reading::Done));
  EXPECT_EQ(count(Operation::Finish), before + 2) << "what came before is still being read";
  ASSERT_TRUE(locked_->copyIn(*main_, bytes(kBlock, kBlock + 8), Reading::Done));
  EXPECT_EQ(count(Operation::Finish), before + 2);
}

TEST_F(CopyLanesTest, NotesNothingOfSmallCopiesOut) {
  for (int time = 0; time < 3000; ++time) {
    ASSERT_TRUE(locked_->copyOut(*main_, bytes(0, 48 << 10)));
    ASSERT_TRUE(main_->finish());
  }
  EXPECT_EQ(count(Operation::Lock), 0);
}

TEST_F(CopyLanesTest, KnowsWhatIsAtHomeUntilItChanges) {
  const RangeSet all = bytes(0, kBlock);
  ASSERT_TRUE(lanes_->copyIn(all));
  ASSERT_TRUE(lanes_->copyOut(all));
  EXPECT_EQ(lanes_->atHome(), all);

  add(bytes(0, 8));

  EXPECT_EQ(lanes_->atHome(), bytes(8, kBlock));
}

TEST_F(CopyLanesTest, JoinsTheMainQueueOnce) {
  const RangeSet all = bytes(0, kBlock);
  host(kHeap) = 3;
  ASSERT_TRUE(lanes_->copyIn(all));

  EXPECT_FALSE(lanes_->isJoined());
  ASSERT_TRUE(lanes_->join());
  launch(kHeap);
  std::uint64_t word = 0;
  ASSERT_TRUE(main_->copyOut(kHeap, std::as_writable_bytes(std::span(&word, 1))));
  ASSERT_TRUE(main_->finish());
  EXPECT_EQ(word, 4U);

  machine_->clearLog();
  ASSERT_TRUE(lanes_->join());
  EXPECT_TRUE(machine_->log().empty());
}

TEST_F(CopyLanesTest, ComesAfterTheMainQueueWhereItIsTold) {
  launch(kHeap);
  ASSERT_TRUE(lanes_->orderAfterMain());
  host(kHeap) = 20;
  ASSERT_TRUE(lanes_->copyIn(bytes(0, kBlock)));
  add(bytes(0, kBlock));
  ASSERT_TRUE(lanes_->copyOut(bytes(0, kBlock)));
  ASSERT_TRUE(lanes_->finish());

  EXPECT_EQ(host(kHeap), 21U);
}

} // namespace

} // namespace tutti::exec
