// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `Device::load` and `Queue::launch` promise, checked on every device.
#include "runtime/device/conformance/fixture.h"
#include "runtime/device/grid.h"

#include <numeric>

namespace tutti::device {

namespace {

using namespace conformance;

class DeviceKernel : public DeviceTest {
protected:
  /// Of partial results of `sum`.
  static std::uint64_t sumOf(const HostBuffer &partials) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < partials.bytes().size(); at += kPartialBytes) {
      std::uint64_t partial = 0;
      std::memcpy(&partial, partials.bytes().data() + at, sizeof partial);
      sum += partial;
    }
    return sum;
  }

  /// Iterations [lower, upper) of 1000 on a grid of gridFor.
  KernelLaunch launchOf(Kernel *kernel, std::int64_t lower, std::int64_t upper,
                        std::vector<std::uint64_t> arguments) {
    const std::int64_t extent = upper - lower;
    return {.kernel = kernel,
            .grid = gridFor({&extent, 1}, device().info(), {.maxGroup = kernel->maxGroup()}),
            .lower = lower,
            .upper = upper,
            .total = 1000,
            .partialBytes = 0,
            .partials = nullptr,
            .arguments = std::move(arguments)};
  }
};

TEST_P(DeviceKernel, ReachesTheWindowBelowAndAbove4GiB) {
  Kernel *scale = load("scale");
  ASSERT_TRUE(scale);
  for (const std::uint64_t x : {kLow.begin + 8, kHigh.begin + 16, kHeap + 100 * kMiB - 800}) {
    const Words before = pattern(1000, x);
    put(x, before);

    ASSERT_TRUE(ok(queue().launch(launchOf(scale, 10, 900, {x, 3}))));

    Words after = before;
    for (std::size_t i = 10; i < 900; ++i) {
      after[i] *= 3;
    }
    EXPECT_EQ(get(x, after.size()), after) << x;
  }
}

TEST_P(DeviceKernel, IsFoundAgainByItsPointer) {
  Kernel *scale = load("scale");

  EXPECT_EQ(load("scale"), scale);
  EXPECT_NE(load("sum"), scale);
}

TEST_P(DeviceKernel, AllowsWorkItems) {
  Kernel *scale = load("scale");
  ASSERT_TRUE(scale);

  EXPECT_GE(scale->maxGroup(), 32U);
  EXPECT_LE(scale->maxGroup(), device().info().maxGroup);
}

TEST_P(DeviceKernel, StepsThroughIterationsOnAnyGrid) {
  Kernel *scale = load("scale");
  ASSERT_TRUE(scale);
  put(kHeap, Words(1000, 1));
  KernelLaunch launch = launchOf(scale, 0, 1000, {kHeap, 2});

  for (const auto &[groups, group] : {std::pair{1U, 1U}, {3U, 32U}, {100U, 16U}}) {
    launch.grid = {{groups, 1, 1}, {group, 1, 1}};
    ASSERT_TRUE(ok(queue().launch(launch)));
  }

  EXPECT_EQ(get(kHeap, 1000), Words(1000, 8));
}

TEST_P(DeviceKernel, RunsInTheQueuesOrder) {
  Kernel *scale = load("scale");
  ASSERT_TRUE(scale);
  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap, 8000))));
  Words first(1000);
  Words second(1000);

  ASSERT_TRUE(ok(queue().copyIn(bytesOf(Words(1000, 5)), kHeap)));
  ASSERT_TRUE(ok(queue().launch(launchOf(scale, 0, 1000, {kHeap, 2}))));
  ASSERT_TRUE(ok(queue().copyOut(kHeap, writableBytesOf(first))));
  ASSERT_TRUE(ok(queue().launch(launchOf(scale, 0, 1000, {kHeap, 10}))));
  ASSERT_TRUE(ok(queue().copyOut(kHeap, writableBytesOf(second))));
  auto event = queue().record();
  ASSERT_TRUE(ok(event));
  ASSERT_TRUE(ok(await(**event)));

  EXPECT_EQ(first, Words(1000, 10));
  EXPECT_EQ(second, Words(1000, 100));
}

TEST_P(DeviceKernel, FollowsMemoryThatGrows) {
  Kernel *scale = load("scale");
  ASSERT_TRUE(scale);
  put(kHeap, Words(1000, 1));
  for (std::uint64_t round = 1; round <= 4; ++round) {
    ASSERT_TRUE(ok(queue().launch(launchOf(scale, 0, 1000, {kHeap, 2}))));
    ASSERT_TRUE(ok(device().commit(rangeAt(kHeap + round * 60 * kMiB, kMiB))));
  }

  EXPECT_EQ(get(kHeap, 1000), Words(1000, 16));
}

TEST_P(DeviceKernel, RunsInThreeDimensions) {
  Kernel *place = load("place");
  ASSERT_TRUE(place);
  const Grid grid{{2, 3, 2}, {4, 2, 3}};
  constexpr std::uint64_t kNx = 8;
  constexpr std::uint64_t kNy = 6;
  Words expected(kNx * kNy * 6);
  put(kHeap, expected);
  std::iota(expected.begin(), expected.end(), 0);
  KernelLaunch launch = launchOf(place, 0, 1000, {kHeap, kNx, kNy});
  launch.grid = grid;

  ASSERT_TRUE(ok(queue().launch(launch)));

  EXPECT_EQ(get(kHeap, expected.size()), expected);
}

TEST_P(DeviceKernel, LeavesPartialResultsOfGroups) {
  Kernel *sum = load("sum");
  ASSERT_TRUE(sum);
  const Words words = pattern(100000, 1);
  put(kHeap, words);
  for (const std::int64_t upper : {100000, 37, 1}) {
    const std::int64_t extent = upper;
    KernelLaunch launch = launchOf(sum, 0, upper, {kHeap});
    launch.grid = gridFor({&extent, 1}, device().info(),
                          {.maxGroup = sum->maxGroup(), .partialBytes = kPartialBytes});
    launch.partialBytes = kPartialBytes;
    const auto partials = makeHostBuffer(launch.grid.groupCount() * kPartialBytes);
    ASSERT_TRUE(partials);
    launch.partials = partials.get();

    ASSERT_TRUE(ok(queue().launch(launch)));
    auto event = queue().record();
    ASSERT_TRUE(ok(event));
    ASSERT_TRUE(ok(await(**event)));

    EXPECT_EQ(sumOf(*partials),
              std::accumulate(words.begin(), words.begin() + upper, std::uint64_t{0}));
  }
}

TEST_P(DeviceKernel, KeepsPartialResultsOfLaunchesApart) {
  Kernel *sum = load("sum");
  Kernel *scale = load("scale");
  ASSERT_TRUE(sum && scale);
  put(kHeap, Words(1000, 1));
  std::vector<std::unique_ptr<HostBuffer>> buffers;
  for (int round = 0; round < 3; ++round) {
    KernelLaunch launch = launchOf(sum, 0, 1000, {kHeap});
    launch.grid = {{1U << (4 * round), 1, 1}, {64, 1, 1}};
    launch.partialBytes = kPartialBytes;
    buffers.push_back(makeHostBuffer(launch.grid.groupCount() * kPartialBytes));
    launch.partials = buffers.back().get();
    ASSERT_TRUE(ok(queue().launch(launch)));
    ASSERT_TRUE(ok(queue().launch(launchOf(scale, 0, 1000, {kHeap, 10}))));
  }
  ASSERT_TRUE(ok(queue().finish()));

  std::uint64_t expected = 1000;
  for (const auto &buffer : buffers) {
    EXPECT_EQ(sumOf(*buffer), expected);
    expected *= 10;
  }
}

TEST_P(DeviceKernel, CombinesPartialResultsOfGroups) {
  Kernel *sum = load("sum");
  Kernel *add = load("add");
  ASSERT_TRUE(sum && add);
  const Words words = pattern(100000, 1);
  put(kHeap, words);
  const std::uint64_t expected = std::accumulate(words.begin(), words.end(), std::uint64_t{0});
  for (const auto &[groups, combining] :
       {std::pair{Grid{{1, 1, 1}, {64, 1, 1}}, Grid{}},
        {Grid{{100, 1, 1}, {64, 1, 1}}, Grid{{1, 1, 1}, {32, 1, 1}}},
        {Grid{{333, 1, 1}, {32, 1, 1}}, Grid{{5, 1, 1}, {64, 1, 1}}},
        {Grid{{1024, 1, 1}, {16, 1, 1}}, Grid{{16, 1, 1}, {64, 1, 1}}}}) {
    KernelLaunch launch = launchOf(sum, 0, 100000, {kHeap});
    launch.grid = groups;
    launch.partialBytes = kPartialBytes;
    launch.combiner = add;
    launch.combinerGrid = combining;
    const auto partials = makeHostBuffer(combining.groupCount() * kPartialBytes);
    ASSERT_TRUE(partials);
    launch.partials = partials.get();

    ASSERT_TRUE(ok(queue().launch(launch)));
    ASSERT_TRUE(ok(queue().finish()));

    EXPECT_EQ(sumOf(*partials), expected) << groups.groupCount();
  }
}

TEST_P(DeviceKernel, KeepsPartialResultsOfCombinersApart) {
  Kernel *sum = load("sum");
  Kernel *add = load("add");
  Kernel *scale = load("scale");
  ASSERT_TRUE(sum && add && scale);
  put(kHeap, Words(1000, 1));
  std::vector<std::unique_ptr<HostBuffer>> buffers;
  for (const unsigned groups : {16U, 300U, 20U, 2000U}) {
    KernelLaunch launch = launchOf(sum, 0, 1000, {kHeap});
    launch.grid = {{groups, 1, 1}, {8, 1, 1}};
    launch.partialBytes = kPartialBytes;
    launch.combiner = add;
    launch.combinerGrid = {{2, 1, 1}, {8, 1, 1}};
    buffers.push_back(makeHostBuffer(2 * kPartialBytes));
    launch.partials = buffers.back().get();
    ASSERT_TRUE(ok(queue().launch(launch)));
    ASSERT_TRUE(ok(queue().launch(launchOf(scale, 0, 1000, {kHeap, 10}))));
  }
  ASSERT_TRUE(ok(queue().finish()));

  std::uint64_t expected = 1000;
  for (const auto &buffer : buffers) {
    EXPECT_EQ(sumOf(*buffer), expected);
    expected *= 10;
  }
}

TEST_P(DeviceKernel, ComputesInDoublePrecisionIfTheDeviceCan) {
  const auto loaded = device().load(*kernelNamed("halve", device().info().format));
  if (!device().info().hasFp64) {
    EXPECT_TRUE(fails(loaded, ErrorCode::NotSupported));
    return;
  }
  ASSERT_TRUE(ok(loaded));
  const double before = 1.0 / 3.0;
  put(kHeap, Words(1000, std::bit_cast<std::uint64_t>(before)));

  ASSERT_TRUE(ok(queue().launch(launchOf(*loaded, 0, 1000, {kHeap}))));

  EXPECT_EQ(get(kHeap, 1000), Words(1000, std::bit_cast<std::uint64_t>(before * 0.5 + 1.0)));
}

TEST_P(DeviceKernel, RefusesGridsBeyondTheLimits) {
  Kernel *scale = load("scale");
  ASSERT_TRUE(scale);
  const Words words = pattern(1000, 2);
  put(kHeap, words);
  const Info &info = device().info();
  const KernelLaunch good = launchOf(scale, 0, 1000, {kHeap, 3});
  std::vector<Grid> grids{
      {{1, 1, 1}, {scale->maxGroup() * 2, 1, 1}}, {{0, 1, 1}, {1, 1, 1}}, {{1, 1, 1}, {32, 0, 1}}};
  for (std::size_t d = 0; d < 3; ++d) {
    grids.emplace_back().groups[d] = info.maxGroups[d] + 1;
    grids.emplace_back().group[d] = info.maxGroupOf[d] + 1;
  }

  for (const Grid &grid : grids) {
    KernelLaunch launch = good;
    launch.grid = grid;
    EXPECT_TRUE(fails(queue().launch(launch), ErrorCode::InvalidArgument))
        << grid.groups[0] << ' ' << grid.group[0];
  }

  EXPECT_EQ(get(kHeap, words.size()), words);
}

TEST_P(DeviceKernel, RefusesPartialResultsThatDoNotFit) {
  Kernel *sum = load("sum");
  ASSERT_TRUE(sum);
  put(kHeap, Words(1000, 1));
  const auto partials = makeHostBuffer(3 * kPartialBytes);
  ASSERT_TRUE(partials);
  KernelLaunch launch = launchOf(sum, 0, 1000, {kHeap});
  launch.partialBytes = kPartialBytes;
  launch.grid = {{4, 1, 1}, {32, 1, 1}};

  EXPECT_TRUE(fails(queue().launch(launch), ErrorCode::InvalidArgument));
  launch.partials = partials.get();
  EXPECT_TRUE(fails(queue().launch(launch), ErrorCode::InvalidArgument));
  launch.grid.groups[0] = 3;
  EXPECT_TRUE(ok(queue().launch(launch)));
  EXPECT_TRUE(ok(queue().finish()));
}

TEST_P(DeviceKernel, RefusesACombinerWithNothingToDo) {
  Kernel *sum = load("sum");
  Kernel *add = load("add");
  ASSERT_TRUE(sum && add);
  put(kHeap, Words(1000, 1));
  const auto partials = makeHostBuffer(8 * kPartialBytes);
  ASSERT_TRUE(partials);
  KernelLaunch launch = launchOf(sum, 0, 1000, {kHeap});
  launch.grid = {{63, 1, 1}, {32, 1, 1}};
  launch.partialBytes = kPartialBytes;
  launch.partials = partials.get();
  launch.combiner = add;

  for (const Grid &grid : {Grid{{1, 1, 1}, {64, 1, 1}}, Grid{{2, 1, 1}, {32, 1, 1}},
                           Grid{{1, 2, 1}, {16, 1, 1}}, Grid{{9, 1, 1}, {4, 1, 1}}}) {
    launch.combinerGrid = grid;
    EXPECT_TRUE(fails(queue().launch(launch), ErrorCode::InvalidArgument));
  }
  launch.combinerGrid = {{1, 1, 1}, {32, 1, 1}};
  EXPECT_TRUE(ok(queue().launch(launch)));
  EXPECT_TRUE(ok(queue().finish()));
}

TEST_P(DeviceKernel, RefusesATextWithTheDriversWords) {
  const tutti_kernel wrong{device().info().format, 0, "scale", "#error this is no kernel\n"};

  const auto loaded = device().load(wrong);

  ASSERT_TRUE(fails(loaded, ErrorCode::WrongImage));
  EXPECT_GT(loaded.error().message.size(), 20U) << loaded.error().message;
  EXPECT_TRUE(load("scale")); // Others are not affected.
}

TEST_P(DeviceKernel, RefusesANameThatTheTextDoesNotHave) {
  const tutti_kernel *scale = kernelNamed("scale", device().info().format);
  const tutti_kernel wrong{scale->format, 0, "nothing", scale->text};

  const auto loaded = device().load(wrong);

  // The mock cannot read, and notices at the launch.
  const Status status = loaded ? queue().launch(launchOf(*loaded, 0, 1, {})) : loaded.error();
  EXPECT_TRUE(fails(status, ErrorCode::WrongImage));
}

TEST_P(DeviceKernel, RefusesTheOtherFormat) {
  const auto other =
      device().info().format == TUTTI_KERNEL_PTX ? TUTTI_KERNEL_OPENCL_C : TUTTI_KERNEL_PTX;

  EXPECT_TRUE(fails(device().load(*kernelNamed("scale", other)), ErrorCode::NotSupported));
}

TUTTI_CONFORMANCE(DeviceKernel);

} // namespace

} // namespace tutti::device
