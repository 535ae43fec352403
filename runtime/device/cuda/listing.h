// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What PTX says of the bytes that a kernel writes: those that each run of it writes without fail,
/// so that what they were need not come to the device.
///
/// Only what is sure counts. A store counts if all conditions on the way to it compare sums of
/// numbers of groups and work-items, times and plus what is known at the launch, one dimension at a
/// time; if its address is such a sum; and if the kernel reads nothing by the pointer that it
/// writes by, nor by pointers that it finds in memory. Everything else is left out, and a kernel
/// with an instruction that this file does not know, a call for one, has no store that counts.
#pragma once

#include "base/range.h"
#include "runtime/device/device.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

namespace tutti::device::cuda {

/// The code of one kernel.
///
/// Threading: immutable.
class Listing {
public:
  /// Null if the text has no such kernel.
  static std::unique_ptr<const Listing> of(std::string_view text, std::string_view kernel);

  Listing(const Listing &) = delete;
  Listing &operator=(const Listing &) = delete;
  ~Listing();

  /// `KnownCode::surelyWritten`.
  RangeSet surelyWritten(const NativeLaunch &launch) const;

private:
  struct Code;

  Listing();

  std::unique_ptr<const Code> code_;
};

} // namespace tutti::device::cuda
