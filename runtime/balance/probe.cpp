// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/probe.h"

namespace tutti::balance {

/// Whichever place is ahead of the others says when steps begin and end; how many there have been
/// between is what all of them have done.
Probe::Mark Probe::add(std::int32_t statement, double place) {
  if (latest_ == Mark::End) {
    return Mark::None;
  }
  const int count = ++counts_[{statement, place}];
  repeating_ += count == 2 ? 1 : 0;
  ended_ += latest_ == Mark::Begin ? 1 : 0;
  if (latest_ == Mark::None ? count != kStepsBefore : count != kSteps) {
    return Mark::None;
  }
  latest_ = latest_ == Mark::None ? Mark::Begin : Mark::End;
  return latest_;
}

void Probe::over(double now) {
  if (latest_ == Mark::Begin) {
    began_ = now;
  } else if (ended_ > 0) {
    seconds_ = (now - began_) * static_cast<double>(repeating_) / static_cast<double>(ended_);
  }
}

} // namespace tutti::balance
