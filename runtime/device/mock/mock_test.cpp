// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the mock can do beyond the conformance suite: record, delay and fail.
#include "runtime/device/mock/mock.h"
#include "runtime/device/mock/run.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

namespace tutti::device::mock {

namespace {

constexpr std::uint64_t kBase = 0x200000000000;
constexpr Segments kWindow{{}, {kBase, kBase + (1 << 20)}};
constexpr tutti_kernel kKernel{TUTTI_KERNEL_OPENCL_C, 0, "fill", ""};
constexpr std::array<std::byte, 4> kBytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};

std::unique_ptr<Device> open(const Machine &machine, std::size_t index = 0) {
  return std::move(machine.makeDriver()->open(index, kWindow)).value();
}

/// A launch of one work-item.
KernelLaunch launchOf(Device &device) {
  KernelLaunch launch;
  launch.kernel = device.load(kKernel).value();
  launch.arguments = {kBase};
  return launch;
}

TEST(MockDevice, RecordsWhatItIsAsked) {
  Machine machine({});
  const auto device = open(machine);
  const auto queue = std::move(device->makeQueue()).value();
  machine.clearLog();

  ASSERT_TRUE(device->commit({kBase, kBase + 8}));
  ASSERT_TRUE(device->commit({kBase, kBase + 4})); // Has it already.
  ASSERT_TRUE(queue->copyIn(kBytes, kBase + 2));
  ASSERT_FALSE(queue->launch(launchOf(*device)));

  EXPECT_EQ(machine.log(), (std::vector<Entry>{{0, Operation::Commit, {kBase, kBase + 8}, {}},
                                               {0, Operation::CopyIn, {kBase + 2, kBase + 6}, {}},
                                               {0, Operation::Load, {}, "fill"},
                                               {0, Operation::Launch, {}, "fill"}}));
}

TEST(MockDevice, RunsAFunctionInPlaceOfAKernel) {
  Machine machine({});
  machine.setFunction("fill", [](const KernelRun &run) {
    run.value<std::uint32_t>(run.launch().arguments[0]) = 77;
  });
  const auto device = open(machine);
  const auto queue = std::move(device->makeQueue()).value();
  ASSERT_TRUE(device->commit({kBase, kBase + 8}));
  std::uint32_t out = 0;

  ASSERT_TRUE(queue->launch(launchOf(*device)));
  ASSERT_TRUE(queue->copyOut(kBase, std::as_writable_bytes(std::span(&out, 1))));

  EXPECT_EQ(out, 0U); // Nobody has asked yet.
  ASSERT_TRUE(queue->finish());
  EXPECT_EQ(out, 77U);
}

TEST(MockDevice, HidesCompletionForTheDelay) {
  Machine machine({.delay = 2});
  const auto device = open(machine);
  const auto queue = std::move(device->makeQueue()).value();

  const auto event = std::move(queue->record()).value();

  EXPECT_FALSE(*event->hasCompleted());
  EXPECT_FALSE(*event->hasCompleted());
  EXPECT_TRUE(*event->hasCompleted());
}

TEST(MockDevice, RefusesALaunchWithoutFunction) {
  Machine machine({});
  const auto device = open(machine);
  const auto queue = std::move(device->makeQueue()).value();

  const Status status = queue->launch(launchOf(*device));

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::WrongImage);
}

TEST(MockDevice, FaultsWhereNothingIsCommitted) {
  Machine machine({});
  machine.setFunction("fill", [](const KernelRun &run) { run.at(kBase); });
  const auto device = open(machine);
  const auto queue = std::move(device->makeQueue()).value();
  const auto before = std::move(queue->record()).value();
  ASSERT_TRUE(queue->launch(launchOf(*device)));
  const auto after = std::move(queue->record()).value();

  EXPECT_TRUE(before->hasCompleted());
  for (int i = 0; i < 2; ++i) { // Sticky.
    const Result<bool> outcome = after->hasCompleted();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::KernelFault);
  }
  EXPECT_FALSE(queue->finish());
}

TEST(MockDevice, FailsOnDemandOnce) {
  Machine machine({.devices = 2});
  const auto device = open(machine, 1);
  machine.failNext(1, Operation::Commit, failure(ErrorCode::OutOfMemory, "full"), 1);

  EXPECT_TRUE(device->commit({kBase, kBase + 1}));
  EXPECT_FALSE(device->commit({kBase, kBase + (1 << 17)}));
  EXPECT_TRUE(device->commit({kBase, kBase + (1 << 17)}));
}

TEST(MockDevice, FailsAKernelWhenItsTurnComes) {
  Machine machine({});
  machine.setFunction("fill", [](const KernelRun &) {});
  const auto device = open(machine);
  const auto queue = std::move(device->makeQueue()).value();
  machine.failNext(0, Operation::Run, failure(ErrorCode::KernelFault, "trap"));

  EXPECT_TRUE(queue->launch(launchOf(*device)));
  EXPECT_FALSE(queue->finish());
}

TEST(MockDevice, StaysLost) {
  Machine machine({.devices = 2, .lose = 3}); // Opened, makes a queue.
  const auto device = open(machine);
  const auto other = open(machine, 1);
  const auto queue = std::move(device->makeQueue()).value();

  EXPECT_FALSE(device->commit({kBase, kBase + 1}));
  const Status status = queue->finish();

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::DeviceLost);
  EXPECT_TRUE(other->makeQueue());
}

TEST(MockDevice, IsFullAtItsCapacity) {
  Machine machine({.memory = 128 << 10});
  const auto device = open(machine);

  EXPECT_TRUE(device->commit({kBase, kBase + (128 << 10)}));
  EXPECT_FALSE(device->commit({kBase, kBase + (128 << 10) + 1}));
  ASSERT_TRUE(device->release({kBase, kBase + (64 << 10)}));
  EXPECT_TRUE(device->commit({kBase + (128 << 10), kBase + (192 << 10)}));
}

TEST(MockDevice, IsFullFromACommitOn) {
  Machine machine({.failCommit = 2});
  const auto device = open(machine);

  EXPECT_TRUE(device->commit({kBase, kBase + 1}));
  for (int i = 0; i < 2; ++i) {
    const Status status = device->commit({kBase + (1 << 17), kBase + (1 << 18)});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::OutOfMemory);
  }
}

TEST(MockDevice, RefusesImages) {
  Machine machine({.refusesImages = true});

  const auto loaded = open(machine)->load(kKernel);

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::WrongImage);
}

/// As a test program brings a kernel: writes its first argument to where the second one points.
void store(const tutti_mock_run *run) {
  std::uintptr_t address = 0;
  std::memcpy(&address, run->arguments[1], sizeof address);
  std::memcpy(run->at(run, address), run->arguments[0], 4);
}

tutti_task_kernel nativeOf(tutti_mock_kernel function) {
  return {TUTTI_DEVICE_GPU, "store", {reinterpret_cast<const void *>(function), nullptr},
          nullptr,          nullptr, nullptr};
}

TEST(MockDevice, RunsFunctionsOfTheProgramWhenTheirTurnComes) {
  Machine machine({.delay = 1});
  const auto device = open(machine);
  const auto queue = std::move(device->makeQueue()).value();
  const tutti_task_kernel kernel = nativeOf(store);
  std::uint32_t value = 77;
  std::uint32_t out = 0;
  std::uint64_t address = kBase + 4;
  const NativeLaunch launch{
      .kernel = device->find(kernel).value(),
      .grid = {},
      .localBytes = 0,
      .arguments = {{&value, sizeof value, false}, {&address, sizeof address, true}}};
  ASSERT_TRUE(device->commit({kBase, kBase + 8}));
  machine.clearLog();

  ASSERT_TRUE(queue->launchNative(launch));
  ASSERT_TRUE(queue->copyOut(kBase + 4, std::as_writable_bytes(std::span(&out, 1))));
  value = 0;
  EXPECT_EQ(out, 0U);
  ASSERT_TRUE(queue->finish());

  EXPECT_EQ(out, 77U);
  EXPECT_EQ(machine.log().front(), (Entry{0, Operation::Launch, {}, "store"}));
}

TEST(MockDevice, NoticesWhereFunctionsOfTheProgramReach) {
  Machine machine({});
  const auto device = open(machine);
  const auto queue = std::move(device->makeQueue()).value();
  const tutti_task_kernel kernel = nativeOf(store);
  const std::uint64_t far = kBase + (512 << 10);
  const NativeLaunch launch{.kernel = device->find(kernel).value(),
                            .grid = {},
                            .localBytes = 0,
                            .arguments = {{&far, sizeof far, false}, {&far, sizeof far, false}}};

  ASSERT_TRUE(queue->launchNative(launch));
  const Status status = queue->finish();

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::KernelFault);
}

TEST(MockDevice, RecordsWhatIsToBeMovedAhead) {
  Machine machine({});
  const auto device = open(machine);
  const auto queue = std::move(device->makeQueue()).value();
  machine.clearLog();

  ASSERT_TRUE(queue->prefetch(kBytes));

  const auto first = reinterpret_cast<std::uintptr_t>(kBytes.data());
  EXPECT_EQ(machine.log(),
            (std::vector<Entry>{{0, Operation::Prefetch, {first, first + kBytes.size()}, {}}}));
}

TEST(MockDevice, HasNoRoutesIfToldSo) {
  Machine machine({.devices = 2, .hasRoutes = false});
  const auto from = open(machine, 0);
  const auto to = open(machine, 1);
  const auto queue = std::move(to->makeQueue()).value();

  const Status status = queue->copyFrom(*from, {});

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::NoRoute);
  EXPECT_TRUE(to->info().reaches.empty());
}

TEST(MockDevice, IsWantedByTheEnvironmentOnly) {
  ::unsetenv("TUTTI_MOCK_DEVICES");
  EXPECT_EQ(makeDriver(), nullptr);

  ::setenv("TUTTI_MOCK_DEVICES", "3", 1);
  ::setenv("TUTTI_MOCK_FORMAT", "ptx", 1);
  ::setenv("TUTTI_MOCK_MEMORY", "64K", 1);
  const auto infos = makeDriver()->list();
  ::setenv("TUTTI_MOCK_MEMORY", "much", 1);
  const auto wrong = makeDriver()->list();
  for (const char *name : {"TUTTI_MOCK_DEVICES", "TUTTI_MOCK_FORMAT", "TUTTI_MOCK_MEMORY"}) {
    ::unsetenv(name);
  }

  ASSERT_TRUE(infos);
  EXPECT_EQ(infos->size(), 3U);
  EXPECT_EQ(infos->front().format, TUTTI_KERNEL_PTX);
  EXPECT_EQ(infos->front().memory, 64U << 10);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::InvalidArgument);
}

} // namespace

} // namespace tutti::device::mock
