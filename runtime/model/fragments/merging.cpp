// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls of a loop that become one: on devices a call costs the same for few cells as for many.
///
/// All calls of a loop's iterations that may be merged wait for one another. When the last of them
/// has what it reads, they are cut into runs, the same at every step, and each run is one call for
/// whoever runs it. Its members end as if they had run: only inner borders are values that stand
/// for nothing, and nobody but other members names those.
#include "runtime/model/fragments/merging.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tutti::model::fragments {

namespace {

constexpr std::int64_t kMostUnits = std::numeric_limits<std::int32_t>::max();

std::int64_t divided(std::int64_t dividend, std::int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

} // namespace

Runs cutIntoRuns(std::span<const std::optional<Part>> parts, std::span<const std::int64_t> sizes,
                 std::span<const std::uint64_t> bytes, const RunCounts &counts) {
  // Of a part that a device cannot hold, one run comes while another goes and two are used.
  constexpr std::int64_t kRunsHeld = 4;
  Runs runs;
  for (std::size_t begin = 0; begin < parts.size();) {
    std::size_t end = begin + 1;
    while (end < parts.size() && parts[end] == parts[begin]) {
      ++end;
    }
    if (parts[begin]) {
      const std::int64_t units =
          std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(begin),
                          sizes.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{0});
      const auto all = static_cast<std::int64_t>(
          std::accumulate(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                          bytes.begin() + static_cast<std::ptrdiff_t>(end), std::uint64_t{0}));
      std::int64_t count = 1;
      if (parts[begin] == Part::Drag) {
        count = counts.portions;
      } else if (parts[begin] == Part::Device) {
        const auto held = static_cast<std::int64_t>(counts.deviceBytes);
        const bool isHeld = held == 0 || all <= held * counts.devices;
        count = isHeld ? counts.devices : std::max(counts.devices, divided(kRunsHeld * all, held));
      }
      const auto calls = static_cast<std::int64_t>(end - begin);
      // Halves of what fits, as runs need not be alike.
      count = std::min(std::max(count, divided(units, kMostUnits / 2)), calls);
      std::int64_t from = 0;
      for (std::int64_t run = 1; run <= count; ++run) {
        const std::int64_t to = calls * run / count;
        runs.emplace_back(begin + static_cast<std::size_t>(from),
                          begin + static_cast<std::size_t>(to));
        from = to;
      }
    }
    begin = end;
  }
  return runs;
}

} // namespace tutti::model::fragments
