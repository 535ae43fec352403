// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which devices a process uses: a rule over what the backends list. Opens none.
#pragma once

#include "runtime/device/device.h"
#include "runtime/device/wish.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::device {

/// A device by its backend and its number there.
struct Choice {
  std::size_t backend;
  std::size_t index;
  /// It is for what asks for its backend by name, and for nothing else.
  bool isForItsName = false;

  friend bool operator==(const Choice &, const Choice &) = default;
};

/// A backend by its name. `devices` is asked only where the rule gets to it, because starting a
/// driver takes time; it may be asked more than once.
struct Listing {
  std::string_view name;
  std::function<const std::vector<Info> &()> devices;
  /// Whether it is worth asking for GPUs beside those of other backends, which are `known` by their
  /// identities. Empty: yes.
  std::function<bool(std::span<const std::string> known)> mayAddGpus = {};
};

struct Selection {
  std::vector<Choice> choices; ///< Of one backend after the other; empty: cores only.
  std::uint32_t missing = 0;   ///< The kinds asked for by name that are not there.
  /// Of those the backends all of whose GPUs are used, through other backends.
  std::uint32_t elsewhere = 0;
};

/// All devices that the processes of one host share. `wish`: for the whole run; `inSource`: the
/// kinds that loops ask for, which counts if that is TUTTI_DEVICE_AUTO.
///
/// Always: a piece of hardware is chosen once, by the first backend that lists it.
Selection sharedDevices(std::span<const Listing> backends, const Wish &wish,
                        std::uint32_t inSource = 0);

/// Those of them that fall to process `local` of `locals`: dealt in turn; a device is shared if
/// there are more processes.
std::vector<Choice> ownDevices(const std::vector<Choice> &shared, std::int64_t local,
                               std::int64_t locals);

/// How many processes use the same of `devices` as process `local` of `locals`, itself included.
/// They divide its memory.
std::int64_t sharersOf(std::size_t devices, std::int64_t local, std::int64_t locals);

} // namespace tutti::device
