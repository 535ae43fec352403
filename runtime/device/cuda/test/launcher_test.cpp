// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/kernel.h"
#include "runtime/device/cuda/launcher.h"
#include "runtime/device/cuda/test/fixture.h"

#include <thread>

namespace tutti::device::cuda {

namespace {

constexpr int kFew = 16; ///< Before so many nobody asks how closely kernels come.
constexpr int kMany = 1000;

class LauncherTest : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    auto library = openLibrary(FAKE_CUDA);
    ASSERT_TRUE(ok(library));
    auto context = Context::open(std::move(*library), 0, "GPU 0");
    ASSERT_TRUE(ok(context));
    context_ = std::move(*context);
    kernels_ = std::make_unique<Kernels>(*context_);
    const auto loaded = kernels_->load({TUTTI_KERNEL_PTX, 0, "mine", kText});
    ASSERT_TRUE(ok(loaded));
    kernel_ = static_cast<CudaKernel *>(*loaded);
    ASSERT_EQ(context_->cuda().cuStreamCreateWithPriority(&stream_, kStreamNonBlocking, 0),
              kSuccess);
    fake_cuda::setFunction("mine", [this](const fake_cuda::Launch &launch) {
      seen_.push_back(launch.parameters[0] + launch.groups[0]);
      return 0;
    });
  }

  void TearDown() override {
    launcher_.reset();
    fake_cuda::run();
    context_->cuda().cuStreamDestroy_v2(stream_);
    kernels_.reset();
    context_.reset();
    CudaTest::TearDown();
  }

  Launcher &launcher(std::chrono::nanoseconds close) {
    launcher_ = std::make_unique<Launcher>(*context_, close);
    launcher_->setStream(stream_);
    return *launcher_;
  }

  /// Kernels follow each other closely, however slow the machine is.
  Launcher &closeLauncher() { return launcher(std::chrono::hours(1)); }

  /// The n-th kernel gets n as its parameter, and so many groups more than one.
  Status launch(std::uint64_t number, std::size_t parameters = 1) {
    const std::vector<std::uint64_t> values(parameters, number);
    return launcher_->launch({.kernel = kernel_,
                              .groups = {static_cast<unsigned>(number) + 1, 1, 1},
                              .group = {32, 1, 1},
                              .shared = 0},
                             values);
  }

  void launchMany() {
    for (int i = 0; i < kMany; ++i) {
      ASSERT_TRUE(ok(launch(static_cast<std::uint64_t>(i))));
    }
  }

  /// What kernels saw, once they have all run.
  const std::vector<std::uint64_t> &seen() {
    fake_cuda::run();
    return seen_;
  }

  static std::vector<std::uint64_t> inOrder(std::uint64_t count) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < count; ++i) {
      numbers.push_back(2 * i + 1);
    }
    return numbers;
  }

private:
  std::unique_ptr<Context> context_;
  std::unique_ptr<Kernels> kernels_;
  CudaKernel *kernel_ = nullptr;
  CUstream stream_ = nullptr;
  std::unique_ptr<Launcher> launcher_;
  std::vector<std::uint64_t> seen_;
};

TEST_F(LauncherTest, GivesKernelsThatComeCloselyInTheirOrder) {
  Launcher &launcher = closeLauncher();
  launchMany();
  ASSERT_TRUE(ok(launcher.drain()));

  EXPECT_EQ(seen(), inOrder(kMany));
}

TEST_F(LauncherTest, GivesAKernelThatComesAloneAtOnce) {
  Launcher &launcher = closeLauncher();
  for (std::uint64_t i = 0; i < kMany; ++i) {
    ASSERT_TRUE(ok(launch(i)));
    EXPECT_EQ(fake_cuda::calls("cuLaunchKernel"), i + 1);
    ASSERT_TRUE(ok(launcher.drain()));
  }

  EXPECT_EQ(seen(), inOrder(kMany));
}

TEST_F(LauncherTest, GivesKernelsThatComeSlowlyAtOnce) {
  launcher(std::chrono::nanoseconds(0));
  for (std::uint64_t i = 0; i < kMany; ++i) {
    ASSERT_TRUE(ok(launch(i)));
    EXPECT_EQ(fake_cuda::calls("cuLaunchKernel"), i + 1);
  }
}

TEST_F(LauncherTest, KeepsTheOrderOfKernelsThatItCannotHold) {
  constexpr std::size_t kTooMany = 1000;
  Launcher &launcher = closeLauncher();
  for (std::uint64_t i = 0; i < kMany; ++i) {
    ASSERT_TRUE(ok(launch(i, i % 3 == 0 ? kTooMany : 1)));
  }
  ASSERT_TRUE(ok(launcher.drain()));

  EXPECT_EQ(seen(), inOrder(kMany));
}

TEST_F(LauncherTest, SleepsAndWakes) {
  Launcher &launcher = closeLauncher();
  for (std::uint64_t i = 0; i < kMany; ++i) {
    ASSERT_TRUE(ok(launch(i)));
    if (i % 100 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  ASSERT_TRUE(ok(launcher.drain()));

  EXPECT_EQ(seen(), inOrder(kMany));
}

TEST_F(LauncherTest, SaysLaterWhatTheDriverRefusesAndGivesNothingBehindIt) {
  Launcher &launcher = closeLauncher();
  constexpr int kRefused = 200;
  fake_cuda::failNext("cuLaunchKernel", kLaunchOutOfResources, kRefused);
  for (std::uint64_t i = 0; i <= kRefused; ++i) {
    ASSERT_TRUE(ok(launch(i)));
  }
  Status status = launch(kRefused + 1); // May know it.
  if (status) {
    status = launcher.drain();
  }

  EXPECT_TRUE(fails(status, ErrorCode::InvalidArgument));
  EXPECT_TRUE(says(status, "GPU 0: cannot launch kernel mine"));
  EXPECT_EQ(seen(), inOrder(kRefused));

  EXPECT_TRUE(ok(launch(kRefused)));
  EXPECT_TRUE(ok(launcher.drain()));
  EXPECT_EQ(seen(), inOrder(kRefused + 1));
}

TEST_F(LauncherTest, EndsWhetherItSleepsOrNot) {
  for (int i = 0; i < 2 * kFew; ++i) {
    Launcher &launcher = closeLauncher();
    launchMany();
    ASSERT_TRUE(ok(launcher.drain()));
    std::this_thread::sleep_for(std::chrono::microseconds(i * 10));
  }
}

} // namespace

} // namespace tutti::device::cuda
