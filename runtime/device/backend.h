// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A backend for devices, as its folder describes itself, and the list of those that were built.
///
/// A new one brings
///   1. runtime/device/NAME/CMakeLists.txt, which makes the library tutti_device_NAME;
///   2. runtime/device/NAME/NAME.h, which declares
///      `extern const Backend tutti::device::NAME::kBackend`;
///   3. lines in abi/backends.def: what users ask for it by, and its kernels' format if that is
///   new.
/// The conformance suites find it by this list.
#pragma once

#include "runtime/device/device.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::device {

/// Whose devices a backend drives. What comes first is preferred: it knows its devices best.
enum class Vendors : std::uint8_t { One, All, None /**< There is no hardware. */ };

/// Always: constant, and may be read before anything else has started.
struct Backend {
  std::string_view name; ///< Of the folder and of its drivers.
  std::uint32_t kind;    ///< The tutti_device_kind that its devices are for; see abi/backends.def.
  Vendors vendors;
  std::span<const std::string_view> settings; ///< The environment variables that it reads.
  /// Whether it is worth starting the driver when nobody has asked for devices: whether a driver of
  /// GPUs runs on this machine. Null: no.
  ///
  /// Cost: a look at the file system.
  bool (*mayHaveGpus)();
  /// Whether it is worth starting the driver for GPUs beside those `known` (by their identities) to
  /// other backends. Null: yes.
  ///
  /// Cost: a look at the file system.
  bool (*mayAddGpus)(std::span<const std::string> known);
  /// Opens nothing yet. May give null: not wanted.
  std::unique_ptr<Driver> (*makeDriver)();
};

/// All of this build, the preferred ones first.
std::span<const Backend *const> backends();

/// Null if there is none of that name.
const Backend *findBackend(std::string_view name);

/// One of each backend that gives one, in that order.
std::vector<std::unique_ptr<Driver>> makeDrivers();

} // namespace tutti::device
