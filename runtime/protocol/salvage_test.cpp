// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Bytes of a lost device from others: rank 0 of two with a mock device each, whose other rank the
/// test plays.
#include "runtime/device/mock/mock.h"
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

using memory::Event;
using memory::kHeapBase;

constexpr std::uint64_t kUnit = 64 << 10;
constexpr Place kHost = 0;
constexpr Place kDevice = 2;
constexpr Place kOther = 3;
constexpr Range kBytes{kHeapBase, kHeapBase + 4096};

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, false});
  return *mapped;
}

RangeSet part(std::uint64_t begin, std::uint64_t end) {
  return RangeSet::of({{kHeapBase + begin, kHeapBase + end}});
}

void writeAll(const std::uint64_t *, const std::uint64_t *, std::int64_t, std::int64_t,
              std::int64_t, tutti_sink *sink) {
  sink->add(TUTTI_WRITE, kHeapBase, kHeapBase, kBytes.size(), 0, nullptr);
}

void readAll(const std::uint64_t *, const std::uint64_t *, std::int64_t, std::int64_t, std::int64_t,
             tutti_sink *sink) {
  sink->add(TUTTI_READ, kHeapBase, kHeapBase, kBytes.size(), 0, nullptr);
}

class SalvageTest : public testing::Test {
protected:
  void SetUp() override {
    std::vector<OpenDevice> devices;
    devices.push_back(
        {machine_.makeDriver()->open(0, segmentsOf(window())).value(), "mock", {8 * kUnit, kUnit}});
    job_ = std::make_unique<Job>(JobSetup{*endpoint_,
                                          window(),
                                          memory::Topology({1, 1}),
                                          {{8 * kUnit, kUnit}, {8 * kUnit, kUnit}},
                                          std::move(devices),
                                          false});
    job_->serve({[this] { return playOther(); }, {}});
    job_->start();
    std::ranges::fill(host(), std::byte{1});
  }

  void TearDown() override { job_->progress.stop(); }

  static std::span<std::byte> host() {
    return {window().view(kBytes.begin), static_cast<std::size_t>(kBytes.size())};
  }

  /// Answers with `theirs_`, and keeps what it is told.
  bool playOther() {
    EXPECT_TRUE(otherEnd_->pollControl(messages_));
    bool moved = false;
    for (const transport::Control &message : std::exchange(messages_, {})) {
      Reader reader(message.bytes);
      const auto kind = reader.take<Kind>();
      if (kind == kSalvaged) {
        const auto range = reader.take<Range>();
        isAnswered_ = range.empty();
        if (isAnswered_ && leaves_) {
          EXPECT_TRUE(otherEnd_->sendControl(0, Writer(kReady).bytes()));
        }
        given_ = given_.unite(RangeSet::of({range}));
        givenBytes_.insert(givenBytes_.end(), reader.rest().begin(), reader.rest().end());
      } else if (kind == kSalvage) {
        reader.take<Sequence>();
        asked_.push_back(reader.take<Place>());
        for (const Range &range : theirs_.ranges()) {
          const std::vector<std::byte> bytes(range.size(), std::byte{9});
          say(range, bytes);
        }
        say({}, {});
      }
      moved = true;
    }
    return moved;
  }

  void say(Range range, std::span<const std::byte> bytes) const {
    EXPECT_TRUE(otherEnd_->sendControl(0, Writer(kSalvaged).add(range).addBytes(bytes).bytes()));
  }

  /// What this rank gives of a place as it was behind launch `after`.
  RangeSet give(Progress::Lock &lock, Place place, Sequence after) TUTTI_IN_TURN {
    given_ = {};
    givenBytes_.clear();
    isAnswered_ = false;
    EXPECT_TRUE(otherEnd_->sendControl(
        0, Writer(kSalvage).add(after).add(place).add(std::vector<Range>{kBytes}).bytes()));
    job_->progress.waitUntil(lock, [this] { return isAnswered_; });
    return given_;
  }

  void launch(Sequence sequence, std::shared_ptr<const Plan> plan) TUTTI_IN_TURN {
    Launch launch;
    launch.sequence = sequence;
    plans_.push_back(plan);
    job_->salvage.begins(launch, plan);
    job_->acknowledgements.finish(sequence);
  }

  void commit(void (*accesses)(const std::uint64_t *, const std::uint64_t *, std::int64_t,
                               std::int64_t, std::int64_t, tutti_sink *),
              std::vector<Share> shares) TUTTI_IN_TURN {
    tutti_region region{};
    region.source = "test.c:1:1";
    region.accesses = accesses;
    Launch launch;
    launch.region = &region;
    launch.total = 2;
    launch.shares = std::move(shares);
    job_->planner.commit(*job_->planner.plan(launch).plan);
  }

  /// Both devices hold the bytes, no host does; then this rank's is lost.
  void loseDevice() TUTTI_IN_TURN {
    ASSERT_TRUE(job_->devices.commit(0, part(0, kUnit)));
    commit(writeAll, {{kOther, 1}});
    commit(readAll, {{kDevice, 1}, {kOther, 1}});
    ASSERT_TRUE(job_->devices.outlive(0, failure(ErrorCode::DeviceLost, "mock 0: gone")));
    ASSERT_FALSE(job_->devices.require(0, RangeSet::of({kBytes})));
  }

  device::mock::Machine machine_{{.memory = 8 * kUnit, .delay = 3}};
  transport::mock::Network network_{2};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  std::unique_ptr<transport::Endpoint> otherEnd_ = network_.open(1);
  std::vector<transport::Control> messages_;
  RangeSet theirs_;
  std::vector<Place> asked_;
  RangeSet given_;
  std::vector<std::byte> givenBytes_;
  bool isAnswered_ = false;
  bool leaves_ = false; ///< Once it is answered.
  std::vector<std::shared_ptr<const Plan>> plans_;
  std::unique_ptr<Job> job_;
};

TEST_F(SalvageTest, BringsWhatIsGoneFromWhoeverHasIt) {
  Progress::Lock lock = job_->progress.lock();
  loseDevice();
  theirs_ = RangeSet::of({kBytes});

  ASSERT_TRUE(job_->salvage.bring(lock, 0, RangeSet::of({kBytes})));

  EXPECT_EQ(asked_, std::vector<Place>{kOther});
  EXPECT_TRUE(std::ranges::all_of(host(), [](std::byte byte) { return byte == std::byte{9}; }));
  EXPECT_TRUE(job_->devices.require(0, RangeSet::of({kBytes})));
  EXPECT_EQ(job_->counters.salvagedBytes, kBytes.size());
}

TEST_F(SalvageTest, FailsIfSomeOfItIsNowhere) {
  Progress::Lock lock = job_->progress.lock();
  loseDevice();
  theirs_ = part(0, 100);

  const Status status = job_->salvage.bring(lock, 0, RangeSet::of({kBytes}));

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::DeviceLost);
  EXPECT_TRUE(job_->salvage.bring(lock, 0, part(0, 100)));
}

TEST_F(SalvageTest, AsksNobodyForWhatIsThere) {
  Progress::Lock lock = job_->progress.lock();
  loseDevice();

  EXPECT_TRUE(job_->salvage.bring(lock, 0, part(8192, 9000)));

  EXPECT_TRUE(asked_.empty());
}

TEST_F(SalvageTest, CountsWhatIsOnItsWayToTheHostAsGone) {
  Progress::Lock lock = job_->progress.lock();
  ASSERT_TRUE(job_->devices.commit(0, part(0, kUnit)));
  machine_.failNext(0, device::mock::Operation::CopyOut, failure(ErrorCode::DeviceLost, "gone"));

  ASSERT_TRUE(job_->devices.copyOut(0, part(0, 64)));

  EXPECT_FALSE(job_->devices.require(0, part(0, 64)));
  EXPECT_TRUE(job_->devices.require(0, part(64, 128)));
}

TEST_F(SalvageTest, GivesWhatItsHostHasNotChangedSince) {
  Progress::Lock lock = job_->progress.lock();
  const auto first = std::make_shared<Plan>();
  first->overwritten = part(0, 1000);
  const auto second = std::make_shared<Plan>();
  second->overwritten = part(2000, 3000);
  launch(1, first);
  launch(2, second);

  EXPECT_EQ(give(lock, kHost, 1), part(0, 2000).unite(part(3000, 4096)));
  EXPECT_EQ(give(lock, kHost, 0), part(1000, 2000).unite(part(3000, 4096)));
  EXPECT_EQ(give(lock, kHost, 2), part(0, 4096));
  EXPECT_TRUE(
      std::ranges::all_of(givenBytes_, [](std::byte byte) { return byte == std::byte{1}; }));
}

TEST_F(SalvageTest, IsAnsweredByRanksThatHaveNothingElseToDo) {
  Progress::Lock lock = job_->progress.lock();
  launch(1, std::make_shared<Plan>());
  leaves_ = true;
  ASSERT_TRUE(otherEnd_->sendControl(
      0, Writer(kSalvage).add(Sequence{1}).add(kHost).add(std::vector<Range>{kBytes}).bytes()));

  job_->shutdown.awaitOthers(lock);

  EXPECT_TRUE(isAnswered_);
  EXPECT_EQ(given_, RangeSet::of({kBytes}));
}

TEST_F(SalvageTest, GivesNothingThatTheProgramHasWritten) {
  Progress::Lock lock = job_->progress.lock();
  launch(1, std::make_shared<Plan>());
  const Event claimed{Event::Kind::Claimed, {kHeapBase, kHeapBase + 8}};
  job_->salvage.happened({&claimed, 1});

  EXPECT_EQ(give(lock, kHost, 1), part(8, 4096));
  launch(2, std::make_shared<Plan>());
  EXPECT_EQ(give(lock, kHost, 1), part(8, 4096));
  job_->salvage.hostGets(part(100, 200));
  EXPECT_EQ(give(lock, kHost, 1), part(8, 100).unite(part(200, 4096)));
}

TEST_F(SalvageTest, GivesWhatItsDeviceStillHolds) {
  Progress::Lock lock = job_->progress.lock();
  ASSERT_TRUE(job_->devices.commit(0, part(0, kUnit)));
  ASSERT_TRUE(job_->devices.copyIn(0, RangeSet::of({kBytes}), exec::Reading::Done));
  std::ranges::fill(host(), std::byte{2});
  const auto plan = std::make_shared<Plan>();
  plan->overwritten = part(0, 4096); // Of the host.
  plan->devices = {{0, {0, 1}, part(0, kUnit), part(10, 20)}};
  plan->copies = {{kHost, kDevice, part(30, 40), false, false}};
  launch(1, plan);
  const Event evicted{Event::Kind::Evicted, {kHeapBase + 50, kHeapBase + 60}, kDevice, kHost};
  job_->salvage.happened({&evicted, 1});

  EXPECT_EQ(give(lock, kDevice, 0),
            part(0, 10).unite(part(20, 30)).unite(part(40, 50)).unite(part(60, 4096)));
  EXPECT_TRUE(
      std::ranges::all_of(givenBytes_, [](std::byte byte) { return byte == std::byte{1}; }));
}

TEST_F(SalvageTest, GivesNothingOfALostDevice) {
  Progress::Lock lock = job_->progress.lock();
  launch(1, std::make_shared<Plan>());
  plans_.clear();
  EXPECT_FALSE(give(lock, kHost, 0).empty()) << "nobody else has to keep the plan";
  loseDevice();
  EXPECT_TRUE(give(lock, kDevice, 1).empty());
}

TEST_F(SalvageTest, AnswersOnceItHasFinishedTheLaunch) {
  Progress::Lock lock = job_->progress.lock();
  EXPECT_TRUE(otherEnd_->sendControl(
      0, Writer(kSalvage).add(Sequence{1}).add(kHost).add(std::vector<Range>{kBytes}).bytes()));
  int polls = 0;
  job_->progress.waitUntil(lock, [&] { return ++polls == 50; });
  EXPECT_FALSE(isAnswered_);

  launch(1, std::make_shared<Plan>());

  job_->progress.waitUntil(lock, [this] { return isAnswered_; });
  EXPECT_EQ(given_, RangeSet::of({kBytes}));
}

} // namespace

} // namespace tutti::protocol
