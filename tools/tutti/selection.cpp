// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/tutti/selection.h"

#include "base/options.h"

namespace tutti::tools {

Result<device::Wish> wantedDevices() {
  return device::parseWish(Options::fromEnvironment().text("TUTTI_DEVICE", "auto"));
}

std::vector<Choice> sharedDevices(const std::vector<Backend> &backends, const device::Wish &wish) {
  std::vector<device::Listing> listings;
  for (const Backend &backend : backends) {
    listings.push_back({backend.name, [&backend]() -> const auto & { return backend.devices; },
                        backend.mayAddGpus});
  }
  return device::sharedDevices(listings, wish).choices;
}

std::vector<Choice> ownDevices(const std::vector<Choice> &shared, const Place &place) {
  return device::ownDevices(shared, place.local, place.locals);
}

} // namespace tutti::tools
