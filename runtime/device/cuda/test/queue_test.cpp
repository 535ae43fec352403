// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Staging, events and failures.
#include "abi/abi.h"
#include "runtime/device/cuda/test/fixture.h"

#include <array>
#include <thread>

namespace tutti::device::cuda {

namespace {

class CudaQueueTest : public CudaTest {
protected:
  void start(const fake_cuda::Plan &plan) {
    queue_.reset();
    device_.reset();
    restart(plan);
    device_ = open();
    ASSERT_TRUE(ok(device_->commit(rangeAt(kHeap, 256 * kMiB))));
    queue_ = queueOf(*device_);
  }

  void SetUp() override {
    CudaTest::SetUp();
    start({});
  }

  void TearDown() override {
    queue_.reset();
    device_.reset();
    CudaTest::TearDown();
  }

  Device &device() { return *device_; }

  Queue &queue() { return *queue_; }

  KernelLaunch launchOf(const char *name) {
    return {.kernel = loadFrom(device(), name), .grid = {{1, 1, 1}, {32, 1, 1}}, .arguments = {}};
  }

private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<Queue> queue_;
};

TEST_F(CudaQueueTest, CopiesMoreThanTheStagingMemoryHolds) {
  start({.delay = -1});
  const auto bytes = pattern(100 * kMiB + 12345, 1);
  std::vector<std::byte> seen(bytes.size());

  ASSERT_TRUE(ok(queue().copyIn(bytes, kHeap + 77)));
  ASSERT_TRUE(ok(queue().copyOut(kHeap + 77, seen)));
  ASSERT_TRUE(ok(queue().finish()));

  EXPECT_TRUE(seen == bytes);
}

TEST_F(CudaQueueTest, CopiesOutNoMoreThanWhatDiffers) {
  const auto before = pattern(16 * kMiB, 1);
  ASSERT_TRUE(ok(queue().copyIn(before, kHeap)));
  const auto snapshot = std::move(device().makeSnapshot(before.size())).value();
  ASSERT_TRUE(ok(queue().keep(rangeAt(kHeap, before.size()), *snapshot, 0)));
  for (std::uint64_t change = 0; change < 100; ++change) {
    const std::array other{~before[change * 100000]};
    ASSERT_TRUE(ok(queue().copyIn(other, kHeap + change * 100000)));
  }
  fake_cuda::clearCalls();

  const auto changes = queue().changes(rangeAt(kHeap, before.size()), *snapshot, 0);

  ASSERT_TRUE(ok(changes));
  EXPECT_EQ(changes->size(), 100U);
  EXPECT_EQ(fake_cuda::bytesOut(), sizeof(std::uint32_t) + 100 * sizeof(Change));
}

TEST_F(CudaQueueTest, KeepsNothingWhereThereIsNoRoomForChanges) {
  const auto snapshot = std::move(device().makeSnapshot(64)).value();
  fake_cuda::clearCalls();
  fake_cuda::failNext("cuMemAlloc_v2", kOutOfMemory);

  EXPECT_TRUE(fails(queue().keep(rangeAt(kHeap, 64), *snapshot, 0), ErrorCode::OutOfMemory));
  EXPECT_EQ(fake_cuda::calls("cuMemcpyDtoDAsync_v2"), 0U);
  EXPECT_TRUE(ok(queue().keep(rangeAt(kHeap, 64), *snapshot, 0)));
}

TEST_F(CudaQueueTest, DoesNotBlockOnLargeCopiesOut) {
  start({.delay = -1});
  const auto bytes = pattern(100 * kMiB, 2);
  std::vector<std::byte> seen(bytes.size());
  ASSERT_TRUE(ok(queue().copyIn(bytes, kHeap)));
  ASSERT_TRUE(ok(queue().finish()));
  fake_cuda::clearCalls();

  ASSERT_TRUE(ok(queue().copyOut(kHeap, seen)));
  auto event = recordOn(queue());

  EXPECT_EQ(fake_cuda::calls("cuEventSynchronize"), 0U);
  EXPECT_FALSE(event->hasCompleted().value());
  int polls = 0;
  while (!event->hasCompleted().value()) {
    fake_cuda::run();
    ASSERT_LT(++polls, 100);
  }
  EXPECT_TRUE(seen == bytes);
  EXPECT_GT(polls, 2);
  EXPECT_EQ(fake_cuda::calls("cuEventSynchronize"), 0U);
}

TEST_F(CudaQueueTest, KeepsTheOrderBehindACopyOutThatIsNotGivenWholly) {
  start({.delay = -1});
  const auto before = pattern(100 * kMiB, 3);
  const auto after = pattern(100 * kMiB, 4);
  std::vector<std::byte> seen(before.size());
  std::vector<std::byte> last(before.size());
  ASSERT_TRUE(ok(queue().copyIn(before, kHeap)));

  ASSERT_TRUE(ok(queue().copyOut(kHeap, seen)));
  ASSERT_TRUE(ok(queue().copyIn(after, kHeap)));
  ASSERT_TRUE(ok(queue().copyOut(kHeap, last)));
  ASSERT_TRUE(ok(queue().finish()));

  EXPECT_TRUE(seen == before);
  EXPECT_TRUE(last == after);
}

TEST_F(CudaQueueTest, CompletesAnEventWithTheBytesInPlace) {
  start({.delay = 3});
  const auto bytes = pattern(1000, 5);
  std::vector<std::byte> seen(bytes.size());
  ASSERT_TRUE(ok(queue().copyIn(bytes, kHeap)));
  ASSERT_TRUE(ok(queue().copyOut(kHeap, seen)));
  auto event = recordOn(queue());

  int polls = 0;
  while (!event->hasCompleted().value()) {
    EXPECT_FALSE(seen == bytes);
    ASSERT_LT(++polls, 20);
  }

  EXPECT_EQ(seen, bytes);
  EXPECT_GE(polls, 3);
}

TEST_F(CudaQueueTest, PutsManySmallCopiesIntoOneBatch) {
  std::vector<std::byte> seen(64 * 100);
  const auto bytes = pattern(seen.size(), 6);
  ASSERT_TRUE(ok(queue().copyIn(bytes, kHeap)));
  fake_cuda::clearCalls();

  for (std::size_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(ok(queue().copyOut(kHeap + i * 64, std::span(seen).subspan(i * 64, 64))));
  }
  auto event = recordOn(queue());
  while (!event->hasCompleted().value()) {
  }

  EXPECT_EQ(seen, bytes);
  EXPECT_EQ(fake_cuda::calls("cuEventRecord"), 2U);
}

TEST_F(CudaQueueTest, NeedsFewCallsForASteadyLaunch) {
  fake_cuda::setFunction("mine", [](const fake_cuda::Launch &) { return 0; });
  const KernelLaunch launch = launchOf("mine");
  for (int round = 0; round < 2; ++round) {
    fake_cuda::clearCalls();
    ASSERT_TRUE(ok(queue().launch(launch)));
    auto event = recordOn(queue());
    ASSERT_TRUE(event->hasCompleted().value());
  }

  EXPECT_EQ(fake_cuda::calls("cuLaunchKernel"), 1U);
  EXPECT_EQ(fake_cuda::calls("cuEventRecord"), 1U);
  EXPECT_EQ(fake_cuda::calls("cuEventQuery"), 1U);
  EXPECT_EQ(fake_cuda::calls(""), 3U);
}

class CudaOverlapTest : public CudaQueueTest {
protected:
  static constexpr const char *kWaiting =
      ".version 6.3\n.target sm_70\n.entry mine(\n" TUTTI_KERNEL_BEGIN;

  void SetUp() override {
    CudaQueueTest::SetUp();
    setFunction();
  }

  void restart(const fake_cuda::Plan &plan) {
    start(plan);
    setFunction();
  }

  /// A kernel of `text`, so often.
  void launch(const char *text, int count) {
    const auto loaded = device().load({TUTTI_KERNEL_PTX, 0, "mine", text});
    ASSERT_TRUE(ok(loaded));
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(ok(
          queue().launch({.kernel = *loaded, .grid = {{1, 1, 1}, {32, 1, 1}}, .arguments = {}})));
    }
  }

  /// Kernels that may have begun before the one before them had ended.
  static std::size_t overlapping() { return fake_cuda::calls("cuLaunchKernelEx"); }

private:
  static void setFunction() {
    fake_cuda::setFunction("mine", [](const fake_cuda::Launch &) { return 0; });
  }
};

TEST_F(CudaOverlapTest, LetsKernelsThatWaitOverlap) {
  launch(kWaiting, 5);

  EXPECT_EQ(fake_cuda::calls("cuLaunchKernel"), 1U);
  EXPECT_EQ(overlapping(), 4U);
}

TEST_F(CudaOverlapTest, OverlapsOnlyWithKernels) {
  const auto bytes = pattern(100, 3);
  std::vector<std::byte> seen(bytes.size());

  launch(kWaiting, 1);
  ASSERT_TRUE(ok(queue().copyIn(bytes, kHeap)));
  launch(kWaiting, 1);
  ASSERT_TRUE(ok(queue().copyOut(kHeap, seen)));
  launch(kWaiting, 1);
  auto event = recordOn(queue());
  launch(kWaiting, 1);
  ASSERT_TRUE(ok(queue().wait(*event)));
  launch(kWaiting, 1);
  ASSERT_TRUE(ok(queue().native())); // Who asks gives it what we do not see.
  launch(kWaiting, 1);
  ASSERT_TRUE(ok(queue().finish()));

  EXPECT_EQ(overlapping(), 0U);
}

TEST_F(CudaOverlapTest, LetsNoKernelOverlapThatDoesNotWait) {
  launch(".version 6.3\n.target sm_70\n.entry mine(\n", 2);
  launch(".version 7.4\n.target sm_80\n.entry mine(\n" TUTTI_KERNEL_BEGIN, 2);

  EXPECT_EQ(overlapping(), 0U);
}

TEST_F(CudaOverlapTest, LetsNoKernelsOverlapOnOlderDevices) {
  restart({.capability = 89});

  launch(kWaiting, 2);

  EXPECT_EQ(overlapping(), 0U);
}

TEST_F(CudaOverlapTest, TakesTheTextAsItIsWhereTheDriverRefusesToWait) {
  fake_cuda::failNext("cuModuleLoadDataEx", kUnsupportedPtxVersion);

  launch(kWaiting, 2);

  EXPECT_EQ(fake_cuda::calls("cuModuleLoadDataEx"), 2U);
  EXPECT_EQ(overlapping(), 0U);
}

TEST_F(CudaQueueTest, MakesTheContextCurrentPerThread) {
  const auto bytes = pattern(100, 7);
  std::vector<std::byte> seen(bytes.size());

  std::thread([&] { ASSERT_TRUE(ok(queue().copyIn(bytes, kHeap))); }).join();
  std::thread([&] {
    ASSERT_TRUE(ok(queue().copyOut(kHeap, seen)));
    ASSERT_TRUE(ok(queue().finish()));
  }).join();

  EXPECT_EQ(seen, bytes);
}

TEST_F(CudaQueueTest, WaitsForTheHostsPartOfAnotherQueuesCopy) {
  start({.delay = -1});
  auto other = queueOf(device());
  auto third = queueOf(device());
  const auto bytes = pattern(80 * kMiB, 8);
  std::vector<std::byte> seen(bytes.size());
  ASSERT_TRUE(ok(queue().copyIn(bytes, kHeap)));
  ASSERT_TRUE(ok(queue().copyOut(kHeap, seen)));

  ASSERT_TRUE(ok(other->wait(*recordOn(queue()))));
  ASSERT_TRUE(ok(third->wait(*recordOn(*other))));
  auto last = recordOn(*third);
  int polls = 0;
  while (!last->hasCompleted().value()) {
    fake_cuda::run();
    ASSERT_LT(++polls, 100);
  }

  EXPECT_TRUE(seen == bytes);
}

TEST_F(CudaQueueTest, LetsAnEventOutliveItsQueue) {
  auto other = queueOf(device());
  const auto bytes = pattern(1000, 9);
  std::vector<std::byte> seen(bytes.size());
  ASSERT_TRUE(ok(other->copyIn(bytes, kHeap)));
  ASSERT_TRUE(ok(other->copyOut(kHeap, seen)));
  auto event = recordOn(*other);

  other.reset();

  EXPECT_TRUE(event->hasCompleted().value());
  EXPECT_EQ(seen, bytes);
}

TEST_F(CudaQueueTest, ReportsAKernelsFaultAtEventsAndIsLostThen) {
  fake_cuda::setFunction("mine", [](const fake_cuda::Launch &) { return kIllegalAddress; });
  ASSERT_TRUE(ok(queue().launch(launchOf("mine"))));
  auto event = recordOn(queue());

  const auto first = event->hasCompleted();

  EXPECT_TRUE(fails(first, ErrorCode::KernelFault));
  EXPECT_EQ(first.error().native, kIllegalAddress);
  EXPECT_TRUE(says(first, "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access"));
  EXPECT_TRUE(fails(event->hasCompleted(), ErrorCode::KernelFault));
  EXPECT_TRUE(fails(queue().finish(), ErrorCode::KernelFault));
  EXPECT_TRUE(fails(queue().copyIn(pattern(8, 1), kHeap), ErrorCode::DeviceLost));
  EXPECT_TRUE(fails(queue().record(), ErrorCode::DeviceLost));
  EXPECT_TRUE(fails(device().commit(rangeAt(kHeap + 512 * kMiB, 8)), ErrorCode::DeviceLost));
  EXPECT_TRUE(fails(device().makeQueue(), ErrorCode::DeviceLost));
}

TEST_F(CudaQueueTest, KeepsTheFaultForEventsIfALaunchMeetsIt) {
  fake_cuda::setFunction("mine", [](const fake_cuda::Launch &) { return kLaunchFailed; });
  const KernelLaunch launch = launchOf("mine");
  ASSERT_TRUE(ok(queue().launch(launch)));
  auto event = recordOn(queue());
  fake_cuda::run();

  const Status second = queue().launch(launch);

  EXPECT_TRUE(fails(second, ErrorCode::DeviceLost));
  EXPECT_TRUE(says(second, "GPU 0 (Fake GPU): cannot launch kernel mine"));
  EXPECT_TRUE(fails(event->hasCompleted(), ErrorCode::KernelFault));
}

TEST_F(CudaQueueTest, GoesOnAfterAFailureThatEndsNothing) {
  fake_cuda::failNext("cuMemHostAlloc", kOutOfMemory);
  EXPECT_TRUE(fails(queue().copyIn(pattern(8, 1), kHeap), ErrorCode::OutOfMemory));

  EXPECT_TRUE(ok(queue().copyIn(pattern(8, 1), kHeap)));
  fake_cuda::failNext("cuLaunchKernel", kLaunchOutOfResources);
  fake_cuda::setFunction("mine", [](const fake_cuda::Launch &) { return 0; });
  EXPECT_TRUE(fails(queue().launch(launchOf("mine")), ErrorCode::InvalidArgument));
  EXPECT_TRUE(ok(queue().launch(launchOf("mine"))));
}

} // namespace

} // namespace tutti::device::cuda
