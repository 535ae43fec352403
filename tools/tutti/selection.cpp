// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/tutti/selection.h"

#include "base/options.h"

namespace tutti::tools {

Result<std::uint32_t> wantedDevices() {
  return Options::fromEnvironment().choice<std::uint32_t>("TUTTI_DEVICE", TUTTI_DEVICE_AUTO,
                                                          device::kDeviceKinds);
}

std::string nameOf(std::uint32_t kind) { return std::string(device::nameOfKind(kind)); }

std::vector<Choice> sharedDevices(const std::vector<Backend> &backends, std::uint32_t wanted) {
  std::vector<device::Listing> listings;
  for (const Backend &backend : backends) {
    listings.push_back({backend.name, [&backend]() -> const auto & { return backend.devices; }});
  }
  return device::sharedDevices(listings, wanted).choices;
}

std::vector<Choice> ownDevices(const std::vector<Choice> &shared, const Place &place) {
  return device::ownDevices(shared, place.local, place.locals);
}

} // namespace tutti::tools
