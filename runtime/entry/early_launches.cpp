// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/early_launches.h"

#include "abi/order.h"
#include "runtime/exec/region_view.h"

#include <algorithm>
#include <cstddef>

namespace tutti::entry {

namespace {

/// Of each loop: the first launches differ from later ones, as threads are started in them.
constexpr std::size_t kKept = 3;

/// A launch says nothing of one that is so many times as long.
constexpr std::int64_t kMuchLonger = 2;

} // namespace

std::optional<std::int64_t> EarlyLaunches::iterationsOf(const tutti_region &region,
                                                        const std::uint64_t *captures) {
  if ((region.flags & TUTTI_REGION_DISTRIBUTABLE) == 0 || !region.device ||
      region.device->mappings == 0 || exec::asksForOneThread(region, captures)) {
    return std::nullopt;
  }
  values_.assign(region.values, 0);
  tutti_gather gather{&window_, {}, false};
  region.gather(captures, values_.data(), &gather);
  if (gather.isOutside) {
    return std::nullopt;
  }
  return region.trip(captures, values_.data());
}

std::optional<double> EarlyLaunches::expected(const tutti_region &region,
                                              std::int64_t iterations) const {
  const auto found = known_.find(&region);
  if (found == known_.end()) {
    return std::nullopt;
  }
  std::optional<double> least; // Others may have met something else, as another program.
  for (const Ran &ran : found->second) {
    const double seconds =
        ran.seconds / static_cast<double>(ran.iterations) * static_cast<double>(iterations);
    if (iterations / kMuchLonger <= ran.iterations) {
      least = std::min(least.value_or(seconds), seconds);
    }
  }
  return least;
}

bool EarlyLaunches::isDivisible(const tutti_region &region) {
  constexpr std::uint32_t kLoop = TUTTI_REGION_DISTRIBUTABLE | TUTTI_REGION_LOOP;
  constexpr std::uint32_t kMayBe =
      TUTTI_REGION_REDUCES | TUTTI_REGION_FOLLOWS | TUTTI_REGION_THREADS | TUTTI_REGION_FORGETS;
  return (region.flags & ~kMayBe) == kLoop;
}

bool EarlyLaunches::ranHome(const tutti_region &region, std::int64_t iterations, double seconds) {
  std::vector<Ran> &known = known_[&region];
  if (known.size() == kKept) {
    known.pop_back();
  }
  known.push_back({iterations, seconds});
  return known.size() == 1;
}

} // namespace tutti::entry
