// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a rank does when data leaves its device: one rank with one mock device of a few units.
#include "runtime/device/mock/mock.h"
#include "runtime/protocol/eviction.h"
#include "runtime/protocol/job.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::protocol {

using namespace exec;

namespace {

using device::mock::Entry;
using device::mock::Operation;
using memory::kHeapBase;

constexpr std::uint64_t kUnit = 64 << 10;
constexpr Place kDevice = 1;
constexpr std::byte kOnDevice{7};

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, false});
  return *mapped;
}

/// Units of the heap.
RangeSet units(std::uint64_t begin, std::uint64_t end) {
  return RangeSet::of({{kHeapBase + begin * kUnit, kHeapBase + end * kUnit}});
}

std::span<std::byte> host(Range range) { return {window().view(range.begin), range.size()}; }

/// Writes the first two pages of the heap and reads what is behind them in the first two units.
void touchTwoUnits(const std::uint64_t *, const std::uint64_t *, std::int64_t, std::int64_t,
                   std::int64_t, tutti_sink *sink) {
  sink->add(TUTTI_WRITE, kHeapBase, kHeapBase, 8192, 0, nullptr);
  sink->add(TUTTI_READ, kHeapBase, kHeapBase + 8192, 2 * kUnit - 8192, 0, nullptr);
}

class EvictionTest : public testing::Test {
protected:
  void SetUp() override {
    job_ = std::make_unique<Job>(JobSetup{
        *endpoint_, window(), memory::Topology({1}), {{8 * kUnit, kUnit}}, opened(), false});
    job_->start();
  }

  void TearDown() override {
    if (job_) {
      job_->progress.stop();
    }
  }

  std::vector<OpenDevice> opened() const {
    std::vector<OpenDevice> devices;
    devices.push_back({std::move(machine_.makeDriver()->open(0, segmentsOf(window()))).value(),
                       "mock",
                       {8 * kUnit, kUnit}});
    return devices;
  }

  /// As after a launch on the device that writes the first two pages of the heap.
  void runLaunch() TUTTI_IN_TURN {
    tutti_region region{};
    region.source = "test.c:1:1";
    region.accesses = touchTwoUnits;
    Launch launch;
    launch.region = &region;
    launch.total = 2;
    launch.shares = {{kDevice, 1}};
    job_->planner.commit(*job_->planner.plan(launch).plan);
    const RangeSet pages = RangeSet::of({{kHeapBase, kHeapBase + 8192}});
    ASSERT_TRUE(job_->devices.commit(0, units(0, 2)));
    std::ranges::fill(host(pages.hull()), kOnDevice);
    ASSERT_TRUE(job_->devices.copyIn(0, pages, exec::Reading::Done));
    std::ranges::fill(host(pages.hull()), std::byte{0});
  }

  /// Operations of these kinds so far.
  std::vector<Entry> logOf(std::initializer_list<Operation> kinds) const {
    std::vector<Entry> found;
    for (const Entry &entry : machine_.log()) {
      if (std::ranges::find(kinds, entry.operation) != kinds.end()) {
        found.push_back(entry);
      }
    }
    return found;
  }

  device::mock::Machine machine_{{.memory = 8 * kUnit, .delay = 3}};
  transport::mock::Network network_{1};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  std::unique_ptr<Job> job_;
};

TEST_F(EvictionTest, CopiesOutWhatOnlyTheDeviceHas) {
  Progress::Lock lock = job_->progress.lock();
  runLaunch();

  ASSERT_TRUE(job_->evictions.evict(lock, {kDevice, units(0, 1)}));

  EXPECT_EQ(logOf({Operation::CopyOut, Operation::Release}),
            (std::vector<Entry>{{0, Operation::CopyOut, {kHeapBase, kHeapBase + 8192}, {}},
                                {0, Operation::Release, {kHeapBase, kHeapBase + kUnit}, {}}}));
  EXPECT_TRUE(std::ranges::all_of(host({kHeapBase, kHeapBase + 8192}),
                                  [](std::byte byte) { return byte == kOnDevice; }));
  EXPECT_EQ(job_->counters.evictedBytes, kUnit);
  EXPECT_EQ(job_->counters.evictedOutBytes, 8192U);
}

TEST_F(EvictionTest, DropsWhatTheHostHasToo) {
  Progress::Lock lock = job_->progress.lock();
  runLaunch();

  ASSERT_TRUE(job_->evictions.evict(lock, {kDevice, units(1, 2)}));

  EXPECT_TRUE(logOf({Operation::CopyOut}).empty());
  EXPECT_EQ(logOf({Operation::Release}).size(), 1U);
  EXPECT_EQ(job_->counters.evictedOutBytes, 0U);
}

TEST_F(EvictionTest, TellsTheDirectoryWhereDataIsNow) {
  Progress::Lock lock = job_->progress.lock();
  runLaunch();

  job_->planner.apply(eventsOf({kDevice, units(0, 2)}, job_->topology));

  EXPECT_TRUE(job_->planner.directory() == memory::Directory());
}

TEST_F(EvictionTest, TakesMemoryUnitByUnit) {
  const Progress::Lock lock = job_->progress.lock();

  ASSERT_TRUE(job_->devices.commit(0, units(0, 3)));
  ASSERT_TRUE(job_->devices.commit(0, units(1, 4)));

  std::vector<Entry> expected;
  for (std::uint64_t unit = 0; unit < 4; ++unit) {
    expected.push_back({0, Operation::Commit, units(unit, unit + 1).hull(), {}});
  }
  EXPECT_EQ(logOf({Operation::Commit}), expected);
}

TEST_F(EvictionTest, GivesBackWhatItTookIfADeviceRefusesTheRest) {
  const Progress::Lock lock = job_->progress.lock();
  ASSERT_TRUE(job_->devices.commit(0, units(0, 1)));
  machine_.failNext(0, Operation::Commit, failure(ErrorCode::OutOfMemory, "full"), 1);

  const Status status = job_->devices.commit(0, units(0, 4));

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(logOf({Operation::Release}),
            (std::vector<Entry>{{0, Operation::Release, units(1, 2).hull(), {}}}));
  EXPECT_TRUE(job_->devices.commit(0, units(0, 4)));
}

} // namespace

} // namespace tutti::protocol
