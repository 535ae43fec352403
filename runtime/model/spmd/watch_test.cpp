// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace tutti::model::spmd {
namespace {

using enum Progress::State;

constexpr Patience kUsual{std::chrono::seconds(300), false};
constexpr Patience kSet{std::chrono::seconds(300), true};

TEST(Watch, NobodyIsLateAsLongAsThereIsPatience) {
  const std::vector<Standing> nodes{{Waits, 299.9, "a.c:1:1"}, {Ended, 0, ""}};
  EXPECT_EQ(verdictOf(nodes, kUsual), Verdict::Fine);
  EXPECT_EQ(verdictOf(nodes, kSet), Verdict::Fine);
}

TEST(Watch, NodesThatAllWaitOrHaveEndedAreStuck) {
  const std::vector<Standing> nodes{
      {Waits, 300, "a.c:1:1"}, {Waits, 310, "a.c:2:1"}, {Ended, 0, ""}};
  EXPECT_EQ(verdictOf(nodes, kUsual), Verdict::Stuck);
  EXPECT_EQ(verdictOf(nodes, kSet), Verdict::Stuck);
}

TEST(Watch, LongWorkOfOneNodeEndsTheJobOnlyWhereAskedFor) {
  const std::vector<Standing> nodes{{Waits, 4000, "a.c:1:1"}, {Runs, 0, "a.c:0:1"}};
  EXPECT_EQ(verdictOf(nodes, kUsual), Verdict::Suspicious);
  EXPECT_EQ(verdictOf(nodes, kSet), Verdict::Stuck);
}

TEST(Watch, NodesThatWorkAndMeetOftenBesideOneThatWaitsAreNotStuck) {
  const std::vector<Standing> nodes{
      {Waits, 4000, "a.c:1:1"}, {Waits, 0.1, "a.c:2:1"}, {Waits, 0.2, "a.c:2:1"}};
  EXPECT_EQ(verdictOf(nodes, kUsual), Verdict::Suspicious);
}

TEST(Watch, NodesThatStandAlikeAreNamedTogether) {
  const std::vector<Standing> nodes{{Waits, 1, "a.c:1:1"}, {Waits, 2, "a.c:1:1"}, {Runs, 0, ""},
                                    {Waits, 3, "a.c:1:1"}, {Ended, 0, "a.c:9:1"}, {Runs, 0, ""}};
  EXPECT_EQ(describe(nodes),
            "nodes 0-1, 3 wait at a.c:1:1; nodes 2, 5 run the program's own code before the first "
            "directive; node 4 has ended after a.c:9:1");
}

} // namespace
} // namespace tutti::model::spmd
