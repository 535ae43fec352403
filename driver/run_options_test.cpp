// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tutti::driver {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(RunOptions, LeavesTheProgramsOptionsToTheProgram) {
  const RunOptions options = readRunOptions({"-n", "4", "./prog", "-n", "9", "--help"});

  EXPECT_EQ(options.ranks, 4);
  EXPECT_EQ(options.action, RunAction::Run);
  EXPECT_THAT(options.program, ElementsAre("./prog", "-n", "9", "--help"));
  EXPECT_THAT(options.launcherOptions, IsEmpty());
}

TEST(RunOptions, TakesTheNumberOfRanksInEachForm) {
  for (const std::vector<std::string> &form :
       {std::vector<std::string>{"-n", "3"}, {"-np", "3"}, {"-n3"}, {"--ranks=3"}}) {
    std::vector<std::string> arguments = form;
    arguments.push_back("./prog");
    const RunOptions options = readRunOptions(arguments);
    EXPECT_EQ(options.ranks, 3);
    EXPECT_THAT(options.launcherOptions, IsEmpty());
  }
}

TEST(RunOptions, RunsOneRankByDefault) { EXPECT_EQ(readRunOptions({"./prog"}).ranks, 1); }

TEST(RunOptions, HandsUnknownOptionsWithTheirValuesToTheLauncher) {
  const RunOptions options = readRunOptions(
      {"-np", "2", "--host", "a,b", "--mca", "btl", "tcp,self", "--tag-output", "./prog", "1"});

  EXPECT_THAT(options.launcherOptions,
              ElementsAre("--host", "a,b", "--mca", "btl", "tcp,self", "--tag-output"));
  EXPECT_THAT(options.program, ElementsAre("./prog", "1"));
}

TEST(RunOptions, EndsOptionsAtADoubleDash) {
  EXPECT_THAT(readRunOptions({"--stats", "--", "-odd-name"}).program, ElementsAre("-odd-name"));
}

TEST(RunOptions, ChoosesTheFormOfStatistics) {
  EXPECT_EQ(readRunOptions({"./prog"}).probes, 0);
  EXPECT_EQ(readRunOptions({"--tune", "./prog"}).probes, 60);
  EXPECT_THAT(readRunOptions({"--tune", "./prog"}).program, ElementsAre("./prog"));
  EXPECT_EQ(readRunOptions({"--tune=5", "./prog"}).probes, 5);
  EXPECT_NE(readRunOptions({"--tune=no", "./prog"}).problem, "");
  EXPECT_EQ(readRunOptions({"./prog"}).stats, "");
  EXPECT_EQ(readRunOptions({"--stats", "./prog"}).stats, "text");
  EXPECT_EQ(readRunOptions({"--stats=json", "./prog"}).stats, "json");
}

TEST(RunOptions, LeavesAFileOfParametersToTheLauncher) {
  const std::string file = testing::TempDir() + "tutti-run-options-tune";
  const std::string program = file + ".sh";
  for (const std::string &each : {file, program}) {
    std::ofstream(each) << "#!/bin/sh\n";
  }
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);

  const RunOptions theirs = readRunOptions({"-n", "2", "--tune", file, "./prog"});
  const RunOptions ours = readRunOptions({"-n", "2", "--tune", program, "5"});
  for (const std::string &each : {file, program}) {
    std::filesystem::remove(each);
  }

  EXPECT_THAT(theirs.launcherOptions, ElementsAre("--tune", file));
  EXPECT_THAT(theirs.program, ElementsAre("./prog"));
  EXPECT_EQ(theirs.probes, 0);
  EXPECT_THAT(ours.launcherOptions, IsEmpty());
  EXPECT_THAT(ours.program, ElementsAre(program, "5"));
  EXPECT_EQ(ours.probes, 60);
}

TEST(RunOptions, ExplainsWhatIsMissing) {
  EXPECT_THAT(readRunOptions({}).problem, HasSubstr("no program"));
  EXPECT_THAT(readRunOptions({"-n"}).problem, HasSubstr("-n needs"));
  EXPECT_THAT(readRunOptions({"-n", "0", "./prog"}).problem, HasSubstr("'0'"));
  EXPECT_THAT(readRunOptions({"-n", "2x", "./prog"}).problem, HasSubstr("'2x'"));
}

TEST(RunOptions, NeedsNoProgramForHelp) {
  EXPECT_EQ(readRunOptions({"--help"}).action, RunAction::Help);
  EXPECT_EQ(readRunOptions({"--help"}).problem, "");
}

} // namespace

} // namespace tutti::driver
