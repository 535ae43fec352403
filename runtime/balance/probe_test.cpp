// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a step takes is found by six of them.
#include "runtime/balance/probe.h"

#include <gtest/gtest.h>

namespace tutti::balance {

namespace {

/// Runs steps whose calls end one after the other, until the probe is over. Returns how many.
int run(Probe &probe, int calls, double first, double later) {
  double now = 0;
  for (int step = 0;; ++step) {
    for (int call = 0; call < calls; ++call) {
      now += (step < 2 ? first : later) / calls;
      const Probe::Mark mark = probe.add(7, call);
      if (mark != Probe::Mark::None) {
        probe.over(now);
      }
      if (mark == Probe::Mark::End) {
        return step + 1;
      }
    }
  }
}

} // namespace

TEST(Probe, TakesThreeOfSixSteps) {
  for (const int calls : {1, 2, 17, 64}) {
    Probe probe;

    EXPECT_EQ(run(probe, calls, 100, 2), Probe::kSteps);

    EXPECT_NEAR(probe.seconds(), 2, 1e-9) << calls;
  }
}

TEST(Probe, CountsWhatAllPlacesHaveDone) {
  Probe probe;
  // One place is a step ahead of the other when the probe begins, and two when it ends.
  for (const int place : {0, 1, 0, 1}) {
    EXPECT_EQ(probe.add(7, place), Probe::Mark::None);
  }
  EXPECT_EQ(probe.add(7, 0), Probe::Mark::Begin);
  probe.over(10);
  for (const int place : {1, 0, 1, 0}) {
    EXPECT_EQ(probe.add(7, place), Probe::Mark::None);
  }
  EXPECT_EQ(probe.add(7, 0), Probe::Mark::End);
  probe.over(20);

  EXPECT_DOUBLE_EQ(probe.seconds(), 10 / 2.5) << "five calls of two places";
}

TEST(Probe, LeavesOutWhatHappensOnce) {
  Probe probe;
  for (int place = 0; place < 64; ++place) {
    EXPECT_EQ(probe.add(3, place), Probe::Mark::None) << "first values";
  }

  EXPECT_EQ(run(probe, 1, 1, 2), Probe::kSteps);

  EXPECT_DOUBLE_EQ(probe.seconds(), 2);
}

TEST(Probe, EndsOnce) {
  Probe probe;
  run(probe, 2, 1, 2);

  for (int call = 0; call < 10; ++call) {
    EXPECT_EQ(probe.add(7, call % 2), Probe::Mark::None);
  }
}

TEST(Probe, SaysNothingOfAProgramWithoutSteps) {
  Probe probe;
  for (int call = 0; call < 1000; ++call) {
    EXPECT_EQ(probe.add(7, call), Probe::Mark::None);
  }

  EXPECT_EQ(probe.seconds(), 0);
}

} // namespace tutti::balance
