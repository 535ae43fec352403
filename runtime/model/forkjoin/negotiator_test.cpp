// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Making devices ready for launches: one of this rank, and one of another rank, which the test
/// plays.
#include "runtime/device/mock/mock.h"
#include "runtime/exec/test/flat_code.h"
#include "runtime/model/forkjoin/negotiator.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

namespace {

using device::mock::Operation;
using memory::kHeapBase;

constexpr std::uint64_t kUnit = 64 << 10;
constexpr Room kRoom{2 * kUnit, kUnit}; ///< Of each device.
constexpr Place kOwn = 2;
constexpr Place kTheirs = 3;
constexpr std::uint64_t kRegion = 17;

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, true});
  return *mapped;
}

/// Units of the heap.
RangeSet units(std::uint64_t begin, std::uint64_t end) {
  return RangeSet::of({{kHeapBase + begin * kUnit, kHeapBase + end * kUnit}});
}

/// Each iteration writes a unit. Capture: the first.
void accesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
              std::int64_t upper, std::int64_t, tutti_sink *sink) {
  const std::uint64_t first = kHeapBase + captures[0] * kUnit;
  sink->add(TUTTI_WRITE, first, first + static_cast<std::uint64_t>(lower) * kUnit,
            static_cast<std::uint64_t>(upper - lower) * kUnit, 0, nullptr);
}

constexpr FlatCode kCode("step");
constexpr FlatCode kOther("step");

class NegotiatorTest : public testing::Test {
protected:
  void SetUp() override {
    machine_.setFunction("step", [](const device::mock::KernelRun &) {});
    pages_ = std::move(memory::PageTable::create(window())).value();
    std::vector<OpenDevice> devices;
    devices.push_back(
        {machine_.makeDriver()->open(0, segmentsOf(window())).value(), "mock", kRoom});
    job_ = std::make_unique<Job>(JobSetup{
        *endpoint_, window(), memory::Topology({1, 1}), {kRoom, kRoom}, std::move(devices), false});
    job_->serve({[this] { return playOther(); }, {}});
    const DeviceTraits traits{TUTTI_KERNEL_OPENCL_C, TUTTI_DEVICE_OPENCL, 1, 1, 4, kRoom};
    decider_ = std::make_unique<Decider>(
        *job_, Decider::Setup{{traits, traits}, TUTTI_DEVICE_OPENCL, Distribute::Always});
    view_ = std::make_unique<SequentialView>(*job_, *pages_);
    negotiator_ = std::make_unique<Negotiator>(*job_, *view_, *decider_);
    job_->start();
    region_.id = kRegion;
    region_.source = "test.c:1:1";
    region_.captures = 1;
    region_.accesses = accesses;
    region_.device = kCode.get();
  }

  void TearDown() override { job_->progress.stop(); }

  /// Answers each reservation with `answer_`, and keeps it.
  bool playOther() {
    EXPECT_TRUE(otherEnd_->pollControl(messages_));
    const std::vector<transport::Control> messages = std::exchange(messages_, {});
    for (const transport::Control &message : messages) {
      Reader reader(message.bytes);
      if (reader.take<Kind>() == kReserve) {
        asked_.push_back(decodeReservation(reader));
        EXPECT_TRUE(otherEnd_->sendControl(0, encode(Answer{asked_.back().place, answer_})));
      }
    }
    return !messages.empty();
  }

  /// Of so many units from `first` on; the devices get half each.
  Launch launchOf(std::uint64_t first, std::int64_t count) const {
    Launch launch;
    launch.region = &region_;
    launch.captures = {first};
    launch.total = count;
    launch.shares = {{kOwn, 1}, {kTheirs, 1}};
    return launch;
  }

  Negotiator::Outcome reserve(Progress::Lock &lock, const Launch &launch) TUTTI_IN_TURN {
    const auto plan = job_->planner.plan(launch).plan;
    EXPECT_EQ(plan->reasonHome, "");
    return negotiator_->reserve(lock, launch, plan);
  }

  /// As rank 0 goes on once all devices are ready.
  void begin(const Launch &launch, bool isKnown = false) TUTTI_IN_TURN {
    const auto plan = job_->planner.plan(launch).plan;
    job_->planner.commit(*plan);
    negotiator_->use(plan, isKnown);
  }

  std::ptrdiff_t count(Operation operation) const {
    return std::ranges::count(machine_.log(), operation, &device::mock::Entry::operation);
  }

  device::mock::Machine machine_{{.memory = kRoom.capacity, .delay = 2}};
  transport::mock::Network network_{2};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  std::unique_ptr<transport::Endpoint> otherEnd_ = network_.open(1);
  std::vector<transport::Control> messages_;
  std::vector<Reservation> asked_;
  Status answer_;
  tutti_region region_{};
  std::unique_ptr<memory::PageTable> pages_;
  std::unique_ptr<Job> job_;
  std::unique_ptr<Decider> decider_;
  std::unique_ptr<SequentialView> view_;
  std::unique_ptr<Negotiator> negotiator_;
};

TEST_F(NegotiatorTest, MakesEachDeviceReadyForItsPart) {
  Progress::Lock lock = job_->progress.lock();
  const Launch launch = launchOf(0, 4);

  const Negotiator::Outcome outcome = reserve(lock, launch);

  EXPECT_TRUE(outcome.status);
  EXPECT_TRUE(outcome.hasWaited);
  EXPECT_EQ(count(Operation::Commit), 2);
  EXPECT_EQ(count(Operation::Load), 1);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].place, kTheirs);
  EXPECT_EQ(asked_[0].units, units(2, 4));
  EXPECT_TRUE(asked_[0].leaving.empty());
  EXPECT_EQ(asked_[0].kernels, (std::vector<KernelName>{{kRegion, 0}}));
}

TEST_F(NegotiatorTest, AsksForNothingThatDevicesHave) {
  Progress::Lock lock = job_->progress.lock();
  const Launch launch = launchOf(0, 4);
  ASSERT_TRUE(reserve(lock, launch).status);
  EXPECT_FALSE(negotiator_->isReserved(*job_->planner.plan(launch).plan)) << "it has not begun";
  begin(launch);

  const Negotiator::Outcome again = reserve(lock, launch);

  EXPECT_TRUE(again.status);
  EXPECT_FALSE(again.hasWaited);
  EXPECT_EQ(asked_.size(), 1U);
  EXPECT_EQ(count(Operation::Commit), 2);
}

TEST_F(NegotiatorTest, NeedsOnlyKernelsForNewLaunchesThatUseWhatTheLatestUsed) {
  Progress::Lock lock = job_->progress.lock();
  ASSERT_TRUE(reserve(lock, launchOf(0, 4)).status);
  begin(launchOf(0, 4));
  tutti_region other = region_;
  other.id = kRegion + 1;
  other.device = kOther.get();
  Launch next = launchOf(0, 4);
  next.region = &other;

  const Negotiator::Outcome outcome = reserve(lock, next);

  EXPECT_TRUE(outcome.status);
  EXPECT_EQ(count(Operation::Commit), 2);
  EXPECT_EQ(count(Operation::Load), 2);
  ASSERT_EQ(asked_.size(), 2U);
  EXPECT_TRUE(asked_[1].units.empty());
  EXPECT_EQ(asked_[1].kernels, (std::vector<KernelName>{{kRegion + 1, 0}}));
  begin(next);
  EXPECT_FALSE(negotiator_->isReserved(*job_->planner.plan(next).plan)) << "it may not come again";
  begin(next, true);
  EXPECT_TRUE(negotiator_->isReserved(*job_->planner.plan(next).plan));
}

TEST_F(NegotiatorTest, HasLongUnusedUnitsLeaveFullDevices) {
  Progress::Lock lock = job_->progress.lock();
  const Launch first = launchOf(0, 4);
  ASSERT_TRUE(reserve(lock, first).status);
  begin(first);
  const Launch second = launchOf(8, 4);

  const Negotiator::Outcome outcome = reserve(lock, second);

  EXPECT_TRUE(outcome.status);
  EXPECT_TRUE(outcome.hasWaited);
  EXPECT_EQ(count(Operation::Release), 1);
  EXPECT_EQ(count(Operation::Commit), 4);
  ASSERT_EQ(asked_.size(), 2U);
  EXPECT_EQ(asked_[1].leaving, units(2, 4));
  EXPECT_EQ(asked_[1].rescued, units(2, 4)) << "nobody else has what it has written";
  EXPECT_EQ(asked_[1].units, units(10, 12));
  EXPECT_TRUE(asked_[1].kernels.empty()) << "it has the kernel";
  // The ranks' hosts have now what left.
  EXPECT_TRUE(job_->planner.directory().missing(0, units(0, 2)).empty());
  EXPECT_TRUE(job_->planner.directory().missing(1, units(2, 4)).empty());
}

TEST_F(NegotiatorTest, PassesTheRefusalOfAnotherRankOnAndAsksAgain) {
  Progress::Lock lock = job_->progress.lock();
  const Launch launch = launchOf(0, 4);
  answer_ = failure(ErrorCode::OutOfMemory, "full");

  const Status refused = reserve(lock, launch).status;
  answer_ = {};
  const Status taken = reserve(lock, launch).status;

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(refused.error().message, "rank 1: full");
  EXPECT_TRUE(taken);
  ASSERT_EQ(asked_.size(), 2U);
  EXPECT_EQ(asked_[1].units, units(2, 4)) << "it has not got them";
  EXPECT_EQ(asked_[1].kernels.size(), 1U);
}

TEST_F(NegotiatorTest, CountsMemoryThatStaysWithARefusedKernel) {
  Progress::Lock lock = job_->progress.lock();
  const Launch launch = launchOf(0, 4);
  answer_ = failure(ErrorCode::WrongImage, "what is this?");

  const Status refused = reserve(lock, launch).status;
  answer_ = {};
  ASSERT_TRUE(reserve(lock, launch).status);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::WrongImage);
  ASSERT_EQ(asked_.size(), 2U);
  EXPECT_TRUE(asked_[1].units.empty());
  EXPECT_EQ(asked_[1].kernels.size(), 1U) << "it has not got that";
}

TEST_F(NegotiatorTest, HearsTheOtherRankOutWhereItsOwnDeviceRefuses) {
  Progress::Lock lock = job_->progress.lock();
  machine_.failNext(0, Operation::Commit, failure(ErrorCode::OutOfMemory, "own"));
  answer_ = failure(ErrorCode::OutOfMemory, "theirs");

  const Negotiator::Outcome outcome = reserve(lock, launchOf(0, 4));

  ASSERT_FALSE(outcome.status);
  EXPECT_EQ(outcome.status.error().message, "own");
  EXPECT_EQ(asked_.size(), 1U);
  EXPECT_TRUE(job_->reservations.await(lock).empty()) << "no answer is still to come";
}

} // namespace

} // namespace tutti::model::forkjoin
