// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the kernel's page tables of closed pages wait.
///
/// To change the protection of a page that is mapped costs the kernel 80 to 100 ns for each page,
/// to move its page tables to other addresses 2 us for 2 MiB
/// (docs/adr/0076-page-tables-are-moved.md). So before many pages are closed, what is mapped there
/// is moved to the same place of a third mapping of the heap, which nobody touches; closing them
/// then meets empty page tables. When they are opened, it is moved back, and no page has to be
/// mapped again by a touch.
///
///     window      | open, mapped |   put -->   | open, empty  |   mprotect -->   | closed, empty |
///     spare view  | empty        |             | mapped       |                  | mapped        |
#pragma once

#include "base/range.h"
#include "runtime/memory/window.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutti::memory {

/// Only speed depends on it: whatever the kernel refuses stays where it is, or is mapped again when
/// it is touched.
///
/// Threading: externally synchronised; other threads may touch the pages meanwhile.
class SpareView {
public:
  /// Fewer pages are closed as they are.
  static constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20;

  /// Nothing if the window is not mirrored, or the process has no addresses to spare.
  static std::unique_ptr<SpareView> create(const Window &window);

  SpareView(const SpareView &) = delete;
  SpareView &operator=(const SpareView &) = delete;
  ~SpareView();

  /// Moves away what is mapped of pages that are open, and about to be closed.
  void put(Range pages);

  /// Moves back what has been put of pages, which are open in the window then, for reading alone if
  /// that is asked for: at no time for more.
  void take(Range pages, bool isReadOnly);

  /// Bytes that have been moved back so far.
  std::uint64_t takenBytes() const { return takenBytes_; }

private:
  SpareView(Range heap, bool *isAway, std::size_t pages)
      : heap_(heap), isAway_(isAway), pages_(pages) {}

  void moveBack(Range run, bool isReadOnly);

  bool &isAway(std::uint64_t page) const { return isAway_[(page - heap_.begin) / kPageBytes]; }

  Range heap_;
  bool *isAway_; ///< For each page.
  std::size_t pages_;
  bool isRefused_ = false; ///< By a kernel that cannot do it.
  std::uint64_t takenBytes_ = 0;
};

} // namespace tutti::memory
