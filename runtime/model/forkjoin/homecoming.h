// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which launches bring home at once what sequential code is going to look at. Pure.
#pragma once

#include "base/range.h"
#include "runtime/exec/plan.h"

#include <cstdint>
#include <map>
#include <memory>

namespace tutti::model::forkjoin {

/// A program that looks at a result behind each launch mostly looks at the same bytes each time.
/// Closing their pages, a touch of each piece and opening them again take as long as copying them.
///
/// What touches have brought behind two launches of a plan in a row, before anything else was
/// launched, is foretold for the next three. Nothing tells whether the program still looks at what
/// is there already, so the one after those closes its pages as ever; if touches bring the same,
/// seven launches are foretold, and so on. So what comes in vain, once the program looks no more,
/// is about as much as it has looked at.
///
/// Threading: externally synchronised.
class Homecoming {
public:
  /// A launch is about to begin. `looked`: pages that touches have brought since the one before.
  /// Gives the pages whose bytes are to be at home when it is over.
  RangeSet next(const std::shared_ptr<const exec::Plan> &plan, RangeSet looked);

  /// The same for one of which nothing is foretold.
  void nextOther(RangeSet looked);

private:
  struct Habit {
    RangeSet pages;          ///< Looked at behind the latest launch that showed it.
    std::uint32_t times = 0; ///< In a row.
    std::uint32_t left = 0;  ///< Launches that are foretold.
  };

  /// Shared with the planner, so that no other plan gets the address of one that it has forgotten.
  std::map<std::shared_ptr<const exec::Plan>, Habit> habits_;
  std::shared_ptr<const exec::Plan> latest_; ///< Null if it shows nothing.
};

} // namespace tutti::model::forkjoin
