// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/homecoming.h"

#include <algorithm>
#include <utility>

namespace tutti::model::forkjoin {

namespace {

/// Times in a row that make a habit.
constexpr std::uint32_t kHabit = 2;

/// No more than 63 launches are foretold before the next look.
constexpr std::uint32_t kMostDoublings = 6;

/// Plans whose habits are known; a program that makes new ones again and again has none.
constexpr std::size_t kMany = 64;

} // namespace

RangeSet Homecoming::next(const std::shared_ptr<const exec::Plan> &plan, RangeSet looked) {
  nextOther(std::move(looked));
  const auto known = habits_.find(plan);
  if (known == habits_.end() || known->second.left == 0) {
    latest_ = plan;
    return {};
  }
  --known->second.left;
  return known->second.pages;
}

void Homecoming::nextOther(RangeSet looked) {
  const std::shared_ptr<const exec::Plan> plan = std::exchange(latest_, nullptr);
  if (!plan) {
    return;
  }
  if (looked.empty()) {
    habits_.erase(plan);
    return;
  }
  if (habits_.size() >= kMany && !habits_.contains(plan)) {
    habits_.clear();
  }
  Habit &habit = habits_[plan];
  habit.times = habit.pages == looked ? habit.times + 1 : 1;
  habit.pages = std::move(looked);
  habit.left = habit.times < kHabit ? 0 : (1U << std::min(habit.times, kMostDoublings)) - 1;
}

} // namespace tutti::model::forkjoin
