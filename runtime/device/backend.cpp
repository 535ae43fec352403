// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/backend.h"

#include <algorithm>
#include <utility>

namespace tutti::device {

const Backend *findBackend(std::string_view name) {
  const auto all = backends();
  const auto found = std::ranges::find(all, name, &Backend::name);
  return found == all.end() ? nullptr : *found;
}

std::vector<std::unique_ptr<Driver>> makeDrivers() {
  std::vector<std::unique_ptr<Driver>> drivers;
  for (const Backend *backend : backends()) {
    if (std::unique_ptr<Driver> driver = backend->makeDriver()) {
      drivers.push_back(std::move(driver));
    }
  }
  return drivers;
}

} // namespace tutti::device
