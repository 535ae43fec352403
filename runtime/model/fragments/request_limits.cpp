// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/request_limits.h"

#include "base/format.h"
#include "runtime/model/fragments/data.h"
#include "runtime/model/fragments/evaluator.h"
#include "runtime/model/fragments/failures.h"
#include "runtime/model/fragments/unfolding.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

void RequestLimits::startLimit(std::int32_t statement, std::int32_t rule, Frame *frame) {
  Activity &activity = unfolding_.push(statement, frame, nullptr, nullptr);
  activity.rule = rule;
  stepLimit(activity); // Before the call asks for what the rule asks for, too.
}

/// What a rule asks for is there as long as it waits for something else.
void RequestLimits::guard(const Activity &activity, const Ask &ask) {
  std::vector<Entry *> &entries = guarded_[&activity];
  entries.insert(entries.end(), ask.read.begin(), ask.read.end());
  entries.insert(entries.end(), ask.missing.begin(), ask.missing.end());
  for (Entry *entry : entries) {
    ++entry->users;
    ++entry->rules;
  }
}

void RequestLimits::unguard(const std::vector<Entry *> &guarded) {
  for (Entry *entry : guarded) {
    --entry->users;
    --entry->rules;
  }
  const std::set<Entry *> each(guarded.begin(), guarded.end());
  for (Entry *entry : each) {
    data_.exhaust(*entry);
    data_.tryBury(*entry);
  }
}

void RequestLimits::stepLimit(Activity &activity) {
  const auto found = guarded_.extract(&activity);
  const std::vector<Entry *> guarded = found ? std::move(found.mapped()) : std::vector<Entry *>();
  const bool isOver = takeLimit(activity);
  unguard(guarded); // Its frame may be the last thing that keeps them.
  if (isOver) {
    unfolding_.endActivity(activity);
  }
}

/// Whether the rule has been obeyed.
bool RequestLimits::takeLimit(Activity &activity) {
  const tutti_luna_rule &rule = program_.unit().rules[activity.rule];
  Ask ask{activity.statement, true};
  std::int32_t limit = 0;
  Entry *entry = evaluator_.resolve(rule.id, activity.frame, ask);
  const bool isKnown = evaluator_.evaluateInt(rule.value, activity.frame, ask, limit);
  if (!entry || !isKnown) {
    guard(activity, ask);
    unfolding_.suspend(activity, ask);
    return false;
  }
  if (!entry->isDeleted && (data_.isHome(*entry) || program_.areCountedByAll(entry->base->slot))) {
    entry->limit = std::max(limit, 0);
    if (data_.isHome(*entry) && entry->requests > static_cast<std::uint32_t>(entry->limit)) {
      failures_.failAt(program_.at(activity.statement),
                       fmt::format("'{}' was requested {} times, req_count says {}",
                                   failures_.nameOf(*entry), entry->requests, entry->limit),
                       "E-COUNT");
      return false;
    }
    data_.exhaust(*entry);
    data_.tryBury(*entry);
  }
  return true;
}

} // namespace tutti::model::fragments
