// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/cost.h"

#include <gtest/gtest.h>

namespace tutti::balance {

namespace {

constexpr Machine kMachine{.ranks = 4, .latency = 10e-6, .bandwidth = 1e9, .memoryBandwidth = 4e9};

TEST(Cost, KeepsALoopHomeThatIsShorterThanItsAnnouncement) {
  RegionHistory history;
  history.addHome(kMachine, 100, 5e-6, 0);

  EXPECT_TRUE(isTooShort(kMachine, history, 100));
  EXPECT_FALSE(isWorthDistributing(kMachine, history, {100, 800, 0, 0}));
}

TEST(Cost, DistributesALongLoopWhoseDataIsInPlace) {
  RegionHistory history;
  history.addHome(kMachine, 1000, 10e-3, 0);

  EXPECT_FALSE(isTooShort(kMachine, history, 1000));
  EXPECT_TRUE(isWorthDistributing(kMachine, history, {1000, 8e6, 8e3, 0}));
}

TEST(Cost, PredictsComputingTransfersAndOverheadOfBothSides) {
  const Proposal proposal{1000, 40e6, 8e6, 2e6};

  const Prediction home = predictHome(kMachine, 10e-3, proposal);
  const Prediction away = predictAway(kMachine, 10e-3, proposal);

  EXPECT_DOUBLE_EQ(home.compute, 10e-3);
  EXPECT_DOUBLE_EQ(home.transfers, 2e-3);
  EXPECT_DOUBLE_EQ(home.total(), 12e-3);
  EXPECT_DOUBLE_EQ(away.compute, 2.5e-3);
  EXPECT_DOUBLE_EQ(away.transfers, 8e-3);
  EXPECT_DOUBLE_EQ(away.overhead, 40e-6); // Two levels of a tree, to and fro.
}

TEST(Cost, PredictsThatNoMoreRanksHelpThanThereAreIterations) {
  EXPECT_DOUBLE_EQ(predictAway(kMachine, 9e-3, {3, 0, 0, 0}).compute, 3e-3);
}

TEST(Cost, MovesDataOnceStayingHomeHasCostAsMuch) {
  RegionHistory history;
  history.addHome(kMachine, 1000, 10e-3, 0); // Four ranks would save 7.5 ms less 40 us per launch.
  const Proposal proposal{1000, 40e6, 40e6, 0}; // Moving takes 40 ms.

  int launchesHome = 0;
  while (!isWorthDistributing(kMachine, history, proposal)) {
    ASSERT_LT(++launchesHome, 100);
  }

  EXPECT_EQ(launchesHome, 10);
}

TEST(Cost, TriesAgainOnceStayingHomeHasCostWhatItTookToUndoTheTrialBefore) {
  RegionHistory history;
  history.undoing = 40e-3;
  history.addHome(kMachine, 1000, 10e-3, 0); // Four ranks would save 7.5 ms less 40 us per launch.
  const Proposal proposal{1000, 40e6, 0, 0}; // There is nothing to move.

  int launchesHome = 0;
  while (!isWorthDistributing(kMachine, history, proposal)) {
    ASSERT_LT(++launchesHome, 100);
  }

  EXPECT_EQ(launchesHome, 10);
}

TEST(Cost, DistributesAtOnceWhereTheDataIsAway) {
  RegionHistory history;
  history.addHome(kMachine, 1000, 10e-3, 0);

  EXPECT_TRUE(isWorthDistributing(kMachine, history, {1000, 40e6, 40e6, 40e6}));
}

TEST(Cost, KeepsALoopHomeThatMovesMoreAtEachLaunchThanItGains) {
  RegionHistory history;
  for (int launch = 0; launch < 3; ++launch) {
    history.addHome(kMachine, 1000, 10e-3, 0); // Four ranks would save 7.5 ms less 40 us.
  }

  for (int launch = 0; launch < 100; ++launch) {
    EXPECT_FALSE(isWorthDistributing(kMachine, history, {1000, 8e6, 8e3, 0, 8e6}));
  }
  EXPECT_TRUE(isWorthDistributing(kMachine, history, {1000, 8e6, 8e3, 0, 4e6}));
}

TEST(Cost, MeasuresALoopThatMovesDataAtEachLaunchBeforeItLeavesHome) {
  const Proposal proposal{1000, 8e6, 8e3, 0, 1e6};
  RegionHistory history;
  EXPECT_FALSE(isWorthDistributing(kMachine, history, proposal));
  history.addHome(kMachine, 1000, 40e-3, 0); // Cold.
  EXPECT_FALSE(isWorthDistributing(kMachine, history, proposal));
  history.addHome(kMachine, 1000, 1e-3, 0);
  history.addHome(kMachine, 1000, 1e-3, 0);
  EXPECT_FALSE(isWorthDistributing(kMachine, history, proposal));

  history = {};
  for (int launch = 0; launch < 3; ++launch) {
    history.addHome(kMachine, 1000, 40e-3, 0);
  }
  EXPECT_TRUE(isWorthDistributing(kMachine, history, proposal));
}

TEST(Cost, ReturnsHomeALoopThatGotSlowerByDistributionOnceThatPaysForTheWay) {
  RegionHistory history;
  history.addHome(kMachine, 1000, 1e-3, 0);
  for (int launch = 0; launch < 3; ++launch) {
    history.addDistributed(kMachine, 1000, 2e-3, 0); // Loses 1 ms.
  }
  const Proposal proposal{1000, 8e3, 0, 1.75e6}; // The way home takes 1.75 ms.

  EXPECT_TRUE(isWorthDistributing(kMachine, history, proposal));
  EXPECT_TRUE(isWorthDistributing(kMachine, history, proposal));
  EXPECT_TRUE(isWorthDistributing(kMachine, history, proposal));
  EXPECT_FALSE(isWorthDistributing(kMachine, history, proposal));
}

TEST(Cost, TriesDistributionAgainAfterALongTime) {
  RegionHistory history;
  history.addHome(kMachine, 1000, 10e-3, 0);
  for (int launch = 0; launch < 3; ++launch) {
    history.addDistributed(kMachine, 1000, 20e-3, 0);
  }
  history.addHome(kMachine, 1000, 10e-3, 0);
  const Proposal proposal{1000, 8e3, 0, 0};

  int launchesHome = 0;
  while (!isWorthDistributing(kMachine, history, proposal)) {
    ASSERT_LT(++launchesHome, 1000);
  }

  EXPECT_GT(launchesHome, 20);
}

TEST(Cost, IsNotMisledByOneSlowLaunch) {
  RegionHistory history;
  history.addHome(kMachine, 1000, 10e-3, 0);
  for (int launch = 0; launch < 10; ++launch) {
    history.addDistributed(kMachine, 1000, 3e-3, 0);
  }

  history.addDistributed(kMachine, 1000, 500e-3, 0);

  EXPECT_TRUE(isWorthDistributing(kMachine, history, {1000, 8e3, 0, 3.5e6}));
}

TEST(Cost, IgnoresTheTimeOfLaunchesThatMoveMuch) {
  RegionHistory history;

  history.addDistributed(kMachine, 1000, 50e-3, 40e6);
  history.addHome(kMachine, 1000, 50e-3, 40e6);

  EXPECT_EQ(history.distributed.seconds(), 0);
  EXPECT_EQ(history.home.seconds(), 0);
}

TEST(Cost, CountsWhatMovesAtLaunchAfterLaunch) {
  RegionHistory history;
  history.addHome(kMachine, 1000, 1e-3, 0);
  int launches = 0;
  while (isWorthDistributing(kMachine, history, {1000, 8e6, 1e6, 1e6})) {
    history.addDistributed(kMachine, 1000, 5e-3, 5e6); // All of it to move data.
    ASSERT_LT(++launches, 20);
  }
  EXPECT_GE(launches, 3);
}

TEST(Cost, TriesHomeOnceTheTimeAwayHasPaidForIt) {
  RegionHistory history;
  const Proposal proposal{1000, 8e6, 0, 1e6}; // The way home takes 1 ms.
  double away = 0;
  while (isWorthDistributing(kMachine, history, proposal)) {
    history.addDistributed(kMachine, 1000, 5e-3, 0);
    away += 5e-3;
    ASSERT_LT(away, 10);
  }
  const double most = 2 * 4 * 5e-3 + 2e-3; // Two launches on one of four ranks, there and back.
  EXPECT_NEAR(away, 4 * most, 6e-3);

  history.addHome(kMachine, 1000, 8e-3, 1e6); // It brings the data.
  EXPECT_FALSE(isWorthDistributing(kMachine, history, proposal));
  history.addHome(kMachine, 1000, 1e-3, 0);
  for (int launch = 0; launch < 100; ++launch) {
    EXPECT_FALSE(isWorthDistributing(kMachine, history, {1000, 8e6, 1e6, 0})) << "it is faster";
    history.addHome(kMachine, 1000, 1e-3, 0);
  }
}

TEST(Cost, TriesHomeLessAndLessOftenWhereThatShowsOnlyWhatItTakesToMoveTheData) {
  RegionHistory history;
  history.addHome(kMachine, 1000, 10e-3, 0);
  const Proposal proposal{1000, 8e6, 0, 1e6};
  double before = 0;
  for (int trial = 0; trial < 4; ++trial) {
    double away = 0;
    while (isWorthDistributing(kMachine, history, proposal)) {
      history.addDistributed(kMachine, 1000, 5e-3, 0);
      away += 5e-3;
      ASSERT_LT(away, 100);
    }
    history.addHome(kMachine, 1000, 100e-3, 80e6);
    EXPECT_FALSE(isWorthDistributing(kMachine, history, proposal));
    history.addHome(kMachine, 1000, 100e-3, 80e6);
    EXPECT_GT(away, 1.5 * before);
    before = away;
  }
}

TEST(Cost, TriesHomeOnceBesideDevicesWhereASampleAloneSpokeAgainstIt) {
  Machine devices = kMachine;
  devices.ranks = 16;
  devices.areAlike = false;
  RegionHistory history;
  history.addSample(62, 8e-3); // Threads were started meanwhile.
  const Proposal proposal{500, 24e3, 0, 0};
  double away = 0;
  while (isWorthDistributing(devices, history, proposal)) {
    history.addDistributed(devices, 500, 0.25e-3, 0);
    away += 0.25e-3;
    ASSERT_LT(away, 10);
  }
  const double guess = homeSeconds(devices, history, 500, 24e3);
  EXPECT_GT(away, 50 * guess); // Also if the sample was right it costs little.
  history.addHome(devices, 500, 0.08e-3, 0);
  EXPECT_FALSE(isWorthDistributing(devices, history, proposal));
  history.addHome(devices, 500, 0.08e-3, 0);
  EXPECT_FALSE(isWorthDistributing(devices, history, proposal)); // It stays.
}

TEST(Cost, TriesHomeNoMoreBesideDevicesOnceItIsMeasured) {
  Machine devices = kMachine;
  devices.ranks = 16;
  devices.areAlike = false;
  RegionHistory history;
  const Proposal proposal{500, 24e3, 0, 0};
  for (int i = 0; i < 3; ++i) {
    history.addHome(devices, 500, 16e-3, 0);
  }
  for (int i = 0; i < 100000; ++i) {
    ASSERT_TRUE(isWorthDistributing(devices, history, proposal));
    history.addDistributed(devices, 500, 0.25e-3, 0);
  }
}

TEST(Cost, GuessesWhatLaunchesOfAnotherLengthTakeUntilOneIsMeasured) {
  RegionHistory history;
  for (int launch = 0; launch < 3; ++launch) {
    history.addHome(kMachine, 1000, 10e-3, 0);
  }
  RegionHistory shorter = history.forAnotherLength();
  EXPECT_EQ(homeSeconds(kMachine, shorter, 10, 8e6),
            homeSeconds(kMachine, RegionHistory(), 10, 8e6));

  shorter.guessHomeBy(history);

  EXPECT_DOUBLE_EQ(homeSeconds(kMachine, shorter, 10, 8e6), 100e-6);
  EXPECT_FALSE(shorter.home.isKnown());
  shorter.addHome(kMachine, 10, 300e-6, 0); // Most of it is for starting it.
  EXPECT_DOUBLE_EQ(homeSeconds(kMachine, shorter, 10, 8e6), 300e-6);
}

TEST(Cost, GuessesByWhatIterationsOfEitherLengthTakeDistributed) {
  RegionHistory history;
  RegionHistory longer;
  for (int launch = 0; launch < 3; ++launch) {
    history.addHome(kMachine, 1000, 8e-3, 0);
    history.addDistributed(kMachine, 1000, 2e-3, 0);
    longer.addDistributed(kMachine, 2000, 8e-3, 0); // Twice as many of twice the length.
  }

  longer.guessHomeBy(history);

  EXPECT_NEAR(homeSeconds(kMachine, longer, 2000, 8e6), 32e-3, 1e-9);
}

TEST(Cost, GoesBackAtOnceIfATrialWasSlower) {
  RegionHistory history;
  const Proposal proposal{1000, 8e6, 0, 1e6};
  while (isWorthDistributing(kMachine, history, proposal)) {
    history.addDistributed(kMachine, 1000, 5e-3, 0);
  }
  history.addHome(kMachine, 1000, 20e-3, 1e6);
  EXPECT_FALSE(isWorthDistributing(kMachine, history, {1000, 8e6, 1e6, 0}));
  history.addHome(kMachine, 1000, 19e-3, 0);

  EXPECT_TRUE(isWorthDistributing(kMachine, history, {1000, 8e6, 1e6, 0}));

  int launches = 0;
  while (isWorthDistributing(kMachine, history, proposal)) {
    history.addDistributed(kMachine, 1000, 5e-3, 0);
    ++launches;
    ASSERT_LT(launches, 10000);
  }
  EXPECT_GT(launches, 400) << "the next one may take a hundredth of the time away";
}

TEST(Cost, WeighsOnlyWhereThatTakesLittle) {
  RegionHistory history;
  EXPECT_TRUE(isWorthALook(history)) << "nothing is known";
  history.planning.add(1e-3);
  history.addHome(kMachine, 1000, 1e-3, 0);
  int launches = 1;
  while (!isWorthALook(history)) {
    history.addHome(kMachine, 1000, 1e-3, 0);
    ASSERT_LT(++launches, 1000);
  }
  EXPECT_EQ(launches, 50);
  EXPECT_FALSE(isWorthDistributing(kMachine, history, {1000, 8e6, 8e9, 0}));
  EXPECT_FALSE(isWorthALook(history));
}

TEST(Cost, LooksEarlyWhereNothingWasWeighedYet) {
  RegionHistory history;
  history.following = 1e-3;
  int launches = 0;
  do {
    history.addHome(kMachine, 1000, 1e-3, 0);
    ASSERT_LT(++launches, 1000);
  } while (!isWorthALook(history));
  EXPECT_EQ(launches, 4);
}

TEST(Cost, LooksSeldomIfFindingOutTheOrderIsDear) {
  RegionHistory history;
  history.ordering = 1e-3;
  EXPECT_EQ(history.forAnotherLength().ordering, 1e-3);
  int launches = 0;
  do {
    history.addHome(kMachine, 1000, 1e-3, 0);
    ASSERT_LT(++launches, 1000);
  } while (!isWorthALook(history));
  EXPECT_EQ(launches, 50);
}

TEST(Cost, LeavesOutLaunchesThatHadToBePlanned) {
  RegionHistory history;
  history.addHome(kMachine, 1000, 10e-3, 0);
  for (int launch = 0; launch < 5; ++launch) {
    history.addDistributed(kMachine, 1000, 50e-3, 0, 45e-3);
  }
  EXPECT_FALSE(history.distributed.isKnown());
  for (int launch = 0; launch < 5; ++launch) {
    history.addDistributed(kMachine, 1000, 5e-3, 0, 0);
  }
  EXPECT_DOUBLE_EQ(history.distributed.seconds(), 5e-6);
}

TEST(Cost, CountsWhatLaunchesBetweenTwoLooksHaveCost) {
  const Proposal proposal{1000, 8e6, 1e6, 0};
  const auto launchesUntilAway = [&](double planning) {
    RegionHistory history;
    history.planning.add(planning);
    int launches = 0;
    while (launches < 100000) {
      history.addHome(kMachine, 1000, 1e-3, 0);
      ++launches;
      if (isWorthALook(history) && isWorthDistributing(kMachine, history, proposal)) {
        break;
      }
    }
    return launches;
  };
  const int atEachLaunch = launchesUntilAway(1e-6);
  const int seldom = launchesUntilAway(1e-3);
  EXPECT_GT(atEachLaunch, 1);
  EXPECT_EQ(seldom, 50) << "the first look, for more has been lost by then than moving costs";
}

TEST(Cost, TriesDistributionLessAndLessOftenWhereItWasSlower) {
  RegionHistory history;
  history.addHome(kMachine, 1000, 10e-3, 0);
  const auto launchesUntilAway = [&] {
    for (int launches = 0; launches < 100000; ++launches) {
      if (isWorthDistributing(kMachine, history, {1000, 8e3, 0, 0})) {
        return launches;
      }
      history.addHome(kMachine, 1000, 10e-3, 0);
    }
    return 100000;
  };
  int before = 0;
  for (int round = 0; round < 4; ++round) {
    const int launches = launchesUntilAway();
    EXPECT_GE(launches, 3 * before / 2);
    before = launches;
    do {
      history.addDistributed(kMachine, 1000, 20e-3, 0);
    } while (isWorthDistributing(kMachine, history, {1000, 8e3, 0, 0}));
  }
  EXPECT_GT(before, 100);
}

TEST(Cost, GuessesFromTheBytesBeforeAnythingIsMeasured) {
  const RegionHistory history;

  EXPECT_DOUBLE_EQ(homeSeconds(kMachine, history, 1000, 4e9), 1.0);
}

} // namespace

} // namespace tutti::balance
