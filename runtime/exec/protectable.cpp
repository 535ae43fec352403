// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/protectable.h"

#include "runtime/exec/followed.h"
#include "runtime/memory/heap.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::exec {

namespace {

using memory::pagesInside;

/// Gaps up to here between arrays of the heap count as one of them. Protecting a page of the heap
/// too many costs a fault, and only what is given to system calls that are not the runtime's must
/// not be there; rows may be thousands among as many objects of the program, and get no such gaps.
constexpr std::uint64_t kArrayGap = 64 << 10;

/// Variables of less than this are scalars and small arrays, which sequential code touches between
/// launches: a page of them is better off twinned.
constexpr std::uint64_t kLeastArray = memory::kPageBytes;

/// Whole pages that hold little but `arrays` of the heap, sorted. Whole pages around a large one
/// are its own (heap.h).
void addPagesOfArrays(std::vector<Range> &pages, const std::vector<Range> &arrays) {
  Range joined;
  const auto addJoined = [&] {
    pages.push_back(joined.size() > memory::Heap::kSmall ? memory::pagesAround(joined)
                                                         : pagesInside(joined));
  };
  for (const Range &array : arrays) {
    if (!joined.empty() && array.begin <= joined.end + kArrayGap) {
      joined.end = std::max(joined.end, array.end);
    } else {
      addJoined();
      joined = array;
    }
  }
  addJoined();
}

/// Whole pages that hold nothing but `rows`, sorted, and what is `known` to be as good as those.
/// What lies between two rows is theirs, or not used, if it is smaller than either: small objects
/// have neighbours of nearly their size (heap.h).
void addPagesOfRows(std::vector<Range> &pages, const std::vector<Range> &rows,
                    const RangeSet &known) {
  std::vector<Range> held = known.ranges();
  Range last;
  for (const Range &row : rows) {
    const bool isNext =
        row.begin <= last.end || row.begin - last.end < std::min(last.size(), row.size());
    held.push_back({isNext ? last.begin : row.begin, row.end});
    if (row.size() > memory::Heap::kSmall) {
      held.push_back(memory::pagesAround(row));
    }
    last = last.end > row.end ? last : row;
  }
  const RangeSet all = RangeSet::of(std::move(held));
  for (const Range &range : all.ranges()) {
    pages.push_back(pagesInside(range));
  }
}

/// Pages that hold objects of the user that the launch touches, and so no live stack frame.
/// `objects`: parts of one each.
RangeSet protectablePages(const std::vector<Range> &objects, Range heap, const Followed *followed) {
  std::vector<Range> pages;
  std::vector<Range> inHeap;
  for (const Range &object : objects) {
    if (heap.contains(object)) {
      inHeap.push_back(object);
    } else {
      pages.push_back(pagesInside(object));
    }
  }
  std::ranges::sort(inHeap, {}, &Range::begin);
  if (followed) {
    addPagesOfRows(pages, inHeap, followed->content().objects);
  } else {
    addPagesOfArrays(pages, inHeap);
  }
  return RangeSet::of(std::move(pages));
}

/// Those of `objects` that lie in `heap`. Tasks name blocks of arrays: what shares a page with one
/// is mostly the block beside it, and were it a small object, its touch is a fault and nothing
/// else.
std::vector<Range> inside(const std::vector<Range> &objects, Range heap) {
  std::vector<Range> found;
  std::ranges::copy_if(objects, std::back_inserter(found),
                       [&](const Range &object) { return heap.contains(object); });
  return found;
}

/// Pages of what is alive that are full of allocations, or of one array among the variables.
RangeSet protectableOf(const std::vector<Range> &everywhere, const memory::Window &window) {
  std::vector<Range> pages;
  for (const Range &range : everywhere) {
    const Range inside = pagesInside(range);
    if (!inside.empty() && !window.stack().contains(range)) {
      pages.push_back(inside);
    }
  }
  return RangeSet::of(std::move(pages));
}

} // namespace

RangeSet pagesAround(const RangeSet &bytes) {
  std::vector<Range> pages;
  for (const Range &range : bytes.ranges()) {
    pages.push_back(memory::pagesAround(range));
  }
  return RangeSet::of(std::move(pages));
}

/// Those of `objects` that are arrays among the variables of the program, whose places never
/// change.
RangeSet arraysAmong(const std::vector<Range> &objects, const memory::Window &window) {
  std::vector<Range> arrays;
  for (const Range &object : objects) {
    const auto holdsIt = [&](const Range &globals) { return globals.contains(object); };
    if (object.size() >= kLeastArray &&
        std::any_of(window.globals().begin(), window.globals().end(), holdsIt)) {
      arrays.push_back(object);
    }
  }
  return RangeSet::of(std::move(arrays));
}

RangeSet protectableIn(const Launch &launch, const std::vector<Range> &objects,
                       const memory::Window &window) {
  const bool followsRows = launch.followed && launch.followed->content().lists.empty();
  RangeSet protectable =
      protectablePages(objects, window.heap(), followsRows ? launch.followed.get() : nullptr)
          .unite(protectableOf(launch.everywhere, window));
  if ((launch.region->flags & TUTTI_REGION_TASK) != 0) {
    protectable = protectable.unite(pagesAround(RangeSet::of(inside(objects, window.heap()))));
  }
  return protectable;
}

} // namespace tutti::exec
