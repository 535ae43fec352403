// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Templates of directory.h.
#pragma once

#include "runtime/memory/directory.h"

#include <algorithm>
#include <iterator>

namespace tutti::memory {

template <typename Visit> void Directory::forEach(Range range, Visit &&visit) const {
  // Never destroyed: exit handlers of the program still touch memory.
  static const Holders &kRankZero = *new Holders{0};
  std::uint64_t at = range.begin;
  auto run = runs_.upper_bound(at);
  if (run != runs_.begin() && std::prev(run)->second.end > at) {
    --run;
  }
  while (at < range.end) {
    if (run == runs_.end() || run->first >= range.end) {
      visit(Range{at, range.end}, kRankZero);
      return;
    }
    if (run->first > at) {
      visit(Range{at, run->first}, kRankZero);
      at = run->first;
    }
    const std::uint64_t end = std::min(run->second.end, range.end);
    visit(Range{at, end}, run->second.holders);
    at = end;
    ++run;
  }
}

} // namespace tutti::memory
