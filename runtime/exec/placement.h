// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which places may run a region, and in which proportion: from what the user asked for, what the
/// region brings, and what was measured.
#pragma once

#include "abi/abi.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/rooms.h"
#include "runtime/memory/topology.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::exec {

/// What all ranks know of a device place; sent as it is.
struct DeviceTraits {
  std::uint32_t format;  ///< tutti_kernel_format
  std::uint32_t backend; ///< The tutti_device_kind that asks for it.
  std::uint32_t hasFp64;
  std::uint32_t isGpu;
  std::uint32_t units;
  Room room;
  std::uint32_t isForItsName = 0; ///< For nothing but what asks for its backend by name.
  std::uint64_t hardware = 0;     ///< Equal for ranks that share a GPU; 0: it is not known.
};

/// Whether a device has a kernel of `region`, and all that it computes with.
bool canRun(const DeviceTraits &traits, const tutti_region &region);

/// Places for a launch, or why there are none but the hosts.
struct Placement {
  std::vector<Share> shares;
  bool usesDevices = false;
  std::string_view reason; ///< Why the devices that were wanted are not used; or empty.
  /// Why a single rank runs it at home where there is no `reason`.
  std::string_view alone = "there is one rank only";
};

/// Threading: externally synchronised.
class Placer {
public:
  /// `devices`: by place, less the hosts. `wanted`: a tutti_device_kind for the whole run, or AUTO.
  /// `cores`: which part of what a rank gets falls to its cores, where it has devices, too.
  Placer(const memory::Topology &topology, std::vector<DeviceTraits> devices, std::uint32_t wanted,
         std::optional<double> cores = {})
      : topology_(topology), devices_(std::move(devices)), wanted_(wanted), cores_(cores) {}

  /// Places no more launches on a device.
  void drop(memory::Place device) { dropped_.insert(device); }

  /// What was asked for: for the whole run, else at the region; AUTO if nowhere. A backend that
  /// no rank has any device of counts as GPU: what there is takes its place.
  std::uint32_t wantedFor(const tutti_region &region) const;

  /// All hosts, in equal parts.
  Placement hosts() const;

  /// The first GPU of rank 0 that can run `region`, alone; all hosts if there is none.
  Placement oneDevice(const tutti_region &region) const;

  /// Places for `region` as `wanted` asks, with a guess of their speeds as weights.
  Placement place(const tutti_region &region, std::uint32_t wanted) const;

  /// Of all ranks, in the order of places.
  const std::vector<DeviceTraits> &devices() const { return devices_; }

  /// tutti_kernel_format of a device.
  std::uint32_t formatOf(memory::Place place) const { return traitsOf(place).format; }

  /// Drops the devices of each rank that would get less than is worth a kernel and its copies, of a
  /// launch that touches so many bytes in all; whether there were any. Shares of one rank lie
  /// together.
  bool dropIdle(std::vector<Share> &shares, std::uint64_t bytes) const;

private:
  const DeviceTraits &traitsOf(memory::Place place) const {
    return devices_[static_cast<std::size_t>(place - topology_.ranks())];
  }

  bool hasAnyFor(std::uint32_t wanted) const;
  Placement hostsFor(std::uint32_t wanted) const;
  Placement hostsOnly(const tutti_region &region) const;
  bool canRun(const tutti_region &region, memory::Place place, std::uint32_t wanted) const;
  void divideRanks(std::vector<Share> &shares) const;

  const memory::Topology &topology_;
  std::vector<DeviceTraits> devices_;
  std::uint32_t wanted_;
  std::optional<double> cores_;
  std::set<memory::Place> dropped_;
};

} // namespace tutti::exec
