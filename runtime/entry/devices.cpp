// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/devices.h"

#include "base/log.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <unistd.h>
#include <utility>

namespace tutti::entry {

namespace {

/// Devices of one rank that can be told to the others.
constexpr std::size_t kMostDevices = 16;

/// One rank's words; sent as they are.
struct DeviceHello {
  std::uint64_t count;
  std::array<exec::DeviceTraits, kMostDevices> traits;
};

std::string_view nameOf(std::uint32_t kind) {
  constexpr std::array<std::string_view, 6> kNames{"auto", "cpu",    "gpu",
                                                   "cuda", "opencl", "hybrid"};
  return kNames.at(kind);
}

std::uint32_t kindOf(std::string_view backend) {
  return backend == "cuda" ? TUTTI_DEVICE_CUDA : TUTTI_DEVICE_OPENCL;
}

device::Segments segmentsOf(const memory::Window &window) {
  constexpr std::uint64_t kLow = std::uint64_t{4} << 30;
  device::Segments segments;
  for (const Range &segment : window.segments()) {
    Range &part = segment.end <= kLow ? segments.low : segments.high;
    part = part.empty()
               ? segment
               : Range{std::min(part.begin, segment.begin), std::max(part.end, segment.end)};
  }
  return segments;
}

} // namespace

bool mayHaveGpus() { return access("/dev/nvidiactl", F_OK) == 0; }

DeviceSelection DeviceSelection::find(std::uint32_t wanted, std::int32_t local, std::int32_t locals,
                                      bool speaks) {
  DeviceSelection selection;
  if (wanted == TUTTI_DEVICE_CPU) {
    return selection;
  }
  selection.drivers_ = device::makeDrivers();
  // Of the first backend that has any: GPUs, or for some wishes devices of any kind.
  const auto take = [&](std::string_view backend, bool gpusOnly) {
    for (const auto &driver : selection.drivers_) {
      if (!selection.chosen_.empty() || (!backend.empty() && driver->name() != backend)) {
        continue;
      }
      const auto infos = driver->list();
      if (!infos) {
        if (speaks) {
          log::warn("{}", infos.error().message);
        }
        continue;
      }
      const bool anyGpu =
          std::any_of(infos->begin(), infos->end(), [](const auto &info) { return info.isGpu; });
      for (std::size_t index = 0; index < infos->size(); ++index) {
        const device::Info &info = (*infos)[index];
        if (info.isGpu || (!gpusOnly && !anyGpu)) {
          selection.chosen_.push_back({driver.get(), index, info});
        }
      }
    }
  };
  switch (wanted) {
  case TUTTI_DEVICE_CUDA:
    take("cuda", true);
    break;
  case TUTTI_DEVICE_OPENCL:
    take("opencl", false);
    break;
  case TUTTI_DEVICE_HYBRID:
    take("", true);
    take("", false);
    break;
  default:
    take("", true);
  }
  if (selection.chosen_.empty() && wanted != TUTTI_DEVICE_AUTO) {
    take("", true);
    if (wanted == TUTTI_DEVICE_CUDA || wanted == TUTTI_DEVICE_GPU) {
      take("opencl", false);
    }
    if (speaks) {
      log::warn("TUTTI_DEVICE={}: there is no such device; using {} instead", nameOf(wanted),
                selection.chosen_.empty() ? "cpu" : selection.chosen_.front().driver->name());
    }
  }
  std::vector<Chosen> &chosen = selection.chosen_;
  std::vector<Chosen> own;
  const auto count = static_cast<std::int32_t>(chosen.size());
  for (std::int32_t index = 0; index < count; ++index) {
    if (locals >= count ? index == local % count : index % locals == local) {
      own.push_back(std::move(chosen[static_cast<std::size_t>(index)]));
    }
  }
  if (own.size() > kMostDevices) {
    own.resize(kMostDevices);
  }
  chosen = std::move(own);
  return selection;
}

std::vector<exec::OpenDevice> DeviceSelection::open(const memory::Window &window) {
  std::vector<exec::OpenDevice> opened;
  const device::Segments segments = segmentsOf(window);
  for (const Chosen &chosen : chosen_) {
    auto device = chosen.driver->open(chosen.index, segments);
    if (device) {
      opened.push_back({*std::move(device), chosen.driver->name()});
    } else {
      log::warn("{} is not used: {}", chosen.info.name, device.error().message);
    }
  }
  for (auto &driver : drivers_) {
    (void)driver.release(); // Devices may outlive everything else of the process.
  }
  drivers_.clear();
  return opened;
}

Result<JobDevices> exchangeDevices(transport::Endpoint &endpoint,
                                   const std::vector<exec::OpenDevice> &own) {
  DeviceHello hello{};
  for (const exec::OpenDevice &open : own) {
    const device::Info &info = open.device->info();
    hello.traits.at(hello.count++) = {static_cast<std::uint32_t>(info.format), kindOf(open.backend),
                                      info.hasFp64 ? 1U : 0U, info.units};
  }
  std::vector<std::byte> bytes;
  TUTTI_ASSIGN(bytes, endpoint.allGather(std::as_bytes(std::span(&hello, 1))));
  std::vector<DeviceHello> hellos(static_cast<std::size_t>(endpoint.size()));
  std::memcpy(hellos.data(), bytes.data(), bytes.size());
  std::vector<std::int32_t> counts;
  std::vector<exec::DeviceTraits> traits;
  for (const DeviceHello &each : hellos) {
    counts.push_back(static_cast<std::int32_t>(each.count));
    traits.insert(traits.end(), each.traits.begin(),
                  each.traits.begin() + static_cast<std::ptrdiff_t>(each.count));
  }
  return JobDevices{memory::Topology(counts), std::move(traits)};
}

} // namespace tutti::entry
