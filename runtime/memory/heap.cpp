// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/heap.h"

#include "base/check.h"
#include "base/guarded.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tutti::memory {

namespace {

constexpr std::uint64_t roundUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

/// Sizes of small allocations: multiples of 16 up to 128, then four per doubling.
constexpr auto kClasses = [] {
  std::array<std::uint32_t, 40> sizes{};
  std::size_t count = 0;
  for (std::uint32_t size = 16; size <= 128; size += 16) {
    sizes[count++] = size;
  }
  for (std::uint32_t octave = 128; octave < Heap::kSmall; octave *= 2) {
    for (std::uint32_t quarter = 1; quarter <= 4; ++quarter) {
      sizes[count++] = octave + quarter * octave / 4;
    }
  }
  return sizes;
}();
static_assert(kClasses.back() == Heap::kSmall);

/// Bytes of a slab: little waste at the end, and few slabs for many small objects.
constexpr std::uint64_t slabBytes(std::uint64_t objectSize) {
  return roundUp(std::max<std::uint64_t>(64 << 10, 8 * objectSize), Heap::kPage);
}

/// Free page runs, by address and by size.
class FreeRuns {
public:
  /// Adds a run, merged with its neighbours.
  void add(Range run) {
    auto next = byAddress_.lower_bound(run.begin);
    if (next != byAddress_.end() && next->first == run.end) {
      run.end = next->second;
      next = erase(next);
    }
    if (next != byAddress_.begin()) {
      const auto before = std::prev(next);
      if (before->second == run.begin) {
        run.begin = before->first;
        erase(before);
      }
    }
    byAddress_.emplace(run.begin, run.end);
    bySize_.emplace(run.size(), run.begin);
  }

  /// Takes `size` bytes at a multiple of `alignment` from the smallest run that has them (the
  /// lowest of several); an empty range if none has.
  Range take(std::uint64_t size, std::uint64_t alignment) {
    // A run of at least `sure` bytes fits whatever its begin; of the smaller ones only a few are
    // tried, to keep the cost logarithmic.
    const std::uint64_t sure = size + alignment - Heap::kPage;
    int tries = 8;
    for (auto run = bySize_.lower_bound({size, 0}); run != bySize_.end();) {
      const auto [bytes, begin] = *run;
      const std::uint64_t at = roundUp(begin, alignment);
      if (at + size <= begin + bytes) {
        return cut({begin, begin + bytes}, {at, at + size});
      }
      run = --tries > 0 ? std::next(run) : bySize_.lower_bound({sure, 0});
    }
    return {};
  }

  /// Bytes free directly below `address`.
  std::uint64_t below(std::uint64_t address) const {
    const auto next = byAddress_.lower_bound(address);
    if (next == byAddress_.begin() || std::prev(next)->second != address) {
      return 0;
    }
    return address - std::prev(next)->first;
  }

private:
  using ByAddress = std::map<std::uint64_t, std::uint64_t>;

  ByAddress::iterator erase(ByAddress::iterator run) {
    bySize_.erase({run->second - run->first, run->first});
    return byAddress_.erase(run);
  }

  Range cut(Range run, Range part) {
    erase(byAddress_.find(run.begin));
    for (const Range rest : {Range{run.begin, part.begin}, Range{part.end, run.end}}) {
      if (!rest.empty()) {
        byAddress_.emplace(rest.begin, rest.end);
        bySize_.emplace(rest.size(), rest.begin);
      }
    }
    return part;
  }

  ByAddress byAddress_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> bySize_;
};

/// Page runs in use: a large allocation, or a slab of small ones.
struct Extent {
  static constexpr std::size_t kLarge = kClasses.size();

  std::uint64_t end;
  std::size_t sizeClass = kLarge;
  std::uint32_t capacity = 0;
  std::uint32_t live = 0;
  std::uint32_t everTaken = 0;      ///< Objects up to the highest that was ever taken.
  std::uint32_t firstFreeWord = 0;  ///< No word before it has a free object.
  std::vector<std::uint64_t> taken; ///< One bit per object of a slab; bits beyond are set.

  bool isSlab() const { return sizeClass != kLarge; }

  std::uint64_t objectSize() const { return kClasses[sizeClass]; }

  bool isTaken(std::uint64_t index) const {
    return index < capacity && (taken[index / 64] >> (index % 64) & 1) != 0;
  }

  std::uint64_t takeFirst() {
    while (taken[firstFreeWord] == ~0ULL) {
      ++firstFreeWord;
    }
    const auto bit = static_cast<std::uint32_t>(std::countr_one(taken[firstFreeWord]));
    taken[firstFreeWord] |= 1ULL << bit;
    ++live;
    const std::uint32_t index = firstFreeWord * 64 + bit;
    everTaken = std::max(everTaken, index + 1);
    return index;
  }

  void release(std::uint64_t index) {
    taken[index / 64] &= ~(1ULL << (index % 64));
    firstFreeWord = std::min(firstFreeWord, static_cast<std::uint32_t>(index / 64));
    --live;
  }
};

/// The heap without its lock.
class Pages {
public:
  Pages(Range interval, Heap::Grow grow)
      : interval_{roundUp(interval.begin, Heap::kPage), interval.end & ~(Heap::kPage - 1)},
        top_(interval_.begin), grow_(std::move(grow)) {
    interval_.end = std::max(interval_.end, interval_.begin);
  }

  std::uint64_t allocate(std::uint64_t size, std::uint64_t alignment) {
    ++version_;
    if (size >= interval_.size() || alignment > interval_.size()) {
      return 0;
    }
    const std::uint64_t withEnd = size + 1;
    if (withEnd <= Heap::kSmall && alignment <= Heap::kPage) {
      return allocateSmall(withEnd, alignment);
    }
    // Small but strongly aligned requests come here too; they get a page of their own.
    const std::uint64_t bytes = roundUp(withEnd, Heap::kPage);
    const Range pages = takePages(bytes, std::max(alignment, Heap::kPage));
    if (pages.empty()) {
      return 0;
    }
    extents_.emplace(pages.begin, Extent{.end = pages.end, .taken = {}});
    inUse_ += bytes;
    return pages.begin;
  }

  bool free(std::uint64_t address) {
    const Range range = allocationOf(address);
    if (range.empty() || range.begin != address) {
      return false;
    }
    ++version_;
    inUse_ -= range.size();
    const auto extent = std::prev(extents_.upper_bound(address));
    if (extent->second.isSlab()) {
      freeSmall(extent, address);
    } else {
      releasePages(extent);
    }
    return true;
  }

  Range allocationOf(std::uint64_t address) const {
    auto extent = extents_.upper_bound(address);
    if (extent == extents_.begin()) {
      return {};
    }
    const auto &[begin, pages] = *--extent;
    if (address >= pages.end) {
      return {};
    }
    if (!pages.isSlab()) {
      return {begin, pages.end};
    }
    const std::uint64_t index = (address - begin) / pages.objectSize();
    const std::uint64_t object = begin + index * pages.objectSize();
    return pages.isTaken(index) ? Range{object, object + pages.objectSize()} : Range{};
  }

  std::uint64_t version() const { return version_; }

  std::vector<Range> live(std::uint64_t gap) const {
    std::vector<Range> ranges;
    for (const auto &[begin, extent] : extents_) {
      if (extent.isSlab() && extent.live == 0) {
        continue;
      }
      const std::uint64_t end =
          extent.isSlab() ? begin + extent.everTaken * extent.objectSize() : extent.end;
      if (!ranges.empty() && begin - ranges.back().end <= gap) {
        ranges.back().end = end;
      } else {
        ranges.push_back({begin, end});
      }
    }
    return ranges;
  }

  Range interval() const { return interval_; }

  Range grown() const { return {interval_.begin, top_}; }

  std::uint64_t bytesInUse() const { return inUse_; }

private:
  using Extents = std::map<std::uint64_t, Extent>;

  std::uint64_t allocateSmall(std::uint64_t size, std::uint64_t alignment) {
    auto fit = std::lower_bound(kClasses.begin(), kClasses.end(), size);
    // A slab begins on a page, so its objects are as aligned as their size is. Every power of two
    // up to `kSmall` is a class, so this ends.
    while (*fit % alignment != 0) {
      ++fit;
    }
    const auto sizeClass = static_cast<std::size_t>(fit - kClasses.begin());
    if (partial_[sizeClass].empty() && !addSlab(sizeClass)) {
      return 0;
    }
    const std::uint64_t begin = *partial_[sizeClass].begin();
    Extent &slab = extents_.find(begin)->second;
    const std::uint64_t index = slab.takeFirst();
    if (slab.live == slab.capacity) {
      partial_[sizeClass].erase(begin);
    }
    inUse_ += *fit;
    return begin + index * *fit;
  }

  bool addSlab(std::size_t sizeClass) {
    const std::uint64_t objectSize = kClasses[sizeClass];
    const Range pages = takePages(slabBytes(objectSize), Heap::kPage);
    if (pages.empty()) {
      return false;
    }
    Extent slab{.end = pages.end, .sizeClass = sizeClass, .taken = {}};
    slab.capacity = static_cast<std::uint32_t>(pages.size() / objectSize);
    slab.taken.resize((slab.capacity + 63) / 64);
    if (slab.capacity % 64 != 0) {
      slab.taken.back() = ~0ULL << (slab.capacity % 64);
    }
    extents_.emplace(pages.begin, std::move(slab));
    partial_[sizeClass].insert(pages.begin);
    return true;
  }

  void freeSmall(Extents::iterator extent, std::uint64_t address) {
    Extent &slab = extent->second;
    auto &partial = partial_[slab.sizeClass];
    slab.release((address - extent->first) / slab.objectSize());
    partial.insert(extent->first);
    // The last partial slab of a class stays, or a loop that allocates and frees one object would
    // make and drop a slab each time.
    if (slab.live == 0 && partial.size() > 1) {
      partial.erase(extent->first);
      releasePages(extent);
    }
  }

  Range takePages(std::uint64_t bytes, std::uint64_t alignment) {
    Range pages = free_.take(bytes, alignment);
    if (pages.empty() && (grow(bytes, alignment) || dropEmptySlabs())) {
      pages = free_.take(bytes, alignment);
    }
    if (pages.empty() && grow(bytes, alignment)) {
      pages = free_.take(bytes, alignment);
    }
    return pages;
  }

  /// Gives up the slabs that are kept for their class; whether there were any.
  bool dropEmptySlabs() {
    bool dropped = false;
    for (auto &partial : partial_) {
      for (auto begin = partial.begin(); begin != partial.end();) {
        const auto extent = extents_.find(*begin);
        if (extent->second.live > 0) {
          ++begin;
          continue;
        }
        begin = partial.erase(begin);
        releasePages(extent);
        dropped = true;
      }
    }
    return dropped;
  }

  void releasePages(Extents::iterator extent) {
    free_.add({extent->first, extent->second.end});
    extents_.erase(extent);
  }

  /// Raises the top until `bytes` at a multiple of `alignment` lie free below it.
  bool grow(std::uint64_t bytes, std::uint64_t alignment) {
    const std::uint64_t start = roundUp(top_ - free_.below(top_), alignment);
    if (start < top_ - free_.below(top_) || start > interval_.end ||
        bytes > interval_.end - start) {
      return false;
    }
    const std::uint64_t least = start + bytes;
    const std::uint64_t wanted = interval_.begin + roundUp(least - interval_.begin, Heap::kGrowth);
    const Range range{top_, std::min(wanted, interval_.end)};
    TUTTI_DCHECK(!range.empty(), "a free run of {} bytes was overlooked", bytes);
    if (grow_ && !grow_(range)) {
      return false;
    }
    top_ = range.end;
    free_.add(range);
    return true;
  }

  Range interval_;
  std::uint64_t top_;
  Heap::Grow grow_;
  FreeRuns free_;
  Extents extents_;
  std::array<std::set<std::uint64_t>, kClasses.size()> partial_; ///< Slabs with room, by class.
  std::uint64_t inUse_ = 0;
  std::uint64_t version_ = 0;
};

} // namespace

class Heap::Impl {
public:
  Impl(Range interval, Grow grow) : pages(interval, std::move(grow)) {}

  Guarded<Pages> pages;
};

Heap::Heap(Range interval, Grow grow) : impl_(std::make_unique<Impl>(interval, std::move(grow))) {}

Heap::~Heap() = default;

std::uint64_t Heap::allocate(std::uint64_t size, std::uint64_t alignment) {
  TUTTI_CHECK(std::has_single_bit(alignment), "alignment {}", alignment);
  return impl_->pages.lock()->allocate(size, alignment);
}

bool Heap::free(std::uint64_t address) { return impl_->pages.lock()->free(address); }

std::uint64_t Heap::sizeOf(std::uint64_t address) const {
  const Range range = allocationOf(address);
  return range.begin == address && !range.empty() ? range.size() - 1 : 0;
}

Range Heap::allocationOf(std::uint64_t address) const {
  return impl_->pages.lock()->allocationOf(address);
}

std::uint64_t Heap::version() const { return impl_->pages.lock()->version(); }

std::vector<Range> Heap::live(std::uint64_t gap) const { return impl_->pages.lock()->live(gap); }

Range Heap::interval() const { return impl_->pages.lock()->interval(); }

Range Heap::grown() const { return impl_->pages.lock()->grown(); }

std::uint64_t Heap::bytesInUse() const { return impl_->pages.lock()->bytesInUse(); }

} // namespace tutti::memory
