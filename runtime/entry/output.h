// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What launches have printed, and the streams of the C++ library that they may print to.
#pragma once

#include "runtime/exec/part_output.h"

#include <vector>

namespace tutti::entry {

/// Whether `std::cout` and `std::cerr` are as when the program began, on all ranks: how they
/// format, and that they write to the C library's streams.
bool areStreamsPlain();

/// Writes what a launch has printed as the program does, and ends it if an iteration has.
void writeOutput(const std::vector<exec::Printed> &parts);

} // namespace tutti::entry
