// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Words of the language that are also names of what only backends know elsewhere.
#pragma once

#include "abi/abi.h"

#include <cstdint>
#include <string_view>

namespace tutti::compiler::luna {

/// `CUDA sub`, and `: CUDA` behind an import: a version for devices.
inline constexpr std::string_view kDeviceWord = "CUDA";

/// The kind of the devices that such a version is for.
inline constexpr std::uint32_t kDeviceKind = TUTTI_DEVICE_CUDA;

/// Behind the name of a procedure: the name of its version.
inline constexpr std::string_view kDeviceSuffix = "_cuda";

/// Behind the name of a file with such versions.
inline constexpr std::string_view kDeviceExtension = ".cu";

/// Whether a file is compiled for such devices, in its preprocessor's words.
inline constexpr std::string_view kDeviceCondition = "defined(__CUDACC__) || defined(__CUDA__)";

} // namespace tutti::compiler::luna
