// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program on one rank: plain OpenMP, and nothing but the report of TUTTI_STATS.
#pragma once

#include "abi/abi.h"
#include "runtime/entry/settings.h"

namespace tutti::entry::solo {

/// From now on launches are counted, if there is to be a report.
void start(const Settings &settings);

/// Whether launches are counted.
bool isCounting();

/// Counts a launch that took so long; from any thread.
void count(const tutti_region &region, double seconds);

/// Prints the report, if there is to be one.
void finish();

} // namespace tutti::entry::solo
