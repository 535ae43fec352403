// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Command lines with files in languages of devices.
#include "driver/cuda/cuda.h"
#include "driver/cuda/listings.h"
#include "driver/device_build.h"
#include "driver/device_language.h"
#include "driver/opencl/opencl.h"
#include "driver/text_assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tutti::driver {

namespace {

namespace fs = std::filesystem;

using Arguments = std::vector<std::string>;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Installation kInstallation = {"/c/clang", "/t/lib/tutti", "/c/lib"};
const std::string kFolder = kInstallation.libraryDir;
const cuda::Toolkit kToolkit = {"/cuda", "/cuda/bin/nvcc", "/cuda/include", "/cuda/lib64"};

/// Whether `part` stands in `whole` as it is.
bool holds(const Arguments &whole, const Arguments &part) {
  return std::ranges::search(whole, part).begin() != whole.end();
}

/// Runs inside of a folder with k.cl, l.cl and k.cu.
class DeviceBuildTest : public testing::Test {
protected:
  void SetUp() override {
    const auto *test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("device_build_test_") + test->name());
    fs::create_directories(folder_);
    before_ = fs::current_path();
    fs::current_path(folder_);
    for (const char *name : {"k.cl", "l.cl", "k.cu", "odd.c"}) {
      std::ofstream(name) << "kernel\n";
    }
  }

  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  static DeviceBuild planOf(const Arguments &arguments) {
    return planDeviceBuild(arguments, readRequest(arguments), kInstallation, deviceLanguages(),
                           "/tmp/t");
  }

  /// The commands for k.cu.
  static SourcePlan cudaPlanOf(const Arguments &arguments, const cuda::Toolkit &toolkit = kToolkit,
                               const std::vector<int> &architectures = {}) {
    const std::string source = "k.cu";
    const std::string object = "k.o";
    const std::string folder = "/tmp/t";
    const CompileRequest request = readRequest(arguments);
    return cuda::planFor({source, object, folder, arguments, request, kInstallation}, toolkit,
                         architectures);
  }

  fs::path folder_;

private:
  fs::path before_;
};

TEST_F(DeviceBuildTest, KnowsFilesByExtensionAndByLanguage) {
  for (const Arguments &arguments :
       {Arguments{"a.c", "k.cl"}, {"-c", "k.cu"}, {"-x", "cl", "odd.c"}, {"-xcuda", "odd.c"}}) {
    EXPECT_TRUE(hasDeviceSources(arguments, deviceLanguages())) << arguments[0];
  }
  for (const Arguments &arguments :
       {Arguments{"a.c", "-o", "k.cl"}, {"-x", "c", "k.cl"}, {"-I", "k.cu", "a.c"}, {"a.cl.c"}}) {
    EXPECT_FALSE(hasDeviceSources(arguments, deviceLanguages())) << arguments[0];
  }
}

TEST_F(DeviceBuildTest, PutsObjectsInPlaceOfFiles) {
  const DeviceBuild build = planOf({"a.c", "k.cl", "-O2", "l.cl", "-o", "a"});

  EXPECT_EQ(build.problem, "");
  EXPECT_TRUE(build.needsClang);
  EXPECT_THAT(build.arguments,
              ElementsAre("a.c", "/tmp/t/1-k.o", "-O2", "/tmp/t/2-l.o", "-o", "a"));
  ASSERT_EQ(build.commands.size(), 2U);
  EXPECT_EQ(build.commands[0],
            (Command{"/c/clang", "-c", "-x", "assembler", "/tmp/t/1-k.s", "-o", "/tmp/t/1-k.o"}));
  ASSERT_EQ(build.files.size(), 2U);
  EXPECT_EQ(build.files[0].path, "/tmp/t/1-k.s");
}

TEST_F(DeviceBuildTest, MakesObjectsWhereTheUserWantsThem) {
  const DeviceBuild one = planOf({"-c", "k.cl"});
  EXPECT_EQ(one.commands[0].back(), "k.o");
  EXPECT_FALSE(one.needsClang);

  EXPECT_EQ(planOf({"-c", "k.cl", "-o", "b/x.o"}).commands[0].back(), "b/x.o");
  EXPECT_EQ(planOf({"-c", "-ob/x.o", "k.cl"}).commands[0].back(), "b/x.o");
  const DeviceBuild both = planOf({"-c", "k.cl", "a.c"});
  EXPECT_TRUE(both.needsClang);
  EXPECT_THAT(both.arguments, ElementsAre("-c", "a.c"));
}

TEST_F(DeviceBuildTest, ReadsObjectsAsSuchBehindALanguage) {
  const DeviceBuild build = planOf({"-x", "cl", "odd.c", "-x", "c", "a.c"});

  EXPECT_THAT(build.arguments, ElementsAre("-x", "none", "/tmp/t/1-odd.o", "-x", "c", "a.c"));
}

TEST_F(DeviceBuildTest, SaysWhatCannotBeDone) {
  EXPECT_EQ(planOf({"a.c", "missing.cl"}).problem, "missing.cl: no such file");
  EXPECT_THAT(planOf({"-S", "k.cl"}).problem, HasSubstr("with -c"));
  EXPECT_THAT(planOf({"-c", "k.cl", "a.c", "-o", "x.o"}).problem, HasSubstr("-o names one file"));
  EXPECT_THAT(planOf({"-c", "k.cl", "l.cl", "-o", "x.o"}).problem, HasSubstr("-o names one file"));
  std::ofstream("zero.cl") << std::string("a\0b", 3);
  EXPECT_THAT(planOf({"zero.cl"}).problem, HasSubstr("is no text"));
}

TEST_F(DeviceBuildTest, KeepsNamesOfTextsAsTheyAre) {
  const std::string assembly = textAssembly("texts", "a \"b\\c.cl", "/d/a \"b\\c.cl");

  EXPECT_THAT(assembly, HasSubstr(".asciz \"a \\\"b\\\\c.cl\""));
  EXPECT_THAT(assembly, HasSubstr(".incbin \"/d/a \\\"b\\\\c.cl\""));
}

TEST_F(DeviceBuildTest, LetsNvccCompileWithTheOptionsOfBoth) {
  const SourcePlan plan =
      cudaPlanOf({"-c", "k.cu", "-Iinclude", "-D", "A=1", "-O3", "-g", "-std=gnu++20", "-fPIC",
                  "-Wthread-safety", "-fopenmp", "-mllvm", "-x", "-fompss-2", "-MD", "-MF", "k.d"});

  ASSERT_EQ(plan.commands.size(), 1U);
  const Command &command = plan.commands[0];
  EXPECT_EQ(command[0], "/cuda/bin/nvcc");
  for (const Arguments &part : {Arguments{"-c", "k.cu", "-o", "k.o"},
                                {"-Iinclude", "-D", "A=1"},
                                {"-O3", "-g", "-std=c++20", "-Xcompiler=-fPIC"},
                                {"-MD", "-MF", "k.d"},
                                {"-Xcompiler", "-D_OMPSS_2=1"},
                                {"-diag-suppress=161", "-Xcompiler=-Wno-unknown-pragmas"}}) {
    EXPECT_TRUE(holds(command, part)) << part[0] << '\n' << testing::PrintToString(command);
  }
  for (const char *word : {"-Wthread-safety", "-fopenmp", "-mllvm", "-fompss-2", "-x=cu"}) {
    EXPECT_THAT(command, Not(Contains(HasSubstr(word))));
  }
}

TEST_F(DeviceBuildTest, WritesCodeForTheGpusThatThereAre) {
  EXPECT_TRUE(
      holds(cudaPlanOf({"k.cu"}).commands[0], {"-gencode=arch=compute_75,code=compute_75"}));
  EXPECT_TRUE(holds(cudaPlanOf({"k.cu"}, kToolkit, {80, 90}).commands[0],
                    {"-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90",
                     "-gencode=arch=compute_80,code=compute_80"}));
}

TEST_F(DeviceBuildTest, WritesCodeForTheGpusThatTheUserNames) {
  for (const Arguments &wish :
       {Arguments{"-arch=sm_86"}, {"-arch", "sm_86"}, {"-gencode", "arch=compute_86,code=sm_86"}}) {
    Arguments arguments = {"k.cu", "a.c"};
    arguments.insert(arguments.end(), wish.begin(), wish.end());
    const SourcePlan plan = cudaPlanOf(arguments, kToolkit, {90});
    EXPECT_TRUE(holds(plan.commands[0], wish));
    EXPECT_THAT(plan.commands[0], Not(Contains(HasSubstr("compute_90"))));
    EXPECT_THAT(planOf(arguments).arguments, ElementsAre(HasSubstr("k.o"), "a.c"));
  }
  const SourcePlan clangs = cudaPlanOf({"k.cu", "--cuda-gpu-arch=sm_86"}, kToolkit, {90});
  EXPECT_THAT(clangs.commands[0], Contains("-gencode=arch=compute_86,code=[compute_86,sm_86]"));
}

TEST_F(DeviceBuildTest, LetsClangCompileWhereThereIsNoNvcc) {
  cuda::Toolkit toolkit = kToolkit;
  toolkit.nvcc.clear();

  const SourcePlan plan = cudaPlanOf(
      {"-c", "k.cu", "-o", "k.o", "-O2", "-arch=sm_80", "-std=c11", "-fompss-2"}, toolkit);

  ASSERT_EQ(plan.commands.size(), 3U);
  EXPECT_TRUE(holds(plan.commands[0], {"/c/clang", "-x", "cuda", "k.cu", "--cuda-path=/cuda"}));
  EXPECT_TRUE(holds(plan.commands[0], {"--cuda-device-only", "--cuda-gpu-arch=sm_80", "-S", "-o",
                                       "/tmp/t/k-80.ptx"}));
  EXPECT_EQ(plan.commands[1], (Command{"/cuda/bin/fatbinary", "--create=/tmp/t/k.fatbin", "--64",
                                       "--image3=kind=ptx,sm=80,file=/tmp/t/k-80.ptx"}));
  EXPECT_TRUE(holds(plan.commands[2], {"--cuda-host-only"}));
  EXPECT_TRUE(holds(plan.commands[2], {"-c", "-o", "k.o"}));
  for (const Command &command : plan.commands) {
    EXPECT_THAT(command, Not(Contains("-std=c11")));
    EXPECT_THAT(command, Not(Contains("-fompss-2")));
  }
}

TEST_F(DeviceBuildTest, KeepsTheCodeOfKernels) {
  const SourcePlan plan = cudaPlanOf({"-c", "k.cu", "-o", "k,\"x.o"});
  const auto option = std::ranges::find(plan.commands[0], "--keep-dir");
  ASSERT_LT(option + 1, plan.commands[0].end());
  EXPECT_THAT(option[1], testing::MatchesRegex("/tmp/t/[0-9]+.kept"));
  EXPECT_THAT(plan.commands[0], Contains("--keep"));
  EXPECT_TRUE(plan.later);

  for (const char *flags : {"-O2 --keep-dir=x", "-save-temps", "--objtemp"}) {
    ::setenv("NVCC_APPEND_FLAGS", flags, 1);
    const SourcePlan without = cudaPlanOf({"-c", "k.cu", "-o", "k.o"});
    ::unsetenv("NVCC_APPEND_FLAGS");
    EXPECT_THAT(without.commands[0], Not(Contains("--keep"))) << flags;
    EXPECT_FALSE(without.later) << flags;
  }
}

TEST_F(DeviceBuildTest, KeepsKernelsOfPtxThatCallNothing) {
  const std::string head = ".version 9.0\n.file 1 \"k.cu\"\n.func other() { ret; }\n";
  const std::string first = ".entry first(\n\t.param .u64 a // the cells }\n)\n{\n\t.loc 1 3 5\n"
                            "\tst.global.v2.f32 [%rd1], {%f1, %f2};\n\tret;\n}\n";

  EXPECT_EQ(cuda::kernelsIn(head + ".visible " + first +
                            ".visible .entry second()\n{\n\tcall.uni other, ();\n\tret;\n}\n"),
            ".entry first(\n\t.param .u64 a\n)\n{\n"
            "\tst.global.v2.f32 [%rd1], {%f1, %f2};\n\tret;\n}\n"
            ".entry second()\n{\n}\n");
  EXPECT_EQ(cuda::kernelsIn(head), "");
  EXPECT_EQ(cuda::kernelsIn(".entry cut(\n)\n{\n\tret;\n"), "");
}

TEST_F(DeviceBuildTest, SaysThatThereIsNoToolkit) {
  EXPECT_THAT(cudaPlanOf({"k.cu"}, {}).problem, HasSubstr("k.cu: no CUDA toolkit is found"));
}

TEST_F(DeviceBuildTest, LinksTheRuntimeLibraryThatKnowsKernels) {
  const Arguments none = {"a.o"};
  const Arguments given = {"a.o", "-lcudart"};
  const Arguments registering = {"k.o"};
  std::ofstream("k.o") << "..__cudaRegisterFatBinary..";
  std::ofstream("a.o") << "..main..";

  EXPECT_THAT(cuda::linkOptionsFor({none, false, kFolder}, kToolkit), IsEmpty());
  EXPECT_THAT(cuda::linkOptionsFor({none, true, kFolder}, {}), IsEmpty());
  for (const auto &options : {cuda::linkOptionsFor({none, true, kFolder}, kToolkit),
                              cuda::linkOptionsFor({registering, false, kFolder}, kToolkit)}) {
    EXPECT_THAT(options, Contains("-L/cuda/lib64"));
    EXPECT_TRUE(holds(options, {"-lcudart_static", "-ldl", "-lrt", "-lpthread"}));
    // What makes managed memory goes through Tutti.
    EXPECT_TRUE(holds(options, {"-Wl,--wrap=cudaMallocManaged", "-Wl,--wrap=cudaFree",
                                kFolder + "/cuda_managed.o"}));
  }
  const auto shared = cuda::linkOptionsFor({given, true, kFolder}, kToolkit);
  EXPECT_THAT(shared, Contains("-L/cuda/lib64"));
  EXPECT_THAT(shared, Not(Contains("-lcudart_static")));
}

TEST_F(DeviceBuildTest, LeavesOtherCommandsAsTheyAre) {
  const Arguments arguments = {"-c", "a.c"};

  const Additions additions =
      additionsFor(arguments, readRequest(arguments), kInstallation, deviceLanguages());

  EXPECT_THAT(additions.host, IsEmpty());
  EXPECT_THAT(additions.link, IsEmpty());
}

TEST(DeviceBuild, AddsBehindWhatEndsTheProgramsVariables) {
  const Arguments arguments = {"a.o"};
  const Additions additions = {{"-idirafter", "/cuda/include"}, {"-lcudart_static"}};

  const Command command =
      compileCommand(readRequest(arguments), arguments, kInstallation, false, additions);

  const auto end = std::ranges::find(command, "/t/lib/tutti/crt_end.o");
  ASSERT_NE(end, command.end());
  EXPECT_NE(std::find(end, command.end(), "-lcudart_static"), command.end());
  EXPECT_TRUE(holds(command, {"-idirafter", "/cuda/include"}));
}

} // namespace

} // namespace tutti::driver
