// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that follow pointers and may meet one that leads elsewhere, on the host of one rank and a
/// mock device together.
#include "runtime/device/mock/mock.h"
#include "runtime/exec/test/flat_code.h"
#include "runtime/model/forkjoin/rank_zero.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
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
constexpr std::int64_t kTotal = 1 << 20; ///< So many that the device is worth it.
constexpr std::uint64_t kWord = 8;

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, true});
  return *mapped;
}

std::uint64_t wordOf(std::uint64_t array, std::int64_t index) {
  return array + static_cast<std::uint64_t>(index) * kWord;
}

/// Captures: the array, the tutti_reach, the iteration that strays, or a negative number.
template <typename At>
void addOne(const std::uint64_t *captures, std::int64_t lower, std::int64_t upper, At at) {
  for (std::int64_t index = lower; index < upper; ++index) {
    const auto &reach = *reinterpret_cast<const tutti_reach *>(at(captures[1]));
    const bool isInside = captures[0] - reach.begin[0] < reach.bytes[0];
    if (!isInside || index == static_cast<std::int64_t>(captures[2])) {
      *reinterpret_cast<std::uint64_t *>(at(captures[1])) = 1;
      return;
    }
    ++*reinterpret_cast<std::uint64_t *>(at(wordOf(captures[0], index)));
  }
}

void run(const std::uint64_t *captures, const tutti_chunk *chunk) {
  addOne(captures, chunk->lower, chunk->upper,
         [](std::uint64_t address) { return window().view(address); });
}

void runOnDevice(const KernelRun &kernel) {
  addOne(kernel.launch().arguments.data(), kernel.launch().lower, kernel.launch().upper,
         [&](std::uint64_t address) { return kernel.at(address); });
}

void accesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
              std::int64_t upper, std::int64_t, tutti_sink *sink) {
  const tutti_dim dim{kWord, upper - lower};
  sink->add(TUTTI_READ | TUTTI_WRITE, captures[0], wordOf(captures[0], lower), kWord, 1, &dim);
  sink->add(TUTTI_EVERYWHERE, captures[1], captures[1], 1, 0, nullptr);
}

constexpr FlatCode kCode("chase");

tutti_region chasingRegion() {
  tutti_region region{};
  region.flags = TUTTI_REGION_DISTRIBUTABLE | TUTTI_REGION_CHASES;
  region.source = "test.c:1:1";
  region.captures = 3;
  region.run = run;
  region.gather = [](const std::uint64_t *, std::uint64_t *, tutti_gather *) {};
  region.trip = [](const std::uint64_t *, const std::uint64_t *) { return kTotal; };
  region.accesses = accesses;
  region.device = kCode.get();
  return region;
}

struct Case {
  std::uint32_t device; ///< Of the run.
  std::int64_t stray;   ///< The iteration that strays in the second launch.
};

class StrayTest : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    machine_.setFunction("chase", runOnDevice);
    heap_ = std::make_unique<memory::Heap>(window().heap());
    pages_ = std::move(memory::PageTable::create(window())).value();
    const Room room{64 << 20, kUnit};
    std::vector<OpenDevice> devices;
    devices.push_back(
        {std::move(machine_.makeDriver()->open(0, segmentsOf(window()))).value(), "mock", room});
    zero_ = std::make_unique<RankZero>(RankZero::Setup{
        {*endpoint_, window(), memory::Topology({1}), {room}, std::move(devices), false},
        *pages_,
        memory::Objects(window().stack(), *heap_, {}),
        Distribute::Always,
        {{TUTTI_KERNEL_OPENCL_C, TUTTI_DEVICE_OPENCL, 1, 1, 4, room}},
        GetParam().device});
    zero_->start();
    array_ = heap_->allocate(kTotal * kWord, kUnit);
    reach_ = heap_->allocate(sizeof(tutti_reach));
    std::memset(window().view(array_), 0, kTotal * kWord); // A test before has left it.
  }

  /// Whether a launch was distributed whose iteration `stray`, if there is such a one, strays.
  bool launch(std::int64_t stray) {
    const std::array<std::uint64_t, 3> captures{array_, reach_, static_cast<std::uint64_t>(stray)};
    std::optional<Launch> launch = zero_->prepare(region_, captures.data(), 0);
    return launch && zero_->distribute(*launch);
  }

  /// Reads the array as sequential code would: all of it has this value.
  void expectAll(std::uint64_t value) {
    zero_->open({array_, array_ + kTotal * kWord}, false);
    const auto *words = reinterpret_cast<const std::uint64_t *>(window().view(array_));
    EXPECT_EQ(std::count(words, words + kTotal, value), kTotal);
  }

  const tutti_region region_ = chasingRegion();
  device::mock::Machine machine_{{.memory = 64 << 20, .delay = 2}};
  transport::mock::Network network_{1};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  std::unique_ptr<memory::Heap> heap_;
  std::unique_ptr<memory::PageTable> pages_;
  std::unique_ptr<RankZero> zero_;
  std::uint64_t array_ = 0;
  std::uint64_t reach_ = 0;
};

TEST_P(StrayTest, ChangesWhatTheLoopWritesWhereNobodyStrays) {
  for (std::uint64_t round = 1; round < 4; ++round) {
    ASSERT_TRUE(launch(-1));
    expectAll(round);
  }
  const trace::Report report = zero_->finish();
  EXPECT_EQ(report.counters.kernels, 3U);
}

TEST_P(StrayTest, LeavesNothingOfALaunchThatHasStrayed) {
  ASSERT_TRUE(launch(-1));

  EXPECT_FALSE(launch(GetParam().stray));

  expectAll(1);
  EXPECT_FALSE(launch(-1)) << "it might stray, too";
  expectAll(1);
  const trace::Report report = zero_->finish();
  EXPECT_EQ(report.counters.kernels, 2U);
  EXPECT_EQ(report.regions.front().reasonHome,
            "it follows a pointer to memory outside of unified memory");
}

/// In the part of the device, or of the host.
INSTANTIATE_TEST_SUITE_P(Parts, StrayTest,
                         testing::Values(Case{TUTTI_DEVICE_OPENCL, 5}, Case{TUTTI_DEVICE_HYBRID, 5},
                                         Case{TUTTI_DEVICE_HYBRID, kTotal - 5}));

} // namespace

} // namespace tutti::model::forkjoin
