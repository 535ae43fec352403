// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The words of `tutti info`.
#pragma once

#include "runtime/device/wish.h"

#include <string>

#include "tools/tutti/machine.h"

namespace tutti::tools {

/// Some lines for people. `wanted`: by TUTTI_DEVICE.
std::string textOf(const Machine &machine, const device::Wish &wanted);

/// One line of JSON.
std::string jsonOf(const Machine &machine, const device::Wish &wanted);

} // namespace tutti::tools
