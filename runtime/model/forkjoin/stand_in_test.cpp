// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One rank with two mock devices: its host stands in for one that is lost in a launch for which it
/// took more than it was going to write.
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

constexpr std::int64_t kRows = 4;
constexpr std::uint64_t kRow = memory::kPageBytes;
constexpr std::uint64_t kRun = 64; ///< Bytes of a row's head, and of what is written behind it.
constexpr Range kAll{kHeapBase, kHeapBase + kRows *kRow};

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, true});
  return *mapped;
}

std::uint64_t addressOf(std::int64_t row) {
  return kHeapBase + static_cast<std::uint64_t>(row) * kRow;
}

/// `bytes` of each row, from its byte `first` on.
template <std::uint64_t first, std::uint64_t bytes>
void write(const std::uint64_t *, const std::uint64_t *, std::int64_t lower, std::int64_t upper,
           std::int64_t, tutti_sink *sink) {
  const tutti_dim rows{kRow, upper - lower};
  sink->add(TUTTI_WRITE, kHeapBase, addressOf(lower) + first, bytes, 1, &rows);
}

/// All that a launch writes becomes `value`.
template <int value, std::uint64_t first, std::uint64_t bytes>
void run(const std::uint64_t *, const tutti_chunk *chunk) {
  for (std::int64_t row = chunk->lower; row < chunk->upper; ++row) {
    std::memset(window().view(addressOf(row) + first), value, bytes);
  }
}

template <int value, std::uint64_t first, std::uint64_t bytes>
void runOnDevice(const KernelRun &kernel) {
  for (std::int64_t row = kernel.launch().lower; row < kernel.launch().upper; ++row) {
    std::memset(kernel.at(addressOf(row) + first), value, bytes);
  }
}

constexpr FlatCode kRowsCode("rows");
constexpr FlatCode kHeadsCode("heads");
constexpr FlatCode kRunsCode("runs");

class StandInTest : public testing::Test {
protected:
  void SetUp() override {
    machine_.setFunction("rows", runOnDevice<5, 0, kRow>);
    machine_.setFunction("heads", runOnDevice<3, 0, kRun>);
    machine_.setFunction("runs", runOnDevice<7, kRun, kRun>);
    std::vector<OpenDevice> devices;
    for (std::size_t index = 0; index < 2; ++index) {
      devices.push_back(
          {machine_.makeDriver()->open(index, segmentsOf(window())).value(), "mock", kRoom});
    }
    job_ = std::make_unique<Job>(JobSetup{
        *endpoint_, window(), memory::Topology({2}), {kRoom, kRoom}, std::move(devices), false});
    job_->start();
    std::memset(window().view(kAll.begin), 1, kAll.size());
    rows_.source = heads_.source = runs_.source = "test.c:1:1";
    rows_.accesses = write<0, kRow>;
    rows_.run = run<5, 0, kRow>;
    rows_.device = kRowsCode.get();
    heads_.accesses = write<0, kRun>;
    heads_.run = run<3, 0, kRun>;
    heads_.device = kHeadsCode.get();
    runs_.accesses = write<kRun, kRun>;
    runs_.run = run<7, kRun, kRun>;
    runs_.device = kRunsCode.get();
  }

  void TearDown() override { job_->progress.stop(); }

  /// As rank 0 does.
  void launch(Progress::Lock &lock, const tutti_region &region, Place place) TUTTI_IN_TURN {
    Launch launch;
    launch.region = &region;
    launch.sequence = ++sequence_;
    launch.total = kRows;
    launch.shares = {{place, 1}};
    launch.takesHulls = true;
    launch.arrays = {kAll};
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

  /// Of what is written behind the head of a row, and of what lies beside that.
  static std::array<int, 2> valuesAt(std::int64_t row) {
    const std::byte *bytes = window().view(addressOf(row));
    return {std::to_integer<int>(bytes[kRun]), std::to_integer<int>(bytes[2 * kRun])};
  }

  /// What the first device gets to write of a row, with as much as it has then.
  static Range gotAt(std::int64_t row) {
    return {addressOf(row) + kRun, addressOf(row) + 4 * kRun};
  }

  device::mock::Machine machine_{{.devices = 2, .memory = 8 * kUnit, .delay = 3}};
  transport::mock::Network network_{1};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  tutti_region rows_{};
  tutti_region heads_{};
  tutti_region runs_{};
  Sequence sequence_ = 0;
  std::unique_ptr<Job> job_;
};

TEST_F(StandInTest, KeepsTheRestThatAnotherDeviceHad) {
  Progress::Lock lock = job_->progress.lock();
  launch(lock, rows_, kSecond);
  launch(lock, heads_, kFirst);
  machine_.failNext(0, Operation::Launch, failure(ErrorCode::DeviceLost, "lost"));

  launch(lock, runs_, kFirst);

  ASSERT_TRUE(job_->devices.isLost(0));
  for (std::int64_t row = 0; row < kRows; ++row) {
    EXPECT_TRUE(job_->planner.directory().missing(kFirst, RangeSet::of({gotAt(row)})).empty())
        << "the rest has moved, too";
    EXPECT_TRUE(bring(lock, kFirst, gotAt(row)));
    EXPECT_EQ(valuesAt(row), (std::array{7, 5})) << row;
  }
}

TEST_F(StandInTest, KeepsTheRestThatItsHostHad) {
  Progress::Lock lock = job_->progress.lock();
  launch(lock, heads_, kFirst);
  machine_.failNext(0, Operation::Launch, failure(ErrorCode::DeviceLost, "lost"));

  launch(lock, runs_, kFirst);

  ASSERT_TRUE(job_->devices.isLost(0));
  for (std::int64_t row = 0; row < kRows; ++row) {
    EXPECT_TRUE(bring(lock, kFirst, gotAt(row)));
    EXPECT_EQ(valuesAt(row), (std::array{7, 1})) << row;
  }
}

TEST_F(StandInTest, EndsNothingForBytesThatAreGone) {
  Progress::Lock lock = job_->progress.lock();
  launch(lock, rows_, kFirst);
  machine_.failNext(0, Operation::Launch, failure(ErrorCode::DeviceLost, "lost"));

  launch(lock, runs_, kFirst);

  ASSERT_TRUE(job_->devices.isLost(0));
  EXPECT_TRUE(bring(lock, kFirst, {addressOf(0) + kRun, addressOf(0) + 2 * kRun}));
  EXPECT_FALSE(bring(lock, kFirst, {addressOf(0) + 2 * kRun, addressOf(1)})) << "nobody has it";
  EXPECT_EQ(valuesAt(0)[0], 7);
}

} // namespace

} // namespace tutti::model::forkjoin
