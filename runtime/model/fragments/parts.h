// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a rank's segment of the rope is divided: first what its cores do, then what is dragged
/// through its devices, then what stays on them.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti::model::fragments {

enum class Part : std::uint8_t {
  Cores,  ///< Calls run on the host, and their results stay there.
  Drag,   ///< Calls run on a device, and their results come back.
  Device, ///< Calls run on a device, and their results stay there.
};

struct Parts {
  double cores = 0; ///< Share of the segment; ...
  double drag = 0;  ///< ... the rest stays on devices.
  std::int32_t portions = 8;
  std::int32_t pieces = 0; ///< Of the cores' part; 0: one for each worker.
  std::int32_t follow = 0; ///< 1: shares follow what steps take; `cores` is tried on the way.

  friend bool operator==(const Parts &, const Parts &) = default;

  /// The part that a coordinate lies in, given how far it is into the segment: 0 to 1.
  Part at(double position) const;

  /// The borders of pieces of a segment of so many cells, in which the part of each cell is that of
  /// `at`: the cores' part is cut into `pieces` or one for each worker, what is dragged into
  /// portions, the rest into one for each device, or into more if a device can hold at once but
  /// `held` cells. If shares follow what steps take, no piece is much more than a 16th, and the
  /// first ones are a 256th and as much as all before, for what may be too slow there. From 0 to
  /// `cells`; no piece is empty. Without devices all is the cores'.
  std::vector<std::int64_t> cut(std::int64_t cells, std::int64_t workers, std::int64_t devices,
                                std::int64_t held) const;
};

/// What a text like "cpu=0.1,drag=0.3,portions=8,pieces=16" says; what it leaves out stays.
///
/// Errors: InvalidArgument.
Result<Parts> parseParts(std::string_view text);

} // namespace tutti::model::fragments
