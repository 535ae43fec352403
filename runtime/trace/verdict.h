// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the numbers of a run mean to whoever started it.
#pragma once

#include "runtime/trace/counters.h"

#include <string>

namespace tutti::trace {

/// One sentence: whether more ranks helped the loops, what cost most, and what to do about it.
/// Empty for a run on one rank.
std::string verdict(const Report &report);

} // namespace tutti::trace
