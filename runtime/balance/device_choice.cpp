// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/device_choice.h"

#include <algorithm>
#include <tuple>

namespace tutti::balance {

namespace {

/// Of a bus, about: only orders of magnitude matter here.
constexpr double kBytesPerSecond = 12e9;

/// What leaves its device for once is wanted there again, mostly.
constexpr double kMoves = 2;

/// What it costs to move anything: the host waits for one device and tells the other; and what is
/// beside it stays behind.
constexpr double kMoveSeconds = 100e-6;

/// What a task takes, as long as none has ended.
constexpr double kTaskSeconds = 50e-6;

/// Devices whose tasks differ by less in what they take are alike: tasks of one device differ as
/// much.
constexpr double kAlike = 2;

double secondsOfMoves(const DeviceLoad &device) {
  return device.missing > 0
             ? kMoveSeconds + kMoves * static_cast<double>(device.missing) / kBytesPerSecond
             : 0;
}

/// What tasks take on devices that are alike; nothing if they are not.
std::optional<double> commonSeconds(std::span<const DeviceLoad> devices) {
  double least = 0;
  double most = 0;
  for (const DeviceLoad &device : devices) {
    if (device.mayRun && device.taskSeconds > 0) {
      least = least > 0 ? std::min(least, device.taskSeconds) : device.taskSeconds;
      most = std::max(most, device.taskSeconds);
    }
  }
  if (most == 0) {
    return kTaskSeconds;
  }
  return most <= kAlike * least ? std::optional((least + most) / 2) : std::nullopt;
}

} // namespace

std::optional<std::size_t> chooseDevice(std::span<const DeviceLoad> devices) {
  const std::optional<double> common = commonSeconds(devices);
  const auto secondsOfOthers = [&](const DeviceLoad &device) {
    const double own = device.taskSeconds > 0 ? device.taskSeconds : kTaskSeconds;
    return static_cast<double>(device.others) * common.value_or(own);
  };
  const auto rank = [&](const DeviceLoad &device) {
    return std::tuple(secondsOfMoves(device) + secondsOfOthers(device), device.missing,
                      device.started);
  };
  const auto bestOf = [&](auto counts) {
    std::optional<std::size_t> best;
    for (std::size_t index = 0; index < devices.size(); ++index) {
      if (devices[index].mayRun && counts(devices[index]) &&
          (!best || rank(devices[index]) < rank(devices[*best]))) {
        best = index;
      }
    }
    return best;
  };
  const auto best = bestOf([](const DeviceLoad &) { return true; });
  if (!best || !common || devices[*best].written == 0 ||
      secondsOfOthers(devices[*best]) < secondsOfMoves(devices[*best])) {
    return best;
  }
  // It has enough to do. To even out queues by what is written moves that to and fro, and a kernel
  // here would hold up its queue until those there are done that have written it last. Of unlike
  // devices a slow one would keep for good what it was given while nothing was known of it.
  const auto owner = bestOf([](const DeviceLoad &device) { return device.written == 0; });
  return owner ? owner : best;
}

} // namespace tutti::balance
