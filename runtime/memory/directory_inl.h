// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Templates of directory.h.
#pragma once

#include "runtime/memory/directory.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

namespace tutti::memory {

template <typename Map, typename At> At Directory::seek(Map &runs, At near, std::uint64_t address) {
  constexpr int kNear = 4; // Further away a look-up takes less.
  const auto endsAfter = [address](const At &run) { return run->second.end > address; };
  // Behind the last run is where nothing is known of the place.
  for (int steps = near == runs.end() ? kNear : 0; steps < kNear; ++steps) {
    if (near != runs.end() && !endsAfter(near)) {
      ++near;
    } else if (near != runs.begin() && endsAfter(std::prev(near))) {
      --near;
    } else {
      return near;
    }
  }
  near = runs.upper_bound(address);
  return near != runs.begin() && endsAfter(std::prev(near)) ? std::prev(near) : near;
}

/// Whether `visit` wants more, as all do that give nothing back.
template <typename Visit> bool Directory::goesOn(Visit &visit, Range run, const Holders &holders) {
  if constexpr (std::is_void_v<std::invoke_result_t<Visit &, Range, const Holders &>>) {
    visit(run, holders);
    return true;
  } else {
    return visit(run, holders);
  }
}

/// Returns where it has ended.
template <typename Visit>
Directory::Runs::const_iterator Directory::visitFrom(Runs::const_iterator near, Range range,
                                                     Visit &&visit) const {
  // Never destroyed: exit handlers of the program still touch memory.
  static const Holders &kRankZero = *new Holders{0};
  std::uint64_t at = range.begin;
  auto run = seek(runs_, near, at);
  while (at < range.end) {
    ++visits_;
    if (run == runs_.end() || run->first >= range.end) {
      static_cast<void>(goesOn(visit, Range{at, range.end}, kRankZero));
      break;
    }
    if (run->first > at) {
      if (!goesOn(visit, Range{at, run->first}, kRankZero)) {
        break;
      }
      at = run->first;
    }
    const std::uint64_t end = std::min(run->second.end, range.end);
    if (!goesOn(visit, Range{at, end}, run->second.holders)) {
      break;
    }
    at = end;
    if (run->second.end <= range.end) {
      ++run;
    }
  }
  return run;
}

template <typename Visit> void Directory::forEach(Range range, Visit &&visit) const {
  visitFrom(runs_.end(), range, visit);
}

template <typename Visit> void Directory::forEach(const RangeSet &ranges, Visit &&visit) const {
  auto near = runs_.end();
  for (const Range &range : ranges.ranges()) {
    near = visitFrom(near, range, visit);
  }
}

} // namespace tutti::memory
