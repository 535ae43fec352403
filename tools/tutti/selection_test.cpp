// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which devices are chosen and how they are dealt.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

const std::vector<Backend> kMixed{{"cuda", {info(true)}, ""}, {"opencl", {info(false)}, ""}};

using Choices = std::vector<Choice>;

/// As TUTTI_DEVICE says it.
Choices shared(const std::vector<Backend> &backends, std::string_view text) {
  return sharedDevices(backends, *device::parseWish(text));
}

TEST(Selection, TakesTheGpusOfAllBackends) {
  const Choices all{{0, 0}, {0, 1}, {0, 2}, {1, 1}};
  for (const char *text : {"auto", "gpu", "hybrid", "cuda,opencl", "opencl,cpu,cuda"}) {
    EXPECT_EQ(shared(kBoth, text), all) << text;
  }
  EXPECT_EQ(shared(kBoth, "cuda"), (Choices{{0, 0}, {0, 1}, {0, 2}}));
  EXPECT_EQ(shared(kBoth, "opencl"), (Choices{{1, 1}}));
  EXPECT_TRUE(shared(kBoth, "cpu").empty());
}

TEST(Selection, TakesOtherDevicesOnlyIfAskedFor) {
  EXPECT_TRUE(shared(kCpuOnly, "auto").empty());
  for (const char *text : {"opencl", "cuda", "gpu", "hybrid", "cuda,opencl"}) {
    EXPECT_EQ(shared(kCpuOnly, text), (Choices{{1, 0}})) << text;
  }
  EXPECT_EQ(shared(kMixed, "gpu"), (Choices{{0, 0}}));
  EXPECT_EQ(shared(kMixed, "hybrid"), (Choices{{0, 0}}));
  EXPECT_EQ(shared(kMixed, "cuda,opencl"), (Choices{{0, 0}, {1, 0}}));
  EXPECT_EQ(shared(kMixed, "gpu,opencl"), (Choices{{0, 0}, {1, 0}}));
}

TEST(Selection, StartsNoDriverForMoreGpusWhereThatIsNotWorthIt) {
  std::vector<Backend> backends = kBoth;
  std::vector<std::string> known;
  backends[0].devices[1].identity = "pci:0000:41:00.0";
  backends[1].mayAddGpus = [&](std::span<const std::string> identities) {
    known.assign(identities.begin(), identities.end());
    return false;
  };

  for (const char *text : {"auto", "gpu", "hybrid"}) {
    EXPECT_EQ(shared(backends, text), (Choices{{0, 0}, {0, 1}, {0, 2}})) << text;
  }
  EXPECT_EQ(known, (std::vector<std::string>{"", "pci:0000:41:00.0", ""}));
  for (const char *text : {"cuda,opencl", "gpu,opencl"}) {
    EXPECT_EQ(shared(backends, text), (Choices{{0, 0}, {0, 1}, {0, 2}, {1, 1}})) << text;
  }
  backends[0].devices.clear();
  EXPECT_EQ(shared(backends, "auto"), (Choices{{1, 1}}));
}

std::vector<device::Listing> listingsOf(const std::vector<Backend> &backends) {
  std::vector<device::Listing> listings;
  for (const Backend &backend : backends) {
    listings.push_back({backend.name, [&]() -> const auto & { return backend.devices; }});
  }
  return listings;
}

device::Selection bySource(const std::vector<Backend> &backends, std::uint32_t kinds) {
  return device::sharedDevices(listingsOf(backends), {}, kinds);
}

constexpr std::uint32_t kGpu = device::kindBit(TUTTI_DEVICE_GPU);
constexpr std::uint32_t kCuda = device::kindBit(TUTTI_DEVICE_CUDA);
constexpr std::uint32_t kOpenCl = device::kindBit(TUTTI_DEVICE_OPENCL);
constexpr std::uint32_t kHybrid = device::kindBit(TUTTI_DEVICE_HYBRID);

TEST(Selection, TakesOtherDevicesThatTheSourceNames) {
  EXPECT_EQ(bySource(kCpuOnly, kOpenCl).choices, (Choices{{1, 0}}));
  EXPECT_TRUE(bySource(kCpuOnly, kGpu).choices.empty());
  EXPECT_TRUE(bySource(kCpuOnly, kHybrid).choices.empty());
  EXPECT_EQ(bySource(kBoth, kOpenCl).choices, (Choices{{0, 0}, {0, 1}, {0, 2}, {1, 1}}));
  EXPECT_EQ(bySource(kMixed, kGpu).choices, (Choices{{0, 0}}));
  EXPECT_EQ(bySource(kMixed, kOpenCl).choices, (Choices{{0, 0}, {1, 0, true}}));
}

TEST(Selection, KnowsWhatIsMissing) {
  const auto missing = [](const std::vector<Backend> &backends, std::string_view text) {
    return device::sharedDevices(listingsOf(backends), *device::parseWish(text), kOpenCl).missing;
  };

  EXPECT_EQ(bySource(kBoth, kGpu | kCuda | kOpenCl | kHybrid).missing, 0U);
  EXPECT_EQ(bySource(kCpuOnly, kGpu | kCuda | kHybrid).missing, kGpu | kCuda | kHybrid);
  EXPECT_EQ(bySource(kCpuOnly, kGpu | kOpenCl | kHybrid).missing, kGpu);
  EXPECT_EQ(bySource(kCpuOnly, 0).missing, 0U);
  EXPECT_EQ(missing(kCpuOnly, "cuda"), kCuda);
  EXPECT_EQ(missing(kCpuOnly, "gpu"), kGpu);
  EXPECT_EQ(missing(kCpuOnly, "hybrid"), 0U);
  EXPECT_EQ(missing(kCpuOnly, "cuda,opencl"), kCuda);
  EXPECT_EQ(missing(kCpuOnly, "cpu"), 0U);
}

/// A GPU as its drivers list it.
device::Info gpuOf(std::uint32_t vendor, std::string identity, std::string driver) {
  device::Info made = info(true);
  made.vendor = vendor;
  made.identity = std::move(identity);
  made.driver = std::move(driver);
  return made;
}

TEST(Selection, TakesAPieceOfHardwareOnce) {
  constexpr std::uint32_t kOne = 1;
  constexpr std::uint32_t kOther = 2;
  const std::vector<Backend> backends{
      {"cuda", {gpuOf(kOne, "pci:0000:01:00.0", "a"), gpuOf(kOne, "cuda:part", "a")}, ""},
      {"opencl",
       {gpuOf(kOne, "pci:0000:01:00.0", "b"), gpuOf(kOne, "opencl:c:1", "c"),
        gpuOf(kOther, "pci:0000:03:00.0", "d"), gpuOf(kOther, "pci:0000:03:00.0", "d"),
        gpuOf(kOther, "pci:0000:03:00.0", "e"), gpuOf(kOther, "opencl:e:1", "e"), info(false)},
       ""}};

  const Choices all{{0, 0}, {0, 1}, {1, 2}, {1, 3}, {1, 5}};
  EXPECT_EQ(shared(backends, "gpu"), all) << "tiles of one device share a place and a driver";
  EXPECT_EQ(shared(backends, "cuda,opencl"), all);
  EXPECT_EQ(shared(backends, "opencl"), (Choices{{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 5}}));
}

TEST(Selection, KnowsThatAGpuOfTheSameVendorIsAnotherOneByItsPlace) {
  std::vector<Backend> backends{{"cuda", {gpuOf(1, "pci:0000:01:00.0", "a")}, ""},
                                {"opencl", {gpuOf(1, "pci:0000:02:00.0", "b")}, ""}};

  EXPECT_EQ(shared(backends, "gpu"), (Choices{{0, 0}, {1, 0}}));
}

TEST(Selection, SaysThatAGpuIsUsedThroughAnotherBackend) {
  const std::vector<Backend> backends{
      {"cuda", {gpuOf(1, "pci:0000:01:00.0", "a")}, ""},
      {"opencl", {gpuOf(1, "pci:0000:01:00.0", "b"), info(false)}, ""}};

  const device::Selection found = bySource(backends, kCuda | kOpenCl);

  EXPECT_EQ(found.choices, (Choices{{0, 0}}));
  EXPECT_EQ(found.missing, kOpenCl);
  EXPECT_EQ(found.elsewhere, kOpenCl);
  EXPECT_EQ(bySource(kMixed, kCuda).elsewhere, 0U);
}

TEST(Selection, TakesOtherDevicesOfABackendWhoseGpusAreUsedThroughAnother) {
  const std::vector<Backend> backends{
      {"cuda", {gpuOf(1, "pci:0000:01:00.0", "a")}, ""},
      {"opencl", {gpuOf(1, "pci:0000:01:00.0", "b"), info(false)}, ""}};

  for (const char *text : {"cuda,opencl", "gpu,opencl", "cuda,opencl,cpu"}) {
    EXPECT_EQ(shared(backends, text), (Choices{{0, 0}, {1, 1}})) << text;
  }
  EXPECT_EQ(shared(backends, "opencl"), (Choices{{1, 0}}));
  EXPECT_EQ(shared(backends, "hybrid"), (Choices{{0, 0}}));
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
