// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/luna_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::driver {

namespace {

using testing::ElementsAre;

TEST(LunaOptions, LeavesWhatStandsBehindTheProgramToIt) {
  const LunaOptions options = readLunaOptions({"-q", "-O0", "a/prog.fa", "-n", "--help"});

  EXPECT_EQ(options.problem, "");
  EXPECT_EQ(options.program, "a/prog.fa");
  EXPECT_THAT(options.arguments, ElementsAre("-n", "--help"));
  EXPECT_THAT(options.compileOptions, ElementsAre("-w", "-O0"));
  EXPECT_THAT(options.cppFolders, ElementsAre("a"));
  EXPECT_FALSE(options.asksForHelp);
}

TEST(LunaOptions, ReadsValuesInOneWordOrTwo) {
  const LunaOptions options =
      readLunaOptions({"-D", "A=1", "-DB", "-n", "3", "--worker-threads-count=2", "--cpp-dir=x:y",
                       "--cpp-source", "a.cpp:b\\:c.cpp", "p.fa"});

  EXPECT_EQ(options.problem, "");
  EXPECT_THAT(options.compileOptions, ElementsAre("-DA=1", "-DB"));
  EXPECT_EQ(options.ranks, 3);
  EXPECT_EQ(options.threads, 2);
  EXPECT_THAT(options.cppFolders, ElementsAre("x", "y"));
  EXPECT_THAT(options.cppSources, ElementsAre("a.cpp", "b:c.cpp"));
}

TEST(LunaOptions, TakesTheFolderOfTheProgramForItsProcedures) {
  EXPECT_THAT(readLunaOptions({"p.fa"}).cppFolders, ElementsAre("."));
}

TEST(LunaOptions, SaysWhatIsWrong) {
  EXPECT_EQ(readLunaOptions({}).problem, "no program specified");
  EXPECT_EQ(readLunaOptions({"-q"}).problem, "no program specified");
  EXPECT_EQ(readLunaOptions({"--nonsense", "p.fa"}).problem, "argument not recognized: --nonsense");
  EXPECT_EQ(readLunaOptions({"-D"}).problem, "no value provided for key: -D");
  EXPECT_EQ(readLunaOptions({"-n", "0", "p.fa"}).problem, "expected a positive number: -n");
  EXPECT_EQ(readLunaOptions({"--help"}).problem, "");
}

} // namespace

} // namespace tutti::driver
