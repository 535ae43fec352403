// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/crossing.h"

#include <gtest/gtest.h>

namespace tutti::balance {

namespace {

/// A loop whose launches take so long; because of every `period`th so many bytes cross.
class Loop {
public:
  Loop(double seconds, double bytes, int period) : each_(seconds), bytes_(bytes), period_(period) {}

  const Crossing &run(int launches) {
    for (int launch = 0; launch < launches; ++launch) {
      told_ += crossing_.begins(done_ > 0 && done_ % period_ == 0 ? bytes_ : 0) ? 1 : 0;
      crossing_.tell(now_);
      now_ += each_;
      ++done_;
    }
    return crossing_;
  }

  int told() const { return told_; }

private:
  Crossing crossing_;
  double each_;
  double bytes_;
  int period_;
  double now_ = 5;
  int done_ = 0;
  int told_ = 0;
};

TEST(Crossing, AsksForATrialOnceMuchOfTheTimeIsForCrossing) {
  constexpr double kDear = 1e3;
  EXPECT_FALSE(Loop(1e-3, 1 << 20, 1).run(5).isWorthATrial(kDear)) << "a few launches say nothing";
  EXPECT_TRUE(Loop(1e-3, 1 << 20, 1).run(20).isWorthATrial(kDear));
  EXPECT_FALSE(Loop(1e-3, 1 << 18, 1).run(1000).isWorthATrial(kDear));
}

TEST(Crossing, DoesNotCountWhatTheFirstLaunchesBring) {
  Crossing crossing;
  double now = 0;
  for (int launch = 0; launch < 100; ++launch) {
    crossing.begins(launch == 1 ? 1e9 : 0);
    crossing.tell(now += 1e-3);
  }
  EXPECT_FALSE(crossing.isWorthATrial(1));
}

TEST(Crossing, DoesNotCountWhatALaterLaunchBringsOnce) {
  Crossing crossing;
  double now = 0;
  for (int launch = 0; launch < 100; ++launch) {
    crossing.begins(launch == 5 ? 1e9 : 0);
    crossing.tell(now += 1e-3);
    ASSERT_FALSE(crossing.isWorthATrial(1)) << launch;
  }
}

TEST(Crossing, AsksForATrialThatCostsLittleBesideALongProgram) {
  EXPECT_FALSE(Loop(1e-3, 0, 1).run(5).isWorthATrial(0)) << "a few launches say nothing";
  EXPECT_TRUE(Loop(1e-3, 0, 1).run(500).isWorthATrial(20e-3));
  EXPECT_FALSE(Loop(1e-3, 0, 1).run(5000).isWorthATrial(1));
  EXPECT_TRUE(Loop(1e-3, 0, 1).run(25000).isWorthATrial(1));
}

TEST(Crossing, FindsAfterHowManyLaunchesMuchCrosses) {
  EXPECT_EQ(Loop(1e-3, 1e9, 1).run(100).period(), 1);
  EXPECT_EQ(Loop(1e-3, 1e9, 200).run(1000).period(), 200);
}

/// What a round takes after ten launches, one of which took longer and moved so many bytes.
double roundWithALongOne(double bytes) {
  Crossing crossing;
  double now = 0;
  for (int launch = 1; launch <= 10; ++launch) {
    crossing.begins(launch == 6 ? bytes : 1e4);
    crossing.tell(now += launch == 6 ? 35e-3 : 0.3e-3);
  }
  return crossing.round();
}

TEST(Crossing, LeavesOutARoundInWhichKernelsWereLoaded) {
  EXPECT_NEAR(roundWithALongOne(1e4), 0.3e-3, 1e-6);
}

TEST(Crossing, CountsARoundInWhichMuchCrossed) {
  EXPECT_NEAR(roundWithALongOne(1e8), (35e-3 + 7 * 0.3e-3) / 8, 1e-6);
}

TEST(Crossing, SeldomAsksForTheTime) {
  Loop loop(1e-6, 0, 1);
  loop.run(16000);
  EXPECT_LE(loop.told(), 1010);
}

} // namespace

} // namespace tutti::balance
