// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The text around kernels of the user's.
#include "runtime/device/opencl/wrapper.h"

#include <gtest/gtest.h>

#include <array>

namespace tutti::device::opencl {

namespace {

using Kind = Parameter::Kind;

TEST(OpenclWrapper, TakesOffsetsForPointers) {
  const std::array kernels{Signature{"axpy",
                                     {{Kind::Value, "long", "n"},
                                      {Kind::Global, "double*", "x"},
                                      {Kind::Constant, "int*", "c"},
                                      {Kind::Local, "float*", "l"}},
                                     {}}};

  EXPECT_EQ(wrappersOf(kernels),
            "\n__kernel void tutti_run_axpy(__global char *tutti_arena, long tutti_0, "
            "ulong tutti_1, __constant ulong16 *tutti_2, ulong tutti_2_at, "
            "__local ulong16 *tutti_3) { axpy(tutti_0, "
            "(tutti_1 == 18446744073709551615ul ? 0 : (__global void *)(tutti_arena + tutti_1)), "
            "(__constant void *)((__constant char *)tutti_2 + tutti_2_at), "
            "(__local void *)tutti_3); }\n");
}

TEST(OpenclWrapper, KeepsTheGroupThatIsRequired) {
  const std::array kernels{Signature{"k", {}, {8, 4, 1}}};

  EXPECT_EQ(wrappersOf(kernels), "\n__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void "
                                 "tutti_run_k(__global char *tutti_arena) { k(); }\n");
}

TEST(OpenclWrapper, LeavesKernelsOutThatNoTaskCanCall) {
  const std::array kernels{Signature{"image", {{Kind::Other, "image2d_t", "i"}}, {}}};

  EXPECT_EQ(wrappersOf(kernels), "\n");
}

TEST(OpenclWrapper, RenamesForTheLinkerAlone) {
  const std::array kernels{Signature{"k", {}, {}}};

  EXPECT_EQ(renamingOf(kernels), "#define k(...) k(__VA_ARGS__) __asm__(\"tutti_run_k.user\"); "
                                 "__kernel void k(__VA_ARGS__)\n");
  EXPECT_EQ(endOfRenaming(kernels), "\n#undef k\n");
}

TEST(OpenclWrapper, WritesTypesAsTheTextDoes) {
  constexpr const char *kText = "struct pair { int a; }; typedef int structure; enum e { A };";

  EXPECT_EQ(spelled("structpair", kText), "struct pair");
  EXPECT_EQ(spelled("struct pair", kText), "struct pair");
  EXPECT_EQ(spelled("structure", kText), "structure");
  EXPECT_EQ(spelled("enume", kText), "enum e");
  EXPECT_EQ(spelled("float4", kText), "float4");
}

} // namespace

} // namespace tutti::device::opencl
