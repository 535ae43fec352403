// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls of one loop that are to become fewer: who has come of them, and how they are cut into
/// runs.
#pragma once

#include "runtime/model/fragments/frame.h"
#include "runtime/model/fragments/parts.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

/// What is known of the calls of one statement in all iterations of one coming to life of its loop.
struct Gathering {
  std::int32_t statement = -1;
  Frame *frame = nullptr;                 ///< In which the loop stands.
  std::int32_t first = 0;                 ///< Counter of the first one.
  std::vector<std::optional<Part>> parts; ///< Of those that may be merged on this rank.
  std::vector<Call *> calls;              ///< Of these those that have what they read.
  std::size_t unplaced = 0;               ///< Of which it is not known where they run.
  std::size_t lacking = 0;                ///< Of those in `parts` that do not have what they read.

  bool isComplete() const { return unplaced == 0 && lacking == 0; }
};

/// Runs of consecutive calls, each from its first to behind its last, that become one each.
using Runs = std::vector<std::pair<std::size_t, std::size_t>>;

/// How many runs are made of consecutive calls of a part.
struct RunCounts {
  std::int64_t portions = 1;     ///< Of what is dragged through.
  std::int64_t devices = 1;      ///< Of what stays on devices, if it fits.
  std::uint64_t deviceBytes = 0; ///< What a device can hold; 0 for any number.
};

/// Cuts calls of the parts into runs. `sizes` and `bytes` of the calls: units of size, and what
/// they read and make. No run has more units than an int can say.
Runs cutIntoRuns(std::span<const std::optional<Part>> parts, std::span<const std::int64_t> sizes,
                 std::span<const std::uint64_t> bytes, const RunCounts &counts);

} // namespace tutti::model::fragments
