// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/opening.h"
#include "runtime/entry/signals.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tutti::entry {

/// In place of those of a program: no signal comes here.
HeldSignals::HeldSignals(bool isNeeded) : isHolding_(isNeeded), before_() {}

HeldSignals::~HeldSignals() = default;

namespace {

class OpeningTest : public testing::Test {
protected:
  void waitUntilOver() const {
    while (!opening_.isOver()) {
      std::this_thread::yield();
    }
  }

  std::atomic<int> opened_{0};
  std::atomic<bool> isSlow_{false}; ///< A driver that starts until it is given up.
  Opening opening_{[this](const std::atomic<bool> &isGivenUp) {
    ++opened_;
    while (isSlow_ && !isGivenUp) {
      std::this_thread::yield();
    }
    return std::vector<exec::OpenDevice>();
  }};
};

TEST_F(OpeningTest, BeginsOnceLoopsHaveLasted) {
  opening_.lasted(0.06);
  EXPECT_FALSE(opening_.isWorthBeginning(0.03));
  EXPECT_EQ(opened_, 0);
  opening_.lasted(0.05);
  waitUntilOver();
  EXPECT_TRUE(opening_.take().empty());
  EXPECT_EQ(opened_, 1);
}

TEST_F(OpeningTest, BeginsBesideALoopThatIsGoingToTakeLong) {
  opening_.expects(0.05);
  EXPECT_EQ(opened_, 0);
  opening_.lasted(0.04);
  EXPECT_TRUE(opening_.isWorthBeginning(0.07));
  opening_.expects(0.07);
  EXPECT_FALSE(opening_.isWorthBeginning(0.07)) << "it has begun";
  opening_.lasted(0.07);
  waitUntilOver();
  EXPECT_EQ(opened_, 1);
}

TEST_F(OpeningTest, IsWorthWaitingForWhereLoopsTakeLongerOrDevicesAreThere) {
  isSlow_ = true;
  EXPECT_TRUE(opening_.isWorthWaiting(1));
  EXPECT_FALSE(opening_.isWorthWaiting(0.01));
  opening_.lasted(1);
  EXPECT_FALSE(opening_.isWorthWaiting(0.01));
  isSlow_ = false;
  waitUntilOver();
  EXPECT_TRUE(opening_.isWorthWaiting(0.01));
}

TEST_F(OpeningTest, IsGivenUpInTheMiddleAndDoesNotBeginAgain) {
  isSlow_ = true;
  opening_.lasted(1);
  opening_.giveUp();
  EXPECT_LE(opened_, 1);
  opening_.lasted(1);
  opening_.giveUp();
  EXPECT_LE(opened_, 1);
}

TEST_F(OpeningTest, DoesNotBeginOnceItIsGivenUp) {
  opening_.giveUp();
  opening_.lasted(1);
  EXPECT_TRUE(opening_.take().empty());
  EXPECT_EQ(opened_, 0);
}

} // namespace

} // namespace tutti::entry
