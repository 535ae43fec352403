// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Allocator over a given interval of addresses that never touches the memory it hands out: all of
/// its records lie elsewhere, so an allocation may live in protected or remote memory.
///
/// Mapping the interval is the caller's work, as are the errno and the exceptions of `malloc`.
#pragma once

#include "base/range.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tutti::memory {

/// Requests below `kSmall` bytes come from slabs of one size class each; larger ones have pages
/// of their own, which they share with nothing.
///
/// Always:     allocations do not overlap; each is aligned to 16 bytes, a large one to a page.
///             Each has at least a byte more than was asked for: a pointer one past the end, which
///             programs may make, still lies in the allocation that it belongs to.
/// Threading:  internally synchronised.
/// Cost:       O(log n) in the number of live slabs and large allocations.
class Heap {
public:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kSmall = 32 << 10;
  /// The heap asks for addresses in multiples of this, except at the end of the interval.
  static constexpr std::uint64_t kGrowth = 1 << 20;

  /// Makes the next addresses of the interval usable, upwards from its begin; false if it cannot.
  /// Called with the heap locked, before anything in `range` is handed out; must not call the heap.
  using Grow = std::function<bool(Range range)>;

  /// `interval` is cut to whole pages. Without `grow` all of it is usable.
  explicit Heap(Range interval, Grow grow = {});
  ~Heap();
  Heap(const Heap &) = delete;
  Heap &operator=(const Heap &) = delete;

  /// More than `size` bytes, a unique address even for 0; 0 if the interval is exhausted.
  std::uint64_t allocate(std::uint64_t size) { return allocate(size, 16); }

  /// As above, at a multiple of `alignment`, a power of two.
  std::uint64_t allocate(std::uint64_t size, std::uint64_t alignment);

  /// Frees what `allocate` gave; false, and nothing done, if no live allocation begins there.
  [[nodiscard]] bool free(std::uint64_t address);

  /// What may be used of the live allocation that begins at `address`: all of its bytes but the
  /// last; 0 if none does.
  std::uint64_t sizeOf(std::uint64_t address) const;

  /// The live allocation, with all of its bytes, that holds `address`; empty if none does.
  Range allocationOf(std::uint64_t address) const;

  /// A number that is another one after every allocation and free.
  std::uint64_t version() const;

  /// Ranges that hold all live allocations, in order: joined where at most `gap` bytes lie between.
  /// Slabs count from their begin to the end of the highest object that they ever had, so that the
  /// ranges stay the same while objects come and go.
  ///
  /// Cost: linear in the number of slabs and large allocations.
  std::vector<Range> live(std::uint64_t gap) const;

  /// The interval; an address outside was not given by this heap.
  Range interval() const;

  /// From the begin of the interval to the highest address that was ever made usable.
  Range grown() const;

  /// Bytes of all live allocations.
  std::uint64_t bytesInUse() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace tutti::memory
