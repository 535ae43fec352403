// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where launches go (placement.h) and with which kernel (kernel_choice.h).
#include "runtime/exec/kernel_choice.h"
#include "runtime/exec/placement.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tutti::exec {

namespace {

std::int32_t always(const std::uint64_t *, const std::uint64_t *, std::int64_t lower,
                    std::int64_t upper, std::int64_t, std::int64_t *extents) {
  extents[0] = upper - lower;
  return 1;
}

/// Two dimensions; holds if the first capture is not zero.
std::int32_t sometimes(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                       std::int64_t upper, std::int64_t, std::int64_t *extents) {
  extents[0] = 100;
  extents[1] = upper - lower;
  return captures[0] != 0;
}

const tutti_kernel kFlat[2] = {{TUTTI_KERNEL_PTX, TUTTI_KERNEL_FP64, "flat", "text"},
                               {TUTTI_KERNEL_OPENCL_C, TUTTI_KERNEL_FP64, "flat", "text"}};
const tutti_kernel kNested[1] = {{TUTTI_KERNEL_PTX, TUTTI_KERNEL_FP64, "nested", "text"}};
const tutti_mapping kMappings[2] = {{2, TUTTI_MAPPING_DISJOINT, 1, kNested, sometimes},
                                    {1, 0, 2, kFlat, always}};

class Placing : public testing::Test {
protected:
  Placing() {
    code_.mappings = 2;
    code_.mapping = kMappings;
    region_.device = &code_;
  }

  static DeviceTraits cuda() {
    return {TUTTI_KERNEL_PTX, TUTTI_DEVICE_CUDA, 1, 1, 100, {1 << 30, 1 << 21}};
  }

  static DeviceTraits openCl() {
    return {TUTTI_KERNEL_OPENCL_C, TUTTI_DEVICE_OPENCL, 1, 1, 100, {1 << 30, 1 << 21}};
  }

  Placement place(const Placer &placer, std::uint32_t wanted) const {
    return placer.place(region_, wanted);
  }

  static std::vector<memory::Place> placesOf(const Placement &placement) {
    std::vector<memory::Place> places;
    for (const Share &share : placement.shares) {
      places.push_back(share.place);
    }
    return places;
  }

  using Places = std::vector<memory::Place>;

  tutti_device_code code_{};
  tutti_region region_{};
};

TEST_F(Placing, TakesAllHostsWhereThereAreNoDevices) {
  const auto topology = memory::Topology::ofHosts(3);
  const Placer placer(topology, {}, TUTTI_DEVICE_GPU);

  const Placement placement = place(placer, TUTTI_DEVICE_GPU);

  EXPECT_EQ(placesOf(placement), (Places{0, 1, 2}));
  EXPECT_FALSE(placement.usesDevices);
}

TEST_F(Placing, TakesTheFirstDeviceOfRankZeroWhereOneIsEnough) {
  const memory::Topology topology({2, 1});
  const Placer placer(topology, {openCl(), cuda(), cuda()}, TUTTI_DEVICE_AUTO);

  const Placement placement = placer.oneDevice(region_);

  EXPECT_EQ(placesOf(placement), (Places{2}));
  EXPECT_TRUE(placement.usesDevices);
}

TEST_F(Placing, TakesAllHostsWhereRankZeroHasNoDeviceThatWouldBeEnough) {
  const memory::Topology topology({0, 1});
  const Placer placer(topology, {cuda()}, TUTTI_DEVICE_AUTO);

  const Placement placement = placer.oneDevice(region_);

  EXPECT_EQ(placesOf(placement), (Places{0, 1}));
  EXPECT_FALSE(placement.usesDevices);
  EXPECT_EQ(placement.reason,
            "it writes through computed indices, and rank 0 has no device for it");
}

TEST_F(Placing, TakesTheDevicesOfAllRanksInTheOrderOfRanks) {
  const memory::Topology topology({1, 0, 2});
  const Placer placer(topology, {cuda(), cuda(), cuda()}, TUTTI_DEVICE_AUTO);

  EXPECT_EQ(placesOf(place(placer, TUTTI_DEVICE_AUTO)), (Places{3, 4, 5}));
  EXPECT_EQ(placesOf(place(placer, TUTTI_DEVICE_HYBRID)), (Places{0, 3, 1, 2, 4, 5}));
  EXPECT_EQ(placesOf(place(placer, TUTTI_DEVICE_CPU)), (Places{0, 1, 2}));
}

TEST_F(Placing, GivesCoresBesideDevicesThePartThatIsAskedFor) {
  const memory::Topology topology({2, 0, 1});
  const auto weightsOf = [&](double cores, std::uint32_t wanted) {
    std::vector<double> weights;
    const Placer placer(topology, {cuda(), cuda(), cuda()}, TUTTI_DEVICE_AUTO, cores);
    for (const Share &share : place(placer, wanted).shares) {
      weights.push_back(static_cast<double>(share.weight) / (1 << 20));
    }
    return weights;
  };

  EXPECT_EQ(weightsOf(0.25, TUTTI_DEVICE_HYBRID),
            (std::vector<double>{0.25, 0.375, 0.375, 1, 0.25, 0.75}));
  EXPECT_EQ(weightsOf(0, TUTTI_DEVICE_HYBRID), (std::vector<double>{0, 0.5, 0.5, 1, 0, 1}));
  EXPECT_EQ(weightsOf(0.25, TUTTI_DEVICE_GPU).size(), 3U);
}

TEST_F(Placing, LeavesADeviceToWhatAsksForItsBackendByName) {
  const memory::Topology topology({2});
  std::vector<DeviceTraits> devices{cuda(), openCl()};
  devices[1].isGpu = 0;
  devices[1].isForItsName = 1;
  const Placer placer(topology, devices, TUTTI_DEVICE_AUTO);

  for (const std::uint32_t wanted : {TUTTI_DEVICE_AUTO, TUTTI_DEVICE_GPU, TUTTI_DEVICE_CUDA}) {
    EXPECT_EQ(placesOf(place(placer, wanted)), (Places{1})) << wanted;
  }
  EXPECT_EQ(placesOf(place(placer, TUTTI_DEVICE_HYBRID)), (Places{0, 1}));
  EXPECT_EQ(placesOf(place(placer, TUTTI_DEVICE_OPENCL)), (Places{2}));
}

TEST_F(Placing, LeavesOutDevicesOfAnotherBackendThanTheOneAskedFor) {
  const memory::Topology topology({1, 1});
  const Placer placer(topology, {cuda(), openCl()}, TUTTI_DEVICE_AUTO);

  EXPECT_EQ(placesOf(place(placer, TUTTI_DEVICE_CUDA)), (Places{2}));
  EXPECT_EQ(placesOf(place(placer, TUTTI_DEVICE_OPENCL)), (Places{3}));
}

TEST_F(Placing, LeavesDevicesThatAreNoGpusToThoseWhoAsk) {
  const memory::Topology topology({1, 1});
  DeviceTraits cores = openCl();
  cores.isGpu = 0;
  const Placer placer(topology, {cores, cores}, TUTTI_DEVICE_AUTO);

  EXPECT_EQ(placesOf(place(placer, TUTTI_DEVICE_AUTO)), (Places{0, 1}));
  EXPECT_EQ(place(placer, TUTTI_DEVICE_AUTO).reason, "");
  EXPECT_EQ(placesOf(placer.oneDevice(region_)), (Places{0, 1}));
  EXPECT_EQ(placesOf(place(placer, TUTTI_DEVICE_OPENCL)), (Places{2, 3}));
  EXPECT_EQ(placesOf(place(placer, TUTTI_DEVICE_GPU)), (Places{2, 3}));
}

TEST_F(Placing, LeavesOutDevicesWithoutDoublePrecisionThatTheKernelNeeds) {
  const memory::Topology topology({2});
  DeviceTraits single = cuda();
  single.hasFp64 = 0;
  const Placer placer(topology, {single, cuda()}, TUTTI_DEVICE_AUTO);

  EXPECT_EQ(placesOf(place(placer, TUTTI_DEVICE_GPU)), (Places{2}));
}

TEST_F(Placing, SaysWhatDevicesLackForAKernel) {
  const memory::Topology topology({1});
  DeviceTraits single = cuda();
  single.hasFp64 = 0;
  DeviceTraits other = cuda();
  other.format = 0;

  EXPECT_EQ(place(Placer(topology, {single}, TUTTI_DEVICE_AUTO), TUTTI_DEVICE_GPU).reason,
            "it computes with doubles, which the devices cannot");
  EXPECT_EQ(place(Placer(topology, {other}, TUTTI_DEVICE_AUTO), TUTTI_DEVICE_GPU).reason,
            "it has no kernel in the format of the devices");
}

TEST_F(Placing, SaysWhyASingleRankRunsAtHomeWhatIsForNoneOfItsDevices) {
  const memory::Topology topology({1});
  DeviceTraits cores = openCl();
  cores.isGpu = 0;
  const Placer placer(topology, {cores}, TUTTI_DEVICE_AUTO);

  EXPECT_EQ(place(placer, TUTTI_DEVICE_CPU).alone, "it is for cores, and there is one rank only");
  EXPECT_EQ(place(placer, TUTTI_DEVICE_AUTO).alone,
            "it asks for no device, those that are there are no GPUs, and there is one rank only");
  EXPECT_EQ(place(Placer(topology, {}, TUTTI_DEVICE_AUTO), TUTTI_DEVICE_AUTO).alone,
            "there is one rank only");
}

TEST_F(Placing, SaysWhyARegionWithoutKernelsStaysOnHosts) {
  const memory::Topology topology({1});
  const Placer placer(topology, {cuda()}, TUTTI_DEVICE_AUTO);
  code_.mappings = 0;
  code_.reason = "it calls print";

  const Placement placement = place(placer, TUTTI_DEVICE_GPU);

  EXPECT_EQ(placesOf(placement), (Places{0}));
  EXPECT_EQ(placement.reason, "it calls print");
}

TEST_F(Placing, LetsTheWholeRunsWishOverrideTheRegions) {
  const memory::Topology topology({1});
  const tutti_directive directive{TUTTI_DEVICE_CPU, {}, {}};
  region_.directive = &directive;

  EXPECT_EQ(Placer(topology, {cuda()}, TUTTI_DEVICE_AUTO).wantedFor(region_), TUTTI_DEVICE_CPU);
  EXPECT_EQ(Placer(topology, {cuda()}, TUTTI_DEVICE_GPU).wantedFor(region_), TUTTI_DEVICE_GPU);
}

TEST_F(Placing, TakesWhatThereIsForABackendThatIsMissing) {
  const memory::Topology topology({1});

  EXPECT_EQ(Placer(topology, {openCl()}, TUTTI_DEVICE_CUDA).wantedFor(region_), TUTTI_DEVICE_GPU);
  EXPECT_EQ(Placer(topology, {cuda()}, TUTTI_DEVICE_CUDA).wantedFor(region_), TUTTI_DEVICE_CUDA);
}

TEST_F(Placing, GuessesThatADeviceIsFasterThanAHost) {
  const memory::Topology topology({1, 1});
  const Placer placer(topology, {cuda(), cuda()}, TUTTI_DEVICE_AUTO);

  const Placement placement = place(placer, TUTTI_DEVICE_HYBRID);

  ASSERT_EQ(placesOf(placement), (Places{0, 2, 1, 3}));
  EXPECT_GT(placement.shares[1].weight, placement.shares[0].weight);
  EXPECT_EQ(placement.shares[2].weight, placement.shares[0].weight);
  EXPECT_EQ(placement.shares[3].weight, placement.shares[1].weight);
}

TEST_F(Placing, LeavesOutDevicesThatWouldGetTooLittle) {
  const memory::Topology topology({3, 2});
  const Placer placer(topology, {cuda(), cuda(), cuda(), cuda(), cuda()}, TUTTI_DEVICE_AUTO);
  const std::vector<Share> all{{0, 1}, {2, 8}, {3, 8}, {4, 8}, {1, 1}, {5, 8}, {6, 8}};
  const auto kept = [&](std::uint64_t bytes) {
    Placement placement;
    placement.shares = all;
    EXPECT_EQ(placer.dropIdle(placement.shares, bytes), placement.shares.size() < all.size());
    return placesOf(placement);
  };

  EXPECT_EQ(kept(1000), (Places{0, 2, 1, 5}));
  EXPECT_EQ(kept(4 << 20), (Places{0, 2, 3, 1, 5, 6}));
  EXPECT_EQ(kept(100 << 20), (Places{0, 2, 3, 4, 1, 5, 6}));
}

TEST_F(Placing, ChoosesTheBestMappingThatHolds) {
  Launch launch;
  launch.region = &region_;
  launch.captures = {1};
  const balance::Chunk chunk{10, 30};

  const auto nested = chooseKernel(launch, chunk, TUTTI_KERNEL_PTX, true);
  ASSERT_TRUE(nested);
  EXPECT_STREQ(nested->kernel->name, "nested");
  EXPECT_EQ(nested->used().size(), 2U);
  EXPECT_EQ(nested->extents[1], 20);

  EXPECT_STREQ(chooseKernel(launch, chunk, TUTTI_KERNEL_PTX, false)->kernel->name, "flat")
      << "objects overlap";
  EXPECT_STREQ(chooseKernel(launch, chunk, TUTTI_KERNEL_OPENCL_C, true)->kernel->name, "flat")
      << "no nested kernel of that format";
  launch.captures = {0};
  EXPECT_STREQ(chooseKernel(launch, chunk, TUTTI_KERNEL_PTX, true)->kernel->name, "flat")
      << "does not hold for these captures";
}

TEST_F(Placing, TakesNoKernelWithoutText) {
  const tutti_kernel empty = {TUTTI_KERNEL_PTX, 0, "empty", ""};
  const tutti_mapping mapping = {1, 0, 1, &empty, always};
  code_.mappings = 1;
  code_.mapping = &mapping;
  Launch launch;
  launch.region = &region_;

  EXPECT_FALSE(chooseKernel(launch, {0, 10}, TUTTI_KERNEL_PTX, true));
  EXPECT_EQ(anyKernel(region_, TUTTI_KERNEL_PTX), nullptr);
}

} // namespace

} // namespace tutti::exec
