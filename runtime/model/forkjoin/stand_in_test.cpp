// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One rank with two mock devices: its host stands in for one that is lost in a launch with hulls.
#include "runtime/device/mock/mock.h"
#include "runtime/exec/test/flat_code.h"
#include "runtime/model/forkjoin/chunk_run.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

namespace {

using device::mock::KernelRun;
using device::mock::Operation;
using memory::kHeapBase;

constexpr std::uint64_t kUnit = 64 << 10;
constexpr Room kRoom{8 * kUnit, kUnit};
constexpr Place kFirst = 1; ///< Is lost.
constexpr Place kSecond = 2;

constexpr std::int64_t kRows = 64;
constexpr std::uint64_t kRow = 512;
constexpr std::uint64_t kRun = 64; ///< Of each row that the launch with hulls writes.
constexpr Range kAll{kHeapBase, kHeapBase + kRows *kRow};

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, true});
  return *mapped;
}

std::uint64_t addressOf(std::int64_t row) {
  return kHeapBase + static_cast<std::uint64_t>(row) * kRow;
}

void writeRows(const std::uint64_t *, const std::uint64_t *, std::int64_t lower, std::int64_t upper,
               std::int64_t, tutti_sink *sink) {
  const tutti_dim rows{kRow, upper - lower};
  sink->add(TUTTI_WRITE, kHeapBase, addressOf(lower), kRow, 1, &rows);
}

void writeRuns(const std::uint64_t *, const std::uint64_t *, std::int64_t lower, std::int64_t upper,
               std::int64_t, tutti_sink *sink) {
  const tutti_dim rows{kRow, upper - lower};
  sink->add(TUTTI_WRITE, kHeapBase, addressOf(lower), kRun, 1, &rows);
}

/// Every byte that a launch writes becomes `value`.
template <int value, std::uint64_t bytes>
void run(const std::uint64_t *, const tutti_chunk *chunk) {
  for (std::int64_t row = chunk->lower; row < chunk->upper; ++row) {
    std::memset(window().view(addressOf(row)), value, bytes);
  }
}

template <int value, std::uint64_t bytes> void runOnDevice(const KernelRun &kernel) {
  for (std::int64_t row = kernel.launch().lower; row < kernel.launch().upper; ++row) {
    std::memset(kernel.at(addressOf(row)), value, bytes);
  }
}

constexpr FlatCode kRowsCode("rows");
constexpr FlatCode kRunsCode("runs");

class StandInTest : public testing::Test {
protected:
  void SetUp() override {
    machine_.setFunction("rows", runOnDevice<5, kRow>);
    machine_.setFunction("runs", runOnDevice<7, kRun>);
    std::vector<OpenDevice> devices;
    for (std::size_t index = 0; index < 2; ++index) {
      devices.push_back(
          {machine_.makeDriver()->open(index, segmentsOf(window())).value(), "mock", kRoom});
    }
    job_ = std::make_unique<Job>(JobSetup{
        *endpoint_, window(), memory::Topology({2}), {kRoom, kRoom}, std::move(devices), false});
    job_->start();
    std::memset(window().view(kAll.begin), 1, kAll.size());
    rows_.source = runs_.source = "test.c:1:1";
    rows_.accesses = writeRows;
    rows_.run = run<5, kRow>;
    rows_.device = kRowsCode.get();
    runs_.accesses = writeRuns;
    runs_.run = run<7, kRun>;
    runs_.device = kRunsCode.get();
  }

  void TearDown() override { job_->progress.stop(); }

  /// As rank 0 does.
  void launch(Progress::Lock &lock, const tutti_region &region, std::vector<Share> shares,
              bool takesHulls) TUTTI_IN_TURN {
    Launch launch;
    launch.region = &region;
    launch.sequence = ++sequence_;
    launch.total = kRows;
    launch.shares = std::move(shares);
    launch.takesHulls = takesHulls;
    const auto plan = job_->planner.plan(launch).plan;
    ASSERT_EQ(plan->reasonHome, "");
    for (const DevicePart &part : plan->devices) {
      ASSERT_TRUE(job_->devices.commit(part.device, part.touched));
    }
    job_->planner.commit(*plan);
    job_->salvage.begins(launch, plan);
    ChunkRun chunk(*job_, lock, launch, *plan);
    chunk.run(false, true);
    chunk.finish();
    job_->acknowledgements.finish(launch.sequence);
  }

  /// Brings what a device has to the host, as for sequential code.
  Status bring(Progress::Lock &lock, Place place, Range bytes) TUTTI_IN_TURN {
    const RangeSet held = RangeSet::of({bytes});
    const std::int32_t device = job_->topology.indexOf(place);
    TUTTI_TRY(job_->devices.copyOut(device, held));
    job_->progress.waitUntil(lock,
                             [this]() TUTTI_IN_TURN { return orDie(job_->devices.isIdle()); });
    return job_->salvage.bring(lock, device, held);
  }

  static std::array<int, 2> valuesAt(std::int64_t row) {
    const std::byte *bytes = window().view(addressOf(row));
    return {std::to_integer<int>(bytes[0]), std::to_integer<int>(bytes[kRun])};
  }

  device::mock::Machine machine_{{.devices = 2, .memory = 8 * kUnit, .delay = 3}};
  transport::mock::Network network_{1};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  tutti_region rows_{};
  tutti_region runs_{};
  Sequence sequence_ = 0;
  std::unique_ptr<Job> job_;
};

TEST_F(StandInTest, KeepsTheGapsOfHullsThatAnotherDeviceHad) {
  Progress::Lock lock = job_->progress.lock();
  launch(lock, rows_, {{kSecond, 1}}, false);
  machine_.failNext(0, Operation::Launch, failure(ErrorCode::DeviceLost, "lost"));

  launch(lock, runs_, {{kFirst, 1}}, true);

  ASSERT_TRUE(job_->devices.isLost(0));
  const Range hull{kAll.begin, addressOf(kRows - 1) + kRun};
  EXPECT_TRUE(job_->planner.directory().missing(kFirst, RangeSet::of({hull})).empty())
      << "the gaps have moved, too";
  EXPECT_TRUE(bring(lock, kFirst, hull));
  for (std::int64_t row = 0; row + 1 < kRows; ++row) {
    EXPECT_EQ(valuesAt(row), (std::array{7, 5})) << row;
  }
}

TEST_F(StandInTest, KeepsTheGapsOfHullsThatItsHostHad) {
  Progress::Lock lock = job_->progress.lock();
  machine_.failNext(0, Operation::Launch, failure(ErrorCode::DeviceLost, "lost"));

  launch(lock, runs_, {{kFirst, 1}}, true);

  ASSERT_TRUE(job_->devices.isLost(0));
  EXPECT_TRUE(bring(lock, kFirst, {kAll.begin, addressOf(kRows - 1) + kRun}));
  for (std::int64_t row = 0; row + 1 < kRows; ++row) {
    EXPECT_EQ(valuesAt(row), (std::array{7, 1})) << row;
  }
}

TEST_F(StandInTest, EndsNothingForGapsThatAreGone) {
  Progress::Lock lock = job_->progress.lock();
  launch(lock, rows_, {{kFirst, 1}}, false);
  machine_.failNext(0, Operation::Launch, failure(ErrorCode::DeviceLost, "lost"));

  launch(lock, runs_, {{kFirst, 1}}, true);

  ASSERT_TRUE(job_->devices.isLost(0));
  EXPECT_TRUE(bring(lock, kFirst, {addressOf(0), addressOf(0) + kRun}));
  EXPECT_FALSE(bring(lock, kFirst, {addressOf(0) + kRun, addressOf(1)})) << "nobody has it";
  EXPECT_EQ(valuesAt(0)[0], 7);
}

} // namespace

} // namespace tutti::model::forkjoin
