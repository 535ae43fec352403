// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which gaps between runs of bytes a copy from a device takes along.
#pragma once

#include "base/range.h"

#include <cstdint>

namespace tutti::exec {

/// Whether `gap`, which lies right before `run`, costs less as a part of one copy than a copy of
/// its own for each run does.
inline bool mayComeAlong(Range gap, Range run) {
  constexpr std::uint64_t kRunsOfGap = 8;
  return kRunsOfGap * gap.size() <= run.size();
}

} // namespace tutti::exec
