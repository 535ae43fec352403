// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/placement.h"

#include "abi/backends.h"
#include "runtime/exec/kernel_choice.h"

#include <algorithm>
#include <utility>

namespace tutti::exec {

namespace {

using memory::Place;

/// What one device is taken to be worth, in hosts, until it has been measured.
constexpr std::uint32_t kDeviceGuess = 8;
/// Bytes that a device handles in the time that it takes to start a kernel and a few copies.
constexpr std::uint64_t kLeastBytes = std::uint64_t{2} << 20;

/// Whether a device may run what asks for `wanted`. What asks for nothing is for GPUs.
bool isFor(const DeviceTraits &traits, std::uint32_t wanted) {
  if (wanted == TUTTI_DEVICE_AUTO) {
    return traits.isGpu != 0;
  }
  return abi::isBackend(wanted) ? traits.backend == wanted : traits.isForItsName == 0;
}

} // namespace

bool canRun(const DeviceTraits &traits, const tutti_region &region) {
  const tutti_kernel *kernel = anyKernel(region, traits.format);
  return kernel && (traits.hasFp64 != 0 || (kernel->flags & TUTTI_KERNEL_FP64) == 0);
}

std::uint32_t Placer::wantedFor(const tutti_region &region) const {
  const std::uint32_t wanted =
      wanted_ == TUTTI_DEVICE_AUTO && region.directive ? region.directive->device : wanted_;
  const bool isThere = std::any_of(devices_.begin(), devices_.end(),
                                   [&](const auto &traits) { return traits.backend == wanted; });
  return abi::isBackend(wanted) && !isThere ? std::uint32_t{TUTTI_DEVICE_GPU} : wanted;
}

Placement Placer::hosts() const {
  Placement placement;
  for (Place rank = 0; rank < topology_.ranks(); ++rank) {
    placement.shares.push_back({rank, 1});
  }
  return placement;
}

bool Placer::canRun(const tutti_region &region, Place place, std::uint32_t wanted) const {
  const DeviceTraits &traits = traitsOf(place);
  return isFor(traits, wanted) && !dropped_.contains(place) && exec::canRun(traits, region);
}

/// Whether there are devices that launches are placed on where `wanted` is asked for.
bool Placer::hasAnyFor(std::uint32_t wanted) const {
  return wanted != TUTTI_DEVICE_CPU &&
         std::any_of(devices_.begin(), devices_.end(),
                     [&](const DeviceTraits &traits) { return isFor(traits, wanted); });
}

/// What asks for `wanted` is not for any of the devices.
Placement Placer::hostsFor(std::uint32_t wanted) const {
  Placement placement = hosts();
  if (wanted == TUTTI_DEVICE_CPU) {
    placement.alone = "it is for cores, and there is one rank only";
  } else if (!devices_.empty()) {
    placement.alone = "it asks for no device, those that are there are no GPUs, and there is one "
                      "rank only";
  }
  return placement;
}

/// No device can.
Placement Placer::hostsOnly(const tutti_region &region) const {
  Placement placement = hosts();
  if (region.device && region.device->reason) {
    placement.reason = region.device->reason;
  } else if (!dropped_.empty()) {
    placement.reason = "its devices are lost";
  } else {
    const bool hasKernel =
        std::any_of(devices_.begin(), devices_.end(), [&](const DeviceTraits &traits) {
          return anyKernel(region, traits.format) != nullptr;
        });
    placement.reason = hasKernel ? "it computes with doubles, which the devices cannot"
                                 : "it has no kernel in the format of the devices";
  }
  return placement;
}

Placement Placer::oneDevice(const tutti_region &region) const {
  for (std::int32_t device = 0; device < topology_.devicesOf(0); ++device) {
    const Place place = topology_.deviceOf(0, device);
    if (canRun(region, place, TUTTI_DEVICE_AUTO)) {
      return {{{place, 1}}, true, {}};
    }
  }
  if (!hasAnyFor(TUTTI_DEVICE_AUTO)) {
    return hostsFor(TUTTI_DEVICE_AUTO);
  }
  Placement placement = hostsOnly(region);
  for (std::int32_t rank = 1; rank < topology_.ranks(); ++rank) {
    for (std::int32_t device = 0; device < topology_.devicesOf(rank); ++device) {
      if (canRun(region, topology_.deviceOf(rank, device), TUTTI_DEVICE_AUTO)) {
        placement.reason = "it writes through computed indices, and rank 0 has no device for it";
      }
    }
  }
  return placement;
}

Placement Placer::place(const tutti_region &region, std::uint32_t wanted) const {
  if (!hasAnyFor(wanted)) {
    return hostsFor(wanted);
  }
  Placement placement;
  for (std::int32_t rank = 0; rank < topology_.ranks(); ++rank) {
    if (wanted == TUTTI_DEVICE_HYBRID) {
      placement.shares.push_back({rank, 1});
    }
    for (std::int32_t device = 0; device < topology_.devicesOf(rank); ++device) {
      const Place place = topology_.deviceOf(rank, device);
      if (canRun(region, place, wanted)) {
        placement.shares.push_back({place, wanted == TUTTI_DEVICE_HYBRID ? kDeviceGuess : 1});
        placement.usesDevices = true;
      }
    }
  }
  if (!placement.usesDevices) {
    return hostsOnly(region);
  }
  if (cores_ && wanted == TUTTI_DEVICE_HYBRID) {
    divideRanks(placement.shares);
  }
  return placement;
}

/// Gives the cores of each rank their part of what the rank gets, and its devices equal parts of
/// the rest.
void Placer::divideRanks(std::vector<Share> &shares) const {
  constexpr std::uint32_t kRank = 1 << 20;
  for (auto host = shares.begin(); host != shares.end();) {
    const auto end = std::find_if(
        host + 1, shares.end(), [&](const Share &share) { return topology_.isHost(share.place); });
    const auto devices = static_cast<std::uint32_t>(end - host - 1);
    host->weight = devices == 0 ? kRank : static_cast<std::uint32_t>(*cores_ * kRank);
    std::for_each(host + 1, end,
                  [&](Share &share) { share.weight = (kRank - host->weight) / devices; });
    host = end;
  }
}

bool Placer::dropIdle(std::vector<Share> &shares, std::uint64_t bytes) const {
  const std::uint64_t most = bytes / kLeastBytes;
  std::int32_t rank = -1;
  std::uint64_t devices = 0; // Of that rank, so far.
  return std::erase_if(shares, [&](const Share &share) {
           if (topology_.isHost(share.place)) {
             return false;
           }
           if (std::exchange(rank, topology_.rankOf(share.place)) !=
               topology_.rankOf(share.place)) {
             devices = 0;
           }
           // One of each rank stays in any case.
           return devices++ >= std::max<std::uint64_t>(most, 1);
         }) > 0;
}

} // namespace tutti::exec
