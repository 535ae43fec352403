// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Copies of rank 0's pages that are shared with other ranks but cannot be protected: comparing a
/// page with its copy shows what sequential code wrote.
#pragma once

#include "base/range.h"
#include "runtime/memory/directory.h"
#include "runtime/memory/window.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace tutti::memory {

/// Threading: externally synchronised.
class Twins {
public:
  /// Words, the grain in which a change is noticed: a scalar is one event whatever bits changed.
  static constexpr std::uint64_t kWordBytes = 8;

  explicit Twins(const Window &window) : window_(window) {}

  /// Copies those of `pages` that have no copy yet and that `isWanted(page)` says yes to; all of
  /// their bytes are valid.
  template <typename IsWanted> void keep(const RangeSet &pages, IsWanted &&isWanted) {
    for (const Range &range : pages.ranges()) {
      for (std::uint64_t page = range.begin; page < range.end; page += kPageBytes) {
        if (isWanted(page)) {
          keepPage(page);
        }
      }
    }
  }

  void keep(const RangeSet &pages) {
    keep(pages, [](std::uint64_t) { return true; });
  }

  /// Takes over what the runtime itself changed; other bytes of the copies stay as they are.
  void refresh(const RangeSet &changed);

  /// Forgets pages that became protected.
  void drop(const RangeSet &pages);

  /// Whether a page differs from its copy, so that there may be something to collect.
  bool haveChanged() const;

  /// Appends an event for every word that differs from its copy and that another rank has a copy
  /// of, takes the words over, and forgets changed pages that no other rank has a byte of.
  ///
  /// Cost: one comparison for a page without a change.
  void collect(const Directory &directory, std::vector<Event> &events);

  /// Copies bytes of one page from its copy; false if there is none.
  bool read(std::uint64_t address, std::span<std::byte> target) const;

  std::size_t size() const { return pages_.size(); }

private:
  void keepPage(std::uint64_t page);

  using Page = std::array<std::byte, kPageBytes>;

  const Window &window_;
  std::map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

} // namespace tutti::memory
