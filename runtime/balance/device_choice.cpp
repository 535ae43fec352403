// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/device_choice.h"

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

double secondsOf(const DeviceLoad &device) {
  const double moves =
      device.missing > 0
          ? kMoveSeconds + kMoves * static_cast<double>(device.missing) / kBytesPerSecond
          : 0;
  const double each = device.taskSeconds > 0 ? device.taskSeconds : kTaskSeconds;
  return moves + static_cast<double>(device.others) * each;
}

} // namespace

std::optional<std::size_t> chooseDevice(std::span<const DeviceLoad> devices) {
  const auto rank = [](const DeviceLoad &device) {
    return std::tuple(secondsOf(device), device.missing, device.started);
  };
  std::optional<std::size_t> best;
  for (std::size_t index = 0; index < devices.size(); ++index) {
    if (devices[index].mayRun && (!best || rank(devices[index]) < rank(devices[*best]))) {
      best = index;
    }
  }
  return best;
}

} // namespace tutti::balance
