// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/trial.h"

#include "runtime/memory/window.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

void Trial::launched(const exec::Plan &plan, std::int64_t iterations) {
  most_ = std::max(most_, iterations);
  if (launches_ >= kLaunches) {
    pages_ = {};
    return;
  }
  ++launches_;
  if (!plan.outcome) {
    return;
  }
  // Pages that were closed before belong to other loops.
  std::vector<Range> changed;
  for (const memory::Assignment &each : plan.outcome->changes) {
    for (const Range &range : each.ranges) {
      changed.push_back(memory::pagesAround(range));
    }
  }
  const RangeSet closed = plan.absentPages.unite(plan.readOnlyPages);
  pages_ = pages_.unite(RangeSet::of(std::move(changed)).intersect(closed));
}

RangeSet Trial::end() {
  launches_ = 0;
  most_ = 0;
  return std::exchange(pages_, {});
}

} // namespace tutti::model::forkjoin
