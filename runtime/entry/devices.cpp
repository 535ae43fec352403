// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/devices.h"

#include "base/format.h"
#include "base/log.h"
#include "runtime/device/backend.h"
#include "runtime/device/selection.h"
#include "runtime/entry/images.h"
#include "runtime/transport/gather.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
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

/// A name of a GPU among those of all hosts; 0 if it has none.
std::uint64_t hardwareOf(const device::Info &info) {
  if (!info.isGpu || info.identity.empty()) {
    return 0;
  }
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::hash<std::string>()(std::string(host.data()) + ' ' + info.identity);
}

/// The tutti_device_kind that asks for devices of a backend.
std::uint32_t kindOf(std::string_view name) {
  const device::Backend *backend = device::findBackend(name);
  return backend ? backend->kind : std::uint32_t{TUTTI_DEVICE_GPU};
}

/// The backends of what was chosen, by their names.
std::string backendsOf(const device::Selection &found, std::span<const device::Listing> listings) {
  std::vector<std::string_view> names;
  for (const device::Choice &choice : found.choices) {
    const std::string_view name = listings[choice.backend].name;
    if (!choice.isForItsName && std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
  }
  return names.empty() ? "cpu" : fmt::format("{}", fmt::join(names, ", "));
}

/// Says what was asked for in vain, and what takes its place.
void sayMissing(const device::Selection &found, bool isInSource, const std::string &problems,
                const std::string &instead) {
  const std::string_view asked = isInSource ? "the program asks for " : "TUTTI_DEVICE=";
  if (const std::uint32_t missing = found.missing & ~found.elsewhere; missing != 0) {
    log::warn("{}{}: there is no such device{}{}; using {} instead", asked,
              device::namesOf(missing), problems.empty() ? "" : ": ", problems, instead);
  }
  if (found.elsewhere != 0) {
    log::warn("{}{}: its GPUs are used through {}", asked, device::namesOf(found.elsewhere),
              instead);
  }
}

/// None, with a note of why, where a driver does not start.
std::vector<device::Info> devicesOf(device::Driver &driver, std::vector<std::string> &problems) {
  auto devices = driver.list();
  if (!devices) {
    problems.push_back(devices.error().message);
  }
  return devices ? *std::move(devices) : std::vector<device::Info>();
}

} // namespace

bool mayHaveGpus() {
  return std::ranges::any_of(device::backends(), [](const device::Backend *backend) {
    return backend->mayHaveGpus && backend->mayHaveGpus();
  });
}

DeviceSelection DeviceSelection::find(const device::Wish &wish, std::uint32_t inSource,
                                      std::int32_t local, std::int32_t locals, bool speaks) {
  DeviceSelection selection;
  if (wish.kind == TUTTI_DEVICE_CPU) {
    return selection;
  }
  selection.drivers_ = device::makeDrivers();
  std::vector<std::optional<std::vector<device::Info>>> lists(selection.drivers_.size());
  std::vector<device::Listing> listings;
  std::vector<std::string> problems;
  for (std::size_t index = 0; index < lists.size(); ++index) {
    device::Driver &driver = *selection.drivers_[index];
    auto &list = lists[index];
    device::Listing &listing = listings.emplace_back();
    listing.name = driver.name();
    listing.devices = [&driver, &list, &problems]() -> const auto & {
      if (!list) {
        list = devicesOf(driver, problems);
      }
      return *list;
    };
    if (const device::Backend *backend = device::findBackend(driver.name())) {
      listing.mayAddGpus = backend->mayAddGpus;
    }
  }
  const device::Selection found = device::sharedDevices(listings, wish, inSource);
  if (speaks) {
    const std::string text = fmt::format("{}", fmt::join(problems, "; "));
    sayMissing(found, wish.kind == TUTTI_DEVICE_AUTO, text, backendsOf(found, listings));
    if (!text.empty() && (found.missing & ~found.elsewhere) == 0) {
      log::warn("{}", text);
    }
  }
  selection.sharers_ =
      static_cast<std::uint64_t>(device::sharersOf(found.choices.size(), local, locals));
  for (const device::Choice &choice : device::ownDevices(found.choices, local, locals)) {
    if (selection.chosen_.size() < kMostDevices) {
      selection.chosen_.push_back({selection.drivers_[choice.backend].get(), choice.index,
                                   (*lists[choice.backend])[choice.index], choice.isForItsName});
    }
  }
  return selection;
}

std::vector<exec::OpenDevice> DeviceSelection::open(const memory::Window &window,
                                                    std::uint64_t memoryLimit) {
  std::vector<exec::OpenDevice> opened;
  const device::Segments segments = exec::segmentsOf(window);
  const std::vector<const tutti_kernel *> kernels = imageKernels();
  for (const Chosen &chosen : chosen_) {
    auto device = chosen.driver->open(chosen.index, segments);
    if (device) {
      (*device)->expect(kernels);
      const exec::Room room{std::min((*device)->capacity() / sharers_, memoryLimit),
                            (*device)->granule()};
      opened.push_back({*std::move(device), chosen.driver->name(), room, chosen.isForItsName});
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

std::vector<exec::Room> JobDevices::rooms() const {
  std::vector<exec::Room> all;
  for (const exec::DeviceTraits &each : traits) {
    all.push_back(each.room);
  }
  return all;
}

Result<JobDevices> exchangeDevices(transport::Endpoint &endpoint,
                                   const std::vector<exec::OpenDevice> &own) {
  DeviceHello hello{};
  for (const exec::OpenDevice &open : own) {
    const device::Info &info = open.device->info();
    hello.traits.at(hello.count++) = {static_cast<std::uint32_t>(info.format),
                                      kindOf(open.backend),
                                      info.hasFp64 ? 1U : 0U,
                                      info.isGpu ? 1U : 0U,
                                      info.units,
                                      open.room,
                                      open.isForItsName ? 1U : 0U,
                                      hardwareOf(info)};
  }
  std::vector<DeviceHello> hellos;
  TUTTI_ASSIGN(hellos, transport::gather(endpoint, hello));
  std::vector<std::int32_t> devicesOfRanks;
  std::vector<exec::DeviceTraits> traits;
  for (const DeviceHello &each : hellos) {
    devicesOfRanks.push_back(static_cast<std::int32_t>(each.count));
    traits.insert(traits.end(), each.traits.begin(),
                  each.traits.begin() + static_cast<std::ptrdiff_t>(each.count));
  }
  return JobDevices{std::move(devicesOfRanks), std::move(traits)};
}

} // namespace tutti::entry
