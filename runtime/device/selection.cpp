// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/selection.h"

#include <algorithm>

namespace tutti::device {

namespace {

/// Devices of `backend`: a backend's name, or any if empty.
struct Try {
  std::string_view backend;
  bool gpusOnly;
};

struct Tries {
  std::vector<Try> asked;
  std::vector<Try> substitutes;
};

/// A backend's devices stand for GPUs that are not there, whatever they are.
Tries triesFor(std::uint32_t wanted) {
  const std::vector<Try> any{{"", true}, {"", false}};
  if (abi::isBackend(wanted)) {
    return {{{nameOfKind(wanted), false}}, any};
  }
  switch (wanted) {
  case TUTTI_DEVICE_CPU:
    return {};
  case TUTTI_DEVICE_HYBRID:
    return {any, {}};
  case TUTTI_DEVICE_GPU:
    return {{{"", true}}, any};
  default:
    return {{{"", true}}, {}};
  }
}

/// Devices of the first backend that has any: its GPUs, or if it has none and that will do, others.
std::vector<Choice> firstOf(std::span<const Listing> backends, const std::vector<Try> &tries) {
  for (const Try &attempt : tries) {
    for (std::size_t backend = 0; backend < backends.size(); ++backend) {
      if (!attempt.backend.empty() && backends[backend].name != attempt.backend) {
        continue;
      }
      const std::vector<Info> &devices = backends[backend].devices();
      const bool hasGpu =
          std::any_of(devices.begin(), devices.end(), [](const Info &info) { return info.isGpu; });
      std::vector<Choice> choices;
      for (std::size_t index = 0; index < devices.size(); ++index) {
        if (devices[index].isGpu || (!attempt.gpusOnly && !hasGpu)) {
          choices.push_back({backend, index});
        }
      }
      if (!choices.empty()) {
        return choices;
      }
    }
  }
  return {};
}

/// Whether what asks for `kind` by name gets something else.
bool isMissing(std::span<const Listing> backends, const std::vector<Choice> &choices,
               std::uint32_t kind) {
  const auto isOfKind = [&](const Choice &choice) {
    const Listing &listing = backends[choice.backend];
    return kind == TUTTI_DEVICE_GPU      ? listing.devices()[choice.index].isGpu
           : kind == TUTTI_DEVICE_HYBRID ? true
                                         : listing.name == nameOfKind(kind);
  };
  return std::none_of(choices.begin(), choices.end(), isOfKind);
}

} // namespace

Selection sharedDevices(std::span<const Listing> backends, std::uint32_t wanted,
                        std::uint32_t inSource) {
  const Tries tries = triesFor(wanted);
  Selection selection{firstOf(backends, tries.asked)};
  if (wanted == TUTTI_DEVICE_AUTO) {
    for (const auto &[name, kind] : kDeviceKinds) {
      if (selection.choices.empty() && abi::isBackend(kind) && (inSource & kindBit(kind)) != 0) {
        selection.choices = firstOf(backends, triesFor(kind).asked);
      }
    }
    for (const auto &[name, kind] : kDeviceKinds) {
      const bool isForDevices = kind != TUTTI_DEVICE_AUTO && kind != TUTTI_DEVICE_CPU;
      if (isForDevices && (inSource & kindBit(kind)) != 0 &&
          isMissing(backends, selection.choices, kind)) {
        selection.missing |= kindBit(kind);
      }
    }
  } else if (selection.choices.empty() && wanted != TUTTI_DEVICE_CPU) {
    selection = {firstOf(backends, tries.substitutes), kindBit(wanted)};
  }
  return selection;
}

std::vector<Choice> ownDevices(const std::vector<Choice> &shared, std::int64_t local,
                               std::int64_t locals) {
  const auto count = static_cast<std::int64_t>(shared.size());
  std::vector<Choice> own;
  for (std::int64_t index = 0; index < count; ++index) {
    if (locals >= count ? index == local % count : index % locals == local) {
      own.push_back(shared[static_cast<std::size_t>(index)]);
    }
  }
  return own;
}

std::int64_t sharersOf(std::size_t devices, std::int64_t local, std::int64_t locals) {
  const auto count = static_cast<std::int64_t>(devices);
  return locals <= count || count == 0 ? 1 : (locals - local % count + count - 1) / count;
}

} // namespace tutti::device
