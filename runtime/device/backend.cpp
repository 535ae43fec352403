// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/backend.h"

#include <utility>

namespace tutti::device {

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
