// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/known_plans.h"

#include "runtime/exec/followed.h"
#include "runtime/exec/region_view.h"

#include <utility>

namespace tutti::exec {

namespace {

/// Ranges that remembered plans may hold together before all are forgotten.
constexpr std::size_t kRememberedRanges = std::size_t{2} << 20;

/// Appends all that decides what the places touch in `launch`, but for its portion.
void appendKey(std::vector<std::uint64_t> &key, const Launch &launch,
               std::span<const Range> arrays) {
  const auto add = [&key](auto word) { key.push_back(static_cast<std::uint64_t>(word)); };
  add(launch.region->id);
  add(launch.total);
  add(launch.first);
  // The numbers of captures and values are the region's.
  key.insert(key.end(), launch.captures.begin(), launch.captures.end());
  for (std::size_t index = 0; index < launch.values.size(); ++index) {
    if (isShaping(*launch.region, index)) { // Data of the same shape needs no new plan.
      add(launch.values[index]);
    }
  }
  add(launch.blocks.size());
  for (const BlockValue &block : launch.blocks) {
    // They may depend on values that shape nothing else, and the launch must not write there.
    add(block.address);
  }
  add(launch.allocations.size());
  for (const auto &[address, range] : launch.allocations) {
    add(address);
    add(range.begin);
    add(range.end);
  }
  add(launch.followed ? launch.followed->id() + 1 : 0);
  add(launch.everywhere.size());
  for (const Range &range : launch.everywhere) {
    add(range.begin);
    add(range.end);
  }
  add(arrays.size());
  for (const Range &range : arrays) {
    add(range.begin);
    add(range.end);
  }
  for (const Share &share : launch.shares) {
    add(share.place);
    add(share.weight);
  }
}

} // namespace

std::shared_ptr<const Plan> *KnownPlans::find(const State &state, const Launch &launch,
                                              std::span<const Range> arrays) {
  key_.assign({state.directory.low, state.directory.high, state.arrays,
               static_cast<std::uint64_t>(launch.onlyShare),
               static_cast<std::uint64_t>(launch.takesHulls) |
                   static_cast<std::uint64_t>(launch.widening.reads) << 1 |
                   static_cast<std::uint64_t>(launch.widening.writes) << 2,
               static_cast<std::uint64_t>(launch.piece),
               static_cast<std::uint64_t>(launch.portion.index),
               static_cast<std::uint64_t>(launch.portion.count)});
  appendKey(key_, launch, arrays);
  const auto known = plans_.find(std::span<const std::uint64_t>(key_));
  return known == plans_.end() ? nullptr : &known->second;
}

/// A launch of which nothing moves is planned nearly as fast as it is looked up. It may be one of
/// very many that differ by an offset: only what comes again is kept.
bool KnownPlans::isWorthIt(const Plan &plan) {
  if (!plan.isInPlace) {
    return true;
  }
  const std::size_t hash = OfWords()(key_);
  std::size_t &seen = seen_[hash % seen_.size()];
  return std::exchange(seen, hash) == hash;
}

void KnownPlans::remember(const std::shared_ptr<const Plan> &plan) {
  if (!isWorthIt(*plan)) {
    return;
  }
  std::size_t ranges = plan->overwritten.ranges().size() + plan->exchanged.ranges().size() + 16;
  for (const Link &link : plan->links) {
    ranges += link.ranges.ranges().size();
  }
  for (const Piece &piece : plan->waiting) {
    ranges += piece.needs.size();
  }
  for (const Copy &copy : plan->copies) {
    ranges += copy.ranges.ranges().size();
  }
  for (const DevicePart &part : plan->devices) {
    ranges += part.writes.ranges().size();
  }
  if (plan->outcome) { // A launch that stays home has none.
    for (const memory::Assignment &change : plan->outcome->changes) {
      ranges += change.ranges.size();
    }
  }
  forgetIfFull(ranges);
  plans_.emplace(key_, plan);
}

const Division *KnownPlans::findDivision(const Launch &launch, std::span<const Range> arrays) {
  divisionKey_.clear();
  appendKey(divisionKey_, launch, arrays);
  const auto known = divisions_.find(std::span<const std::uint64_t>(divisionKey_));
  return known == divisions_.end() ? nullptr : &known->second;
}

void KnownPlans::rememberDivision(const Division &division) {
  forgetIfFull(1);
  divisions_.emplace(divisionKey_, division);
}

void KnownPlans::forgetIfFull(std::size_t more) {
  remembered_ += more;
  if (remembered_ > kRememberedRanges) {
    plans_.clear();
    divisions_.clear();
    remembered_ = more;
  }
}

} // namespace tutti::exec
