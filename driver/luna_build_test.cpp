// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/luna_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::driver {

namespace {

using Arguments = std::vector<std::string>;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

LunaBuild plan(const Arguments &arguments) {
  return planLunaBuild(arguments, {"/c/clang", "/t/lib/tutti", "/c/lib"}, "/tmp/f");
}

TEST(LunaBuild, CompilesWhatTheStepWroteInPlaceOfTheProgram) {
  const LunaBuild build = plan({"-O2", "a/p.fa", "u.cpp", "-o", "p"});

  EXPECT_EQ(build.problem, "");
  EXPECT_THAT(build.step, ElementsAre("/t/lib/tutti/tutti-luna-cpp", "/tmp/f/p.cpp", "a/p.fa"));
  EXPECT_EQ(build.compile[0], "/t/lib/tutti/../../bin/tuttic++");
  EXPECT_THAT(build.compile, Contains("/tmp/f/p.cpp"));
  EXPECT_THAT(build.compile, Contains("u.cpp"));
  EXPECT_THAT(build.compile, Contains("-fplugin-arg-tutti-luna-imports=/tmp/f/p.cpp.imports"));
  EXPECT_THAT(build.compile, Contains("-DTUTTI_LUNA"));
  EXPECT_THAT(build.compile, Contains("/tmp/f/p.cpp.natives.h"));
  EXPECT_THAT(build.compile, Not(Contains("a/p.fa")));
}

TEST(LunaBuild, GivesOptionsToThoseWhoUnderstandThem) {
  const LunaBuild build = plan({"-D", "N=3", "-Ix", "-fcheck", "--std=luna",
                                "--disable-warning=W-ANN", "-Wall", "-Werror", "p.fa"});

  EXPECT_THAT(build.step,
              ElementsAre("/t/lib/tutti/tutti-luna-cpp", "/tmp/f/p.cpp", "-D", "N=3", "-Ix",
                          "-fcheck", "--std=luna", "--disable-warning=W-ANN", "-Werror", "p.fa"));
  EXPECT_THAT(build.compile, Contains("N=3"));
  EXPECT_THAT(build.compile, Contains("-Wall"));
  EXPECT_THAT(build.compile, Not(Contains("-fcheck")));
  EXPECT_THAT(build.compile, Not(Contains("--std=luna")));
}

TEST(LunaBuild, OnlyChecksWhereNothingElseIsWanted) {
  const LunaBuild build = plan({"-fsyntax-only", "p.fa"});

  EXPECT_THAT(build.step, ElementsAre("/t/lib/tutti/tutti-luna-cpp", "", "p.fa"));
  EXPECT_THAT(build.compile, IsEmpty());
}

TEST(LunaBuild, WantsOneProgram) {
  EXPECT_EQ(plan({"u.cpp"}).problem, "no program specified");
  EXPECT_EQ(plan({"a.fa", "b.fa"}).problem, "multiple programs specified: a.fa, b.fa");
}

TEST(LunaBuild, RefusesTwoSourcesThatGiveTheSameFile) {
  for (const char *option : {"-c", "-S"}) {
    EXPECT_THAT(plan({option, "a/x.fa", "x.cpp"}).problem,
                HasSubstr("a/x.fa and x.cpp would be written to the same file"));
    EXPECT_EQ(plan({option, "x.fa", "y.cpp", "x.o"}).problem, "");
  }
  EXPECT_EQ(plan({"x.fa", "x.cpp", "-o", "x"}).problem, "");
}

const std::string kImports = "c_f\tp.fa\t3\t8\nc_g\tp.fa\t4\t8\n";

TEST(MissingProcedures, AreErrorsAtTheirImports) {
  const std::string said =
      "/usr/bin/ld: /tmp/p.o: in function `stub_0(tutti_luna_argument const*)':\n"
      "p.fa:(.text+0x2): undefined reference to `c_f'\n"
      "/usr/bin/ld: p.fa:(.text+0x9): undefined reference to `c_f'\n"
      "clang: error: linker command failed with exit code 1\n";

  EXPECT_EQ(withMissingProcedures(said, kImports),
            "p.fa:3:8: error: no procedure 'c_f' (imported at line 3) [E-CODE]\n");
}

TEST(MissingProcedures, LeaveOtherMessagesAsTheyAre) {
  const std::string said = "u.cpp:1:1: warning: w\n"
                           "/usr/bin/ld: u.o: in function `f':\n"
                           "u.cpp:3: undefined reference to `other'\n"
                           "clang: error: linker command failed with exit code 1\n";

  EXPECT_EQ(withMissingProcedures(said, kImports), said);
  EXPECT_THAT(withMissingProcedures(said + "x: undefined reference to `c_g'\n", kImports),
              HasSubstr("no procedure 'c_g'"));
}

TEST(MissingProcedures, AreToldFromVersionsForDevicesOfOtherTypes) {
  const std::string imports = kImports + "c_f_cuda\tp.fa\t3\t8\tQisVN\n";
  const std::string types = "p.fa:3:8: error: 'c_f_cuda' has other C++ types than the import says, "
                            "(luna::gpu::Queue &, int, const char *, const luna::gpu::In &, "
                            "luna::gpu::Out &) [E-SIG]\n";
  for (const std::string said :
       {"k.cu(4): error: more than one instance of overloaded function \"c_f_cuda\" has \"C\" "
        "linkage\n",
        "k.cu:4:17: error: conflicting types for 'c_f_cuda'\n"}) {
    EXPECT_EQ(withMissingProcedures(said, imports), types + said);
  }
  const std::string other = "k.cu:4:17: error: conflicting types for 'c_g'\n";
  EXPECT_EQ(withMissingProcedures(other, imports), other);
}

} // namespace

} // namespace tutti::driver
