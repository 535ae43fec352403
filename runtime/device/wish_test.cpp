// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Words of TUTTI_DEVICE, alone and in lists.
#include "runtime/device/wish.h"

#include <gtest/gtest.h>

namespace tutti::device {

namespace {

constexpr std::uint32_t kBoth = kindBit(TUTTI_DEVICE_CUDA) | kindBit(TUTTI_DEVICE_OPENCL);

TEST(Wish, IsOneWord) {
  for (const abi::DeviceKind &kind : abi::kDeviceKinds) {
    EXPECT_EQ(*parseWish(kind.name), (Wish{kind.number, 0})) << kind.name;
    EXPECT_EQ(textOf({kind.number, 0}), kind.name);
  }
  EXPECT_EQ(*parseWish("CUDA"), (Wish{TUTTI_DEVICE_CUDA, 0}));
  EXPECT_EQ(*parseWish("cuda,cuda"), (Wish{TUTTI_DEVICE_CUDA, 0}));
}

TEST(Wish, IsAListOfDevices) {
  EXPECT_EQ(*parseWish("opencl,cuda"), (Wish{TUTTI_DEVICE_GPU, kBoth}));
  EXPECT_EQ(textOf({TUTTI_DEVICE_GPU, kBoth}), "cuda,opencl");
}

TEST(Wish, AddsTheCores) {
  EXPECT_EQ(*parseWish("cuda,OpenCL,cpu"), (Wish{TUTTI_DEVICE_HYBRID, kBoth}));
  EXPECT_EQ(textOf({TUTTI_DEVICE_HYBRID, kBoth}), "cpu,cuda,opencl");
  const Wish all{TUTTI_DEVICE_HYBRID, kindBit(TUTTI_DEVICE_OPENCL) | kindBit(TUTTI_DEVICE_HYBRID)};
  EXPECT_EQ(*parseWish("hybrid,opencl"), all);
  EXPECT_EQ(textOf(all), "opencl,hybrid");
}

TEST(Wish, NamesTheWordThatIsNone) {
  const auto problem = [](std::string_view text) {
    const auto wish = parseWish(text);
    return wish ? "" : wish.error().message;
  };

  EXPECT_TRUE(problem("abacus").starts_with("TUTTI_DEVICE=abacus: expected one of auto, cpu, gpu"));
  EXPECT_TRUE(problem("cuda,abacus").ends_with("with commas between; 'abacus' is none of them"));
  EXPECT_TRUE(problem("cuda,").ends_with("; '' is none of them"));
  EXPECT_EQ(problem("auto,cuda"), "TUTTI_DEVICE=auto,cuda: auto stands alone");
}

} // namespace

} // namespace tutti::device
