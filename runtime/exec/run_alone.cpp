// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/run_alone.h"

#include "runtime/exec/reduction.h"
#include "runtime/memory/crash.h"

#include <array>
#include <cstddef>
#include <span>

namespace tutti::exec {

void runAlone(const tutti_region &region, const std::uint64_t *captures,
              const balance::Chunk &chunk, std::int64_t total) {
  if (chunk.empty()) {
    return;
  }
  // There is nobody to wait for: the only rank adds up by itself.
  memory::TouchQueue touches;
  Progress progress(touches, false);
  PartialResults arrived;
  const std::array<Rank, 1> self{0};
  Reduction reduction({0, self, 0, 1}, progress, arrived, [](Rank, std::span<const std::byte>) {});
  const bool reduces = (region.flags & TUTTI_REGION_REDUCES) != 0;
  const tutti_chunk arguments{
      0, chunk.lower, chunk.upper, total, reduces ? &reduction : nullptr, nullptr};
  const memory::RunningLoop running(region.source);
  region.run(captures, &arguments);
}

} // namespace tutti::exec
