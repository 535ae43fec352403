// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Words of the language that are also names of what only backends know elsewhere.
#pragma once

#include <string_view>

namespace tutti::compiler::luna {

/// `CUDA sub`, and `: CUDA` behind an import: a version for devices.
inline constexpr std::string_view kDeviceWord = "CUDA";

} // namespace tutti::compiler::luna
