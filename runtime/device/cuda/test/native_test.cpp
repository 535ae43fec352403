// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels of the program's own: how they are found and run, and managed memory.
#include "runtime/device/cuda/test/fixture.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <thread>

namespace {

/// Blocks of memory that the backend has asked for since somebody counts.
thread_local std::size_t allocations = 0;
thread_local bool isCounting = false;

} // namespace

// Sanitizers bring their own.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TUTTI_COUNTS_NOT
#endif
#endif
#if !defined(TUTTI_COUNTS_NOT)
void *operator new(std::size_t bytes) {
  if (isCounting && !fake_cuda::isInside()) {
    ++allocations;
  }
  if (void *memory = std::malloc(std::max<std::size_t>(bytes, 1))) {
    return memory;
  }
  throw std::bad_alloc();
}

void operator delete(void *memory) noexcept { std::free(memory); }

void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace tutti::device::cuda {

namespace {

constexpr const char *kStub =
    ".version 6.3\n.entry _Z4mineliPd( .param .u64 n, .param .u32 i, .param .u64 x )";
constexpr const char *kName = "_Z4mineliPd";

int noImage(CUfunction *, const void *) { return 209; }

int noFunction(CUfunction *, const void *) { return 98; }

int oldDriver(CUfunction *, const void *) { return 35; }

int otherError(CUfunction *, const void *) { return 218; }

/// Looks what the program sees when it is asked.
thread_local int askedInContext = 0;

int needsContext(CUfunction *function, const void *stub) {
  ++askedInContext;
  return fake_cuda::functionBySymbol(function, stub); // Refuses without a context.
}

tutti_task_kernel kernelOf(int (*functionOf)(CUfunction *, const void *), const void *first = kStub,
                           const void *second = nullptr) {
  return {TUTTI_DEVICE_CUDA, kName,  {first, second}, reinterpret_cast<const void *>(functionOf),
          nullptr,           nullptr};
}

class CudaNativeTest : public CudaTest {
protected:
  void start(const fake_cuda::Plan &plan) {
    queue_.reset();
    device_.reset();
    restart(plan);
    device_ = open();
    ASSERT_TRUE(ok(device_->commit(rangeAt(kHeap, 64 * kMiB))));
    queue_ = queueOf(*device_);
    fake_cuda::setFunction(kName, [](const fake_cuda::Launch &) { return 0; });
    fake_cuda::clearCalls();
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

  NativeLaunch launchOf(Kernel *kernel) {
    return {
        .kernel = kernel,
        .grid = {{2, 1, 1}, {32, 1, 1}},
        .localBytes = 0,
        .arguments = {{&n_, sizeof n_, false}, {&i_, sizeof i_, false}, {&x_, sizeof x_, true}}};
  }

  std::int64_t n_ = 7;
  std::int32_t i_ = 8;
  std::uint64_t x_ = kHeap + 24;
  tutti_task_kernel kernel_ = kernelOf(fake_cuda::functionBySymbol);

private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<Queue> queue_;
};

TEST_F(CudaNativeTest, AsksTheProgramsLibraryOnceInTheDevicesContext) {
  const tutti_task_kernel kernel = kernelOf(needsContext);
  askedInContext = 0;

  const auto first = device().find(kernel);
  const auto second = device().find(kernel);

  ASSERT_TRUE(ok(first) && ok(second));
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(askedInContext, 1);
}

TEST_F(CudaNativeTest, TakesTheFirstStubThatThereIs) {
  const tutti_task_kernel second = kernelOf(fake_cuda::functionBySymbol, nullptr, kStub);
  EXPECT_TRUE(ok(device().find(second)));

  const tutti_task_kernel none = kernelOf(fake_cuda::functionBySymbol, nullptr, nullptr);
  const auto found = device().find(none);
  EXPECT_TRUE(fails(found, ErrorCode::WrongImage));
  EXPECT_TRUE(says(found, "the program has no kernel mine"));
}

TEST_F(CudaNativeTest, SaysWhyThereIsNoKernel) {
  const tutti_task_kernel withoutLibrary = kernelOf(nullptr);
  const auto noLibrary = device().find(withoutLibrary);
  EXPECT_TRUE(fails(noLibrary, ErrorCode::NotSupported));
  EXPECT_TRUE(says(noLibrary, "no CUDA runtime library"));

  for (auto *functionOf : {noImage, noFunction}) {
    const tutti_task_kernel kernel = kernelOf(functionOf);
    const auto found = device().find(kernel);
    EXPECT_TRUE(fails(found, ErrorCode::WrongImage));
    EXPECT_TRUE(says(found, "no code of kernel mine for this GPU: compile it with -arch=sm_90"));
  }
  const tutti_task_kernel old = kernelOf(oldDriver);
  EXPECT_TRUE(says(device().find(old), "driver is older"));
  const tutti_task_kernel other = kernelOf(otherError);
  const auto found = device().find(other);
  EXPECT_TRUE(fails(found, ErrorCode::WrongImage));
  EXPECT_TRUE(says(found, "cannot find kernel mine: CUDA_ERROR_INVALID_PTX"));
}

TEST_F(CudaNativeTest, GivesWhereBytesLieOnTheDevice) {
  Kernel *kernel = device().find(kernel_).value();
  std::uint64_t seen = 0;
  std::int64_t n = 0;
  std::int32_t i = 0;
  fake_cuda::setFunction(kName, [&](const fake_cuda::Launch &launch) {
    n = launch.argument<std::int64_t>(0);
    i = launch.argument<std::int32_t>(1);
    seen = launch.argument<std::uint64_t>(2);
    return 0;
  });
  const auto bytes = pattern(8, 1);

  ASSERT_TRUE(ok(queue().copyIn(bytes, x_)));
  ASSERT_TRUE(ok(queue().launchNative(launchOf(kernel))));
  ASSERT_TRUE(ok(queue().finish()));

  EXPECT_EQ(n, 7);
  EXPECT_EQ(i, 8);
  EXPECT_EQ(std::memcmp(reinterpret_cast<const void *>(seen), bytes.data(), bytes.size()), 0);
}

TEST_F(CudaNativeTest, MayTakeNoArguments) {
  const tutti_task_kernel idle =
      kernelOf(fake_cuda::functionBySymbol, ".version 6.3\n.entry _Z4idlev()");
  int runs = 0;
  fake_cuda::setFunction("_Z4idlev", [&](const fake_cuda::Launch &) { return ++runs, 0; });

  ASSERT_TRUE(ok(queue().launchNative(
      {.kernel = device().find(idle).value(), .grid = {}, .localBytes = 0, .arguments = {}})));
  ASSERT_TRUE(ok(queue().finish()));

  EXPECT_EQ(runs, 1);
}

TEST_F(CudaNativeTest, SaysWhichArgumentIsNotTheKernels) {
  NativeLaunch launch = launchOf(device().find(kernel_).value());
  launch.arguments[1].bytes = 8;

  EXPECT_TRUE(says(queue().launchNative(launch),
                   "kernel mine: argument 2 has 8 bytes, the kernel's parameter 4"));
  launch.arguments.pop_back();
  EXPECT_TRUE(says(queue().launchNative(launch), "has 2 parameters, the kernel 3"));
}

TEST_F(CudaNativeTest, NeedsFewCallsForASteadyLaunch) {
  const NativeLaunch launch = launchOf(device().find(kernel_).value());
  ASSERT_TRUE(ok(queue().launchNative(launch)));
  fake_cuda::clearCalls();

  ASSERT_TRUE(ok(device().find(kernel_)));
  ASSERT_TRUE(ok(queue().launchNative(launch)));

  EXPECT_EQ(fake_cuda::calls("cuLaunchKernel"), 1U);
  EXPECT_EQ(fake_cuda::calls("cuCtxSetCurrent"), 1U);
  EXPECT_EQ(fake_cuda::calls(""), 2U);
  ASSERT_TRUE(ok(queue().finish()));
}

TEST_F(CudaNativeTest, TakesNoMemoryForASteadyLaunch) {
  const NativeLaunch launch = launchOf(device().find(kernel_).value());
  ASSERT_TRUE(ok(queue().launchNative(launch)));
  allocations = 0;

  isCounting = true;
  bool succeeds = true;
  for (int round = 0; round < 10; ++round) {
    succeeds = succeeds && device().find(kernel_) && queue().launchNative(launch);
  }
  isCounting = false;

  EXPECT_TRUE(succeeds);
  EXPECT_EQ(allocations, 0U);
  ASSERT_TRUE(ok(queue().finish()));
}

TEST_F(CudaNativeTest, AsksForMuchSharedMemoryOnce) {
  NativeLaunch launch = launchOf(device().find(kernel_).value());
  launch.localBytes = 100 << 10;

  ASSERT_TRUE(ok(queue().launchNative(launch)));
  ASSERT_TRUE(ok(queue().launchNative(launch)));

  EXPECT_EQ(fake_cuda::calls("cuFuncSetAttribute"), 1U);
  launch.localBytes = 228 << 10;
  EXPECT_TRUE(says(queue().launchNative(launch), "233472 bytes of shared (local) memory"));
}

TEST_F(CudaNativeTest, WorksInItsContextAfterTheProgramHasChosenAnother) {
  start({.devices = 2});
  const auto other = open(1);
  const NativeLaunch launch = launchOf(device().find(kernel_).value());
  fake_cuda::setCurrent(1); // As cudaSetDevice does.
  ASSERT_TRUE(ok(queue().launchNative(launch)));

  EXPECT_EQ(fake_cuda::currentDevice(), 0);
  ASSERT_TRUE(ok(queue().finish()));
}

TEST_F(CudaNativeTest, LetsTheProgramGiveWorkToItsStream) {
  const auto stream = queue().native();

  ASSERT_TRUE(ok(stream));
  EXPECT_NE(*stream, nullptr);
  EXPECT_EQ(fake_cuda::currentDevice(), 0);
  std::thread([&] {
    EXPECT_EQ(fake_cuda::currentDevice(), -1);
    ASSERT_TRUE(ok(queue().native()));
    EXPECT_EQ(fake_cuda::currentDevice(), 0);
  }).join();
}

TEST_F(CudaNativeTest, TellsTheProgramWhereBytesAre) {
  const auto at = queue().nativeAddress(rangeAt(kHeap + 24, 8));

  ASSERT_TRUE(ok(at));
  EXPECT_NE(*at, kHeap + 24); // The host has them there.
  EXPECT_EQ(queue().nativeDevice(), 0);
  EXPECT_TRUE(
      fails(queue().nativeAddress(rangeAt(kHeap + 65 * kMiB, 8)), ErrorCode::InvalidArgument));
}

class CudaManagedTest : public CudaNativeTest {
protected:
  std::span<const std::byte> managed(std::size_t bytes) {
    fake_cuda::clearManaged();
    fake_cuda::setManaged(memory_.data(), bytes);
    return std::as_bytes(std::span(memory_)).first(bytes);
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(std::size_t{4} * kMiB);
};

TEST_F(CudaManagedTest, MovesManagedMemoryAlone) {
  const auto bytes = managed(kMiB);

  ASSERT_TRUE(ok(queue().prefetch(bytes)));
  EXPECT_EQ(fake_cuda::prefetched(), kMiB);
  ASSERT_TRUE(ok(queue().prefetch(bytes.first(1000))));
  EXPECT_EQ(fake_cuda::prefetched(), kMiB + 1000);

  fake_cuda::clearManaged();
  fake_cuda::clearCalls();
  ASSERT_TRUE(ok(queue().prefetch(bytes)));
  EXPECT_EQ(fake_cuda::prefetched(), 0U);
  ASSERT_TRUE(ok(queue().finish()));
}

TEST_F(CudaManagedTest, IsReachedWhereItLies) {
  const auto at = reinterpret_cast<std::uint64_t>(managed(kMiB).data());

  EXPECT_TRUE(device().reaches(at));
  EXPECT_FALSE(device().reaches(at + kMiB));
}

TEST_F(CudaManagedTest, LeavesMemoryThatIsManagedInPartAlone) {
  const auto bytes = managed(kMiB);
  fake_cuda::clearManaged();
  fake_cuda::setManaged(bytes.data(), bytes.size() / 2);

  EXPECT_TRUE(ok(queue().prefetch(bytes)));

  EXPECT_EQ(fake_cuda::prefetched(), 0U);
}

TEST_F(CudaManagedTest, MovesNothingWhereTheHostCouldNotUseItMeanwhile) {
  start({.hasConcurrentManaged = false});

  ASSERT_TRUE(ok(queue().prefetch(managed(kMiB))));

  EXPECT_EQ(fake_cuda::prefetched(), 0U);
}

TEST_F(CudaManagedTest, AsksForNoMoreThanIsFree) {
  start({.memory = 66 * kMiB}); // 64 MiB are committed.
  const auto bytes = managed(4 * kMiB);

  ASSERT_TRUE(ok(queue().prefetch(bytes)));
  EXPECT_EQ(fake_cuda::prefetched(), 0U);
  ASSERT_TRUE(ok(queue().prefetch(bytes.first(kMiB))));
  EXPECT_EQ(fake_cuda::prefetched(), kMiB);
  ASSERT_TRUE(ok(queue().finish()));
}

TEST_F(CudaManagedTest, AsksSeldomWhatIsFree) {
  const auto bytes = managed(kMiB);

  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(ok(queue().prefetch(bytes)));
  }

  EXPECT_EQ(fake_cuda::prefetched(), 100 * kMiB);
  EXPECT_LE(fake_cuda::calls("cuMemGetInfo_v2"), 2U);
  ASSERT_TRUE(ok(queue().finish()));
}

} // namespace

} // namespace tutti::device::cuda
