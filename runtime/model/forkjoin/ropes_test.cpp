// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/test_instructions.h"
#include "runtime/exec/survey.h"
#include "runtime/model/forkjoin/ropes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tutti::model::forkjoin {

namespace {

using exec::DeviceTraits;
using exec::Launch;
using exec::Share;

constexpr double kBandwidth = 10e9;
constexpr std::int64_t kTotal = 1000;

class RopesTest : public testing::Test {
protected:
  /// A launch on two hosts, of which the second takes so many times as long per iteration.
  Launch run(RopeHistory &history, double factor, std::int64_t total = kTotal) {
    Launch launch;
    launch.sequence = ++sequence_;
    launch.total = total;
    launch.shares = {{0, 1}, {1, 1}};
    ropes_.cut(history, launch.shares, total);
    if (ropes_.isToBeTimed(history, launch.shares, false, false)) {
      ++timed_;
      ropes_.begins(history, launch, 1e6);
      const double first = static_cast<double>(launch.shares[0].weight) /
                           (launch.shares[0].weight + launch.shares[1].weight);
      ropes_.learn({launch.sequence, {{1, (1 - first) * factor}, {0, first}}}, kBandwidth);
    }
    return launch;
  }

  const memory::Topology topology_{{0, 0}};
  const std::vector<DeviceTraits> devices_;
  Ropes ropes_{topology_, devices_, 1};
  exec::Sequence sequence_ = 0;
  int timed_ = 0;
};

TEST_F(RopesTest, KeepsTheWeightsUntilSomethingIsLearned) {
  RopeHistory history;

  EXPECT_EQ(run(history, 1).shares, (std::vector<Share>{{0, 1}, {1, 1}}));
  EXPECT_EQ(run(history, 1).shares, (std::vector<Share>{{0, 1}, {1, 1}}));
}

TEST_F(RopesTest, GivesLessToWhoTakesLonger) {
  RopeHistory history;
  for (int launch = 0; launch < 10; ++launch) {
    run(history, 3);
  }

  const Launch launch = run(history, 3);

  EXPECT_NEAR(static_cast<double>(launch.shares[0].weight) / launch.shares[1].weight, 3, 0.3);
}

TEST_F(RopesTest, CutsLoopsOfTheSameLengthTogether) {
  RopeHistory first;
  RopeHistory second;
  RopeHistory longer;
  run(second, 1, kTotal - 2);
  run(longer, 1, 2 * kTotal);
  for (int launch = 0; launch < 10; ++launch) {
    run(first, 3);
  }

  EXPECT_EQ(run(second, 1, kTotal - 2).shares, run(first, 3).shares);
  EXPECT_EQ(run(longer, 1, 2 * kTotal).shares, (std::vector<Share>{{0, 1}, {1, 1}}));
}

TEST_F(RopesTest, TimesTheFirstLaunchesOfACutAndThenOneNowAndThen) {
  RopeHistory history;
  for (int launch = 0; launch < 64; ++launch) {
    run(history, 1);
  }
  EXPECT_EQ(timed_, 4);
  for (int launch = 0; launch < 64; ++launch) {
    run(history, 1);
  }
  EXPECT_EQ(timed_, 5);
  history.seconds = 1; // Much time has gone by.
  run(history, 1);
  EXPECT_EQ(timed_, 6);
}

TEST_F(RopesTest, TellsWhatPartsTakeAlikeOfALoopThatOnePlaceRuns) {
  RopeHistory history;
  EXPECT_EQ(ropes_.secondsBalanced(history, kTotal), 0);
  Launch launch;
  launch.sequence = 1;
  launch.total = kTotal;
  launch.shares = {{0, 1}, {1, 1}};
  ropes_.cut(history, launch.shares, kTotal);
  EXPECT_EQ(ropes_.secondsBalanced(history, kTotal), 0) << "nothing was timed";
  launch.shares = {{0, 0}, {1, kTotal}};
  ropes_.begins(history, launch, 1e3);
  ropes_.learn({launch.sequence, {{1, 6e-6}}}, kBandwidth);

  EXPECT_NEAR(ropes_.secondsBalanced(history, kTotal), 3e-6, 1e-9);
  EXPECT_NEAR(ropes_.secondsBalanced(history, 100 * kTotal), 300e-6, 100e-9)
      << "of a loop that was timed when it was short, and is not any more";
}

TEST_F(RopesTest, KnowWhatLaunchesTakeThatAreLongerOrShorter) {
  RopeHistory history;
  Launch launch;
  const auto run = [&](std::int64_t total, double seconds) {
    ++launch.sequence;
    launch.total = total;
    launch.shares = {{0, 1}, {1, 1}};
    ropes_.cut(history, launch.shares, total);
    ropes_.begins(history, launch, 1e3);
    ropes_.learn({launch.sequence, {{0, seconds}, {1, seconds}}}, kBandwidth);
    return ropes_.secondsBalanced(history, kTotal);
  };

  EXPECT_NEAR(run(kTotal, 1e-3), 1e-3, 1e-6);
  EXPECT_NEAR(run(2 * kTotal, 2e-3), 1e-3, 1e-6) << "no launch differs from what was expected";
  EXPECT_NEAR(run(2 * kTotal, 4e-3), 1e-3, 1e-6);
  EXPECT_NEAR(run(kTotal, 2e-3), 2e-3, 2e-6) << "this one shows that it was no chance";
  EXPECT_NEAR(run(kTotal / 100, 8e-6), 2e-3, 2e-6) << "most of that is to start parts";
}

TEST_F(RopesTest, ForgetsALoopThatHasLostAPlace) {
  RopeHistory history;
  Launch launch;
  launch.sequence = 1;
  launch.total = kTotal;
  launch.shares = {{0, 1}, {1, 1}};
  ropes_.cut(history, launch.shares, kTotal);
  ropes_.begins(history, launch, 1e6);
  std::vector<Share> fewer{{0, 1}};
  ropes_.cut(history, fewer, kTotal);

  EXPECT_FALSE(ropes_.isToBeTimed(history, fewer, false, false));
  EXPECT_FALSE(ropes_.learn({2, {{0, 1.0}}}, kBandwidth)) << "of a launch that was not timed";
}

TEST(RopesBesideADevice, GiveASmallPartToADeviceThatIsNoGpu) {
  const memory::Topology topology({2});
  std::vector<DeviceTraits> devices(2);
  devices[0].isGpu = 1;
  Ropes ropes(topology, devices, 1);
  RopeHistory history;
  std::vector<Share> shares{{1, 1}, {2, 1}};

  ropes.cut(history, shares, std::int64_t{1} << 20);

  EXPECT_GT(shares[0].weight, 100 * shares[1].weight);
  EXPECT_GT(shares[1].weight, 0U);
}

TEST(RopesBesideADevice, LearnWhatCoresDoFromASmallPart) {
  const memory::Topology topology{{1}};
  const std::vector<DeviceTraits> devices(1);
  Ropes ropes{topology, devices, 16};
  RopeHistory many;
  RopeHistory few;
  RopeHistory fewest;
  std::vector<Share> ofMany{{0, 1}, {1, 16}};
  std::vector<Share> ofFew = ofMany;
  std::vector<Share> ofFewest = ofMany;

  ropes.cut(many, ofMany, 131072);
  ropes.cut(few, ofFew, 500);
  ropes.cut(fewest, ofFewest, 100);

  const auto partOfCores = [](const std::vector<Share> &shares) {
    return static_cast<double>(shares[0].weight) / (shares[0].weight + shares[1].weight);
  };
  EXPECT_NEAR(partOfCores(ofMany), 1.0 / 256, 1e-3);
  EXPECT_NEAR(500 * partOfCores(ofFew), 16, 1) << "an iteration for each of them";
  EXPECT_NEAR(partOfCores(ofFewest), 1.0 / 17, 1e-3) << "no more than devices are asked to take";
}

/// Two ranks of some cores that share a GPU.
class RopesOfSlowCores : public testing::Test {
protected:
  static constexpr std::int32_t kCores = 8;

  RopesOfSlowCores() : devices_(2) {
    for (DeviceTraits &device : devices_) {
      device.isGpu = 1;
      device.units = 132;
      device.hardware = 7;
    }
  }

  /// Runs a launch that takes the GPU alone a millisecond and the cores of one rank so many times
  /// as long, of which devices do nothing but compute after `before` seconds; what its slowest part
  /// takes.
  double run(std::int64_t total, double slower, bool moves, double before = 0) {
    Launch launch;
    launch.sequence = ++sequence_;
    launch.total = total;
    launch.shares = {{0, 1}, {2, 1}, {1, 1}, {3, 1}};
    ropes_.cut(history_, launch.shares, total);
    protocol::LaunchTimes times{launch.sequence, {}};
    double longest = 0;
    double ofDevices = before;
    const std::vector<balance::Chunk> chunks = exec::chunksOf(launch);
    for (std::size_t part = 0; part < chunks.size(); ++part) {
      const std::int64_t iterations = chunks[part].upper - chunks[part].lower;
      const double share = static_cast<double>(iterations) / static_cast<double>(total);
      const bool isHost = launch.shares[part].place < 2;
      const double rows = std::ceil(static_cast<double>(iterations) / kCores); // Of each core.
      ofDevices += isHost ? 0 : 1e-3 * share;
      const double seconds =
          isHost ? slower * 1e-3 * rows * kCores / static_cast<double>(total) : ofDevices;
      if (share > 0) {
        times.places.push_back({launch.shares[part].place, seconds});
        longest = std::max(longest, seconds);
      }
    }
    if (ropes_.isToBeTimed(history_, launch.shares, true, moves)) {
      ropes_.begins(history_, launch, 1e6);
      ropes_.learn(times, kBandwidth);
    }
    return longest;
  }

  const memory::Topology topology_{{1, 1}};
  std::vector<DeviceTraits> devices_;
  Ropes ropes_{topology_, devices_, kCores};
  RopeHistory history_;
  exec::Sequence sequence_ = 0;
};

TEST_F(RopesOfSlowCores, LearnFromTheFirstLaunchThoughItMovesData) {
  EXPECT_NEAR(run(2048, 20000, true, 0.01), 0.08, 0.01) << "an iteration for each core";
  EXPECT_LE(run(2048, 20000, true), 1.1e-3);
}

TEST_F(RopesOfSlowCores, NeedTheTimesOfTheFirstLaunchBeforeTheNext) {
  Launch launch;
  launch.sequence = 1;
  launch.total = 2048;
  launch.shares = {{0, 1}, {2, 1}, {1, 1}, {3, 1}};
  ropes_.cut(history_, launch.shares, launch.total);
  ASSERT_TRUE(ropes_.isToBeTimed(history_, launch.shares, true, true));
  EXPECT_FALSE(ropes_.needsTimes(history_));
  ropes_.begins(history_, launch, 1e6);
  EXPECT_TRUE(ropes_.needsTimes(history_));
  EXPECT_FALSE(ropes_.needsTimes(RopeHistory())) << "of another loop";

  ropes_.learn({launch.sequence, {{0, 1.0}, {2, 0.01}, {1, 1.0}, {3, 0.01}}}, kBandwidth);

  EXPECT_FALSE(ropes_.needsTimes(history_));
}

TEST_F(RopesOfSlowCores, FindTheBestCutOfFastOnesWithinFiveLaunches) {
  run(1 << 16, 4, true, 0.1);
  run(1 << 16, 4, true);
  for (int launch = 0; launch < 3; ++launch) {
    run(1 << 16, 4, false);
  }
  EXPECT_LE(run(1 << 16, 4, false), 1e-3 / (1 + 2.0 / 4) / 0.95);
}

TEST_F(RopesOfSlowCores, GiveCoresTheFewIterationsThatTheyAreWorth) {
  for (int launch = 0; launch < 12; ++launch) {
    run(96, 2, launch < 2); // 48 of them take the GPU as long as three rows take each core.
  }
  EXPECT_LE(run(96, 2, false), 0.54e-3);
}

TEST_F(RopesOfSlowCores, LearnNothingFromWhatIsMostlyMovedOrCompiled) {
  const double first = run(2048, 40, true, 0.5);
  EXPECT_NEAR(run(2048, 40, true, 0.5), first, 1e-4);
}

TEST_F(RopesOfSlowCores, DoNotTakeWakingCoresForWork) {
  const double slower = 32e-6 * 512 / kCores / 1e-3;
  EXPECT_NEAR(run(512, slower, false), 1e-3, 0.1e-3);
  EXPECT_EQ(ropes_.secondsOnHosts(history_, 512), 0) << "of 32 us each it says nothing";
  EXPECT_GT(ropes_.secondsSuspectedOnHosts(history_, 512), 0.5e-3) << "and may be work";

  run(512, 64 * slower, false);
  run(512, 64 * slower, false);
  EXPECT_GT(ropes_.secondsOnHosts(history_, 512), 5e-3);
}

TEST_F(RopesOfSlowCores, SayAtEachLaunchWhatHostsTakeWithoutWorkingItOut) {
  if (const char *reason = test::reasonToCountNone()) {
    GTEST_SKIP() << reason;
  }
  run(2048, 20, false);
  EXPECT_GT(ropes_.secondsSuspectedOnHosts(history_, 2048), 0);

  const auto costOf = [this](int times) {
    return *test::instructionsOf([&] {
      for (int time = 0; time < times; ++time) {
        ropes_.secondsSuspectedOnHosts(history_, 2048);
      }
    });
  };
  EXPECT_LT(costOf(11) - costOf(1), 10 * 100);

  const double before = ropes_.secondsSuspectedOnHosts(history_, 2048);
  run(2048, 200, false);
  run(2048, 200, false);
  EXPECT_GT(ropes_.secondsSuspectedOnHosts(history_, 2048), 2 * before) << "which it has learned";
}

TEST_F(RopesOfSlowCores, LeaveNothingToCoresThatIsLessThanHalfAnIteration) {
  for (int launch = 0; launch < 8; ++launch) {
    run(2048, 20000, false);
  }
  EXPECT_NEAR(run(2048, 20000, false), 1e-3, 1e-6);
}

TEST_F(RopesOfSlowCores, RememberThatCoresAreSlowThatGetNothing) {
  run(2048, 20000, true, 0.01);
  for (int launch = 0; launch < 8; ++launch) {
    ASSERT_LE(run(2048, 20000, false), 1.1e-3);
    EXPECT_GT(ropes_.secondsOnHosts(history_, 2048), 1.0) << "of 10 that both ranks would take";
  }
}

} // namespace

} // namespace tutti::model::forkjoin
