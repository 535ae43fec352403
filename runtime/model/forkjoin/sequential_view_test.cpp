// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Pages of rank 0, the numbers of launches and the account of both: rank 0 of two, whose other
/// rank the test plays.
#include "runtime/model/forkjoin/announcer.h"
#include "runtime/model/forkjoin/lost_devices.h"
#include "runtime/model/forkjoin/sequential_view.h"
#include "runtime/model/forkjoin/statistics.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;

namespace {

using memory::Access;
using memory::Event;
using memory::kHeapBase;

constexpr std::uint64_t kUnit = 64 << 10;
constexpr Range kPages{kHeapBase, kHeapBase + 4 * memory::kPageBytes};
constexpr Place kTheirDevice = 2;
constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kMemory = 200 * kMiB;

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({256 << 20, 1 << 20, {}, true});
  return *mapped;
}

class SequentialViewTest : public testing::Test {
protected:
  void SetUp() override {
    pages_ = std::move(memory::PageTable::create(window())).value();
    view_ = std::make_unique<SequentialView>(job_, *pages_);
    {
      const Progress::Lock lock = job_.progress.lock();
      view_->serve();
    }
    job_.start();
  }

  void TearDown() override { job_.progress.stop(); }

  /// Reads each closed page as the program would, up to `end`, and lets what that begins end.
  ///
  /// Returns how often it had to ask.
  int readUpTo(std::uint64_t end) {
    int touches = 0;
    for (std::uint64_t page = kHeapBase; page < end; page += memory::kPageBytes) {
      if (pages_->at(page) == Access::None) {
        ++touches;
        view_->open({page, page + 1}, false);
        Progress::Lock lock = job_.progress.lock();
        job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return view_->isIdle(); });
      }
    }
    return touches;
  }

  void close(std::uint64_t bytes) {
    auto plan = std::make_shared<Plan>();
    plan->absentPages = RangeSet::of({{kHeapBase, kHeapBase + bytes}});
    const Progress::Lock lock = job_.progress.lock();
    view_->protect(plan);
  }

  static std::shared_ptr<const Plan> protecting(Range readOnly) {
    auto plan = std::make_shared<Plan>();
    plan->readOnlyPages = RangeSet::of({readOnly});
    return plan;
  }

  transport::mock::Network network_{2};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  std::unique_ptr<transport::Endpoint> otherEnd_ = network_.open(1);
  Job job_{protocol::JobSetup{
      *endpoint_, window(), memory::Topology({0, 1}), {{8 * kUnit, kUnit}}, {}, false}};
  std::unique_ptr<memory::PageTable> pages_;
  std::unique_ptr<SequentialView> view_;
};

TEST_F(SequentialViewTest, ProtectsPagesUntilTheyAreOpened) {
  {
    const Progress::Lock lock = job_.progress.lock();
    view_->protect(protecting(kPages));
  }
  EXPECT_EQ(pages_->at(kPages.begin), Access::ReadOnly);

  view_->open(kPages, true);

  EXPECT_FALSE(pages_->anyStricter(kPages, Access::Open));
}

TEST_F(SequentialViewTest, BringsScatteredPagesHomeInOnePiece) {
  const auto page = [](std::uint64_t index) {
    const std::uint64_t begin = kPages.begin + index * memory::kPageBytes;
    return Range{begin, begin + memory::kPageBytes};
  };
  const RangeSet scattered = RangeSet::of({page(0), page(2), page(5), page(7)});
  auto plan = std::make_shared<Plan>();
  plan->readOnlyPages = scattered;
  Progress::Lock lock = job_.progress.lock();
  view_->protect(plan);
  const std::uint64_t before = pages_->protections();
  const std::uint64_t faults = memory::faultCount();

  view_->bringHome(scattered);
  job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return view_->isIdle(); });

  EXPECT_FALSE(pages_->anyStricter(scattered.hull(), Access::Open));
  EXPECT_EQ(pages_->protections(), before + 1);
  EXPECT_EQ(memory::faultCount(), faults);
}

TEST_F(SequentialViewTest, LeavesPagesClosedBetweenThoseThatItBringsHome) {
  const Range between{kPages.begin + memory::kPageBytes, kPages.begin + 2 * memory::kPageBytes};
  Progress::Lock lock = job_.progress.lock();
  view_->protect(protecting(kPages));

  view_->bringHome(RangeSet::of({kPages}).subtract(RangeSet::of({between})));
  job_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return view_->isIdle(); });

  EXPECT_EQ(pages_->at(between.begin), Access::ReadOnly);
  EXPECT_FALSE(pages_->anyStricter({kPages.begin, between.begin}, Access::Open));
  EXPECT_FALSE(pages_->anyStricter({between.end, kPages.end}, Access::Open));
}

TEST_F(SequentialViewTest, BringsWhatLiesAheadOfALongWalkButForAWire) {
  close(kMemory);
  const int first = readUpTo(kHeapBase + 8 * kMiB); // The last step takes the most that one takes.
  const std::uint64_t wire = pages_->runAround(kHeapBase, {kHeapBase, kHeapBase + kMemory}).end;
  const std::uint64_t half = (wire - kHeapBase) / 2 / memory::kPageBytes * memory::kPageBytes;

  EXPECT_EQ(first, 4);
  EXPECT_TRUE(pages_->anyStricter({wire, wire + memory::kPageBytes}, Access::ReadOnly));
  EXPECT_FALSE(pages_->anyStricter({wire + Stride::kNear, wire + half}, Access::ReadOnly));
  EXPECT_EQ(pages_->at(wire + half), Access::None);
}

TEST_F(SequentialViewTest, GoesOnAheadWhereAWalkComesToTheWire) {
  close(kMemory);
  readUpTo(kHeapBase + 8 * kMiB);

  // Two pieces ahead of it, and what is left.
  EXPECT_EQ(readUpTo(kHeapBase + kMemory), 3);
}

TEST_F(SequentialViewTest, TakesWhatLiesAheadAgainWhenItHasBeenClosed) {
  close(kMemory);
  readUpTo(kHeapBase + 8 * kMiB);
  close(kMemory);

  readUpTo(kHeapBase + kMemory);

  EXPECT_FALSE(pages_->anyStricter({kHeapBase, kHeapBase + kMemory}, Access::ReadOnly));
}

TEST_F(SequentialViewTest, BringsNothingAheadOfAShortWalk) {
  close(kMemory);
  readUpTo(kHeapBase + 4 * kMiB);
  const std::uint64_t end = pages_->runAround(kHeapBase, {kHeapBase, kHeapBase + kMemory}).end;

  EXPECT_LT(end, kHeapBase + 5 * kMiB);
  EXPECT_EQ(pages_->runAround(end, {end, kHeapBase + kMemory}).end, kHeapBase + kMemory);
}

TEST_F(SequentialViewTest, ProtectsAgainWhatWasOpenedSince) {
  const auto plan = protecting(kPages);
  for (int round = 0; round < 2; ++round) {
    {
      const Progress::Lock lock = job_.progress.lock();
      view_->protect(plan);
      const std::uint64_t before = pages_->protections();
      view_->protect(plan);
      EXPECT_EQ(pages_->protections(), before) << "nothing has changed";
    }
    EXPECT_EQ(pages_->at(kPages.begin), Access::ReadOnly);
    view_->open(kPages, true);
  }
}

TEST_F(SequentialViewTest, AnnouncesLaunchesInOrderWithWhatHasHappened) {
  const Progress::Lock lock = job_.progress.lock();
  Announcer announcer(job_);
  tutti_region region{};
  Launch launch;
  launch.region = &region;
  const Event claimed{Event::Kind::Claimed, kPages};
  view_->record({&claimed, 1});

  announcer.announce(launch, *view_);
  EXPECT_EQ(launch.sequence, 1U);
  EXPECT_EQ(launch.events.size(), 1U);
  announcer.announce(launch, *view_);
  EXPECT_EQ(launch.sequence, 2U);
  EXPECT_TRUE(launch.events.empty());

  std::vector<transport::Control> messages;
  EXPECT_TRUE(otherEnd_->pollControl(messages));
  EXPECT_EQ(messages.size(), 2U);
}

TEST_F(SequentialViewTest, RunsAheadOfTheOtherRanksNotWithoutEnd) {
  const Progress::Lock lock = job_.progress.lock();
  Announcer announcer(job_);
  tutti_region region{};
  Launch launch;
  launch.region = &region;

  while (announcer.mayAnnounce()) {
    announcer.announce(launch, *view_);
    ASSERT_LE(announcer.latest(), protocol::Acknowledgements::kAhead);
  }

  EXPECT_EQ(announcer.latest(), protocol::Acknowledgements::kAhead);
}

TEST_F(SequentialViewTest, SaysThatADeviceIsLostWhenItsLaunchesAreFinished) {
  Progress::Lock lock = job_.progress.lock();
  LostDevices lost(job_, *view_);
  EXPECT_FALSE(lost.isAny());
  ASSERT_TRUE(otherEnd_->sendControl(
      0, protocol::encode(protocol::Loss{kTheirDevice, RangeSet(), "it fell"})));
  job_.progress.waitUntil(lock, [&]() TUTTI_IN_TURN { return lost.isAny(); });

  testing::internal::CaptureStderr();
  EXPECT_EQ(lost.retire(5), std::vector<Place>{kTheirDevice});
  EXPECT_FALSE(lost.isAny());
  lost.say(4);
  EXPECT_TRUE(testing::internal::GetCapturedStderr().empty());
  testing::internal::CaptureStderr();
  lost.say(5);
  lost.say(6);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tutti: a device of rank 1 is used no more: it fell\n");
}

TEST_F(SequentialViewTest, CountsWhatSteadyLaunchesProtect) {
  const Progress::Lock lock = job_.progress.lock();
  Statistics statistics(job_, *pages_);
  statistics.begins({std::make_shared<const Plan>(), false}, false);
  view_->protect(protecting(kPages));
  statistics.ends(false);
  EXPECT_EQ(job_.counters.steadyProtections, 0U);

  statistics.begins({std::make_shared<const Plan>(), true}, true);
  view_->protect(protecting({kPages.end, kPages.end + memory::kPageBytes}));
  statistics.ends(true);

  EXPECT_EQ(job_.counters.plansMade, 1U);
  EXPECT_EQ(job_.counters.plansReused, 1U);
  EXPECT_EQ(job_.counters.portions, 1U);
  EXPECT_GT(job_.counters.steadyProtections, 0U);
}

} // namespace

} // namespace tutti::model::forkjoin
