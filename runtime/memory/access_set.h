// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The bytes that access records touch.
///
/// What an address means, and whether a set may be distributed, is decided by the caller.
#pragma once

#include "base/range.h"
#include "runtime/memory/access_record.h"
#include "runtime/memory/updates.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::memory {

/// What a chunk touches.
struct AccessSet {
  RangeSet reads;     ///< At-most writes included; may hold more than is read.
  RangeSet writes;    ///< Exact and at-most writes.
  RangeSet atMost;    ///< At-most writes alone.
  RangeSet scattered; ///< Of these, what other chunks may write, too.
  /// What is updated, by each way; not in the other sets unless it is touched otherwise, too.
  std::vector<UpdatedBytes> updates;
  bool tooMany =
      false; ///< More ranges than the cap, or records that wrap around; the sets are incomplete.
  bool anywhere = false;   ///< A record says that it does not hold; the sets are incomplete.
  bool unresolved = false; ///< An allocation was not found; the sets are incomplete.
};

/// Makes sets of records, or of what of them lies in some ranges.
///
/// Reads with small gaps between their runs are taken as one run: moving the gap costs less than
/// another range. Writes are only if there are very many runs, because a rank becomes the only
/// holder of what it writes; then the gaps count as at-most writes, which are read before.
///
/// Threading: externally synchronised.
class AccessRanges {
public:
  /// Ranges of reads and writes together, before they are merged.
  static constexpr std::size_t kMaxRanges = std::size_t{4} << 20;

  /// A record of more runs than this is taken with its small gaps, even if it writes.
  static constexpr std::uint64_t kManyRuns = 1024;

  /// How many runs the writes of a record may have and be exact, one of `records`: kManyRuns, or
  /// few where all of them together have very many, as rows have of which every other point is
  /// written.
  static std::uint64_t mostExactRuns(const AccessRecords &records);

  explicit AccessRanges(std::size_t maxRanges = kMaxRanges, std::uint64_t manyRuns = kManyRuns)
      : maxRanges_(maxRanges), manyRuns_(manyRuns) {}

  /// Whether a record that writes is taken with its small gaps.
  bool isCoarse(const AccessRecord &record) const;

  /// Adds what of a record lies in `clip`.
  ///
  /// Cost: linear in the runs that lie there.
  void add(const AccessRecord &record, Range clip) {
    addReads(record, clip);
    addWrites(record, clip);
  }

  /// The reads alone: those of at-most writes, too.
  void addReads(const AccessRecord &record, Range clip);

  /// Adds what a record updates that is TUTTI_UPDATED.
  void addUpdates(const AccessRecord &record);

  /// The writes alone.
  void addWrites(const AccessRecord &record, Range clip);

  /// Gives the sets and starts anew.
  AccessSet take();

private:
  struct Updated {
    Update update;
    std::vector<Range> ranges;
  };

  void append(std::vector<Range> &out, const AccessRecord &record, bool widen, Range clip);

  std::size_t maxRanges_;
  std::uint64_t manyRuns_;
  std::vector<Range> reads_;
  std::vector<Range> writes_;
  std::vector<Range> atMost_;
  std::vector<Range> scattered_;
  std::vector<Updated> updates_;
  bool tooMany_ = false;
};

/// All that `records` touch; `ranges` is empty before and after.
AccessSet setOf(const AccessRecords &records, AccessRanges ranges);

/// The same, with as many exact runs as there may be.
AccessSet setOf(const AccessRecords &records);

} // namespace tutti::memory
