// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where loops run, on two ranks of which the second has a device.
#include "abi/elements.h"
#include "abi/order.h"
#include "base/log.h"
#include "runtime/exec/test/flat_code.h"
#include "runtime/model/forkjoin/decider.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;

namespace {

constexpr std::uint64_t kUnit = 64 << 10;
constexpr Room kRoom{4 * kUnit, kUnit};
constexpr Place kDevice = 2;
constexpr std::uint64_t kWord = 8;
constexpr FlatCode kCode("step");

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, false});
  return *mapped;
}

/// Each iteration writes a word.
void accesses(const std::uint64_t *, const std::uint64_t *, std::int64_t lower, std::int64_t upper,
              std::int64_t, tutti_sink *sink) {
  const tutti_dim dim{kWord, upper - lower};
  sink->add(TUTTI_WRITE, memory::kHeapBase,
            memory::kHeapBase + static_cast<std::uint64_t>(lower) * kWord, kWord, 1, &dim);
}

/// As if each iteration wrote to all words.
void accessesToAll(const std::uint64_t *, const std::uint64_t *, std::int64_t, std::int64_t,
                   std::int64_t total, tutti_sink *sink) {
  const tutti_dim dim{kWord, total};
  sink->add(TUTTI_WRITE, memory::kHeapBase, memory::kHeapBase, kWord, 1, &dim);
}

class DeciderTest : public testing::Test {
protected:
  DeciderTest() {
    region_.source = "test.c:1:1";
    region_.accesses = accesses;
    region_.device = kCode.get();
  }

  Decider decider(Distribute policy, std::uint32_t wanted = TUTTI_DEVICE_AUTO,
                  bool explains = false, bool balances = false) {
    return {engine_,
            {{{TUTTI_KERNEL_OPENCL_C, TUTTI_DEVICE_OPENCL, 1, 1, 4, kRoom}},
             wanted,
             policy,
             balances,
             explains}};
  }

  Launch launchOf(std::uint64_t units) const {
    Launch launch;
    launch.region = &region_;
    launch.total = static_cast<std::int64_t>(units * kUnit / kWord);
    return launch;
  }

  Decision decide(Decider &decider, Launch &launch) {
    const Progress::Lock lock = engine_.progress.lock();
    return decider.decide(history_, launch, decider.candidateFor(history_, region_, launch.total),
                          residency_);
  }

  transport::mock::Network network_{2};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  Engine engine_{
      EngineSetup{*endpoint_, window(), memory::Topology({0, 1}), {kRoom}, {}, false, true}};
  Residency residency_{engine_.topology, engine_.rooms};
  tutti_region region_{};
  LoopHistory history_;
};

TEST_F(DeciderTest, TakesThePlacesThatWereAskedFor) {
  Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_OPENCL);
  Launch launch = launchOf(1);

  const Decision decision = decide(decider, launch);

  EXPECT_TRUE(decision.reasonHome.empty()) << decision.reasonHome;
  ASSERT_EQ(launch.shares.size(), 1U);
  EXPECT_EQ(launch.shares[0].place, kDevice);
  EXPECT_EQ(launch.portion.count, 1);
}

TEST_F(DeciderTest, KnowsLongAndShortLaunchesOfALoopApart) {
  Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_CPU);
  for (int round = 0; round < 3; ++round) {
    for (const std::int64_t iterations : {10000, 100}) {
      decider.candidateFor(history_, region_, iterations);
      decider.noteHome(history_, iterations, 5e-6 + 3e-9 * static_cast<double>(iterations));
      EXPECT_NEAR(history_.onHosts.home.seconds() * static_cast<double>(iterations),
                  5e-6 + 3e-9 * static_cast<double>(iterations), 1e-9);
    }
  }
}

TEST_F(DeciderTest, GuessesByTheNextLengthButNotByMuchShorterOnes) {
  Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_CPU);
  const auto known = [&](std::int64_t iterations) {
    decider.candidateFor(history_, region_, iterations);
    return history_.onHosts.home.seconds();
  };
  decider.candidateFor(history_, region_, 1000);
  decider.noteHome(history_, 1000, 10e-3);

  EXPECT_DOUBLE_EQ(known(10), 10e-6);
  EXPECT_DOUBLE_EQ(known(3000), 10e-6);
  EXPECT_EQ(known(100000), 0);
}

TEST_F(DeciderTest, AsksNoTimeWhereLoopsAreAlwaysDistributed) {
  Decider decider = this->decider(Distribute::Always, TUTTI_DEVICE_AUTO, false, true);
  for (int round = 0; round < 5; ++round) {
    Launch launch = launchOf(1);
    const Candidate &candidate = decider.candidateFor(history_, region_, launch.total);
    EXPECT_TRUE(decider.reasonToStay(history_, candidate, launch).empty());
    EXPECT_TRUE(decide(decider, launch).reasonHome.empty());
    ASSERT_EQ(launch.shares.size(), 1U);
    EXPECT_EQ(launch.shares[0].place, kDevice);
    decider.noteHome(history_, launch.total, 1e-9);
    decider.noteDistributed(history_, launch, 1.0, 0, 0);
  }
}

TEST_F(DeciderTest, DividesWhatADeviceCannotHold) {
  Decider decider = this->decider(Distribute::Always, TUTTI_DEVICE_OPENCL);
  Launch launch = launchOf(8);

  EXPECT_TRUE(decide(decider, launch).reasonHome.empty());

  EXPECT_EQ(launch.shares[0].place, kDevice);
  EXPECT_GT(launch.portion.count, 1);
}

TEST_F(DeciderTest, SaysWhyALoopStaysHome) {
  region_.accesses = accessesToAll;
  Decider decider = this->decider(Distribute::Always, TUTTI_DEVICE_CPU);
  Launch launch = launchOf(1);

  EXPECT_FALSE(decide(decider, launch).reasonHome.empty()) << "two places write the same bytes";
}

TEST_F(DeciderTest, WeighsWhatNobodyAskedFor) {
  Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_CPU);
  Candidate &candidate = decider.candidateFor(history_, region_, 1000);
  for (int round = 0; round < 5; ++round) {
    decider.noteHome(history_, 1000, 1e-9);
  }

  Launch launch = launchOf(1);
  launch.total = 1000;
  EXPECT_EQ(decider.reasonToStay(history_, candidate, launch), "it is too short");
  candidate.isWanted = true;
  EXPECT_TRUE(decider.reasonToStay(history_, candidate, launch).empty());
}

TEST_F(DeciderTest, KeepsHomeWhatWouldHaveToBeLookedAtElementByElement) {
  Decider decider = this->decider(Distribute::Always, TUTTI_DEVICE_CPU);
  Candidate &candidate = decider.candidateFor(history_, region_, 1000);
  candidate.isWanted = true;
  Launch launch = launchOf(1);
  launch.total = 1 << 20;
  EXPECT_TRUE(decider.reasonToStay(history_, candidate, launch).empty());

  region_.flags |= TUTTI_REGION_ELEMENTS;
  EXPECT_FALSE(decider.reasonToStay(history_, candidate, launch).empty());
  launch.total = 1000;
  EXPECT_TRUE(decider.reasonToStay(history_, candidate, launch).empty()) << "it has few iterations";
}

TEST_F(DeciderTest, TriesCoresIfMuchCrossesBecauseALoopRunsOnADevice) {
  Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_AUTO, false, true);
  Launch launch = launchOf(1);
  const Candidate &candidate = decider.candidateFor(history_, region_, launch.total);
  EXPECT_EQ(candidate.placement.shares.size(), 1U);
  EXPECT_TRUE(decider.asksForCrossing(history_, region_));

  for (int round = 0; round < 100; ++round) {
    decider.noteCrossing(history_, 8 << 20); // Most of the time.
    decider.noteRounds(history_, launch.total, 1e-3 * round);
  }

  decider.candidateFor(history_, region_, launch.total);
  EXPECT_EQ(candidate.placement.shares.size(), 3U) << "two hosts and the device";
  EXPECT_FALSE(decider.asksForCrossing(history_, region_));
  EXPECT_FALSE(this->decider(Distribute::Always, TUTTI_DEVICE_AUTO, false, true)
                   .asksForCrossing(history_, region_));
}

TEST_F(DeciderTest, TriesCoresAsSoonAsThatCostsLittleBesideWhatTheLoopHasTaken) {
  // At home 8 of its launches take 8 ms, or 800, or nobody knows.
  for (const double home : {1e-3, 100e-3, 0.0}) {
    history_ = {};
    Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_AUTO, false, true);
    const Launch launch = launchOf(1);
    const Candidate &candidate = decider.candidateFor(history_, region_, launch.total);
    if (home > 0) {
      decider.noteHome(history_, launch.total, home);
    }
    for (int round = 0; round < 500; ++round) {
      decider.noteCrossing(history_, 0);
      decider.noteRounds(history_, launch.total, 1e-3 * round);
    }

    decider.candidateFor(history_, region_, launch.total);
    EXPECT_EQ(candidate.placement.shares.size(), home == 1e-3 ? 3U : 1U);
  }
}

TEST_F(DeciderTest, AsksForASampleOfWhatMayComputeMuchThoughItTouchesLittle) {
  region_.flags = TUTTI_REGION_DISTRIBUTABLE | TUTTI_REGION_LOOP;
  for (const double seconds : {1e-6, 10e-3}) {
    history_ = {};
    Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_AUTO, false, true);
    Launch launch = launchOf(1); // Of 8192 iterations.
    const std::int64_t sample = decide(decider, launch).sample;
    EXPECT_EQ(sample, 128);

    decider.noteSample(history_, sample, seconds);
    launch.first = sample;
    const Decision decision = decide(decider, launch);

    EXPECT_EQ(decision.sample, 0) << "one is enough";
    EXPECT_EQ(decision.reasonHome.empty(), seconds > 1e-3);
  }
}

TEST_F(DeciderTest, AsksForNoSampleOfWhatIsAskedForOrReducesOrIsKnown) {
  std::int64_t piece = 1;
  const auto sampleOf = [&](Decider decider) {
    Launch launch = launchOf(1);
    launch.piece = piece;
    return decide(decider, launch).sample;
  };
  region_.flags = TUTTI_REGION_DISTRIBUTABLE | TUTTI_REGION_LOOP;
  EXPECT_EQ(sampleOf(decider(Distribute::Always)), 0);
  EXPECT_EQ(sampleOf(decider(Distribute::Auto, TUTTI_DEVICE_OPENCL)), 0);
  region_.flags = TUTTI_REGION_DISTRIBUTABLE | TUTTI_REGION_LOOP | TUTTI_REGION_REDUCES;
  EXPECT_EQ(sampleOf(decider(Distribute::Auto)), 0);
  region_.flags = TUTTI_REGION_DISTRIBUTABLE | TUTTI_REGION_LOOP;
  EXPECT_GT(sampleOf(decider(Distribute::Auto)), 0);
  region_.flags |= TUTTI_REGION_FORGETS | TUTTI_REGION_PIECES;
  EXPECT_GT(sampleOf(decider(Distribute::Auto)), 0) << "it is not in pieces";
  piece = 24;
  EXPECT_EQ(sampleOf(decider(Distribute::Auto)), 0);
  piece = 1;
  decider(Distribute::Auto).noteHome(history_, 1000, 1e-3);
  EXPECT_EQ(sampleOf(decider(Distribute::Auto)), 0);
}

/// A loop over 64 pages from one on that moves. Its launches are new each time. Of those of
/// the first one rank 1 has the last 44; the pages behind them lie at home.
class MovingLoop : public DeciderTest {
protected:
  static constexpr std::int64_t kTotal = 64;

  MovingLoop() {
    region_.captures = 1;
    region_.accesses = [](const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                          std::int64_t upper, std::int64_t, tutti_sink *sink) {
      const tutti_dim dim{memory::kPageBytes, upper - lower};
      const std::uint64_t first = captures[0] + static_cast<std::uint64_t>(lower);
      sink->add(TUTTI_READ | TUTTI_WRITE, memory::kHeapBase,
                memory::kHeapBase + first * memory::kPageBytes, memory::kPageBytes, 1, &dim);
    };
    const Progress::Lock lock = engine_.progress.lock();
    Launch launch = from(0);
    launch.shares = {{0, 20}, {1, 44}};
    engine_.planner.commit(*engine_.planner.plan(launch).plan);
    history_.cuts.plansMade = 8;
  }

  Launch from(std::uint64_t first) {
    Launch launch;
    launch.region = &region_;
    launch.total = kTotal;
    launch.captures = {first};
    launch.sequence = ++sequence_;
    return launch;
  }

  /// How a launch two pages further is cut, once the one before it was timed and rank 1's part took
  /// so long.
  std::vector<std::uint32_t> cutAfter(double seconds) {
    Decider decider = this->decider(Distribute::Always, TUTTI_DEVICE_CPU, false, true);
    Launch launch = from(1);
    Decision decision = decide(decider, launch);
    EXPECT_EQ(weightsOf(launch), (std::vector<std::uint32_t>{19, 45})) << "where the data lies";
    EXPECT_FALSE(decision.planned.plan->isInPlace);
    EXPECT_TRUE(decider.isToBeTimed(history_, launch, decision.planned)) << "little moves";
    decider.beginsTimed(history_, launch, *decision.planned.plan);
    decider.learn({launch.sequence, {{1, seconds}}});

    launch = from(2);
    decision = decide(decider, launch);
    return weightsOf(launch);
  }

  static std::vector<std::uint32_t> weightsOf(const Launch &launch) {
    return {launch.shares[0].weight, launch.shares[1].weight};
  }

  Sequence sequence_ = 0;
};

TEST_F(MovingLoop, RunsAtOnePlaceWhereThatTakesNoLongerThanStartingParts) {
  EXPECT_EQ(cutAfter(1e-6), (std::vector<std::uint32_t>{0, kTotal}));
}

TEST_F(MovingLoop, IsDividedAnewWhereItsIterationsTakeLong) {
  const std::vector<std::uint32_t> weights = cutAfter(10e-3);

  const std::vector<Share> &wished = history_.candidate.placement.shares;
  EXPECT_EQ(weights, (std::vector<std::uint32_t>{wished[0].weight, wished[1].weight}));
  EXPECT_GT(weights[0], 0.8 * weights[1]);
}

/// Iterations that each write a few words of a row of their own; the next launch writes those
/// beside. Rank 1 has the last 44 of 64 rows.
class LoopOverColumns : public MovingLoop {
protected:
  LoopOverColumns() {
    region_.accesses = [](const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                          std::int64_t upper, std::int64_t, tutti_sink *sink) {
      const tutti_dim dim{memory::kPageBytes, upper - lower};
      sink->add(TUTTI_READ | TUTTI_WRITE, memory::kHeapBase,
                memory::kHeapBase + static_cast<std::uint64_t>(lower) * memory::kPageBytes +
                    captures[0] * kWord,
                kWord, 1, &dim);
    };
    history_.cuts.plansMade = 0;
  }

  /// How the launch behind `count` others is cut if all of it were wished to be cut as `wished`,
  /// and whether anything moves for that.
  std::pair<std::vector<std::uint32_t>, bool> cutBehind(std::uint64_t count,
                                                        const std::vector<Share> &wished) {
    Decider decider = this->decider(Distribute::Always, TUTTI_DEVICE_CPU);
    const Progress::Lock lock = engine_.progress.lock();
    for (std::uint64_t column = 0;; ++column) {
      Launch launch = from(column);
      Candidate &candidate = decider.candidateFor(history_, region_, launch.total);
      candidate.placement.shares = column < count ? std::vector<Share>{{0, 20}, {1, 44}} : wished;
      const Decision decision = decider.decide(history_, launch, candidate, residency_);
      decider.notePlan(history_, decision.planned);
      engine_.planner.commit(*decision.planned.plan);
      if (column == count) {
        return {weightsOf(launch), !decision.planned.plan->isInPlace};
      }
    }
  }
};

TEST_F(LoopOverColumns, StaysWhereItsRowsLieThoughOtherPartsAreWished) {
  const auto [weights, moves] = cutBehind(10, {{0, 30}, {1, 34}});

  EXPECT_EQ(weights, (std::vector<std::uint32_t>{20, 44}));
  EXPECT_FALSE(moves);
}

TEST_F(LoopOverColumns, IsCutAsWishedWhileItMayBeGoingRound) {
  const auto [weights, moves] = cutBehind(2, {{0, 30}, {1, 34}});

  EXPECT_EQ(weights, (std::vector<std::uint32_t>{30, 34}));
  EXPECT_TRUE(moves);
}

/// A loop too short for the two devices of one rank: 64 iterations that write some bytes each, at a
/// distance from one another.
class ShortMovingLoop : public testing::Test {
protected:
  ShortMovingLoop() {
    region_.source = "test.c:1:1";
    region_.device = kCode.get();
    region_.captures = 3;
    region_.accesses = [](const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                          std::int64_t upper, std::int64_t, tutti_sink *sink) {
      const auto [first, bytes, distance] = std::array{captures[0], captures[1], captures[2]};
      const tutti_dim dim{static_cast<std::int64_t>(distance), upper - lower};
      sink->add(TUTTI_READ | TUTTI_WRITE, memory::kHeapBase,
                memory::kHeapBase + first + static_cast<std::uint64_t>(lower) * distance, bytes, 1,
                &dim);
    };
  }

  Launch launchOf(std::uint64_t first, std::uint64_t bytes, std::uint64_t distance) const {
    Launch launch;
    launch.region = &region_;
    launch.total = 64;
    launch.captures = {first, bytes, distance};
    return launch;
  }

  /// The decision on a launch, which is then run.
  Decision run(Launch launch) {
    const Progress::Lock lock = engine_.progress.lock();
    Candidate &candidate = decider_.candidateFor(history_, region_, launch.total);
    Decision decision = decider_.decide(history_, launch, candidate, residency_);
    shares_ = launch.shares;
    launch.shares = candidate.placement.shares;
    isPlannedOnAll_ = engine_.planner.find(launch).has_value();
    engine_.planner.commit(*decision.planned.plan);
    return decision;
  }

  static constexpr Room kMuch{64 * kUnit, kUnit};

  transport::mock::Network network_{1};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  Engine engine_{
      EngineSetup{*endpoint_, window(), memory::Topology({2}), {kMuch, kMuch}, {}, false, true}};
  Residency residency_{engine_.topology, engine_.rooms};
  Decider decider_{engine_,
                   {{{TUTTI_KERNEL_OPENCL_C, TUTTI_DEVICE_OPENCL, 1, 1, 4, kMuch},
                     {TUTTI_KERNEL_OPENCL_C, TUTTI_DEVICE_OPENCL, 1, 1, 4, kMuch}},
                    TUTTI_DEVICE_OPENCL,
                    Distribute::Always}};
  tutti_region region_{};
  LoopHistory history_;
  std::vector<Share> shares_; ///< Of the launch that was run.
  bool isPlannedOnAll_ = false;
};

TEST_F(ShortMovingLoop, IsNewThoughItWasPlannedOnFewerDevicesFirst) {
  constexpr std::uint64_t kPage = memory::kPageBytes;
  run(launchOf(0, kPage, kPage));
  ASSERT_EQ(shares_.size(), 1U);

  const Decision decision = run(launchOf(kPage, kPage, kPage));

  EXPECT_EQ(shares_.size(), 1U);
  EXPECT_FALSE(decision.planned.plan->isInPlace);
  EXPECT_TRUE(isPlannedOnAll_);
  EXPECT_FALSE(decision.planned.isKnown);
}

TEST_F(ShortMovingLoop, IsPlannedOnceWhereLittleMoves) {
  constexpr std::uint64_t kPage = memory::kPageBytes;
  run(launchOf(0, kPage, kPage));
  history_.cuts.plansMade = 8;

  const Decision decision = run(launchOf(kPage, kPage, kPage));

  EXPECT_EQ(shares_.size(), 1U);
  EXPECT_FALSE(decision.planned.plan->isInPlace);
  EXPECT_FALSE(isPlannedOnAll_);
}

TEST_F(ShortMovingLoop, IsDividedWhereItsDataLiesRatherThanMovedInManyRuns) {
  constexpr std::uint64_t kRow = 1024;
  {
    const Progress::Lock lock = engine_.progress.lock();
    Launch all = launchOf(0, kRow, kRow);
    all.shares = {{1, 20}, {2, 44}};
    engine_.planner.commit(*engine_.planner.plan(all).plan);
  }

  for (std::uint64_t column = 0; column < 20; ++column) {
    const Decision decision = run(launchOf(column * kWord, kWord, kRow));

    EXPECT_EQ(shares_, (std::vector<Share>{{1, 20}, {2, 44}}));
    EXPECT_TRUE(decision.planned.plan->isInPlace);
    EXPECT_EQ(isPlannedOnAll_, column == 0) << "later ones are as likely to stay";
  }
}

/// Each device has half of the rows, of which the host has read one: for equal parts one run moves.
class ApartOnEqualParts : public ShortMovingLoop {
protected:
  static constexpr std::uint64_t kRow = 1024;

  void runColumns() {
    {
      const Progress::Lock lock = engine_.progress.lock();
      Launch all = launchOf(0, kRow, kRow);
      all.shares = {{1, 32}, {2, 32}};
      engine_.planner.commit(*engine_.planner.plan(all).plan);
      engine_.planner.apply(std::vector<memory::Event>{
          {memory::Event::Kind::Fetched, {memory::kHeapBase, memory::kHeapBase + kRow}}});
    }
    for (std::uint64_t column = 0; column < 20; ++column) {
      const Decision decision = run(launchOf(column * kWord, kWord, kRow));

      EXPECT_FALSE(decision.planned.plan->isInPlace);
      ASSERT_EQ(shares_.size(), 2U);
      EXPECT_EQ(shares_[0].weight, shares_[1].weight);
      EXPECT_EQ(decision.planned.plan->bytesToDistribute, 0U);
    }
  }
};

TEST_F(ApartOnEqualParts, StaysThereRatherThanMovesInManyRunsToFewer) { runColumns(); }

TEST_F(ApartOnEqualParts, StaysThereThoughNobodyKnowsWhereItsDataLies) {
  region_.accesses = [](const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                        std::int64_t upper, std::int64_t total, tutti_sink *sink) {
    const tutti_dim dim{static_cast<std::int64_t>(captures[2]), upper - lower};
    sink->add(TUTTI_READ | TUTTI_WRITE, memory::kHeapBase,
              memory::kHeapBase + captures[0] +
                  static_cast<std::uint64_t>(total - upper) * captures[2],
              captures[1], 1, &dim); // From the last row to the first.
  };
  runColumns();
}

TEST_F(DeciderTest, MeasuresLaunchesOfADeviceMoreAndMoreSeldom) {
  Decider decider = this->decider(Distribute::Auto);
  Launch launch = launchOf(1);
  const Candidate &candidate = decider.candidateFor(history_, region_, launch.total);
  const auto run = [&](int launches, double seconds) {
    int measured = 0;
    for (int each = 0; each < launches; ++each) {
      if (decider.isToBeMeasured(history_, candidate)) {
        decider.noteDistributed(history_, launch, seconds, 0, 0);
        ++measured;
      }
    }
    return measured;
  };

  EXPECT_LE(run(1000, 1e-3), 12);
  EXPECT_LE(run(10000, 1e-3), 12);
  run(2000, 2e-3);
  EXPECT_LE(history_.onDevices.distributed.seconds() * static_cast<double>(launch.total), 2e-3);
  EXPECT_GT(history_.onDevices.distributed.seconds() * static_cast<double>(launch.total), 1.5e-3)
      << "a change is noticed";
}

TEST_F(DeciderTest, KeepsALoopOffDevicesThatHaveRefusedIt) {
  Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_OPENCL);
  EXPECT_TRUE(decider.candidateFor(history_, region_, 1000).placement.usesDevices);

  testing::internal::CaptureStderr();
  decider.keepOff(history_, region_, failure(ErrorCode::WrongImage, "what is this"));

  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tutti: the loop at test.c:1:1 is kept off devices: what is this\n");
  const Candidate &candidate = decider.candidateFor(history_, region_, 1000);
  EXPECT_FALSE(candidate.placement.usesDevices);
  EXPECT_EQ(candidate.placement.reason, "the driver refuses its kernel");
}

TEST_F(DeciderTest, ExplainsEachWayWithWhatItMovesAndTook) {
  log::setLevel(log::Level::Info);
  Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_OPENCL, true);
  Launch launch = launchOf(2); // 16384 iterations, 128 KiB.

  decider.candidateFor(history_, region_, launch.total);
  decider.noteHome(history_, launch.total, 3.2768e-3);
  testing::internal::CaptureStderr();
  decide(decider, launch);
  const std::string said = testing::internal::GetCapturedStderr();

  EXPECT_EQ(said, "tutti: the loop at test.c:1:1, 16384 iterations:\n"
                  "tutti:   home     predicted 3.28 ms = compute 3.28 ms + transfers 0.0 us + "
                  "overhead 0.0 us; measured 3.28 ms so far\n"
                  "tutti:   ranks    predicted 1.68 ms = compute 1.64 ms + transfers 0.0 us + "
                  "overhead 40.0 us; not measured\n"
                  "tutti:   opencl   predicted 216.8 us = compute 204.8 us + transfers 0.0 us + "
                  "overhead 12.0 us; not measured\n"
                  "tutti:   hybrid   predicted 197.0 us = compute 182.0 us + transfers 0.0 us + "
                  "overhead 15.0 us; not measured\n"
                  "tutti:   chosen:  opencl, because the devices were asked for\n");
  log::setLevel(log::Level::Warn);
}

TEST_F(DeciderTest, ExplainsAgainOnlyWhatIsNew) {
  log::setLevel(log::Level::Info);
  Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_OPENCL, true);
  Launch launch = launchOf(2);
  const auto linesOfDecision = [&] {
    testing::internal::CaptureStderr();
    decide(decider, launch);
    return std::ranges::count(testing::internal::GetCapturedStderr(), '\n');
  };

  EXPECT_EQ(linesOfDecision(), 6);
  EXPECT_EQ(linesOfDecision(), 0);
  decider.noteDistributed(history_, launch, 1e-3, 0, 0);
  EXPECT_EQ(linesOfDecision(), 6);
  EXPECT_EQ(linesOfDecision(), 0);
  log::setLevel(log::Level::Warn);
}

TEST_F(DeciderTest, IsSilentUnlessItIsAsked) {
  log::setLevel(log::Level::Info);
  Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_OPENCL);
  Launch launch = launchOf(2);

  testing::internal::CaptureStderr();
  decide(decider, launch);

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  log::setLevel(log::Level::Warn);
}

TEST_F(DeciderTest, PlacesNothingOnADroppedDevice) {
  Decider decider = this->decider(Distribute::Auto, TUTTI_DEVICE_OPENCL);

  decider.drop(kDevice);

  EXPECT_FALSE(decider.candidateFor(history_, region_, 1000).placement.usesDevices);
}

} // namespace

} // namespace tutti::model::forkjoin
