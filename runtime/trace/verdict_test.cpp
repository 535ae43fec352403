// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/verdict.h"

#include <gtest/gtest.h>

namespace tutti::trace {

namespace {

bool says(const Report &report, std::string_view words, const TaskCounts &tasks = {}) {
  return verdict(report, tasks).find(words) != std::string::npos;
}

Report runOnFour() {
  Report report;
  report.ranks = 4;
  report.regions.emplace_back().source = "a.c:1:1";
  return report;
}

TEST(Verdict, ComparesNothingOnOneRank) { EXPECT_EQ(verdict(Report(), {}), ""); }

TEST(Verdict, TellsWhyNothingIsLaunched) {
  Report report;
  report.ranks = 2;
  EXPECT_TRUE(says(report, "more ranks did not help: no parallel loop was launched"));
  EXPECT_TRUE(says(report, "-O1"));

  report.counters.fragmentCalls = 7; // These need no loops.
  EXPECT_FALSE(says(report, "did not help"));
  EXPECT_TRUE(says(report, "7 calls ran on the ranks"));
}

TEST(Verdict, CountsTasksThatRanOnOtherRanks) {
  Report report;
  report.ranks = 2;
  TaskCounts tasks = {.all = 9};
  EXPECT_TRUE(says(report, "no parallel loop was launched, and no task left rank 0", tasks));

  tasks.away = 4;
  EXPECT_TRUE(says(report, "4 of 9 tasks ran on other ranks", tasks));
  EXPECT_FALSE(says(report, "did not help", tasks));

  report.regions.emplace_back().launches = 1; // At home.
  EXPECT_FALSE(says(report, "did not help", tasks));

  report.regions[0].addDistributed(1, 3, true, false);
  EXPECT_TRUE(says(report, "more ranks helped", tasks));
  EXPECT_TRUE(says(report, "4 of 9 tasks ran on other ranks", tasks));
}

TEST(Verdict, NamesTheLoopThatTookMostTimeAtHome) {
  Report report = runOnFour();
  report.regions[0].launches = 1;
  report.regions[0].addHome(0.5);
  report.regions[0].reasonHome = "it creates tasks";
  RegionReport &shorter = report.regions.emplace_back();
  shorter.launches = 1;
  shorter.addHome(0.25);

  EXPECT_TRUE(says(report, "more ranks did not help: no loop was distributed"));
  EXPECT_TRUE(says(report, "a.c:1:1 (0.500 s: it creates tasks)"));
}

TEST(Verdict, ComparesWithWhatLoopsWouldHaveTakenAtHome) {
  Report faster = runOnFour();
  faster.regions[0].addDistributed(1, 3, true, false);
  EXPECT_TRUE(says(faster,
                   "more ranks helped: distributed loops took 1.000 s, and would have taken "
                   "about 3.000 s"));

  Report slower = runOnFour();
  slower.regions[0].addDistributed(3, 1, true, false);
  EXPECT_TRUE(says(slower, "more ranks did not help: distributed loops took 3.000 s"));
  EXPECT_TRUE(says(slower, "fewer ranks"));

  Report alike = runOnFour();
  alike.regions[0].addDistributed(1, 1.01, true, false);
  EXPECT_TRUE(says(alike, "more ranks made no difference"));
}

TEST(Verdict, TellsOfTimeThatIsNotCompared) {
  Report report = runOnFour();
  report.regions[0].addDistributed(1, 3, true, false);
  report.regions[0].addHome(9);
  EXPECT_FALSE(says(report, "leaves out"));

  report.regions[0].addDistributed(0.5, 0, false, false);
  EXPECT_TRUE(says(report, "about 3.000 s on rank 0; that leaves out 0.500 s of launches"));
}

TEST(Verdict, DoesNotGuessWhatWasNotMeasured) {
  Report report = runOnFour();
  report.regions[0].addDistributed(1, 0, true, false);
  EXPECT_TRUE(says(report, "1 of 1 launches were distributed; what they take on one rank was not "
                           "measured"));
}

TEST(Verdict, TellsOfPagesThatComeOneByOne) {
  Report report = runOnFour();
  report.regions[0].addDistributed(1, 3, true, false);
  report.counters.faults = 5000;
  EXPECT_TRUE(says(report, "touched 5000 pages"));
}

} // namespace

} // namespace tutti::trace
