// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which devices are chosen and how they are dealt.
#include <gtest/gtest.h>

#include "tools/tutti/selection.h"

namespace tutti::tools {

namespace {

device::Info info(bool isGpu) {
  device::Info made;
  made.isGpu = isGpu;
  return made;
}

const std::vector<Backend> kBoth{{"cuda", {info(true), info(true), info(true)}, ""},
                                 {"opencl", {info(false), info(true)}, ""}};
const std::vector<Backend> kCpuOnly{{"cuda", {}, "no driver"}, {"opencl", {info(false)}, ""}};

using Choices = std::vector<Choice>;

TEST(Selection, PrefersTheFirstBackendWithGpus) {
  EXPECT_EQ(sharedDevices(kBoth, TUTTI_DEVICE_AUTO), (Choices{{0, 0}, {0, 1}, {0, 2}}));
  EXPECT_EQ(sharedDevices(kBoth, TUTTI_DEVICE_OPENCL), (Choices{{1, 1}}));
  EXPECT_TRUE(sharedDevices(kBoth, TUTTI_DEVICE_CPU).empty());
}

TEST(Selection, TakesOtherDevicesOnlyIfAskedFor) {
  EXPECT_TRUE(sharedDevices(kCpuOnly, TUTTI_DEVICE_AUTO).empty());
  EXPECT_EQ(sharedDevices(kCpuOnly, TUTTI_DEVICE_OPENCL), (Choices{{1, 0}}));
  EXPECT_EQ(sharedDevices(kCpuOnly, TUTTI_DEVICE_CUDA), (Choices{{1, 0}}));
  EXPECT_EQ(sharedDevices(kCpuOnly, TUTTI_DEVICE_HYBRID), (Choices{{1, 0}}));
}

std::vector<device::Listing> listingsOf(const std::vector<Backend> &backends) {
  std::vector<device::Listing> listings;
  for (const Backend &backend : backends) {
    listings.push_back({backend.name, [&]() -> const auto & { return backend.devices; }});
  }
  return listings;
}

TEST(Selection, TakesOtherDevicesThatTheSourceNames) {
  const auto found = [](const std::vector<Backend> &backends, std::uint32_t kind) {
    return device::sharedDevices(listingsOf(backends), TUTTI_DEVICE_AUTO, device::kindBit(kind));
  };

  EXPECT_EQ(found(kCpuOnly, TUTTI_DEVICE_OPENCL).choices, (Choices{{1, 0}}));
  EXPECT_TRUE(found(kCpuOnly, TUTTI_DEVICE_GPU).choices.empty());
  EXPECT_TRUE(found(kCpuOnly, TUTTI_DEVICE_HYBRID).choices.empty());
  EXPECT_EQ(found(kBoth, TUTTI_DEVICE_OPENCL).choices, (Choices{{0, 0}, {0, 1}, {0, 2}}));
}

TEST(Selection, KnowsWhatIsMissing) {
  const auto missing = [](const std::vector<Backend> &backends, std::uint32_t wanted,
                          std::uint32_t inSource) {
    return device::sharedDevices(listingsOf(backends), wanted, inSource).missing;
  };
  const std::uint32_t gpu = device::kindBit(TUTTI_DEVICE_GPU);
  const std::uint32_t cuda = device::kindBit(TUTTI_DEVICE_CUDA);
  const std::uint32_t openCl = device::kindBit(TUTTI_DEVICE_OPENCL);
  const std::uint32_t hybrid = device::kindBit(TUTTI_DEVICE_HYBRID);

  EXPECT_EQ(missing(kBoth, TUTTI_DEVICE_AUTO, gpu | cuda | openCl | hybrid), openCl);
  EXPECT_EQ(missing(kCpuOnly, TUTTI_DEVICE_AUTO, gpu | cuda | hybrid), gpu | cuda | hybrid);
  EXPECT_EQ(missing(kCpuOnly, TUTTI_DEVICE_AUTO, gpu | openCl | hybrid), gpu);
  EXPECT_EQ(missing(kCpuOnly, TUTTI_DEVICE_AUTO, 0), 0U);
  EXPECT_EQ(missing(kCpuOnly, TUTTI_DEVICE_CUDA, openCl), cuda);
  EXPECT_EQ(missing(kCpuOnly, TUTTI_DEVICE_CPU, gpu), 0U);
}

TEST(Selection, DealsDevicesInTurn) {
  const Choices three{{0, 0}, {0, 1}, {0, 2}};
  const auto place = [](std::int64_t local, std::int64_t locals) {
    return Place{local, locals, local, locals};
  };

  EXPECT_EQ(ownDevices(three, place(0, 1)), three);
  EXPECT_EQ(ownDevices(three, place(0, 2)), (Choices{{0, 0}, {0, 2}}));
  EXPECT_EQ(ownDevices(three, place(1, 2)), (Choices{{0, 1}}));
  EXPECT_EQ(ownDevices(three, place(4, 5)), (Choices{{0, 1}}));
  EXPECT_TRUE(ownDevices({}, place(1, 2)).empty());
}

TEST(Selection, CountsWhoUsesADevice) {
  EXPECT_EQ(device::sharersOf(0, 1, 2), 1);
  EXPECT_EQ(device::sharersOf(3, 1, 2), 1);
  EXPECT_EQ(device::sharersOf(2, 1, 2), 1);
  EXPECT_EQ(device::sharersOf(1, 2, 3), 3);
  EXPECT_EQ(device::sharersOf(2, 0, 3), 2);
  EXPECT_EQ(device::sharersOf(2, 1, 3), 1);
  EXPECT_EQ(device::sharersOf(2, 2, 3), 2);
}

} // namespace

} // namespace tutti::tools
