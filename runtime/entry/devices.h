// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which devices this process uses: what there is, what was asked for, and how the ranks of one
/// host share it.
#pragma once

#include "base/result.h"
#include "runtime/device/device.h"
#include "runtime/device/wish.h"
#include "runtime/exec/devices.h"
#include "runtime/exec/placement.h"
#include "runtime/memory/window.h"
#include "runtime/transport/transport.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tutti::entry {

/// The devices that fall to this process. Keeps their drivers.
class DeviceSelection {
public:
  /// Looks for devices as `wish` asks (for the whole run) or, if that is AUTO, loops do
  /// (`inSource`, a set of kinds). `local` of `locals`: this process among those of its host, which
  /// get the devices in turn: the n-th device goes to process n modulo `locals`; if there are fewer
  /// devices, they are shared.
  ///
  /// What is not there is replaced by what comes closest (runtime/device/selection.h), with one
  /// line if `speaks`.
  static DeviceSelection find(const device::Wish &wish, std::uint32_t inSource, std::int32_t local,
                              std::int32_t locals, bool speaks);

  bool isEmpty() const { return chosen_.empty(); }

  /// Opens them, each for at most `memoryLimit` bytes of the window. Devices that do not open are
  /// left out with one line each.
  std::vector<exec::OpenDevice> open(const memory::Window &window, std::uint64_t memoryLimit);

private:
  struct Chosen {
    device::Driver *driver;
    std::size_t index;
    device::Info info;
    bool isForItsName;
  };

  std::vector<std::unique_ptr<device::Driver>> drivers_;
  std::vector<Chosen> chosen_;
  std::uint64_t sharers_ = 1; ///< Processes of this host that use the same devices.
};

/// Whether it is worth looking for devices when nobody has asked for them: whether a driver of GPUs
/// runs on this machine. Costs a look at the file system only.
bool mayHaveGpus();

/// The devices of all ranks.
struct JobDevices {
  std::vector<std::int32_t> devicesOfRanks;
  std::vector<exec::DeviceTraits> traits; ///< In the order of places.

  std::vector<exec::Room> rooms() const;
};

/// Collective.
Result<JobDevices> exchangeDevices(transport::Endpoint &endpoint,
                                   const std::vector<exec::OpenDevice> &own);

} // namespace tutti::entry
