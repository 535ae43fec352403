// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/test_allocations.h"
#include "runtime/exec/residency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace tutti::exec {

namespace {

using memory::kHeapBase;
using test::allocations;

constexpr std::uint64_t kUnit = std::uint64_t{2} << 20;

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({256 << 20, 1 << 20, {}, false});
  return *mapped;
}

/// Units of the heap.
RangeSet units(std::vector<std::pair<std::uint64_t, std::uint64_t>> spans) {
  std::vector<Range> ranges;
  for (const auto &[begin, end] : spans) {
    ranges.push_back({kHeapBase + begin * kUnit, kHeapBase + end * kUnit});
  }
  return RangeSet::of(std::move(ranges));
}

/// Two devices of one rank: places 1 and 2, for 4 and 8 units.
class ResidencyTest : public testing::Test {
protected:
  static std::shared_ptr<const Plan> planOf(RangeSet first, RangeSet second = {}) {
    auto plan = std::make_shared<Plan>();
    plan->footprints = {std::move(first), std::move(second)};
    return plan;
  }

  /// One whose part on the first device merges what it writes.
  static std::shared_ptr<const Plan> mergingPlanOf(RangeSet first) {
    auto plan = std::make_shared<Plan>(*planOf(first));
    plan->merged = std::move(first);
    return plan;
  }

  /// As a launch does it: makes room, notes the use. What had to leave the first device.
  RangeSet launch(const std::shared_ptr<const Plan> &plan) {
    RangeSet left;
    for (const Leaving &leaving : residency_.makeRoom(*plan)) {
      residency_.left(leaving);
      if (leaving.place == 1) {
        left = leaving.units;
      }
    }
    residency_.use(plan);
    return left;
  }

  memory::Topology topology_{{2}};
  Rooms rooms_{window(), {{4 * kUnit, kUnit}, {8 * kUnit, kUnit}}};
  Residency residency_{topology_, rooms_};
};

TEST_F(ResidencyTest, KeepsAllWhileThereIsRoom) {
  EXPECT_TRUE(launch(planOf(units({{0, 2}}))).empty());
  EXPECT_TRUE(launch(planOf(units({{2, 4}}))).empty());
  EXPECT_TRUE(launch(planOf(units({{0, 4}}))).empty());
}

TEST_F(ResidencyTest, AllocatesLittleForNewPlansThatUseWhatIsHeld) {
  // As of a triangle: each launch has another plan, and touches a little less.
  std::vector<std::shared_ptr<const Plan>> plans;
  for (std::uint64_t index = 0; index < 320; ++index) {
    plans.push_back(planOf(units({{index / 160, 4}}), units({{index / 160, 8}})));
  }
  launch(plans[0]);
  const std::uint64_t before = allocations;

  for (const auto &plan : plans) {
    ASSERT_TRUE(launch(plan).empty());
  }

  EXPECT_LE(allocations - before, plans.size());
  EXPECT_EQ(launch(planOf(units({{5, 6}}))), units({{0, 1}})) << "it was used before the others";
}

TEST_F(ResidencyTest, TellsPlansThatNeedWhatTheLatestNeeded) {
  EXPECT_FALSE(residency_.isLikeLatest(*planOf({}))) << "there was none";
  launch(planOf(units({{0, 2}}), units({{2, 4}})));
  EXPECT_TRUE(residency_.isLikeLatest(*planOf(units({{0, 2}}), units({{2, 4}}))));
  EXPECT_FALSE(residency_.isLikeLatest(*planOf(units({{0, 1}}), units({{2, 4}}))))
      << "what is not used may leave";
  EXPECT_FALSE(residency_.isLikeLatest(*planOf(units({{0, 2}}))));
  EXPECT_FALSE(residency_.isLikeLatest(*mergingPlanOf(units({{0, 2}})))) << "it needs a copy, too";
  Plan portion = *planOf(units({{0, 2}}), units({{2, 4}}));
  portion.isPortion = true;
  EXPECT_FALSE(residency_.isLikeLatest(portion));

  residency_.left({2, units({{3, 4}})});

  EXPECT_FALSE(residency_.isLikeLatest(*planOf(units({{0, 2}}), units({{2, 4}}))));
}

TEST_F(ResidencyTest, TakesTheLeastRecentlyUsed) {
  launch(planOf(units({{0, 1}})));
  launch(planOf(units({{1, 2}})));
  launch(planOf(units({{2, 4}})));
  launch(planOf(units({{0, 1}})));

  EXPECT_EQ(launch(planOf(units({{5, 6}}))), units({{1, 2}}));
  EXPECT_EQ(launch(planOf(units({{6, 8}}))), units({{2, 4}}));
}

TEST_F(ResidencyTest, CountsTheLatestUseOfAPlanThatCameAgain) {
  const auto first = planOf(units({{0, 2}}));
  launch(first);
  launch(planOf(units({{2, 4}})));
  launch(first);

  EXPECT_EQ(launch(planOf(units({{4, 6}}))), units({{2, 4}}));
}

TEST_F(ResidencyTest, TakesNoMoreThanNeeded) {
  launch(planOf(units({{0, 4}})));

  EXPECT_EQ(launch(planOf(units({{4, 5}}))), units({{0, 1}}));
}

TEST_F(ResidencyTest, MakesRoomForACopyOfWhatIsMerged) {
  const auto merging = mergingPlanOf(units({{4, 5}}));
  launch(planOf(units({{0, 3}})));

  EXPECT_EQ(launch(merging), units({{0, 1}}));
  launch(planOf(units({{3, 4}}))); // In the place of the copy.
  EXPECT_EQ(launch(merging), units({{1, 2}}));
}

TEST_F(ResidencyTest, MakesNoRoomForACopyThatNeverFits) {
  launch(planOf(units({{0, 3}})));

  EXPECT_EQ(launch(mergingPlanOf(units({{3, 6}}))), units({{0, 2}}));
}

TEST_F(ResidencyTest, LeavesWhatTheLaunchUsesItself) {
  launch(planOf(units({{0, 2}})));
  launch(planOf(units({{2, 4}})));

  EXPECT_EQ(launch(planOf(units({{0, 1}, {4, 5}}))), units({{1, 2}}));
}

TEST_F(ResidencyTest, TakesAgainWhatHasComeBack) {
  const auto low = planOf(units({{0, 3}}));
  const auto high = planOf(units({{3, 6}}));
  launch(low);

  EXPECT_EQ(launch(high), units({{0, 2}}));
  EXPECT_EQ(launch(low), units({{3, 5}}));
  EXPECT_EQ(launch(high), units({{0, 2}}));
}

TEST_F(ResidencyTest, RemembersMoreThanTheLatestPlans) {
  launch(planOf(units({{0, 1}})));
  for (int count = 0; count < 40; ++count) {
    launch(planOf(units({{1, 4}})));
  }

  EXPECT_EQ(launch(planOf(units({{4, 5}}))), units({{0, 1}}));
}

TEST_F(ResidencyTest, KeepsDevicesApart) {
  launch(planOf(units({{0, 4}}), units({{0, 8}})));

  const auto leaving = residency_.makeRoom(*planOf({}, units({{8, 10}})));

  ASSERT_EQ(leaving.size(), 1U);
  EXPECT_EQ(leaving[0].place, 2);
  EXPECT_EQ(leaving[0].units, units({{0, 2}}));
}

TEST_F(ResidencyTest, KnowsWhatFitsIntoEmptyDevices) {
  launch(planOf(units({{5, 9}})));

  EXPECT_TRUE(residency_.fits(*planOf(units({{0, 4}}), units({{0, 8}}))));
  EXPECT_FALSE(residency_.fits(*planOf(units({{0, 5}}), units({{0, 8}}))));
}

TEST_F(ResidencyTest, SaysWhatDevicesLack) {
  launch(planOf(units({{0, 2}}), units({{0, 8}})));
  const auto plan = planOf(units({{1, 3}}), units({{2, 4}}));

  const auto lacking = residency_.lacking(*plan);

  ASSERT_EQ(lacking.size(), 1U);
  EXPECT_EQ(lacking[0].place, 1);
  EXPECT_EQ(lacking[0].units, units({{2, 3}}));
  launch(plan);
  EXPECT_TRUE(residency_.lacking(*plan).empty());
}

TEST_F(ResidencyTest, TakesWhatWasHeldForNothingFirst) {
  launch(planOf(units({{0, 2}})));
  residency_.holds({1, units({{2, 3}})});

  EXPECT_TRUE(residency_.lacking(*planOf(units({{2, 3}}))).empty());
  EXPECT_EQ(launch(planOf(units({{4, 6}}))), units({{2, 3}}));
}

TEST_F(ResidencyTest, KeepsFewPortionsOfLoopsThatStream) {
  const auto portionOf = [](RangeSet second) {
    auto plan = std::make_shared<Plan>(*planOf({}, std::move(second)));
    plan->isPortion = true;
    return plan;
  };
  residency_.use(planOf({}, units({{20, 21}})));

  for (std::uint64_t pass = 0; pass < 2; ++pass) {
    for (std::uint64_t portion = 0; portion < 8; ++portion) {
      const auto plan = portionOf(units({{portion, portion + 1}}));
      const auto leaving = residency_.makeRoom(*plan);
      RangeSet left;
      for (const Leaving &units : leaving) {
        residency_.left(units);
        left = units.units;
      }
      residency_.use(plan);

      const bool isFull = pass > 0 || portion >= kPortionsAtOnce;
      const std::uint64_t oldest = (portion + 8 - kPortionsAtOnce) % 8;
      EXPECT_EQ(left, isFull ? units({{oldest, oldest + 1}}) : RangeSet()) << portion;
    }
  }
}

TEST_F(ResidencyTest, HasUnitsThatAreSmallBesideTheSmallestDevice) {
  EXPECT_EQ(rooms_.unit(), kUnit);
  const std::uint64_t large = std::uint64_t{80} << 30;
  EXPECT_EQ(Rooms(window(), {{large, kUnit}}).unit(), std::uint64_t{64} << 20);
  EXPECT_EQ(Rooms(window(), {{large, kUnit}, {large / 5, 4096}}).unit(), std::uint64_t{64} << 20);
  EXPECT_EQ(Rooms(window(), {{1 << 16, 4096}}).unit(), 4096U);
}

TEST_F(ResidencyTest, CutsUnitsAtTheEndsOfTheWindow) {
  const Range stack = window().stack();
  const RangeSet around = rooms_.around(
      RangeSet::of({{stack.begin, stack.begin + 8}, {kHeapBase + 8, kHeapBase + 16}}));

  ASSERT_EQ(around.ranges().size(), 2U);
  for (const Range &unit : around.ranges()) {
    EXPECT_TRUE(rooms_.single(RangeSet::of({unit})) == std::vector<Range>{unit});
    EXPECT_LE(unit.size(), kUnit);
  }
  EXPECT_EQ(around.hull().begin, std::max(std::min(stack.begin, kHeapBase),
                                          std::min(stack.begin, kHeapBase) & ~(kUnit - 1)));
}

} // namespace

} // namespace tutti::exec
