// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which devices a process uses: a rule over what the backends list. Opens none.
#pragma once

#include "abi/backends.h"
#include "runtime/device/device.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::device {

/// The values of TUTTI_DEVICE, and the tutti_device_kind of each.
inline constexpr auto kDeviceKinds = [] {
  std::array<std::pair<std::string_view, std::uint32_t>, abi::kDeviceKinds.size()> kinds;
  for (std::size_t index = 0; index < kinds.size(); ++index) {
    kinds[index] = {abi::kDeviceKinds[index].name, abi::kDeviceKinds[index].number};
  }
  return kinds;
}();

/// The value of TUTTI_DEVICE that means `kind`; empty if there is none.
constexpr std::string_view nameOfKind(std::uint32_t kind) {
  const abi::DeviceKind *found = abi::findDeviceKind(kind);
  return found ? found->name : std::string_view();
}

/// A device by its backend and its number there.
struct Choice {
  std::size_t backend;
  std::size_t index;

  friend bool operator==(const Choice &, const Choice &) = default;
};

/// A backend by its name. `devices` is asked only where the rule gets to it, because starting a
/// driver takes time; it may be asked more than once.
struct Listing {
  std::string_view name;
  std::function<const std::vector<Info> &()> devices;
};

/// A set of tutti_device_kinds: a bit for each.
constexpr std::uint32_t kindBit(std::uint32_t kind) { return 1U << kind; }

struct Selection {
  std::vector<Choice> choices; ///< Of one backend; empty: cores only.
  std::uint32_t missing = 0;   ///< The kinds asked for by name that are not there.
};

/// All devices that the processes of one host share. `wanted`: a tutti_device_kind for the whole
/// run; `inSource`: the kinds that loops ask for, which counts if that is TUTTI_DEVICE_AUTO.
Selection sharedDevices(std::span<const Listing> backends, std::uint32_t wanted,
                        std::uint32_t inSource = 0);

/// Those of them that fall to process `local` of `locals`: dealt in turn; a device is shared if
/// there are more processes.
std::vector<Choice> ownDevices(const std::vector<Choice> &shared, std::int64_t local,
                               std::int64_t locals);

/// How many processes use the same of `devices` as process `local` of `locals`, itself included.
/// They divide its memory.
std::int64_t sharersOf(std::size_t devices, std::int64_t local, std::int64_t locals);

} // namespace tutti::device
