// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The addresses that mean the same datum on every rank: a heap, the stack of rank 0's `main`, and
/// the user's variables of the executable (docs/design/memory.md).
///
/// Reserves and maps; what a page holds and how it is protected is decided elsewhere.
#pragma once

#include "base/range.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::memory {

/// Granule of protection and of twins. The same on every rank, whatever the machine's page size.
inline constexpr std::uint64_t kPageBytes = 4096;

/// First address of the heap.
inline constexpr std::uint64_t kHeapBase = 0x200000000000;

/// Distance from an address of the window to the same byte in the compute view.
inline constexpr std::int64_t kViewDelta = 0x100000000000;

/// Smallest range of whole pages that holds `range`.
inline Range pagesAround(Range range) {
  return {range.begin & ~(kPageBytes - 1), (range.end + kPageBytes - 1) & ~(kPageBytes - 1)};
}

/// Largest range of whole pages inside `range`; empty if there is none.
inline Range pagesInside(Range range) {
  const Range inside{(range.begin + kPageBytes - 1) & ~(kPageBytes - 1),
                     range.end & ~(kPageBytes - 1)};
  return inside.empty() ? Range{} : inside;
}

/// Where the window is to be. The same on every rank.
struct WindowPlan {
  std::uint64_t heapBytes;    ///< Wanted; `Window::open` may settle for less.
  std::uint64_t stackBytes;   ///< Whole pages.
  std::vector<Range> globals; ///< Whole pages; outside of heap and stack.
  bool mirrored;              ///< Rank 0: backed by one file and mapped twice.
};

/// The mapped window.
///
/// Threading: immutable.
/// Ownership: the mappings stay until the process ends; user code may use them until then.
class Window {
public:
  /// Maps everything. The globals of a mirrored window keep their contents.
  ///
  /// Order:  before user code runs, on the one thread that there is.
  /// Errors: OutOfMemory   addresses are refused; NotSupported  pages are not 4 KiB.
  static Result<std::unique_ptr<Window>> open(const WindowPlan &plan);

  Range heap() const { return heap_; }

  Range stack() const { return stack_; }

  const std::vector<Range> &globals() const { return globals_; }

  /// Heap, stack and globals, sorted.
  const std::vector<Range> &segments() const { return segments_; }

  /// Whether all of `range` lies in one segment. May be called from a signal handler.
  bool contains(Range range) const;

  /// The segment that holds `address`; empty if it is not in the window.
  Range segmentOf(std::uint64_t address) const;

  /// What to add to an address of the window to get at its byte without faults; 0 if nothing is
  /// ever protected.
  std::int64_t delta() const { return delta_; }

  /// The byte at `address`, in the compute view where there is one.
  std::byte *view(std::uint64_t address) const {
    return reinterpret_cast<std::byte *>(address + static_cast<std::uint64_t>(delta_));
  }

  /// Takes addresses off the end of the heap, so that all ranks have the same.
  ///
  /// Order: before the first allocation.
  void limitHeap(std::uint64_t bytes);

private:
  Window() = default;

  Status mapPrivate(const WindowPlan &plan);
  Status mapMirrored(const WindowPlan &plan);
  void listSegments();

  Range heap_;
  Range stack_;
  std::vector<Range> globals_;
  std::vector<Range> segments_;
  std::int64_t delta_ = 0;
};

} // namespace tutti::memory
