// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/compile_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace tutti::driver {

namespace {

using Arguments = std::vector<std::string>;

const Installation kInstallation = {"/c/clang", "/t/lib/tutti", "/c/lib"};

Arguments commandFor(const Arguments &arguments, bool isCxx = false) {
  return compileCommand(readRequest(arguments), arguments, kInstallation, isCxx);
}

std::ptrdiff_t position(const Arguments &command, const std::string &argument) {
  return std::find(command.begin(), command.end(), argument) - command.begin();
}

bool has(const Arguments &command, const std::string &argument) {
  return std::find(command.begin(), command.end(), argument) != command.end();
}

TEST(CompileRequest, LinksUnlessToldToStop) {
  EXPECT_EQ(readRequest({"a.c"}).product, Product::Executable);
  EXPECT_EQ(readRequest({"a.o", "-o", "a"}).product, Product::Executable);
  EXPECT_EQ(readRequest({"-shared", "a.o"}).product, Product::SharedLibrary);
  EXPECT_EQ(readRequest({"-r", "a.o", "b.o"}).product, Product::Relocatable);
  for (const char *stop : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--analyze"}) {
    EXPECT_EQ(readRequest({stop, "a.c"}).product, Product::Intermediate) << stop;
  }
}

TEST(CompileRequest, WritesDependenciesWhileLinking) {
  EXPECT_EQ(readRequest({"-MMD", "-MF", "a.d", "a.c"}).product, Product::Executable);
}

TEST(CompileRequest, TakesNoValueOfAnOptionForAnInput) {
  EXPECT_EQ(readRequest({"-o", "a"}).product, Product::Nothing);
  EXPECT_EQ(readRequest({"-v"}).product, Product::Nothing);
  EXPECT_EQ(readRequest({"-x", "c", "-I", "dir", "-D", "A=1"}).product, Product::Nothing);
  EXPECT_EQ(readRequest({}).product, Product::Nothing);
}

TEST(CompileRequest, AnswersQuestionsWithoutLinking) {
  for (const char *question :
       {"--version", "-print-search-dirs", "--print-file-name=libc.so", "-dumpmachine", "--help"}) {
    EXPECT_EQ(readRequest({question}).product, Product::Nothing) << question;
  }
}

TEST(CompileRequest, ReadsStandardInputAsAnInput) {
  EXPECT_EQ(readRequest({"-x", "c", "-"}).product, Product::Executable);
}

TEST(CompileRequest, PrecompilesHeaders) {
  EXPECT_EQ(readRequest({"a.h"}).product, Product::Intermediate);
  EXPECT_EQ(readRequest({"-x", "c++-header", "a"}).product, Product::Intermediate);
}

TEST(CompileRequest, LooksIntoResponseFiles) {
  const std::string path = std::filesystem::temp_directory_path() / "tutti_compile_request_test";
  std::ofstream(path) << "-c 'a b.c'\n-DX=\"1 2\"";

  const CompileRequest request = readRequest({"@" + path});
  std::filesystem::remove(path);

  EXPECT_EQ(request.product, Product::Intermediate);
}

TEST(CompileRequest, KeepsTheOptionsOfOmpSsFromClang) {
  const Arguments on = commandFor({"-fompss-2", "a.c"});
  EXPECT_TRUE(has(on, "-D_OMPSS_2=1"));
  EXPECT_FALSE(has(on, "-fompss-2"));
  EXPECT_TRUE(has(on, "-U_OPENMP"));
  EXPECT_TRUE(has(on, "-fplugin-arg-tutti_openmp-ignored"));
  EXPECT_FALSE(has(commandFor({"-fompss-2", "-fopenmp", "a.c"}), "-U_OPENMP"));
  EXPECT_FALSE(has(commandFor({"-fompss-2", "-fxmp", "a.c"}), "-U_OPENMP"));
  EXPECT_FALSE(has(commandFor({"a.c"}), "-U_OPENMP"));
  const Arguments spelled = commandFor({"-fompss-2=libnanos6", "a.c"});
  EXPECT_TRUE(has(spelled, "-D_OMPSS_2=1"));
  EXPECT_FALSE(has(spelled, "-fompss-2=libnanos6"));
  const Arguments off = commandFor({"-fompss-2", "-fno-ompss-2", "a.c"});
  EXPECT_TRUE(has(off, "-fplugin-arg-tutti-no-ompss"));
  EXPECT_FALSE(has(off, "-D_OMPSS_2=1"));
  EXPECT_FALSE(has(off, "-fno-ompss-2"));
  const Arguments plain = commandFor({"a.c"});
  EXPECT_FALSE(has(plain, "-D_OMPSS_2=1"));
  EXPECT_FALSE(has(plain, "-fplugin-arg-tutti-no-ompss"));
}

TEST(CompileRequest, KnowsTheRuntimesOfOmpSsByName) {
  EXPECT_EQ(problemOf({"-fompss-2=libnanos6", "-fompss-2=libnodes", "-fompss-2"}), "");
  EXPECT_NE(problemOf({"-fompss-2=libnanos"}), "");
}

TEST(CompileRequest, LetsTheLastOfOpposedOptionsDecide) {
  EXPECT_TRUE(readRequest({"-no-pie", "-pie", "a.c"}).asksForPie);
  EXPECT_FALSE(readRequest({"-pie", "-no-pie", "a.c"}).asksForPie);
  EXPECT_FALSE(readRequest({"-flto=thin", "-fno-lto", "a.c"}).asksForLto);
  EXPECT_TRUE(readRequest({"-flto=thin", "-fno-lto", "a.c"}).refusesLto);
  EXPECT_FALSE(readRequest({"-fno-lto", "-flto", "a.c"}).refusesLto);
}

TEST(CompileCommand, TellsThePassesThatObjectsShallNotCarryCode) {
  EXPECT_TRUE(has(commandFor({"-O3", "-fno-lto", "-c", "a.c"}), "-fplugin-arg-tutti-no-code"));
  EXPECT_FALSE(has(commandFor({"-O3", "-c", "a.c"}), "-fplugin-arg-tutti-no-code"));
}

TEST(CompileCommand, EnclosesTheInputsInTheStartAndEndObjects) {
  const Arguments command = commandFor({"-O3", "a.c", "libb.a", "-lm", "-o", "a"});

  EXPECT_LT(position(command, "/t/lib/tutti/crt_begin.o"), position(command, "a.c"));
  EXPECT_LT(position(command, "/t/lib/tutti/libtutti_link.so"), position(command, "-lm"));
  EXPECT_LT(position(command, "-lm"), position(command, "/t/lib/tutti/libtutti_xmp.a"));
  EXPECT_LT(position(command, "/t/lib/tutti/libtutti_xmp.a"),
            position(command, "/t/lib/tutti/crt_end.o"));
  EXPECT_TRUE(has(command, "-no-pie"));
}

TEST(CompileCommand, BuildsSharedLibrariesWithoutNoPie) {
  const Arguments command = commandFor({"-shared", "-fPIC", "a.c"});

  EXPECT_TRUE(has(command, "/t/lib/tutti/crt_begin_shared.o"));
  EXPECT_FALSE(has(command, "-no-pie"));
}

TEST(CompileCommand, AddsNothingForTheLinkerWhenItDoesNotRun) {
  for (const Arguments &arguments :
       {Arguments{"-c", "a.c"}, Arguments{"-v"}, Arguments{"-r", "a.o"}}) {
    const Arguments command = commandFor(arguments);

    EXPECT_FALSE(has(command, "-Xlinker")) << arguments[0];
  }
}

TEST(CompileCommand, RunsTheClangThatHoldsFrontEndAndPasses) {
  const Arguments command = commandFor({"-c", "a.c"});

  EXPECT_EQ(command[0], "/t/lib/tutti/tutti-clang");
  EXPECT_EQ(command[1], "/c/clang");
}

TEST(CompileCommand, PassesInternalCallsUntouched) {
  EXPECT_THAT(
      commandFor({"-cc1", "-emit-obj", "a.c"}),
      testing::ElementsAre("/t/lib/tutti/tutti-clang", "/c/clang", "-cc1", "-emit-obj", "a.c"));
}

TEST(CompileCommand, KeepsInputsThatFollowADoubleDash) {
  const Arguments command = commandFor({"-c", "--", "-a.c"});

  EXPECT_TRUE(has(command, "./-a.c"));
  EXPECT_FALSE(has(command, "--"));
}

TEST(CompileCommand, LinksMpiWithObjectsOfXcalableMP) {
  EXPECT_TRUE(has(commandFor({"-fxmp", "a.o", "-o", "a"}), "--as-needed"));
  EXPECT_FALSE(has(commandFor({"a.o", "-o", "a"}), "--as-needed"));
  EXPECT_FALSE(has(commandFor({"-fno-xmp", "a.o", "-o", "a"}), "--as-needed"));
}

TEST(CompileCommand, SelectsTheLanguageByTheNameItIsCalledBy) {
  EXPECT_FALSE(has(commandFor({"-c", "a.c"}), "--driver-mode=g++"));
  EXPECT_TRUE(has(commandFor({"-c", "a.c"}, true), "--driver-mode=g++"));
}

TEST(ResponseFile, SplitsAtSpaceOutsideOfQuotes) {
  EXPECT_THAT(splitResponseFile("-c  'a b' \"c\\\"d\" e\\ f ''\n"),
              testing::ElementsAre("-c", "a b", "c\"d", "e f", ""));
}

} // namespace

} // namespace tutti::driver
