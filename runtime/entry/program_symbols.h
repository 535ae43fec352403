// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Names of the program's variables, for messages.
#pragma once

#include <cstdint>
#include <string>

namespace tutti::entry {

/// The variable of the executable that holds `address`; empty if the file tells none.
std::string variableNameAt(std::uint64_t address);

} // namespace tutti::entry
