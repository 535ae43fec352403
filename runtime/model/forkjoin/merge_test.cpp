// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that write anywhere in an array, on the host of one rank and two mock devices together.
#include "runtime/device/mock/mock.h"
#include "runtime/exec/test/flat_code.h"
#include "runtime/model/forkjoin/rank_zero.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

namespace {

using device::mock::KernelRun;

constexpr std::uint64_t kUnit = 64 << 10;
constexpr std::uint64_t kBytes = 4 << 20; ///< So much that both devices are worth it.
constexpr std::uint64_t kTotal =
    kBytes / 2 + 77; ///< Iterations: half of the bytes are not written.

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, true});
  return *mapped;
}

/// The byte that an iteration writes; another one for each. Neighbours are of iterations far apart.
std::uint64_t target(std::int64_t index, std::uint64_t round) {
  return static_cast<std::uint64_t>(index) * (round % 2 == 0 ? 0x155555 : 0x2aaaab) % kBytes;
}

std::byte next(std::byte value, std::int64_t index, std::uint64_t round) {
  const bool isSame = index % 5 == 0;
  return isSame ? value
                : static_cast<std::byte>(static_cast<std::uint64_t>(value) + 1 + round +
                                         static_cast<std::uint64_t>(index) % 2);
}

/// Captures: the array, the round.
void run(const std::uint64_t *captures, const tutti_chunk *chunk) {
  for (std::int64_t index = chunk->lower; index < chunk->upper; ++index) {
    std::byte &value = *window().view(captures[0] + target(index, captures[1]));
    value = next(value, index, captures[1]);
  }
}

void runOnDevice(const KernelRun &kernel) {
  const std::vector<std::uint64_t> &captures = kernel.launch().arguments;
  for (std::int64_t index = kernel.launch().lower; index < kernel.launch().upper; ++index) {
    std::byte &value = *kernel.at(captures[0] + target(index, captures[1]));
    value = next(value, index, captures[1]);
  }
}

void accesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t, std::int64_t,
              std::int64_t, tutti_sink *sink) {
  sink->add(TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED | TUTTI_ALLOCATION, captures[0],
            captures[0], 1, 0, nullptr);
}

/// So that a hundredth of the bytes are written.
constexpr std::uint64_t kFew = kBytes / 100;

constexpr FlatCode kCode("scatter");

tutti_region scatterRegion() {
  tutti_region region{};
  region.flags = TUTTI_REGION_DISTRIBUTABLE | TUTTI_REGION_SCATTERS;
  region.source = "test.c:1:1";
  region.captures = 2;
  region.run = run;
  region.gather = [](const std::uint64_t *, std::uint64_t *, tutti_gather *) {};
  region.trip = [](const std::uint64_t *, const std::uint64_t *) {
    return static_cast<std::int64_t>(kTotal);
  };
  region.accesses = accesses;
  region.device = kCode.get();
  return region;
}

tutti_region sparse(tutti_region region) {
  region.trip = [](const std::uint64_t *, const std::uint64_t *) {
    return static_cast<std::int64_t>(kFew);
  };
  return region;
}

class MergeTest : public testing::Test {
protected:
  void SetUp() override {
    machine_.setFunction("scatter", runOnDevice);
    heap_ = std::make_unique<memory::Heap>(window().heap());
    pages_ = std::move(memory::PageTable::create(window())).value();
  }

  /// Two devices that hold so much, and an array.
  void start(std::uint32_t wanted, Distribute distribute, std::uint64_t capacity) {
    const Room room{capacity, kUnit};
    std::vector<OpenDevice> devices;
    for (std::size_t index = 0; index < 2; ++index) {
      devices.push_back(
          {std::move(machine_.makeDriver()->open(index, segmentsOf(window()))).value(), "mock",
           room});
    }
    const DeviceTraits traits{TUTTI_KERNEL_OPENCL_C, TUTTI_DEVICE_OPENCL, 1, 1, 4, room};
    zero_ = std::make_unique<RankZero>(RankZero::Setup{
        {*endpoint_, window(), memory::Topology({2}), {room, room}, std::move(devices), false},
        *pages_,
        memory::Objects(window().stack(), *heap_, {}),
        distribute,
        {traits, traits},
        wanted});
    zero_->start();
    array_ = heap_->allocate(kBytes, kUnit);
    expected_.resize(kBytes);
    for (std::uint64_t offset = 0; offset < kBytes; ++offset) {
      expected_[offset] = *window().view(array_ + offset) = static_cast<std::byte>(offset);
    }
  }

  bool launch(std::uint64_t round) { return launch(region_, kTotal, round); }

  bool launch(const tutti_region &region, std::uint64_t total, std::uint64_t round) {
    const std::array<std::uint64_t, 2> captures{array_, round};
    std::optional<Launch> launch = zero_->prepare(region, captures.data(), 0);
    if (!launch || !zero_->distribute(*launch)) {
      return false;
    }
    for (std::int64_t index = 0; index < static_cast<std::int64_t>(total); ++index) {
      std::byte &value = expected_[target(index, round)];
      value = next(value, index, round);
    }
    return true;
  }

  /// As sequential code would.
  void write(std::uint64_t offset, std::byte value) {
    zero_->open({array_ + offset, array_ + offset + 1}, true);
    expected_[offset] = *window().view(array_ + offset) = value;
  }

  void expectRight() {
    zero_->open({array_, array_ + kBytes}, false);
    EXPECT_TRUE(std::equal(expected_.begin(), expected_.end(), window().view(array_)));
  }

  const tutti_region region_ = scatterRegion();
  const tutti_region sparseRegion_ = sparse(scatterRegion());
  device::mock::Machine machine_{{.devices = 2, .memory = 16 << 20, .delay = 2}};
  transport::mock::Network network_{1};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  std::unique_ptr<memory::Heap> heap_;
  std::unique_ptr<memory::PageTable> pages_;
  std::unique_ptr<RankZero> zero_;
  std::uint64_t array_ = 0;
  std::vector<std::byte> expected_;
};

TEST_F(MergeTest, HasWhatHostAndDevicesWroteAndNothingElse) {
  start(TUTTI_DEVICE_HYBRID, Distribute::Auto, 16 << 20);

  for (std::uint64_t round = 0; round < 5; ++round) {
    ASSERT_TRUE(launch(round));
    write(100 * round, std::byte{3});
    if (round % 2 == 0) {
      expectRight();
    }
  }

  expectRight();
  const trace::Report report = zero_->finish();
  EXPECT_EQ(report.counters.kernels, 10U);
  EXPECT_EQ(report.counters.mergeBytes, 0U) << "there is nobody to send to";
}

TEST_F(MergeTest, CopiesOutOfDevicesOnlyWhatTheyChanged) {
  start(TUTTI_DEVICE_OPENCL, Distribute::Auto, 16 << 20);

  for (std::uint64_t round = 0; round < 5; ++round) {
    ASSERT_TRUE(launch(sparseRegion_, kFew, round));
  }

  expectRight();
  const trace::Report report = zero_->finish();
  EXPECT_EQ(report.counters.kernels, 10U);
  EXPECT_GT(report.counters.deviceOutBytes, 5 * kFew * 4 / 5);
  EXPECT_LE(report.counters.deviceOutBytes, 5 * kFew * sizeof(device::Change));
}

TEST_F(MergeTest, ComparesAllOfTheArrayWhereDevicesHaveNoRoomForACopy) {
  start(TUTTI_DEVICE_OPENCL, Distribute::Auto, kBytes + 4 * kUnit);

  for (std::uint64_t round = 0; round < 5; ++round) {
    ASSERT_TRUE(launch(sparseRegion_, kFew, round));
  }

  expectRight();
  const trace::Report report = zero_->finish();
  EXPECT_EQ(report.counters.kernels, 10U);
  EXPECT_GE(report.counters.deviceOutBytes, 10 * kBytes);
}

TEST_F(MergeTest, ComparesAllOfTheArrayWhereADeviceGivesNoMemoryForACopy) {
  start(TUTTI_DEVICE_OPENCL, Distribute::Auto, 16 << 20);
  const Error full = failure(ErrorCode::OutOfMemory, "others have taken it");
  machine_.failNext(1, device::mock::Operation::MakeSnapshot, full);
  machine_.failNext(0, device::mock::Operation::Keep, full, 1);

  for (std::uint64_t round = 0; round < 3; ++round) {
    ASSERT_TRUE(launch(round));
  }

  expectRight();
  zero_->finish();
}

TEST_F(MergeTest, LeavesTheArrayOnOneDeviceUnlessMoreAreAskedFor) {
  start(TUTTI_DEVICE_AUTO, Distribute::Auto, 16 << 20);
  std::uint64_t launched = 0;
  for (std::uint64_t round = 0; round < 20; ++round) {
    launched += launch(round) ? 1 : 0;
  }
  expectRight();

  const trace::Report report = zero_->finish();
  EXPECT_GT(launched, 0U);
  EXPECT_EQ(report.counters.kernels, launched);
  EXPECT_LE(report.counters.deviceOutBytes, kBytes + memory::kPageBytes);
}

TEST_F(MergeTest, PassesOverDevicesThatCannotHoldTheArray) {
  start(TUTTI_DEVICE_OPENCL, Distribute::Always, kBytes / 2);

  testing::internal::CaptureStderr();
  EXPECT_FALSE(launch(0));
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  zero_->finish();
}

} // namespace

} // namespace tutti::model::forkjoin
