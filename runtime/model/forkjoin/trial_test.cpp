// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/window.h"
#include "runtime/model/forkjoin/trial.h"

#include <gtest/gtest.h>

#include <memory>

namespace tutti::model::forkjoin {

namespace {

constexpr Range page(std::uint64_t index) {
  return {index * memory::kPageBytes, (index + 1) * memory::kPageBytes};
}

/// Of a launch that brings a few bytes of page `changed` to another place, and closes that page and
/// another one, which some other loop has closed before.
exec::Plan planThatChanges(std::uint64_t changed, std::uint64_t closedBefore) {
  exec::Plan plan;
  auto outcome = std::make_shared<exec::Outcome>();
  outcome->changes.push_back({{{page(changed).begin + 8, page(changed).begin + 16}}, {1}});
  plan.outcome = outcome;
  plan.absentPages = RangeSet::of({page(changed)});
  plan.readOnlyPages = RangeSet::of({page(closedBefore)});
  return plan;
}

TEST(Trial, GivesThePagesOfAllItsLaunchesAndNoOthers) {
  Trial trial;
  EXPECT_FALSE(trial.endsWith(100));
  trial.launched(planThatChanges(2, 9), 50);
  trial.launched(planThatChanges(5, 9), 60);

  ASSERT_TRUE(trial.endsWith(60));
  EXPECT_EQ(trial.end(), RangeSet::of({page(2), page(5)}));
  EXPECT_FALSE(trial.endsWith(60));
}

TEST(Trial, GoesOnWhereASmallerLaunchStaysHome) {
  Trial trial;
  trial.launched(planThatChanges(2, 9), 50);

  EXPECT_FALSE(trial.endsWith(49));
}

TEST(Trial, LeavesWhatASettledLoopUsesWhereItIs) {
  Trial trial;
  for (std::int32_t launch = 0; launch <= Trial::kLaunches; ++launch) {
    trial.launched(planThatChanges(2, 9), 50);
  }

  ASSERT_TRUE(trial.endsWith(50));
  EXPECT_TRUE(trial.end().empty());
}

} // namespace

} // namespace tutti::model::forkjoin
