// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/touched.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tutti::exec {

const TouchedObject *TouchLists::find(Range object) const {
  const auto known = std::ranges::find(objects, object, &TouchedObject::object);
  return known == objects.end() ? nullptr : &*known;
}

RangeSet TouchLists::of(const std::vector<RangeSet> &blocks, std::int64_t lower,
                        std::int64_t upper) const {
  const Blocks cut(total);
  std::vector<Range> all;
  for (std::size_t block = cut.blockOf(lower); block <= cut.blockOf(upper - 1); ++block) {
    const std::vector<Range> &ranges = blocks[block].ranges();
    all.insert(all.end(), ranges.begin(), ranges.end());
  }
  return RangeSet::of(std::move(all));
}

RangeSet TouchLists::touchesOf(const TouchedObject &object, std::int64_t lower,
                               std::int64_t upper) const {
  return of(object.blocks, lower, upper);
}

RangeSet TouchLists::writesOf(const TouchedObject &object, std::int64_t lower,
                              std::int64_t upper) const {
  return object.writes.empty() ? RangeSet() : of(object.writes, lower, upper);
}

std::size_t TouchLists::size() const {
  std::size_t ranges = index.ranges().size();
  for (const TouchedObject &object : objects) {
    for (const std::vector<RangeSet> *blocks : {&object.blocks, &object.writes}) {
      for (const RangeSet &block : *blocks) {
        ranges += block.ranges().size();
      }
    }
  }
  return ranges;
}

TouchCollector::TouchCollector(std::span<const Range> objects, std::int64_t total) : total_(total) {
  for (const Range &object : objects) {
    const std::uint64_t first = object.begin / kPage * kPage;
    const std::uint64_t pages = (object.end - first + kPage - 1) / kPage;
    objects_.push_back({object,
                        first,
                        std::vector<std::uint64_t>((pages + kBits - 1) / kBits),
                        {},
                        {object, {}, {}}});
  }
  std::ranges::sort(objects_, {}, [](const Object &object) { return object.range.begin; });
  last_ = objects_.data();
}

TouchCollector::Object *TouchCollector::find(Range bytes) {
  const auto next = std::ranges::upper_bound(
      objects_, bytes.begin, {}, [](const Object &object) { return object.range.begin; });
  if (next == objects_.begin() || !std::prev(next)->range.contains(bytes)) {
    return nullptr;
  }
  last_ = &*std::prev(next);
  return last_;
}

/// What `pages` of an object say, which say nothing then.
RangeSet TouchCollector::takePages(const Object &object, std::vector<std::uint64_t> &pages) {
  std::vector<Range> ranges;
  for (std::size_t word = 0; word < pages.size(); ++word) {
    for (std::uint64_t bits = std::exchange(pages[word], 0); bits != 0; bits &= bits - 1) {
      const auto page = word * kBits + static_cast<std::uint64_t>(std::countr_zero(bits));
      const std::uint64_t begin = object.first + page * kPage;
      ranges.push_back(
          {std::max(begin, object.range.begin), std::min(begin + kPage, object.range.end)});
    }
  }
  RangeSet all = RangeSet::of(std::move(ranges));
  ranges_ += all.ranges().size();
  return all;
}

void TouchCollector::endBlock() {
  for (Object &object : objects_) {
    TouchedObject &touched = object.touched;
    touched.blocks.push_back(takePages(object, object.pages));
    if (!object.written.empty()) {
      touched.writes.resize(touched.blocks.size() - 1); // Earlier blocks have written nothing.
      touched.writes.push_back(takePages(object, object.written));
    }
  }
}

std::vector<TouchedObject> TouchCollector::take(std::size_t parts) {
  std::vector<TouchedObject> all;
  for (Object &object : objects_) {
    all.push_back(std::move(object.touched));
  }
  TouchLists lists{total_, {}, std::move(all)};
  std::erase_if(lists.objects, [&](const TouchedObject &object) {
    const auto count = static_cast<std::int64_t>(parts);
    std::uint64_t bytes = 0;
    for (std::int64_t part = 0; part < count; ++part) {
      const std::int64_t lower = total_ / count * part;
      const std::int64_t upper = part + 1 == count ? total_ : total_ / count * (part + 1);
      bytes += lower < upper ? lists.touchesOf(object, lower, upper).bytes() : 0;
    }
    return 4 * bytes > 3 * parts * object.object.size();
  });
  return std::move(lists.objects);
}

} // namespace tutti::exec
