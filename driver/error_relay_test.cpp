// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/error_relay.h"

#include <gtest/gtest.h>

namespace tutti::driver {

namespace {

TEST(ErrorRelay, PassesWhatIsNoReportAtOnce) {
  ErrorRelay relay;

  EXPECT_EQ(relay.feed("progress 10 %\rprogress"), "progress 10 %\rprogress");
  EXPECT_EQ(relay.feed(" 20 %\n\ntutti: 4 ranks\n"), " 20 %\n\ntutti: 4 ranks\n");
  EXPECT_FALSE(relay.hasReport());
}

TEST(ErrorRelay, PrintsTheFirstReportOnly) {
  ErrorRelay relay;
  const std::string first = killReport("2", "a", 9);

  EXPECT_EQ(relay.feed(first + "other\n" + killReport("1", "a", 9)), first + "other\n");
  EXPECT_TRUE(relay.hasReport());
}

TEST(ErrorRelay, TellsTheSignalOfTheFirstReport) {
  ErrorRelay relay;
  EXPECT_EQ(relay.killedBy(), 0);

  static_cast<void>(relay.feed(killReport("0", "a", 6) + killReport("1", "a", 9)));

  EXPECT_EQ(relay.killedBy(), 6);
}

TEST(ErrorRelay, TakesARankThatDidNotStartForAReport) {
  ErrorRelay relay;
  const std::string first = rankName("1", "a") + ": cannot start ./x: Permission denied\n";
  const std::string second = rankName("0", "a") + ": cannot start ./x: Permission denied\n";

  EXPECT_EQ(relay.feed(first + second), first);
  EXPECT_TRUE(relay.hasReport());
}

TEST(ErrorRelay, RecognisesAReportInPieces) {
  ErrorRelay relay;
  const std::string report = killReport("0", "host", 11);

  EXPECT_EQ(relay.feed(report.substr(0, 7)), "");
  EXPECT_EQ(relay.feed(report.substr(7)), report);
  EXPECT_TRUE(relay.hasReport());
}

TEST(ErrorRelay, KeepsAnnouncementsToItself) {
  ErrorRelay relay;
  EXPECT_FALSE(relay.hasStarted());

  EXPECT_EQ(relay.feed("first\n" + startReport("0", "a") + "second\n"), "first\nsecond\n");

  EXPECT_TRUE(relay.hasStarted());
  EXPECT_FALSE(relay.hasReport());
}

TEST(ErrorRelay, KeepsLinesOfTheProgramThatBeginLikeReports) {
  ErrorRelay relay;

  EXPECT_EQ(relay.feed("tutti: rank 1 waits\n"), "tutti: rank 1 waits\n");
  EXPECT_FALSE(relay.hasReport());
}

TEST(ErrorRelay, GivesWhatItHeldAtTheEnd) {
  ErrorRelay relay;

  EXPECT_EQ(relay.feed("tutti: ra"), "");
  EXPECT_EQ(relay.finish(), "tutti: ra");
}

TEST(KillReport, NamesRankHostAndSignal) {
  EXPECT_EQ(killReport("2", "node7", 9),
            "tutti: rank 2 on host node7: killed by signal 9 (Killed)\n");
}

const std::string kRule = std::string(74, '-') + "\n";

TEST(ErrorRelay, DropsBannersAboutTheEndOfARank) {
  for (const std::string first :
       {"Primary job  terminated normally, but 1 process returned\n",
        "mpirun detected that one or more processes exited with non-zero status, thus causing\n",
        "mpiexec noticed that process rank 1 with PID 0 on node a exited on signal 9.\n",
        "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\n"}) {
    ErrorRelay relay;

    EXPECT_EQ(relay.feed("before\n" + kRule + first + "\n  more\n" + kRule + "after\n"),
              "before\nafter\n");
  }
}

TEST(ErrorRelay, DropsComplaintsAboutLostBanners) {
  const std::string begin = "[a.b-c:24716] [[3186,0],0] ORTE_ERROR_LOG: ";
  const std::string other = begin + "Not found in file ess_base.c at line 1\n";
  ErrorRelay relay;

  EXPECT_EQ(relay.feed(begin +
                       "Data unpack would read past end of buffer in file "
                       "../../../orte/util/show_help.c at line 501\n" +
                       other),
            other);
  EXPECT_EQ(relay.feed("[12:30] half\n[===> "), "[12:30] half\n[===> ");
}

TEST(ErrorRelay, DropsComplaintsAboutReadsOfEndedRanks) {
  const std::string other = "[vm:20131] Read -1, expected 9552, errno = 14\n";
  ErrorRelay relay;

  EXPECT_EQ(relay.feed("[vm:20131] Read -1, expected 9552, errno = 3\n" + other), other);
}

TEST(ErrorRelay, PassesOtherMessagesBetweenRules) {
  const std::string text = kRule + "There are not enough slots available\n" + kRule + "text\n" +
                           kRule + kRule + kRule + "mpirun was unable to launch\n" + kRule;
  ErrorRelay relay;

  EXPECT_EQ(relay.feed(text) + relay.finish(), text);
}

TEST(ErrorRelay, HoldsBackNoMoreThanARule) {
  ErrorRelay relay;

  EXPECT_EQ(relay.feed(kRule), "");
  EXPECT_EQ(relay.feed("M"), "");
  EXPECT_EQ(relay.feed("a"), kRule + "Ma");
}

TEST(ErrorRelay, PrintsARuleAtTheEnd) {
  ErrorRelay relay;

  EXPECT_EQ(relay.feed("---"), "");
  EXPECT_EQ(relay.feed(kRule.substr(3)), "");
  EXPECT_EQ(relay.finish(), kRule);
}

TEST(ErrorRelay, SeesAReportBehindARule) {
  ErrorRelay relay;
  const std::string report = killReport("0", "a", 6);

  EXPECT_EQ(relay.feed(kRule + report), kRule + report);
  EXPECT_EQ(relay.killedBy(), 6);
}

} // namespace

} // namespace tutti::driver
