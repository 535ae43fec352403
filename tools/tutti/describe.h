// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The words of `tutti info`.
#pragma once

#include <cstdint>
#include <string>

#include "tools/tutti/machine.h"

namespace tutti::tools {

/// Some lines for people. `wanted` is a tutti_device_kind.
std::string textOf(const Machine &machine, std::uint32_t wanted);

/// One line of JSON.
std::string jsonOf(const Machine &machine, std::uint32_t wanted);

} // namespace tutti::tools
