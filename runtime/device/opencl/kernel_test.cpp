// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which texts are built together, with a library that notes what it is asked to build.
#include "runtime/device/opencl/kernel.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace tutti::device::opencl {

namespace {

/// What the library was asked to build, one behind the other.
std::vector<std::string> built;

template <typename T> T handleOf(std::size_t number) { return reinterpret_cast<T>(number); }

/// A compiler that accepts all but texts with the word "error".
Library noting() {
  Library library;
  library.createProgramWithSource = [](Context, Uint count, const char **texts, const Size *,
                                       Int *code) {
    std::string all;
    for (Uint i = 0; i < count; ++i) {
      all += texts[i];
    }
    built.push_back(all);
    *code = kSuccess;
    return handleOf<Program>(built.size());
  };
  library.buildProgram = [](Program program, Uint, const DeviceId *, const char *, BuildCallback,
                            void *) {
    const std::string &text = built[reinterpret_cast<std::size_t>(program) - 1];
    return text.find("error") == std::string::npos ? kSuccess : kBuildFailure;
  };
  library.getProgramBuildInfo = [](Program, DeviceId, Uint, Size, void *, Size *size) {
    if (size) {
      *size = 0;
    }
    return kSuccess;
  };
  library.releaseProgram = [](Program) { return kSuccess; };
  library.createKernel = [](Program program, const char *, Int *code) {
    *code = kSuccess;
    return reinterpret_cast<NativeKernel>(program);
  };
  library.releaseKernel = [](NativeKernel) { return kSuccess; };
  library.getKernelWorkGroupInfo = [](NativeKernel, DeviceId, Uint, Size, void *, Size *) {
    return kSuccess;
  };
  library.getKernelInfo = [](NativeKernel, Uint, Size, void *, Size *) { return kSuccess; };
  return library;
}

class OpenclKernels : public testing::Test {
protected:
  void SetUp() override { built.clear(); }

  /// The number of the program in which a kernel is, from 1 on; 0 if there is none.
  std::size_t load(const tutti_kernel &kernel) {
    const auto loaded = kernels_.load(kernel);
    return loaded ? reinterpret_cast<std::size_t>((*loaded)->native()) : 0;
  }

  static tutti_kernel kernel(const char *name, const char *text) {
    return {TUTTI_KERNEL_OPENCL_C, 0, name, text};
  }

  const Library library_ = noting();
  const Builder builder_{library_, nullptr, nullptr, ""};
  Kernels kernels_{builder_};
};

TEST_F(OpenclKernels, OfWhichNobodyHasToldAreBuiltAlone) {
  const std::array all{kernel("a", "A;"), kernel("b", "B;")};

  EXPECT_EQ(load(all[1]), 1);
  EXPECT_EQ(load(all[0]), 2);
  EXPECT_EQ(built, (std::vector<std::string>{"B;", "A;"}));
}

TEST_F(OpenclKernels, ThatAreExpectedAreBuiltTogether) {
  const char *text = "A;"; // Of two kernels.
  const std::array all{kernel("a", text), kernel("b", "B;"), kernel("combine", text)};
  for (const tutti_kernel &each : all) {
    kernels_.expect(each);
  }

  EXPECT_TRUE(built.empty()) << "until one is wanted";
  for (const tutti_kernel &each : all) {
    EXPECT_EQ(load(each), 1);
  }
  EXPECT_EQ(built, (std::vector<std::string>{"A;B;"}));
}

TEST_F(OpenclKernels, OfTheSameNameAreBuiltApart) {
  const std::array all{kernel("a", "A;"), kernel("b", "B;"), kernel("a", "C;"), kernel("d", "D;")};
  for (const tutti_kernel &each : all) {
    kernels_.expect(each);
  }

  EXPECT_EQ(load(all[3]), 1);
  EXPECT_EQ(load(all[0]), 2);
  EXPECT_EQ(load(all[2]), 1);
  EXPECT_EQ(built, (std::vector<std::string>{"C;D;", "A;B;"}));
}

TEST_F(OpenclKernels, ThatDoNotBuildLeaveTheOthersAlone) {
  const std::array all{kernel("a", "A;"), kernel("b", "error;"), kernel("c", "C;")};
  for (const tutti_kernel &each : all) {
    kernels_.expect(each);
  }

  EXPECT_EQ(load(all[0]), 2);
  EXPECT_EQ(load(all[2]), 3);
  EXPECT_EQ(load(all[1]), 0);
  EXPECT_EQ(built, (std::vector<std::string>{"A;error;C;", "A;", "C;", "error;"}));
}

TEST_F(OpenclKernels, AreBuiltInBatchesThatDoNotGrowWithTheProgram) {
  std::vector<std::string> names;
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) {
    names.push_back("k" + std::to_string(i));
    texts.push_back(std::string(10000, 'x') + names.back());
  }
  std::vector<tutti_kernel> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(kernel(names[i].c_str(), texts[i].c_str()));
    kernels_.expect(all.back());
  }

  EXPECT_NE(load(all[50]), 0);
  ASSERT_EQ(built.size(), 1);
  EXPECT_LE(built[0].size(), 64 << 10);
  EXPECT_GE(built[0].size(), 50 << 10);
}

} // namespace

} // namespace tutti::device::opencl
