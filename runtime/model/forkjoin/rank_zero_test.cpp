// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Launches on one rank with one mock device that is too small for them, or gets lost, or for whose
/// later portions there is no plan.
#include "base/log.h"
#include "runtime/device/mock/mock.h"
#include "runtime/exec/test/flat_code.h"
#include "runtime/model/forkjoin/rank_zero.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

namespace {

using device::mock::KernelRun;
using device::mock::Operation;

constexpr std::uint64_t kUnit = 64 << 10;
constexpr std::uint64_t kUnits = 4; ///< Of the device.
constexpr std::uint64_t kWord = 8;

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, true});
  return *mapped;
}

std::uint64_t &word(std::uint64_t array, std::int64_t index) {
  return *reinterpret_cast<std::uint64_t *>(
      window().view(array + static_cast<std::uint64_t>(index) * kWord));
}

std::uint64_t step(std::uint64_t value, std::int64_t index) {
  return 3 * value + static_cast<std::uint64_t>(index);
}

/// Whose launches run; opens what they touch as sequential code, which nobody protects here.
RankZero *current = nullptr;

void touch(const tutti_chunk &chunk, Range bytes, bool isWritten) {
  if (chunk.delta == 0) {
    current->open(bytes, isWritten);
  }
}

/// Each word of an array becomes its `step`. Captures: its address, its words.
void run(const std::uint64_t *captures, const tutti_chunk *chunk) {
  const auto addressOf = [&](std::int64_t index) {
    return captures[0] + static_cast<std::uint64_t>(index) * kWord;
  };
  touch(*chunk, {addressOf(chunk->lower), addressOf(chunk->upper)}, true);
  for (std::int64_t index = chunk->lower; index < chunk->upper; ++index) {
    word(captures[0], index) = step(word(captures[0], index), index);
  }
}

void runOnDevice(const KernelRun &kernel) {
  const std::uint64_t array = kernel.launch().arguments[0];
  for (std::int64_t index = kernel.launch().lower; index < kernel.launch().upper; ++index) {
    auto &value = kernel.value<std::uint64_t>(array + static_cast<std::uint64_t>(index) * kWord);
    value = step(value, index);
  }
}

void accesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
              std::int64_t upper, std::int64_t, tutti_sink *sink) {
  const tutti_dim dim{kWord, upper - lower};
  sink->add(TUTTI_READ | TUTTI_WRITE, captures[0],
            captures[0] + static_cast<std::uint64_t>(lower) * kWord, kWord, 1, &dim);
}

/// As if each iteration read all of the array as well.
void accessesToAll(const std::uint64_t *captures, const std::uint64_t *values, std::int64_t lower,
                   std::int64_t upper, std::int64_t total, tutti_sink *sink) {
  accesses(captures, values, lower, upper, total, sink);
  const tutti_dim dim{kWord, total};
  sink->add(TUTTI_READ, captures[0], captures[0], kWord, 1, &dim);
}

/// As if no closed form held but for the loop as a whole.
void accessesOfTheWhole(const std::uint64_t *captures, const std::uint64_t *values,
                        std::int64_t lower, std::int64_t upper, std::int64_t total,
                        tutti_sink *sink) {
  accesses(captures, values, lower, upper, total, sink);
  sink->add(upper - lower < total ? TUTTI_ANYWHERE : 0, 0, 0, 0, 0, nullptr);
}

/// The same, and for what begins it.
void accessesOfTheBegin(const std::uint64_t *captures, const std::uint64_t *values,
                        std::int64_t lower, std::int64_t upper, std::int64_t total,
                        tutti_sink *sink) {
  accesses(captures, values, lower, upper, total, sink);
  sink->add(lower > 0 ? TUTTI_ANYWHERE : 0, 0, 0, 0, 0, nullptr);
}

/// A table of two units, of which every iteration reads so many runs that nobody moves them, and
/// what happens when that is asked for.
std::uint64_t table = 0;
std::function<void()> whenAsked;

void accessesWithTable(const std::uint64_t *captures, const std::uint64_t *values,
                       std::int64_t lower, std::int64_t upper, std::int64_t total,
                       tutti_sink *sink) {
  accesses(captures, values, lower, upper, total, sink);
  const std::array<tutti_dim, 3> dims{{{80, 200}, {160, 200}, {240, 200}}};
  sink->add(TUTTI_READ, table, table, kWord, 3, dims.data());
  whenAsked();
}

constexpr FlatCode kCode("step");

tutti_region regionWith(decltype(tutti_region::accesses) accessesOf) {
  tutti_region region{};
  region.flags = TUTTI_REGION_DISTRIBUTABLE;
  region.source = "test.c:1:1";
  region.captures = 2;
  region.run = run;
  region.gather = [](const std::uint64_t *, std::uint64_t *, tutti_gather *) {};
  region.trip = [](const std::uint64_t *captures, const std::uint64_t *) {
    return static_cast<std::int64_t>(captures[1]);
  };
  region.accesses = accessesOf;
  region.device = kCode.get();
  return region;
}

/// An array of whole units, and what it should hold.
struct Array {
  std::uint64_t address;
  std::vector<std::uint64_t> expected;
};

class RankZeroTest : public testing::Test {
protected:
  void SetUp() override { start(Distribute::Always, TUTTI_DEVICE_OPENCL); }

  void start(Distribute policy, std::uint32_t wanted, std::optional<double> cores = {}) {
    machine_.setFunction("step", runOnDevice);
    heap_ = std::make_unique<memory::Heap>(window().heap());
    pages_ = std::move(memory::PageTable::create(window())).value();
    const Room room{kUnits * kUnit, kUnit};
    std::vector<OpenDevice> devices;
    devices.push_back(
        {std::move(machine_.makeDriver()->open(0, segmentsOf(window()))).value(), "mock", room});
    zero_ = std::make_unique<RankZero>(RankZero::Setup{
        {*endpoint_, window(), memory::Topology({1}), {room}, std::move(devices), false},
        *pages_,
        memory::Objects(window().stack(), *heap_, {}),
        policy,
        {{TUTTI_KERNEL_OPENCL_C, TUTTI_DEVICE_OPENCL, 1, 1, 4, room}},
        wanted,
        false,
        false,
        {},
        cores});
    current = zero_.get();
    zero_->start();
  }

  Array arrayOf(std::uint64_t units) {
    const std::uint64_t bytes = units * kUnit;
    Array array{heap_->allocate(bytes, kUnit), std::vector<std::uint64_t>(bytes / kWord)};
    for (std::size_t index = 0; index < array.expected.size(); ++index) {
      array.expected[index] = index % 1009;
      word(array.address, static_cast<std::int64_t>(index)) = index % 1009;
    }
    return array;
  }

  /// As a program launches; whether it was distributed. If not, the array is as it was.
  bool launch(const tutti_region &region, Array &array) {
    const std::array<std::uint64_t, 2> captures{array.address, array.expected.size()};
    std::optional<Launch> launch = zero_->prepare(region, captures.data(), 0);
    if (!launch || !zero_->distribute(*launch)) {
      return false;
    }
    for (std::size_t index = 0; index < array.expected.size(); ++index) {
      array.expected[index] = step(array.expected[index], static_cast<std::int64_t>(index));
    }
    return true;
  }

  /// Reads it as sequential code would.
  void expectRight(const Array &array) {
    const std::uint64_t bytes = array.expected.size() * kWord;
    zero_->open({array.address, array.address + bytes}, false);
    const std::uint64_t *words = &word(array.address, 0);
    EXPECT_TRUE(std::equal(array.expected.begin(), array.expected.end(), words));
  }

  std::ptrdiff_t count(Operation operation) const {
    return std::ranges::count(machine_.log(), operation, &device::mock::Entry::operation);
  }

  tutti_region region_ = regionWith(accesses);
  device::mock::Machine machine_{{.memory = kUnits * kUnit, .delay = 2}};
  transport::mock::Network network_{1};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  std::unique_ptr<memory::Heap> heap_;
  std::unique_ptr<memory::PageTable> pages_;
  std::unique_ptr<RankZero> zero_;
};

TEST_F(RankZeroTest, TurnsArraysOverThatDoNotFitTogether) {
  std::array<Array, 3> arrays{arrayOf(2), arrayOf(2), arrayOf(3)};

  for (int round = 0; round < 4; ++round) {
    for (Array &array : arrays) {
      EXPECT_TRUE(launch(region_, array));
    }
  }

  EXPECT_EQ(count(Operation::Launch), 12);
  for (const Array &array : arrays) {
    expectRight(array);
  }
  const trace::Report report = zero_->finish();
  EXPECT_GT(report.counters.evictedOutBytes, 0U);
  EXPECT_EQ(report.counters.portions, 0U);
}

TEST_F(RankZeroTest, AsksADeviceForNothingButKernelsInASteadyLoop) {
  Array array = arrayOf(2);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(launch(region_, array));
  }
  zero_->open({array.address, array.address + kWord}, false); // All of it is done.
  EXPECT_TRUE(launch(region_, array));
  machine_.clearLog();

  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(launch(region_, array));
  }

  EXPECT_EQ(count(Operation::Launch), 5);
  // The thread that looks after devices may have asked for an event.
  EXPECT_EQ(static_cast<std::ptrdiff_t>(machine_.log().size()), 5 + count(Operation::Record));
  expectRight(array);
  zero_->finish();
}

TEST_F(RankZeroTest, RunsASingleIterationWhereItsDataIs) {
  Array array = arrayOf(2);
  EXPECT_TRUE(launch(region_, array));
  Array first{array.address, {array.expected.front()}};
  machine_.clearLog();

  EXPECT_TRUE(launch(region_, first));

  EXPECT_EQ(count(Operation::Launch), 1);
  EXPECT_EQ(count(Operation::CopyOut), 0);
  array.expected.front() = first.expected.front();
  expectRight(array);
  zero_->finish();
}

TEST_F(RankZeroTest, KeepsASingleIterationHomeWhereItsDataIs) {
  Array array = arrayOf(2);
  Array first{array.address, {array.expected.front()}};
  EXPECT_FALSE(launch(region_, first)); // No device has had the loop.
  EXPECT_TRUE(launch(region_, array));
  zero_->open({array.address, array.address + kUnit}, true);
  machine_.clearLog();

  first.expected.front() = array.expected.front();
  EXPECT_FALSE(launch(region_, first));

  EXPECT_EQ(count(Operation::Launch), 0);
  expectRight(array);
  zero_->finish();
}

TEST_F(RankZeroTest, GivesLaunchesOfDifferentSizesTheirOwnGrids) {
  std::array<Array, 2> arrays{arrayOf(1), arrayOf(3)};
  std::vector<std::uint64_t> items;
  machine_.setFunction("step", [&](const KernelRun &kernel) {
    items.push_back(kernel.launch().grid.groupCount() * kernel.launch().grid.groupSize());
    runOnDevice(kernel);
  });

  for (int round = 0; round < 3; ++round) {
    for (Array &array : arrays) {
      EXPECT_TRUE(launch(region_, array));
    }
  }

  for (const Array &array : arrays) {
    expectRight(array);
  }
  zero_->finish();
  const std::uint64_t words = kUnit / kWord;
  EXPECT_EQ(items, (std::vector{words, 3 * words, words, 3 * words, words, 3 * words}));
}

TEST_F(RankZeroTest, FindsADeviceOnlyForTasksWhoseKernelsItTakes) {
  tutti_region other = region_;
  other.device = nullptr;
  std::array<Launch, 2> launches;
  launches[0].region = &region_;
  launches[1].region = &other;
  const std::span<const Launch> both(launches);

  EXPECT_EQ(zero_->devices().deviceFor(TUTTI_DEVICE_AUTO, {}, {}, both.first(1)), 0);
  EXPECT_EQ(zero_->devices().deviceFor(TUTTI_DEVICE_OPENCL, {}), 0);
  EXPECT_EQ(zero_->devices().deviceFor(TUTTI_DEVICE_CUDA, {}), std::nullopt);
  EXPECT_EQ(zero_->devices().deviceFor(TUTTI_DEVICE_AUTO, {}, {}, both), std::nullopt);
  EXPECT_TRUE(zero_->devices().hasRoomFor(TUTTI_DEVICE_OPENCL, {}, {})); // Nothing is under way.
  EXPECT_FALSE(zero_->devices().hasRoomFor(TUTTI_DEVICE_CUDA, {}, {}));
  zero_->finish();
}

TEST_F(RankZeroTest, StreamsAnArrayThatDoesNotFit) {
  Array array = arrayOf(4 * kUnits);

  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(launch(region_, array));
  }

  EXPECT_EQ(count(Operation::Launch), 48);
  expectRight(array);
  EXPECT_EQ(zero_->finish().counters.portions, 48U);
}

TEST_F(RankZeroTest, GoesBackThroughThePortionsThatADeviceStillHolds) {
  Array array = arrayOf(4 * kUnits);

  std::vector<std::uint64_t> copiedIn;
  for (int round = 0; round < 4; ++round) {
    const std::size_t before = count(Operation::CopyIn);
    EXPECT_TRUE(launch(region_, array));
    copiedIn.push_back(count(Operation::CopyIn) - before);
  }

  // Of sixteen portions four fit at a time.
  EXPECT_EQ(copiedIn, (std::vector<std::uint64_t>{16, 12, 12, 12}));
  expectRight(array);
  zero_->finish();
}

TEST_F(RankZeroTest, FinishesOnTheHostWhereMemoryIsRefusedBehindTheFirstPortion) {
  Array array = arrayOf(4 * kUnits);
  machine_.failNext(0, Operation::Commit, failure(ErrorCode::OutOfMemory, "somebody has it"), 2);

  testing::internal::CaptureStderr();
  EXPECT_TRUE(launch(region_, array));

  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tutti: the loop at test.c:1:1 is kept off devices: somebody has it\n");
  EXPECT_EQ(count(Operation::Launch), 2);
  expectRight(array);
  EXPECT_FALSE(launch(region_, array)) << "it stays home from now on";
  zero_->finish();
}

TEST_F(RankZeroTest, RunsAtHomeWhereThereIsNoPlanForTheFirstPortion) {
  const tutti_region whole = regionWith(accessesOfTheWhole);
  Array array = arrayOf(4 * kUnits);

  EXPECT_FALSE(launch(whole, array));

  EXPECT_EQ(count(Operation::Launch), 0);
  expectRight(array);
  const trace::Report report = zero_->finish();
  ASSERT_EQ(report.regions.size(), 1U);
  EXPECT_EQ(report.regions[0].reasonHome, "its index arithmetic may wrap around");
}

TEST_F(RankZeroTest, RunsTheRestItselfWhereThereIsNoPlanForALaterPortion) {
  const tutti_region begin = regionWith(accessesOfTheBegin);
  Array array = arrayOf(4 * kUnits);

  EXPECT_TRUE(launch(begin, array));

  EXPECT_EQ(count(Operation::Launch), 1) << "the first portion";
  EXPECT_FALSE(launch(begin, array)) << "which comes last the next time";
  expectRight(array);
  zero_->finish();
}

TEST_F(RankZeroTest, RunsAtHomeWhatCannotBePlannedAnyMoreOnceThereIsRoom) {
  Array other = arrayOf(1);
  Array read = arrayOf(2);
  EXPECT_TRUE(launch(region_, other)); // Has to leave.
  EXPECT_TRUE(launch(region_, read));  // The device alone has it: nothing of it has to move.
  table = read.address;
  const Range bytes{table, table + 2 * kUnit};
  // Another thread of the program writes all of it once the launch is being planned, and is served
  // as soon as somebody waits: for room.
  std::thread writer;
  std::atomic<bool> isServed = false;
  int asked = 0;
  whenAsked = [&] {
    if (++asked == 2) { // The first time no lock is held.
      writer = std::thread([&] {
        zero_->open(bytes, true);
        isServed = true;
      });
      while (zero_->touches().isEmpty() && !isServed) {
        std::this_thread::yield();
      }
    }
  };
  const tutti_region region = regionWith(accessesWithTable);
  Array array = arrayOf(2);

  EXPECT_FALSE(launch(region, array));

  writer.join();
  EXPECT_EQ(count(Operation::Launch), 2);
  expectRight(array);
  expectRight(read);
  expectRight(other);
  const trace::Report report = zero_->finish();
  EXPECT_GT(report.counters.evictedBytes, 0U);
  EXPECT_TRUE(std::ranges::any_of(report.regions, [](const trace::RegionReport &one) {
    return one.reasonHome == "its accesses are too fragmented";
  }));
}

TEST_F(RankZeroTest, LeavesALoopOnTheHostWhosePortionsAreTooLarge) {
  const tutti_region all = regionWith(accessesToAll);
  Array array = arrayOf(kUnits + 1);

  testing::internal::CaptureStderr();
  EXPECT_FALSE(launch(all, array));
  EXPECT_FALSE(launch(all, array));

  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tutti: the loop at test.c:1:1 passes over a device of rank 0: the smallest portion of "
            "it takes more than the 262144 bytes that the device holds\n");
  Array small = arrayOf(2);
  EXPECT_TRUE(launch(all, small)) << "smaller data is not kept off";
  expectRight(small);
  zero_->finish();
}

TEST_F(RankZeroTest, RenewsPagesWithoutBringingWhatTheyHold) {
  Array array = arrayOf(2);
  EXPECT_TRUE(launch(region_, array));
  const std::uint64_t end = array.address + 2 * kUnit;

  zero_->renew({array.address, end});

  EXPECT_FALSE(pages_->anyStricter({array.address, end}, memory::Access::Open));
  EXPECT_EQ(count(Operation::CopyOut), 0);
  zero_->finish();
}

TEST_F(RankZeroTest, KeepsWhatSharesAPageWithRenewedMemory) {
  Array array = arrayOf(2);
  EXPECT_TRUE(launch(region_, array));
  const std::size_t last = array.expected.size() - 1;

  zero_->renew({array.address + kWord, array.address + 2 * kUnit - kWord});

  EXPECT_FALSE(
      pages_->anyStricter({array.address, array.address + 2 * kUnit}, memory::Access::Open));
  EXPECT_EQ(word(array.address, 0), array.expected[0]);
  EXPECT_EQ(word(array.address, static_cast<std::int64_t>(last)), array.expected[last]);
  zero_->finish();
}

TEST_F(RankZeroTest, ComputesWithWhatIsWrittenToRenewedMemory) {
  Array array = arrayOf(2);
  EXPECT_TRUE(launch(region_, array));

  zero_->renew({array.address, array.address + 2 * kUnit});
  std::fill(array.expected.begin(), array.expected.end(), 5);
  std::fill_n(&word(array.address, 0), array.expected.size(), 5);
  EXPECT_TRUE(launch(region_, array));

  expectRight(array);
  zero_->finish();
}

/// A program that looks at all of an array behind each launch.
class LooksAtResults : public RankZeroTest {
protected:
  /// Launches in which the pages stayed as they were.
  int foretoldOf(Array &array, int launches) {
    int foretold = 0;
    for (int index = 0; index < launches; ++index) {
      const std::uint64_t before = pages_->protections();
      EXPECT_TRUE(launch(region_, array));
      expectRight(array);
      foretold += pages_->protections() == before ? 1 : 0;
    }
    return foretold;
  }
};

TEST_F(LooksAtResults, GetsThemWithTheLaunchesAndChangesNoProtection) {
  Array array = arrayOf(2);

  // The first plan is another one, since only the host has the array. Two launches show the habit,
  // and one behind each row of those that were foretold shows that it goes on.
  EXPECT_EQ(foretoldOf(array, 20), 3 + 7 + 5);
  EXPECT_EQ(count(Operation::CopyOut), 20) << "nothing comes twice";
  zero_->finish();
}

TEST_F(LooksAtResults, GetsNoMoreOfThemThanItHasLookedAtOnceItLooksNoMore) {
  Array array = arrayOf(2);
  EXPECT_EQ(foretoldOf(array, 4), 1);
  machine_.clearLog();

  for (int index = 0; index < 10; ++index) {
    EXPECT_TRUE(launch(region_, array));
  }

  EXPECT_EQ(count(Operation::CopyOut), 2);
  expectRight(array);
  zero_->finish();
}

TEST_F(LooksAtResults, AndWritesToThem) {
  Array array = arrayOf(2);
  foretoldOf(array, 4);
  for (std::size_t round = 0; round < 8; ++round) {
    const std::uint64_t address = array.address + round * 1000 * kWord;
    zero_->open({address, address + kWord}, true);
    word(address, 0) = array.expected[round * 1000] = round;
    EXPECT_TRUE(launch(region_, array));
    expectRight(array);
  }
  zero_->finish();
}

TEST_F(LooksAtResults, WhileAnotherThreadWritesBesideThem) {
  start(Distribute::Always, TUTTI_DEVICE_HYBRID, 0.5);
  static std::function<void()> whenHostRuns;
  region_.run = [](const std::uint64_t *captures, const tutti_chunk *chunk) {
    if (whenHostRuns) {
      whenHostRuns();
    }
    run(captures, chunk);
  };
  Array array = arrayOf(2);
  ASSERT_GE(foretoldOf(array, 4), 1);
  // It waits for the pages, as far as they are open: what the device writes there is not home yet.
  std::thread other;
  whenHostRuns = [&] {
    const Range all{array.address, array.address + 2 * kUnit};
    other = std::thread([this, all] { zero_->open(all, true); });
    // Mostly it has come to the progress thread by then; the result is the same if it comes later.
    for (int pause = 0; pause < 2000 && zero_->touches().isEmpty(); ++pause) {
      std::this_thread::yield();
    }
    for (int pause = 0; pause < 2000; ++pause) {
      std::this_thread::yield();
    }
    whenHostRuns = nullptr;
  };

  EXPECT_TRUE(launch(region_, array));
  other.join();

  expectRight(array);
  zero_->finish();
}

TEST_F(LooksAtResults, OfALostDeviceForWhichTheHostStandsIn) {
  Array array = arrayOf(2);
  foretoldOf(array, 4);
  machine_.failNext(0, Operation::Launch, failure(ErrorCode::DeviceLost, "lost"));

  testing::internal::CaptureStderr();
  EXPECT_TRUE(launch(region_, array));
  EXPECT_TRUE(pages_->anyStricter({array.address, array.address + kWord}, memory::Access::ReadOnly))
      << "it may be lost with the device";
  EXPECT_FALSE(launch(region_, array));

  expectRight(array);
  zero_->finish();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tutti: a device is used no more: lost\n");
}

/// First launches of a loop whose iterations take long at home, of which nobody knows that: some of
/// them are executed there, and then the others on the device.
class SamplesALoop : public RankZeroTest {
protected:
  void SetUp() override {
    start(Distribute::Auto, TUTTI_DEVICE_AUTO);
    region_.flags |= TUTTI_REGION_LOOP;
    region_.run = [](const std::uint64_t *captures, const tutti_chunk *chunk) {
      run(captures, chunk);
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(20)) {
      }
    };
  }

  tutti_region region_ = regionWith(accesses);
};

TEST_F(SamplesALoop, AndExecutesEachIterationOnce) {
  Array array = arrayOf(2);

  EXPECT_TRUE(launch(region_, array));

  EXPECT_EQ(count(Operation::Launch), 1);
  expectRight(array);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(launch(region_, array));
  }
  EXPECT_EQ(count(Operation::Launch), 4);
  expectRight(array);
  zero_->finish();
}

TEST_F(SamplesALoop, AndExecutesTheRestAtHomeWhereTheDeviceRefusesIt) {
  Array array = arrayOf(2);
  machine_.failNext(0, Operation::Commit, failure(ErrorCode::OutOfMemory, "somebody has it"));

  testing::internal::CaptureStderr();
  EXPECT_TRUE(launch(region_, array));

  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tutti: the loop at test.c:1:1 is kept off devices: somebody has it\n");
  EXPECT_EQ(count(Operation::Launch), 0);
  expectRight(array);
  EXPECT_FALSE(launch(region_, array)) << "it stays home from now on";
  zero_->finish();
}

/// The pieces that home has executed.
std::vector<balance::Chunk> executed;

TEST_F(SamplesALoop, InTwoHalvesOfWhichTheFirstMayStartThreads) {
  executed.clear();
  region_.run = [](const std::uint64_t *captures, const tutti_chunk *chunk) {
    executed.push_back({chunk->lower, chunk->upper});
    run(captures, chunk);
  };
  Array array = arrayOf(2);

  EXPECT_TRUE(launch(region_, array));

  ASSERT_GE(executed.size(), 2U);
  EXPECT_EQ(executed[0], (balance::Chunk{0, 128}));
  EXPECT_EQ(executed[1], (balance::Chunk{128, 256}));
  expectRight(array);
  zero_->finish();
}

/// How the first page of what was executed at home last was open, and where to see that.
memory::PageTable *pagesSeen = nullptr;
memory::Access accessSeen = memory::Access::None;

TEST_F(SamplesALoop, AndTouchesNothingMeanwhileThatIsClosed) {
  tutti_directive directive{};
  directive.device = TUTTI_DEVICE_OPENCL;
  tutti_region onDevice = regionWith(accesses);
  onDevice.directive = &directive;
  Array array = arrayOf(2);
  EXPECT_TRUE(launch(onDevice, array));
  expectRight(array); // The host and the device have it.
  pagesSeen = pages_.get();
  region_.run = [](const std::uint64_t *captures, const tutti_chunk *chunk) {
    accessSeen = chunk->lower == 0 ? pagesSeen->at(captures[0]) : accessSeen;
    run(captures, chunk);
  };

  launch(region_, array);

  EXPECT_EQ(accessSeen, memory::Access::Open);
  zero_->finish();
}

class LosesItsDevice : public RankZeroTest, public testing::WithParamInterface<Operation> {};

TEST_P(LosesItsDevice, GoesOnWhileTheHostHasTheData) {
  const Error error =
      failure(GetParam() == Operation::Run ? ErrorCode::KernelFault : ErrorCode::DeviceLost,
              "it fell off the bus");
  Array array = arrayOf(2);
  machine_.failNext(0, GetParam(), error);

  testing::internal::CaptureStderr();
  // The launch that has begun is finished by the host, which has what the device was given.
  const bool isBegun = launch(region_, array);
  EXPECT_FALSE(launch(region_, array)) << "later ones stay home";
  zero_->ranHome(region_, 0);

  EXPECT_EQ(isBegun, GetParam() != Operation::Commit && GetParam() != Operation::Load);
  expectRight(array);
  zero_->finish();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tutti: a device is used no more: it fell off the bus\n");
}

INSTANTIATE_TEST_SUITE_P(At, LosesItsDevice,
                         testing::Values(Operation::Commit, Operation::Load, Operation::CopyIn,
                                         Operation::Launch, Operation::Record, Operation::Run));

TEST_F(RankZeroTest, StaysHomeWhereTheDeviceIsLostWithSomeMemoryTaken) {
  Array array = arrayOf(3);
  machine_.failNext(0, Operation::Commit, failure(ErrorCode::DeviceLost, "lost"), 1);

  testing::internal::CaptureStderr();
  EXPECT_FALSE(launch(region_, array));

  expectRight(array);
  zero_->finish();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tutti: a device is used no more: lost\n");
}

TEST_F(RankZeroTest, StandsInForALostDeviceWhereTheHostHasACopy) {
  Array array = arrayOf(2);
  Array other = arrayOf(1);
  EXPECT_TRUE(launch(region_, array));
  EXPECT_TRUE(launch(region_, other));
  expectRight(array); // From now on the host has it, too; of the other it has nothing.
  machine_.failNext(0, Operation::Launch, failure(ErrorCode::DeviceLost, "lost"));

  testing::internal::CaptureStderr();
  EXPECT_TRUE(launch(region_, array));
  EXPECT_FALSE(launch(region_, array));

  expectRight(array);
  zero_->finish();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tutti: a device is used no more: lost\n");
}

/// The line that a job ends with.
struct Ended {
  std::string line;
};

TEST_F(RankZeroTest, EndsWithOneLineWhereOnlyALostDeviceHadTheData) {
  Array array = arrayOf(2);
  EXPECT_TRUE(launch(region_, array));
  machine_.failNext(0, Operation::Launch, failure(ErrorCode::DeviceLost, "lost"));
  const log::FatalHandler before = log::setFatalHandler(
      {[](void *, std::string_view line) { throw Ended{std::string(line)}; }, nullptr});

  testing::internal::CaptureStderr();
  std::string line;
  try {
    launch(region_, array);
  } catch (const Ended &ended) {
    line = ended.line;
  }
  log::setFatalHandler(before);

  EXPECT_NE(line.find("lost; it had the only copy of data that is needed (loop at test.c:1:1)"),
            std::string::npos)
      << line;
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(written, '\n'), 1) << written;
}

} // namespace

} // namespace tutti::model::forkjoin
