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
  static constexpr std::uint8_t kHere = 0;

  SpareView(Range heap, std::int64_t delta, std::uint8_t *moves, std::size_t pages)
      : heap_(heap), delta_(delta), moves_(moves), pages_(pages) {}

  void moveBack(Range run, bool isReadOnly);

  std::uint8_t *moveOf(std::uint64_t page) const {
    return moves_ + (page - heap_.begin) / kPageBytes;
  }

  Range heap_;
  std::int64_t delta_; ///< To the compute view.
  /// For each page: `kHere`, or by which move it has been put; moves beside each other differ.
  /// What was one move is one mapping, and before 6.17 the kernel moves no more at once.
  std::uint8_t *moves_;
  std::size_t pages_;
  bool isRefused_ = false; ///< By the kernel, which may be one that cannot do it.
  std::uint64_t takenBytes_ = 0;
};

} // namespace tutti::memory
