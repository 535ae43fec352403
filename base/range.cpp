// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/range.h"

#include <algorithm>
#include <utility>

namespace tutti {

namespace {

/// Appends a range that begins at or behind the last one's begin.
void append(std::vector<Range> &out, Range range) {
  if (!out.empty() && range.begin <= out.back().end) {
    out.back().end = std::max(out.back().end, range.end);
  } else {
    out.push_back(range);
  }
}

bool beginsBefore(const Range &a, const Range &b) { return a.begin < b.begin; }

/// Mostly they are a few sets one behind the other, each sorted: those are merged.
void sort(std::vector<Range> &ranges) {
  constexpr int kFew = 8;
  const auto begin = ranges.begin();
  auto sorted = std::is_sorted_until(begin, ranges.end(), beginsBefore);
  for (int sets = 1; sets < kFew && sorted != ranges.end(); ++sets) {
    const auto next = std::is_sorted_until(sorted, ranges.end(), beginsBefore);
    std::inplace_merge(begin, sorted, next, beginsBefore);
    sorted = next;
  }
  if (sorted != ranges.end()) {
    std::sort(begin, ranges.end(), beginsBefore);
  }
}

} // namespace

RangeSet RangeSet::of(std::vector<Range> ranges) {
  std::erase_if(ranges, [](const Range &range) { return range.empty(); });
  sort(ranges);
  // Merges in place: the write position never passes the read position.
  std::size_t kept = 0;
  for (const Range range : ranges) {
    if (kept > 0 && range.begin <= ranges[kept - 1].end) {
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
  RangeSet set;
  set.ranges_ = std::move(ranges);
  return set;
}

std::uint64_t RangeSet::bytes() const {
  std::uint64_t sum = 0;
  for (const Range &range : ranges_) {
    sum += range.size();
  }
  return sum;
}

Range RangeSet::hull() const {
  return ranges_.empty() ? Range{} : Range{ranges_.front().begin, ranges_.back().end};
}

RangeSet RangeSet::unite(const RangeSet &other) const {
  if (empty()) {
    return other;
  }
  if (other.empty()) {
    return *this;
  }
  RangeSet result;
  result.ranges_.reserve(ranges_.size() + other.ranges_.size());
  auto mine = ranges_.begin();
  auto theirs = other.ranges_.begin();
  while (mine != ranges_.end() || theirs != other.ranges_.end()) {
    const bool takeMine =
        theirs == other.ranges_.end() || (mine != ranges_.end() && mine->begin <= theirs->begin);
    append(result.ranges_, takeMine ? *mine++ : *theirs++);
  }
  return result;
}

RangeSet RangeSet::intersect(const RangeSet &other) const {
  RangeSet result;
  auto mine = ranges_.begin();
  auto theirs = other.ranges_.begin();
  while (mine != ranges_.end() && theirs != other.ranges_.end()) {
    const Range common{std::max(mine->begin, theirs->begin), std::min(mine->end, theirs->end)};
    if (!common.empty()) {
      result.ranges_.push_back(common);
    }
    if (mine->end < theirs->end) {
      ++mine;
    } else {
      ++theirs;
    }
  }
  return result;
}

RangeSet RangeSet::subtract(const RangeSet &other) const {
  RangeSet result;
  auto theirs = other.ranges_.begin();
  for (Range rest : ranges_) {
    while (theirs != other.ranges_.end() && theirs->end <= rest.begin) {
      ++theirs;
    }
    // A range of `other` may reach into the next of ours: do not step past it
    // for good.
    for (auto cut = theirs; cut != other.ranges_.end() && cut->begin < rest.end; ++cut) {
      if (rest.begin < cut->begin) {
        result.ranges_.push_back({rest.begin, cut->begin});
      }
      rest.begin = std::min(cut->end, rest.end);
      theirs = cut;
    }
    if (!rest.empty()) {
      result.ranges_.push_back(rest);
    }
  }
  return result;
}

bool RangeSet::overlaps(const RangeSet &other) const {
  auto mine = ranges_.begin();
  auto theirs = other.ranges_.begin();
  while (mine != ranges_.end() && theirs != other.ranges_.end()) {
    if (mine->overlaps(*theirs)) {
      return true;
    }
    if (mine->end < theirs->end) {
      ++mine;
    } else {
      ++theirs;
    }
  }
  return false;
}

} // namespace tutti
