// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Turns the access records of a chunk (`tutti_access` in abi/abi.h) into sets of bytes.
///
/// What an address means, and whether a set may be distributed, is decided by the caller.
#pragma once

#include "abi/abi.h"
#include "base/range.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tutti::memory {

/// What a chunk touches.
struct AccessSet {
  RangeSet reads;           ///< At-most writes included; may hold more than is read.
  RangeSet writes;          ///< Exact and at-most writes.
  RangeSet atMost;          ///< At-most writes alone.
  RangeSet scattered;       ///< Of these, what other chunks may write, too.
  std::vector<Range> hulls; ///< Lowest to highest byte of each record that touches anything.
  bool tooMany =
      false; ///< More ranges than the cap, or records that wrap around; the sets are incomplete.
  bool anywhere = false;   ///< A record says that it does not hold; the sets are incomplete.
  bool unresolved = false; ///< An allocation was not found; the sets are incomplete.
};

/// Collects the records of one chunk.
///
/// Reads with small gaps between their runs are taken as one run: moving the gap costs less than
/// another range. Writes are only if there are very many runs, because a rank becomes the only
/// holder of what it writes; then the gaps count as at-most writes, which are read before.
///
/// Threading: externally synchronised.
class AccessCollector {
public:
  /// Ranges of reads and writes together, before they are merged.
  static constexpr std::size_t kMaxRanges = std::size_t{4} << 20;

  /// A record of more runs than this is taken with its small gaps, even if it writes.
  static constexpr std::uint64_t kManyRuns = 1024;

  static constexpr Range kNoLimit{0, ~std::uint64_t{0}};

  /// The allocation that holds an address; empty if there is none.
  using AllocationOf = std::function<Range(std::uint64_t address)>;

  explicit AccessCollector(std::size_t maxRanges = kMaxRanges, std::uint64_t manyRuns = kManyRuns)
      : maxRanges_(maxRanges), manyRuns_(manyRuns) {}

  /// Adds one record; the arguments are those of `tutti_access`. What lies outside `limit` is left
  /// out.
  ///
  /// Cost: linear in the runs that remain after dimensions are merged.
  void add(std::uint32_t flags, std::uint64_t address, std::uint64_t size, std::uint32_t ndims,
           const tutti_dim *dims, Range limit = kNoLimit);

  /// Gives the sets and starts anew.
  AccessSet take(const AllocationOf &allocationOf);

private:
  struct Allocation {
    std::uint32_t flags;
    std::uint64_t address;
  };

  void addAllocation(std::uint32_t flags, Range range);

  std::size_t maxRanges_;
  std::uint64_t manyRuns_;
  std::vector<Range> reads_;
  std::vector<Range> writes_;
  std::vector<Range> atMost_;
  std::vector<Range> scattered_;
  std::vector<Range> hulls_;
  std::vector<Allocation> allocations_;
  bool tooMany_ = false;
  bool anywhere_ = false;
};

} // namespace tutti::memory
