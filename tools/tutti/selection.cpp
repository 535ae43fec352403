// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/tutti/selection.h"

#include "base/options.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tutti::tools {

namespace {

constexpr std::array<std::pair<std::string_view, std::uint32_t>, 6> kKinds{
    {{"auto", TUTTI_DEVICE_AUTO},
     {"cpu", TUTTI_DEVICE_CPU},
     {"gpu", TUTTI_DEVICE_GPU},
     {"cuda", TUTTI_DEVICE_CUDA},
     {"opencl", TUTTI_DEVICE_OPENCL},
     {"hybrid", TUTTI_DEVICE_HYBRID}}};

/// Devices of the first backend that has any: its GPUs, or if it has none and that will do, others.
std::vector<Choice> firstOf(const std::vector<Backend> &backends, std::string_view name,
                            bool gpusOnly) {
  for (std::size_t b = 0; b < backends.size(); ++b) {
    const auto &devices = backends[b].devices;
    const bool hasGpu = std::any_of(devices.begin(), devices.end(),
                                    [](const device::Info &info) { return info.isGpu; });
    std::vector<Choice> choices;
    for (std::size_t index = 0; index < devices.size(); ++index) {
      if (devices[index].isGpu || (!gpusOnly && !hasGpu)) {
        choices.push_back({b, index});
      }
    }
    if (!choices.empty() && (name.empty() || backends[b].name == name)) {
      return choices;
    }
  }
  return {};
}

} // namespace

Result<std::uint32_t> wantedDevices() {
  return Options::fromEnvironment().choice<std::uint32_t>("TUTTI_DEVICE", TUTTI_DEVICE_AUTO,
                                                          kKinds);
}

std::string nameOf(std::uint32_t kind) { return std::string(kKinds.at(kind).first); }

std::vector<Choice> sharedDevices(const std::vector<Backend> &backends, std::uint32_t wanted) {
  std::vector<std::pair<std::string_view, bool>> tries; // Backend (any if empty), GPUs only.
  switch (wanted) {
  case TUTTI_DEVICE_CPU:
    return {};
  case TUTTI_DEVICE_CUDA:
    tries = {{"cuda", true}, {"", true}, {"opencl", false}};
    break;
  case TUTTI_DEVICE_OPENCL:
    tries = {{"opencl", false}, {"", true}};
    break;
  case TUTTI_DEVICE_HYBRID:
    tries = {{"", true}, {"", false}};
    break;
  case TUTTI_DEVICE_GPU:
    tries = {{"", true}, {"opencl", false}};
    break;
  default:
    tries = {{"", true}};
  }
  for (const auto &[name, gpusOnly] : tries) {
    if (auto choices = firstOf(backends, name, gpusOnly); !choices.empty()) {
      return choices;
    }
  }
  return {};
}

std::vector<Choice> ownDevices(const std::vector<Choice> &shared, const Place &place) {
  const auto count = static_cast<std::int64_t>(shared.size());
  std::vector<Choice> own;
  for (std::int64_t index = 0; index < count; ++index) {
    const bool isOwn =
        place.locals >= count ? index == place.local % count : index % place.locals == place.local;
    if (isOwn) {
      own.push_back(shared[static_cast<std::size_t>(index)]);
    }
  }
  return own;
}

} // namespace tutti::tools
