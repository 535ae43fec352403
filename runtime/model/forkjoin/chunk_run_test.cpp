// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One rank's part of a launch whose device lends to another rank, which the test plays.
#include "runtime/device/mock/mock.h"
#include "runtime/exec/test/flat_code.h"
#include "runtime/model/forkjoin/chunk_run.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

namespace {

using device::mock::Operation;
using memory::kHeapBase;

constexpr std::uint64_t kUnit = 64 << 10;
constexpr Place kOwn = 2;
constexpr Place kBorrower = 3;
constexpr Sequence kSequence = 7;
constexpr int kPatience = 50;                           ///< Polls until the borrower has copied.
constexpr std::array<std::int64_t, 2> kPartOfOther{32}; ///< Of a reduction, padded.
constexpr Room kRoom{8 * kUnit, kUnit};

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, true});
  return *mapped;
}

/// A mock that gives handles of its memory away.
class SharingDevice final : public device::Device {
public:
  explicit SharingDevice(std::unique_ptr<Device> mock) : mock_(std::move(mock)) {}

  const device::Info &info() const override { return mock_->info(); }

  std::uint64_t capacity() const override { return mock_->capacity(); }

  std::uint64_t granule() const override { return mock_->granule(); }

  Status commit(Range bytes) override { return mock_->commit(bytes); }

  Status release(Range bytes) override { return mock_->release(bytes); }

  std::uint64_t committed() const override { return mock_->committed(); }

  Result<device::Kernel *> load(const tutti_kernel &kernel) override { return mock_->load(kernel); }

  Result<std::unique_ptr<device::Queue>> makeQueue() override { return mock_->makeQueue(); }

  Result<std::unique_ptr<device::HostBuffer>> makeHostBuffer(std::size_t bytes) override {
    return mock_->makeHostBuffer(bytes);
  }

  Result<std::unique_ptr<device::Snapshot>> makeSnapshot(std::uint64_t bytes) override {
    return mock_->makeSnapshot(bytes);
  }

  Result<Descriptor> share(Range) override {
    return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }

private:
  std::unique_ptr<Device> mock_;
};

constexpr FlatCode kCode("scatter");

class ChunkRunTest : public testing::Test {
protected:
  void SetUp() override {
    machine_.setFunction("scatter", [](const device::mock::KernelRun &) {});
    HandleRoutes handles{HandleSocket::open().value(), {}};
    handles.addresses = {handles.socket.address(), borrower_.address()};
    std::vector<OpenDevice> devices;
    devices.push_back({std::make_unique<SharingDevice>(
                           machine_.makeDriver()->open(0, segmentsOf(window())).value()),
                       "mock", kRoom});
    job_ = std::make_unique<Job>(JobSetup{*endpoint_,
                                          window(),
                                          memory::Topology({1, 1}, {{kOwn, kBorrower}}),
                                          {kRoom, kRoom},
                                          std::move(devices),
                                          false,
                                          std::move(handles)});
    job_->serve({[this] { return playBorrower(); }, [this] { return isBusy_; }});
    job_->start();
    region_.source = "test.c:1:1";
    region_.device = kCode.get();
    launch_.region = &region_;
    launch_.sequence = kSequence;
    launch_.total = 10;
  }

  void TearDown() override { job_->progress.stop(); }

  /// Takes its time to copy, and to tell what its part of a reduction is.
  bool playBorrower() {
    if (sendsRestAt_ > 0 && (pieces_ > 0 || --sendsRestAt_ == 0)) {
      sendsRestAt_ = 0;
      piecesBefore_ = pieces_;
      for (std::uint32_t segment = 1; segment < kSegments; ++segment) {
        EXPECT_TRUE(otherEnd_->send(0, segment, message_));
      }
      return true;
    }
    if (tellsAt_ && std::chrono::steady_clock::now() >= *tellsAt_) {
      tellsAt_.reset();
      EXPECT_TRUE(otherEnd_->sendControl(0, Writer(kPartial)
                                                .add(kSequence)
                                                .addBytes(std::as_bytes(std::span(kPartOfOther)))
                                                .bytes()));
      return true;
    }
    EXPECT_TRUE(otherEnd_->pollControl(messages_));
    if (messages_.empty() || ++polls_ != kPatience) {
      return false;
    }
    kernelsBefore_ =
        std::ranges::count(machine_.log(), Operation::Launch, &device::mock::Entry::operation);
    EXPECT_TRUE(otherEnd_->sendControl(0, Writer(kReturned).add(kSequence).bytes()));
    return true;
  }

  device::mock::Machine machine_{{.memory = 8 * kUnit, .delay = 3}};
  transport::mock::Network network_{2};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  std::unique_ptr<transport::Endpoint> otherEnd_ = network_.open(1);
  HandleSocket borrower_ = HandleSocket::open().value();
  std::vector<transport::Control> messages_;
  int polls_ = 0;
  std::optional<std::chrono::steady_clock::time_point> tellsAt_;
  static constexpr std::uint32_t kSegments = 3;
  std::vector<std::byte> message_{Packing::kSegmentBytes, std::byte{7}};
  int sendsRestAt_ = 0;                   ///< Polls until all segments but the first are sent,
  int piecesBefore_ = -1;                 ///< and the pieces that have run then.
  static inline std::atomic<int> pieces_; ///< That have run.
  std::ptrdiff_t kernelsBefore_ = -1;     ///< Started when the borrower has copied.
  bool isBusy_ = false;                   ///< Something else is under way.
  static inline std::atomic<bool> hasKernelRun_;
  tutti_region region_{};
  Launch launch_;
  std::unique_ptr<Job> job_;
};

/// The device writes `bytes`, which it lends.
Plan lending(const RangeSet &bytes) {
  Plan plan;
  plan.loans = {{0, kBorrower, bytes}};
  plan.devices = {{0, {0, 10}, bytes, bytes}};
  plan.contributors = {0};
  return plan;
}

TEST_F(ChunkRunTest, StartsAMergedLaunchOnlyWhenBorrowersHaveTheBytesItBeginsWith) {
  const RangeSet bytes = RangeSet::of({{kHeapBase, kHeapBase + kUnit}});
  Progress::Lock lock = job_->progress.lock();
  ASSERT_TRUE(job_->devices.commit(0, bytes));
  Plan plan = lending(bytes);
  plan.merged = bytes;

  ChunkRun run(*job_, lock, launch_, plan);
  run.run(false, false);
  lock.unlock();

  EXPECT_EQ(kernelsBefore_, 0);
}

TEST_F(ChunkRunTest, StartsOtherLaunchesWhileBorrowersCopy) {
  const RangeSet bytes = RangeSet::of({{kHeapBase, kHeapBase + kUnit}});
  Progress::Lock lock = job_->progress.lock();
  ASSERT_TRUE(job_->devices.commit(0, bytes));
  const Plan plan = lending(bytes);

  ChunkRun run(*job_, lock, launch_, plan);
  run.run(false, false);
  job_->progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return job_->loans.areReturned(); });
  lock.unlock();

  EXPECT_EQ(kernelsBefore_, 1);
}

TEST_F(ChunkRunTest, TimesDevicesWithoutWhatTheyRunFromBefore) {
  constexpr std::chrono::milliseconds kLong{100};
  const RangeSet bytes = RangeSet::of({{kHeapBase, kHeapBase + kUnit}});
  bool isFirst = true;
  machine_.setFunction("scatter", [&](const device::mock::KernelRun &) {
    if (std::exchange(isFirst, false)) {
      std::this_thread::sleep_for(kLong);
    }
  });
  Progress::Lock lock = job_->progress.lock();
  ASSERT_TRUE(job_->devices.commit(0, bytes));
  Plan plan;
  plan.devices = {{0, {0, 10}, bytes, bytes}};
  plan.contributors = {0};
  ChunkRun(*job_, lock, launch_, plan).run(false, true); // What fails does so at the first launch.
  isFirst = true;

  ChunkRun(*job_, lock, launch_, plan).run(false, false);
  EXPECT_TRUE(isFirst) << "it is still to run";
  ChunkRun timed(*job_, lock, launch_, plan);
  timed.run(false, true);

  EXPECT_FALSE(isFirst);
  EXPECT_LT(timed.times().places.front().seconds, std::chrono::duration<double>(kLong).count() / 2);
}

TEST_F(ChunkRunTest, NoticesThatATimedDeviceEndsWhileTheHostComputesWhateverElseIsUnderWay) {
  const RangeSet bytes = RangeSet::of({{kHeapBase, kHeapBase + kUnit}});
  hasKernelRun_ = false;
  machine_.setFunction("scatter", [](const device::mock::KernelRun &) { hasKernelRun_ = true; });
  static bool isNoticed = false;
  region_.run = [](const std::uint64_t *, const tutti_chunk *) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!hasKernelRun_ && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    isNoticed = hasKernelRun_;
  };
  Plan plan;
  plan.chunk = plan.interior = {0, 5};
  plan.devices = {{0, {5, 10}, bytes, bytes}};
  plan.contributors = {0};
  Progress::Lock lock = job_->progress.lock();
  ASSERT_TRUE(job_->devices.commit(0, bytes));
  isBusy_ = true;

  ChunkRun(*job_, lock, launch_, plan).run(false, true);
  isBusy_ = false;
  lock.unlock();

  EXPECT_TRUE(isNoticed) << "a kernel of the mock runs when somebody asks for its end";
}

TEST_F(ChunkRunTest, TimesTheHostWithoutItsWaitForPartialResults) {
  constexpr std::chrono::milliseconds kLong{100};
  static std::int64_t result = 0;
  region_.device = nullptr;
  region_.flags = TUTTI_REGION_REDUCES;
  region_.run = [](const std::uint64_t *, const tutti_chunk *chunk) {
    std::int64_t sum = chunk->upper - chunk->lower;
    void *list = &sum;
    constexpr std::array<std::uint64_t, 1> kSizes{sizeof sum};
    const auto add = [](void *to, void *from) {
      **static_cast<std::int64_t **>(to) += **static_cast<std::int64_t **>(from);
    };
    if (static_cast<Reduction *>(chunk->reduction)->add({kSizes, &list, add, 1, false})) {
      result = sum;
    }
  };
  Plan plan;
  plan.chunk = plan.interior = {0, 10};
  plan.contributors = {0, 1};
  Progress::Lock lock = job_->progress.lock();
  tellsAt_ = std::chrono::steady_clock::now() + kLong;
  ChunkRun run(*job_, lock, launch_, plan);
  run.run(false, true);
  const double seconds = run.times().places.front().seconds;
  lock.unlock();

  EXPECT_FALSE(tellsAt_) << "it has waited";
  EXPECT_EQ(result, 10 + kPartOfOther[0]);
  EXPECT_LT(seconds, std::chrono::duration<double>(kLong).count() / 2);
}

TEST_F(ChunkRunTest, RunsAPieceWhoseBytesAreThereWhileOthersAreUnderWay) {
  const RangeSet bytes =
      RangeSet::of({{kHeapBase, kHeapBase + kSegments * Packing::kSegmentBytes}});
  static std::vector<std::int64_t> begun;
  static std::vector<std::byte> seen;
  region_.run = [](const std::uint64_t *, const tutti_chunk *chunk) {
    begun.push_back(chunk->lower);
    const std::uint64_t last = chunk->lower == 0 ? 1 : kSegments;
    seen.push_back(*window().view(kHeapBase + last * Packing::kSegmentBytes - 1));
    ++pieces_;
  };
  Plan plan;
  plan.chunk = {0, 10};
  plan.contributors = {0};
  plan.links = {{false, 1, bytes, {}}};
  plan.waiting = {{{0, 5}, {{0, Packing::kSegmentBytes}}}, {{5, 10}, {{0, bytes.bytes()}}}};
  plan.overwritten = bytes;
  Progress::Lock lock = job_->progress.lock();
  ASSERT_TRUE(otherEnd_->send(0, 0, message_));
  sendsRestAt_ = 1000;

  ChunkRun run(*job_, lock, launch_, plan);
  run.run(false, false);
  lock.unlock();

  EXPECT_EQ(piecesBefore_, 1) << "the first one has not waited for all";
  EXPECT_EQ(begun, (std::vector<std::int64_t>{0, 5}));
  EXPECT_EQ(seen, std::vector<std::byte>(2, std::byte{7}));
}

TEST_F(ChunkRunTest, LendsFromTheHostWhatALostDeviceHeld) {
  const RangeSet bytes = RangeSet::of({{kHeapBase, kHeapBase + 64}});
  Progress::Lock lock = job_->progress.lock();
  std::memset(window().view(kHeapBase), 5, 64);
  ASSERT_TRUE(job_->devices.outlive(0, failure(ErrorCode::DeviceLost, "gone")));
  Plan plan = lending(bytes);
  plan.devices.clear();

  ChunkRun run(*job_, lock, launch_, plan);
  run.run(false, false);
  job_->progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return job_->loans.areReturned(); });
  lock.unlock();

  const auto lent = std::ranges::find_if(messages_, [](const transport::Control &message) {
    return Reader(message.bytes).take<Kind>() == kLentByHost;
  });
  ASSERT_NE(lent, messages_.end());
  Reader reader(lent->bytes);
  reader.take<Kind>();
  EXPECT_EQ(reader.take<Sequence>(), kSequence);
  EXPECT_EQ(reader.take<Place>(), kOwn);
  EXPECT_EQ(reader.take<Place>(), kBorrower);
  EXPECT_EQ(reader.take<std::uint64_t>(), kHeapBase);
  EXPECT_EQ(reader.rest().size(), 64U);
  EXPECT_TRUE(
      std::ranges::all_of(reader.rest(), [](std::byte byte) { return byte == std::byte{5}; }));
}

TEST_F(ChunkRunTest, ReceivesWhereSomethingOlderIsStreamedOutOnceThatHasArrived) {
  const RangeSet bytes = RangeSet::of({{kHeapBase, kHeapBase + kUnit}});
  Progress::Lock lock = job_->progress.lock();
  std::memset(window().view(kHeapBase), 1, kUnit);
  ASSERT_TRUE(job_->devices.commit(0, bytes));
  ASSERT_TRUE(job_->devices.streamIn(0, bytes));
  ASSERT_TRUE(job_->devices.streamOut(0, bytes));
  const std::vector<std::byte> newer(kUnit, std::byte{9});
  ASSERT_TRUE(otherEnd_->send(0, 0, newer));
  Plan plan;
  plan.links = {{false, 1, bytes, {}}};
  plan.overwritten = bytes;

  ChunkRun run(*job_, lock, launch_, plan);
  run.run(false, false);
  run.finish();
  job_->progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return *job_->devices.isIdle(); });
  lock.unlock();

  EXPECT_EQ(std::memcmp(window().view(kHeapBase), newer.data(), kUnit), 0);
}

} // namespace

} // namespace tutti::model::forkjoin
