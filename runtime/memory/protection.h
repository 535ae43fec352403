// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How the pages of rank 0's window are protected.
///
/// Protection may be stricter than the directory asks for: launches only tighten it, touches open
/// it. So a loop that runs over and over changes nothing.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/memory/spare_view.h"
#include "runtime/memory/window.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::memory {

/// Protection of a page, from loose to strict.
enum class Access : std::uint8_t {
  Open,     ///< Read and written freely.
  ReadOnly, ///< A write faults.
  None,     ///< Any touch faults.
};

/// One byte per page of the window.
///
/// Threading: changes are externally synchronised; `at` may be called at any time, from a signal
///            handler too.
class PageTable {
public:
  /// Errors: OutOfMemory.
  static Result<std::unique_ptr<PageTable>> create(const Window &window);

  PageTable(const PageTable &) = delete;
  PageTable &operator=(const PageTable &) = delete;
  ~PageTable();

  /// Protection of the page that holds `address`, which lies in the window.
  Access at(std::uint64_t address) const;

  /// Whether any page of `range` is stricter than `most`.
  bool anyStricter(Range range, Access most) const;

  /// The run of pages with the protection of the page at `address`, cut to `within`.
  Range runAround(std::uint64_t address, Range within) const;

  /// Makes pages at least as strict as `level`. Where the kernel has no mapping left for it, more
  /// pages of the heap become strict.
  ///
  /// Shape:  whole pages of the window.
  /// Errors: OutOfMemory  the kernel has no mapping left and the pages are not in the heap.
  Status tighten(const RangeSet &pages, Access level);

  /// Gives pages the protection `level`; all of them are stricter.
  ///
  /// Errors: OutOfMemory  the kernel has no mapping left; a larger run of equal protection may do.
  Status open(Range pages, Access level);

  /// Changes whenever a page's protection does.
  std::uint64_t version() const { return version_; }

  /// Calls of mprotect so far.
  std::uint64_t protections() const { return protections_; }

  /// Bytes whose page tables opening has moved back so far.
  std::uint64_t takenBytes() const { return spare_ ? spare_->takenBytes() : 0; }

private:
  struct Segment {
    Range range;
    std::atomic<Access> *pages;
    std::size_t mappedBytes;
  };

  explicit PageTable(Range heap) : heap_(heap) {}

  const Segment *segmentOf(std::uint64_t address) const;
  void putOpen(const Segment &segment, Range pages);
  bool protect(Range pages, Access level);
  Status tightenRun(const Segment &segment, Range run, Access level);

  Range heap_;
  std::unique_ptr<SpareView> spare_; ///< May be nothing.
  std::vector<Segment> segments_;
  std::uint64_t version_ = 0;
  std::uint64_t protections_ = 0;
};

} // namespace tutti::memory
