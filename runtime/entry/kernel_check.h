// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds what a kernel touches of a device's memory beyond what its task names: what has changed
/// there afterwards, and whether the results are others where all that is not named is zero.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/device/device.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tutti::entry {

struct KernelStrays {
  std::vector<std::uint64_t> written;
  std::vector<std::uint64_t> read;
};

/// What a kernel names, of what its device holds.
struct KernelNames {
  RangeSet held; ///< All that the device holds.
  RangeSet touched;
  RangeSet written;
  bool mayRunAgain; ///< It names nothing that lies elsewhere.
};

/// Runs the kernel, several times if it may be, and leaves what the first run has left.
///
/// A read is found where it matters to a result, and if runs on the same memory give the same
/// results.
///
/// Order:  nothing else is under way on the device.
/// Errors: those of the queue, and of `run`.
Result<KernelStrays> checkKernel(device::Queue &queue, const KernelNames &names,
                                 const std::function<Status(device::Queue &)> &run);

} // namespace tutti::entry
