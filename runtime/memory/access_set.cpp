// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/access_set.h"

#include <algorithm>
#include <utility>

namespace tutti::memory {

std::uint64_t AccessRanges::mostExactRuns(const AccessRecords &records) {
  constexpr std::uint64_t kManyInAll = 16 * kManyRuns;
  constexpr std::uint64_t kFew = 8;
  std::uint64_t all = 0;
  for (const AccessRecord &record : records.records) {
    if (record.isWritten()) {
      all += record.runs(false).count(kManyRuns);
      if (all > kManyInAll) {
        return kFew;
      }
    }
  }
  return kManyRuns;
}

/// Every other point of a long row, say: then what lies between counts as written, too, at most.
bool AccessRanges::isCoarse(const AccessRecord &record) const {
  if (!record.isWritten() || record.dims.empty()) {
    return false;
  }
  const Runs exact = record.runs(false);
  return exact.count(manyRuns_) > manyRuns_ && record.runs(true).dims.size() < exact.dims.size();
}

void AccessRanges::append(std::vector<Range> &out, const AccessRecord &record, bool widen,
                          Range clip) {
  if (tooMany_) {
    return;
  }
  const Runs runs = record.runs(widen);
  const std::size_t left = maxRanges_ - reads_.size() - writes_.size();
  if (clip.contains(record.hull) && runs.count(left) > left) {
    tooMany_ = true;
    return;
  }
  const std::size_t most = out.size() + left;
  const Range within{std::max(clip.begin, record.limit.begin),
                     std::min(clip.end, record.limit.end)};
  tooMany_ = !runs.forEach(within, [&](Range run) {
    out.push_back(run);
    return out.size() <= most;
  });
}

void AccessRanges::addReads(const AccessRecord &record, Range clip) {
  if (record.isRead() || (record.isWritten() && (record.isAtMost() || isCoarse(record)))) {
    append(reads_, record, true, clip);
  }
}

void AccessRanges::addWrites(const AccessRecord &record, Range clip) {
  if (!record.isWritten()) {
    return;
  }
  const bool widen = isCoarse(record);
  append(writes_, record, widen, clip);
  if (record.isAtMost() || widen) {
    append(atMost_, record, widen, clip); // Of as many ranges as the writes.
  }
  if (record.isScattered()) {
    append(scattered_, record, widen, clip);
  }
}

void AccessRanges::addUpdates(const AccessRecord &record) {
  const Update update = Update::ofFlags(record.flags);
  auto known = std::ranges::find(updates_, update, &Updated::update);
  if (known == updates_.end()) {
    known = updates_.insert(known, {update, {}});
  }
  append(known->ranges, record, false, record.hull);
}

AccessSet AccessRanges::take() {
  AccessSet set;
  set.tooMany = std::exchange(tooMany_, false);
  set.reads = RangeSet::of(std::exchange(reads_, {}));
  set.writes = RangeSet::of(std::exchange(writes_, {}));
  set.atMost = RangeSet::of(std::exchange(atMost_, {}));
  set.scattered = RangeSet::of(std::exchange(scattered_, {}));
  for (Updated &updated : std::exchange(updates_, {})) {
    set.updates.push_back({updated.update, RangeSet::of(std::move(updated.ranges))});
  }
  return set;
}

AccessSet setOf(const AccessRecords &records, AccessRanges ranges) {
  for (const AccessRecord &record : records.records) {
    ranges.add(record, record.hull);
  }
  AccessSet set = ranges.take();
  set.tooMany = set.tooMany || records.wrapsAround;
  set.anywhere = records.anywhere;
  set.unresolved = records.unresolved;
  return set;
}

AccessSet setOf(const AccessRecords &records) {
  return setOf(records,
               AccessRanges(AccessRanges::kMaxRanges, AccessRanges::mostExactRuns(records)));
}

} // namespace tutti::memory
