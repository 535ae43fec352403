// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which pages of some objects the iterations of a loop touch, where a region can say that only
/// after it has looked into memory (`tutti_region::inspect`): block by block of iterations, so that
/// it holds however the loop is cut.
#pragma once

#include "base/range.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::exec {

/// Iterations [0, total), cut into blocks of equal length.
class Blocks {
public:
  static constexpr std::int64_t kMost = 256;

  explicit Blocks(std::int64_t total = 0)
      : total_(total), length_(total / kMost + (total % kMost != 0 ? 1 : 0)) {}

  std::size_t count() const { return total_ == 0 ? 0 : blockOf(total_ - 1) + 1; }

  std::size_t blockOf(std::int64_t iteration) const {
    return static_cast<std::size_t>(iteration / length_);
  }

  std::int64_t begin(std::size_t block) const { return static_cast<std::int64_t>(block) * length_; }

  std::int64_t end(std::size_t block) const {
    return begin(block) + length_ < total_ ? begin(block) + length_ : total_;
  }

private:
  std::int64_t total_;
  std::int64_t length_;
};

/// What is touched of one object: whole pages, or their part.
struct TouchedObject {
  Range object;
  std::vector<RangeSet> blocks; ///< What each block of iterations touches.
  std::vector<RangeSet> writes; ///< What of that it writes; empty if no block writes anything.

  friend bool operator==(const TouchedObject &, const TouchedObject &) = default;
};

/// Empty if nothing is known.
struct TouchLists {
  std::int64_t total = 0; ///< Iterations.
  RangeSet index;         ///< What it depends on: every place with a part has it.
  std::vector<TouchedObject> objects;

  bool empty() const { return total == 0; }

  /// The object that is all of `object`; null if there is none.
  const TouchedObject *find(Range object) const;

  /// What iterations [lower, upper), and perhaps some beside them, touch of `object`.
  ///
  /// Shape: lower < upper.
  RangeSet touchesOf(const TouchedObject &object, std::int64_t lower, std::int64_t upper) const;

  /// What of that they write.
  RangeSet writesOf(const TouchedObject &object, std::int64_t lower, std::int64_t upper) const;

  /// Ranges that it holds.
  std::size_t size() const;

  friend bool operator==(const TouchLists &, const TouchLists &) = default;

private:
  RangeSet of(const std::vector<RangeSet> &blocks, std::int64_t lower, std::int64_t upper) const;
};

/// Makes lists of what is reported for one block of iterations after the other.
class TouchCollector {
public:
  /// Shape: objects are disjoint.
  TouchCollector(std::span<const Range> objects, std::int64_t total);

  /// Notes that the current block touches bytes, and whether it writes them. False if they lie in
  /// no object.
  bool add(std::uint64_t address, std::uint64_t bytes, bool isWritten = false) {
    Object *object = last_;
    if (address < object->range.begin || address + bytes > object->range.end) {
      object = find({address, address + bytes});
      if (!object) {
        return false;
      }
    }
    if (isWritten && object->written.empty()) {
      object->written.resize(object->pages.size());
    }
    for (std::uint64_t page = (address - object->first) / kPage;
         page <= (address + bytes - 1 - object->first) / kPage; ++page) {
      const std::uint64_t bit = std::uint64_t{1} << page % kBits;
      object->pages[page / kBits] |= bit;
      if (isWritten) {
        object->written[page / kBits] |= bit;
      }
    }
    return true;
  }

  void endBlock();

  /// Ranges that the lists hold so far.
  std::size_t ranges() const { return ranges_; }

  /// Those objects of which each of `parts` equal parts of the loop touches three quarters at most,
  /// on average.
  std::vector<TouchedObject> take(std::size_t parts);

private:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kBits = 64;

  struct Object {
    Range range;
    std::uint64_t first;                ///< Begin of its first page.
    std::vector<std::uint64_t> pages;   ///< A bit for each.
    std::vector<std::uint64_t> written; ///< The same of those that are written; empty if none was.
    TouchedObject touched;
  };

  Object *find(Range bytes);
  RangeSet takePages(const Object &object, std::vector<std::uint64_t> &pages);

  std::vector<Object> objects_; ///< By address.
  Object *last_;                ///< That was found.
  std::size_t ranges_ = 0;
  std::int64_t total_;
};

/// Bytes whose holders are watched.
struct Watched {
  RangeSet bytes;
  bool hasChanged = true; ///< Or they are not watched yet.
};

} // namespace tutti::exec
