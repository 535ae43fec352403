// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the first distributed launches of a loop leave behind, so that it can be undone in one
/// piece when the loop turns out to be better off at home. Pure.
#pragma once

#include "base/range.h"
#include "runtime/exec/plan.h"

#include <cstdint>

namespace tutti::model::forkjoin {

/// The pages of rank 0 that launches of one loop have closed because other places hold copies of
/// them now, as long as these launches are few.
///
/// Threading: externally synchronised.
class Trial {
public:
  /// A loop that was distributed more often is settled there: what it uses is left where it is.
  static constexpr std::int32_t kLaunches = 8;

  /// Notes a launch of so many iterations that is about to run on several hosts.
  void launched(const exec::Plan &plan, std::int64_t iterations);

  /// Whether a launch of so many iterations that stays home shows that the loop is given up. One
  /// that is smaller than those that were distributed shows nothing about them.
  bool endsWith(std::int64_t iterations) const { return launches_ > 0 && iterations >= most_; }

  /// Ends it: the pages that are to be opened.
  RangeSet end();

private:
  RangeSet pages_;
  std::int64_t most_ = 0; ///< Iterations of a launch.
  std::int32_t launches_ = 0;
};

} // namespace tutti::model::forkjoin
