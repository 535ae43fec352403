// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/inspectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::driver {

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

const std::string kExactFaults = "--vex-iropt-register-updates=allregs-at-mem-access";

TEST(Inspectors, LeaveOtherProgramsAsTheyAre) {
  const Inspected other = inspected({"./prog", "gdb", "valgrind"}, 2, "");

  EXPECT_FALSE(other.isInspected);
  EXPECT_THAT(other.program, ElementsAre("./prog", "gdb", "valgrind"));
  EXPECT_EQ(other.heap, "");
}

TEST(Inspectors, TellGdbThatFaultsPassAndWhereCrashesAreSeen) {
  const Inspected gdb = inspected({"/usr/bin/gdb", "--args", "./prog", "7"}, 2, "");

  EXPECT_TRUE(gdb.isInspected);
  EXPECT_THAT(gdb.program, ElementsAre("/usr/bin/gdb", "-iex", "handle SIGSEGV nostop noprint pass",
                                       "-iex", "set breakpoint pending on", "-iex",
                                       "break tutti_at_crash", "--args", "./prog", "7"));
}

TEST(Inspectors, AreFoundInWindowsOfTheirOwn) {
  const Inspected gdb = inspected({"xterm", "-e", "gdb", "./prog"}, 2, "");

  EXPECT_TRUE(gdb.isInspected);
  EXPECT_EQ(gdb.program[3], "-iex");
  EXPECT_EQ(gdb.program.back(), "./prog");
  EXPECT_FALSE(inspected({"xterm", "-e"}, 2, "").isInspected);
}

TEST(Inspectors, KeepValgrindFromAllAddressesOfTheHeap) {
  const Inspected one = inspected({"valgrind", "./prog"}, 1, "");
  const Inspected two = inspected({"valgrind", "./prog", "--leak-check"}, 2, "");

  EXPECT_THAT(one.program, ElementsAre("valgrind", kExactFaults,
                                       "--soname-synonyms=somalloc=nouserintercepts", "./prog"));
  EXPECT_EQ(one.heap, "");
  EXPECT_THAT(two.program,
              ElementsAre("valgrind", "--leak-check=no", kExactFaults,
                          "--soname-synonyms=somalloc=nouserintercepts", "./prog", "--leak-check"));
  EXPECT_EQ(two.heap, "8G");
}

TEST(Inspectors, GiveWhatTheUserSaysTheLastWord) {
  const Inspected tool = inspected({"valgrind", "--tool=callgrind", "./prog"}, 2, __FILE__);
  const Inspected leaks = inspected(
      {"valgrind", "--leak-check=full", "--soname-synonyms=somalloc=x", "./prog"}, 2, __FILE__);

  EXPECT_THAT(tool.program, Not(Contains("--leak-check=no")));
  EXPECT_THAT(leaks.program,
              ElementsAre("valgrind", kExactFaults, "--suppressions=" + std::string(__FILE__),
                          "--leak-check=full", "--soname-synonyms=somalloc=x", "./prog"));
}

} // namespace

} // namespace tutti::driver
