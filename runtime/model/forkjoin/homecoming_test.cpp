// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which launches of a plan are foretold, by what touches have brought behind others.
#include "runtime/model/forkjoin/homecoming.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti::model::forkjoin {

namespace {

RangeSet pages(std::uint64_t count) { return RangeSet::of({{0, count << 12}}); }

/// Launches one plan so often, with a program that looks at the same pages behind each; for each
/// launch whether it is foretold. Where it is, touches bring nothing.
class Looking {
public:
  std::string at(const RangeSet &pages, int launches) {
    std::string foretold;
    for (int launch = 0; launch < launches; ++launch) {
      const RangeSet expected = homecoming_.next(plan_, std::exchange(looked_, {}));
      foretold += expected.empty() ? '-' : '+';
      looked_ = expected == pages ? RangeSet() : pages;
    }
    return foretold;
  }

  /// A launch of another plan.
  void launchOther() { homecoming_.nextOther(std::exchange(looked_, {})); }

private:
  Homecoming homecoming_;
  std::shared_ptr<const exec::Plan> plan_ = std::make_shared<exec::Plan>();
  RangeSet looked_;
};

TEST(Homecoming, ForetellsMoreLaunchesEachTimeThatItWasRight) {
  EXPECT_EQ(Looking().at(pages(3), 30), "--+++-+++++++-+++++++++++++++-");
}

TEST(Homecoming, ForetellsNothingOnceTheProgramLooksNoMore) {
  Looking program;
  EXPECT_EQ(program.at(pages(3), 7), "--+++-+");
  // What is foretold comes in vain.
  EXPECT_EQ(program.at({}, 20), "++++++--------------");
}

TEST(Homecoming, ForetellsNothingThatDiffersEachTime) {
  Looking program;
  for (std::uint64_t count = 1; count < 20; ++count) {
    EXPECT_EQ(program.at(pages(count), 1), "-");
  }
}

TEST(Homecoming, ForetellsNothingOfALaunchBehindWhichAnotherOneRuns) {
  Looking program;
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(program.at({}, 1), "-");
    program.launchOther();
  }
}

TEST(Homecoming, ForetellsForEachPlanWhatIsLookedAtBehindIt) {
  Homecoming homecoming;
  const std::shared_ptr<const exec::Plan> plans[] = {std::make_shared<exec::Plan>(),
                                                     std::make_shared<exec::Plan>()};
  RangeSet looked;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t index = 0; index < 2; ++index) {
      EXPECT_TRUE(homecoming.next(plans[index], std::move(looked)).empty());
      looked = pages(index + 1);
    }
  }
  EXPECT_EQ(homecoming.next(plans[0], std::move(looked)), pages(1));
  EXPECT_EQ(homecoming.next(plans[1], {}), pages(2));
}

} // namespace

} // namespace tutti::model::forkjoin
