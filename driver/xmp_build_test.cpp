// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/commands.h"
#include "driver/xmp_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace tutti::driver {

namespace {

using Arguments = std::vector<std::string>;
using testing::Contains;
using testing::Not;

const Installation kInstallation = {"/c/clang", "/t/lib/tutti", "/c/lib"};

class XmpBuildTest : public testing::Test {
protected:
  std::string file(const std::string &name, const std::string &text) const {
    std::ofstream(folder_.path() + "/" + name) << text;
    return folder_.path() + "/" + name;
  }

  static bool isXmp(const Arguments &arguments) {
    return hasXmpSources(arguments, readRequest(arguments));
  }

  XmpBuild plan(const Arguments &arguments) const {
    return planXmpBuild(arguments, readRequest(arguments), kInstallation, "/tmp/f");
  }

private:
  TemporaryFolder folder_;
};

TEST_F(XmpBuildTest, FindsFilesByTheirPragmas) {
  EXPECT_TRUE(isXmp({file("a.c", "int x;\n  # pragma  xmp nodes p[*]\n")}));
  EXPECT_FALSE(isXmp({file("b.c", "#pragma omp parallel\n#pragma xmpx\n")}));
  EXPECT_FALSE(isXmp({file("c.cpp", "#pragma xmp nodes p[*]\n")}));
}

TEST_F(XmpBuildTest, ObeysTheOptions) {
  const std::string with = file("a.c", "#pragma xmp nodes p[*]\n");
  const std::string without = file("b.c", "int x;\n");

  EXPECT_TRUE(isXmp({"-fxmp", without}));
  EXPECT_FALSE(isXmp({"-fno-xmp", with}));
  EXPECT_FALSE(isXmp({"-MM", with}));
}

TEST_F(XmpBuildTest, GivesClangWhatWasWritten) {
  const std::string source = file("a.c", "#pragma xmp nodes p[*]\n");

  const XmpBuild build = plan({"-O2", "-DA=1", source, "b.o", "-lm", "-o", "prog"});

  ASSERT_EQ(build.commands.size(), 1U);
  EXPECT_EQ(build.commands[0][0], "/t/lib/tutti/tutti-clang");
  EXPECT_EQ(build.commands[0][1], "--xmp");
  EXPECT_EQ(build.commands[0][2], "/tmp/f/0/a.i");
  EXPECT_THAT(build.commands[0], Contains("-DA=1"));
  EXPECT_THAT(build.commands[0], Not(Contains("b.o")));
  EXPECT_THAT(build.arguments, Contains("/tmp/f/0/a.i"));
  EXPECT_THAT(build.arguments, Contains("b.o"));
  EXPECT_THAT(build.arguments, Contains("-Wno-gnu-line-marker"));
  EXPECT_THAT(build.arguments, Not(Contains(source)));
  EXPECT_TRUE(build.needsClang);
}

TEST_F(XmpBuildTest, PrintsWithoutClang) {
  const std::string source = file("a.c", "#pragma xmp nodes p[*]\n");

  EXPECT_FALSE(plan({"-E", source}).needsClang);
  EXPECT_EQ(plan({"-E", source}).commands[0][2], "-");
  EXPECT_EQ(plan({"-E", source, "-o", "x"}).commands[0][2], "x");
}

TEST_F(XmpBuildTest, TakesFilesOfOneNameApart) {
  const std::string source = file("a.c", "#pragma xmp nodes p[*]\n");

  const XmpBuild build = plan({"-c", source, source});

  ASSERT_EQ(build.commands.size(), 2U);
  EXPECT_NE(build.commands[0][2], build.commands[1][2]);
}

TEST_F(XmpBuildTest, JoinsCommandsInTheirOrder) {
  EXPECT_EQ(joined({{"t", "a"}}), (Command{"t", "a"}));
  EXPECT_EQ(
      joined({{"t", "--xmp", "x"}, {"t", "--xmp", "y", "z"}, {"t", "c", "-O3"}}),
      (Command{"t", "--first", "2", "--xmp", "x", "--first", "3", "--xmp", "y", "z", "c", "-O3"}));
}

} // namespace

} // namespace tutti::driver
