// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Access records as the compiler reports them (`tutti_access` in abi/abi.h), in a normal form:
/// boxes of bytes. They stay boxes until somebody asks for the bytes in some range.
#pragma once

#include "abi/abi.h"
#include "abi/updates.h"
#include "base/range.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tutti::memory {

/// One dimension of a box; both numbers are positive.
struct Dim {
  std::uint64_t stride; ///< Bytes.
  std::uint64_t count;

  bool operator==(const Dim &) const = default;

  /// From the first to the last.
  std::uint64_t reach() const { return stride * (count - 1); }
};

/// Innermost first, by ascending strides.
using Dims = boost::container::small_vector<Dim, 3>;

/// Runs of `length` bytes at all combinations of `dims`.
struct Runs {
  std::uint64_t begin;
  std::uint64_t length;
  Dims dims;

  /// Number of runs; more than `limit` is given as `limit` + 1.
  std::uint64_t count(std::uint64_t limit) const;

  /// Calls `visit(Range)` for the parts of runs that lie in `clip`, until it returns false. Whether
  /// it never did.
  ///
  /// Cost: O(1) for each run that is visited; those outside are skipped.
  template <typename Visit> bool forEach(Range clip, Visit &&visit) const {
    return visitFrom(begin, dims.size(), clip, visit);
  }

private:
  template <typename Visit>
  bool visitFrom(std::uint64_t at, std::size_t depth, Range clip, Visit &visit) const;
};

/// From the lowest to the highest byte of a record, whose counts are positive; empty if it leaves
/// the address space. The arguments are those of `tutti_access`.
Range hullOf(std::uint64_t address, std::uint64_t size, std::span<const tutti_dim> dims);

/// What one record says. Never empty.
struct AccessRecord {
  std::uint32_t flags; ///< Of TUTTI_READ, TUTTI_WRITE, TUTTI_AT_MOST and TUTTI_SCATTERED.
  Range limit;         ///< What lies outside is not touched.
  Range hull;          ///< Lowest to highest byte, inside of `limit` or not.
  std::uint64_t size;  ///< Bytes of one element.
  Dims dims;           ///< Counts above 1.

  /// Its bytes with no gap, or, if `widen`, with small gaps between them: moving those costs less
  /// than another range.
  Runs runs(bool widen) const;

  /// What of the hull may be touched; may be empty.
  Range reach() const { return {std::max(hull.begin, limit.begin), std::min(hull.end, limit.end)}; }

  /// Makes this record both, if `other` has the same shape and its elements lie right beside this
  /// one's. Whether it does.
  bool join(const AccessRecord &other);

  bool isRead() const { return (flags & TUTTI_READ) != 0; }

  bool isWritten() const { return (flags & TUTTI_WRITE) != 0; }

  bool isAtMost() const { return (flags & TUTTI_AT_MOST) != 0; }

  bool isScattered() const { return (flags & TUTTI_SCATTERED) != 0; }

  /// Its elements are updated and not touched otherwise (memory/updates.h says how).
  bool isUpdated() const { return (flags & TUTTI_UPDATED) != 0; }

  /// Bytes that it touches, at most.
  std::uint64_t bytes() const;

  /// Whether it touches, or would with small gaps, some of `bytes`.
  ///
  /// Cost: linear in the ranges in its hull.
  bool overlaps(const RangeSet &bytes) const;
};

/// The records of one chunk.
struct AccessRecords {
  std::vector<AccessRecord> records;
  bool wrapsAround = false; ///< One leaves the address space, and is missing.
  bool anywhere = false;    ///< One says that it does not hold.
  bool unresolved = false;  ///< An allocation was not found, and is missing.
};

/// Collects the records of one chunk.
///
/// What is reported row by row (parts of a `collapse`, rows that are followed) becomes one record
/// again where the rows have one shape and lie at equal distances: a million rows take no more
/// memory, and no more time afterwards, than one. So does what is reported element by element of
/// equal rows.
///
/// Threading: externally synchronised.
class AccessCollector {
public:
  static constexpr Range kNoLimit{0, ~std::uint64_t{0}};

  /// The allocation that holds an address; empty if there is none.
  using AllocationOf = std::function<Range(std::uint64_t address)>;

  /// Adds one record; the arguments are those of `tutti_access`. What lies outside `limit` is left
  /// out. `call`: any address that tells the calls of the access function apart; rows are joined
  /// with others from the same one. Null: with none.
  void add(std::uint32_t flags, std::uint64_t address, std::uint64_t size, std::uint32_t ndims,
           const tutti_dim *dims, Range limit = kNoLimit, const void *call = nullptr);

  /// Gives the records and starts anew. An allocation is a record of all its bytes, at most.
  AccessRecords take(const AllocationOf &allocationOf);

private:
  struct Allocation {
    std::uint32_t flags;
    std::uint64_t address;
    const void *call;
  };

  /// Records of one shape at equal distances.
  class Series {
  public:
    /// 0 before it begins and once it has ended.
    std::uint64_t count() const { return count_; }

    void begin(AccessRecord &&first);

    /// Whether `next` continues the series, which then has one more.
    bool take(const AccessRecord &next);

    /// Appends them one by one.
    void endApart(std::vector<AccessRecord> &records);

    /// All in one.
    AccessRecord end();

  private:
    AccessRecord first_{};
    std::uint64_t count_ = 0;
    std::uint64_t step_ = 0;   ///< Bytes from one to the next; of two or more.
    std::uint64_t latest_ = 0; ///< Where the latest one begins.
  };

  /// What one call has reported that may go on.
  struct Call {
    const void *address;
    Series rows;
    Series blocks; ///< Of rows.
  };

  Call *callOf(const void *address);
  void note(AccessRecord &&record, const void *address);
  void endRows(Call &call);
  void endBlocks(Call &call);
  void joinNeighbours();

  AccessRecords taken_;
  std::vector<Allocation> allocations_;
  std::vector<Call> calls_;
  std::size_t latest_ = 0; ///< Of `calls_`.
};

template <typename Visit>
bool Runs::visitFrom(std::uint64_t at, std::size_t depth, Range clip, Visit &visit) const {
  if (depth == 0) {
    const Range run{std::max(at, clip.begin), std::min(at + length, clip.end)};
    return run.empty() || visit(run);
  }
  std::uint64_t inner = length; // From the first to the last byte of one step.
  for (std::size_t d = 0; d + 1 < depth; ++d) {
    inner += dims[d].reach();
  }
  const Dim &dim = dims[depth - 1];
  if (at >= clip.end || at + inner + dim.reach() <= clip.begin) {
    return true;
  }
  const std::uint64_t first =
      clip.begin >= at + inner ? (clip.begin - at - inner) / dim.stride + 1 : 0;
  const std::uint64_t last = std::min(dim.count - 1, (clip.end - 1 - at) / dim.stride);
  for (std::uint64_t index = first; index <= last; ++index) {
    if (!visitFrom(at + index * dim.stride, depth - 1, clip, visit)) {
      return false;
    }
  }
  return true;
}

} // namespace tutti::memory
