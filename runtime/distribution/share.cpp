// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/share.h"

#include "base/check.h"

#include <algorithm>
#include <cstdlib>

namespace tutti::distribution {

namespace {

/// The numbers of iterations that the node runs.
IndexSet numbersOf(const Axis &axis, Index coordinate, Index offset, const Iterations &iterations) {
  return positionsOf(axis.owned(coordinate), iterations.lower + offset, iterations.count(),
                     iterations.step);
}

/// Of blocks dealt in turn, each with as many iterations: those of the first block that come before
/// the share's first iteration are its phase.
LoopShare inTurn(const Axis &axis, const Iterations &iterations, Index first, Index firstPlace,
                 Index count) {
  const Index distance = std::abs(iterations.step);
  const Index place = iterations.step > 0 ? firstPlace : axis.width() - 1 - firstPlace;
  LoopShare share;
  share.count = count;
  share.phase = place / distance;
  share.begin = first - share.phase * iterations.step;
  share.per = axis.width() / distance;
  share.cycle = axis.width() * axis.parts() * (iterations.step > 0 ? 1 : -1);
  return share;
}

/// How many iterations lie within so many indices: below 0, how many are lost.
Index iterationsIn(Index indices, Index distance) {
  return indices >= 0 ? indices / distance : -((-indices + distance - 1) / distance);
}

/// As the share is and as it becomes, from the lowest to the highest bound.
struct Bounds {
  Interval outer;
  Interval inner;
};

Bounds boundsOf(const Interval &own, const Iterations &iterations, const Growth &growth) {
  if (own.isEmpty()) {
    return {own, own};
  }
  const Index distance = std::abs(iterations.step);
  Index before = iterationsIn(growth.below, distance);
  Index behind = iterationsIn(growth.above, distance);
  if (iterations.step < 0) {
    std::swap(before, behind); // Iterations count downwards.
  }
  Interval grown{own.begin - before, own.end + behind};
  if (!growth.isUnbound) {
    grown.begin = std::max<Index>(grown.begin, 0);
    grown.end = std::min(grown.end, iterations.count());
  }
  Bounds bounds;
  bounds.outer = {std::min(own.begin, grown.begin), std::max(own.end, grown.end)};
  bounds.inner.begin = std::min(std::max(own.begin, grown.begin), bounds.outer.end);
  bounds.inner.end = std::max(std::min(own.end, grown.end), bounds.inner.begin);
  return bounds;
}

/// What of the outer box is not in the inner one.
void addShell(const std::vector<Bounds> &bounds, std::vector<std::vector<Interval>> &boxes) {
  for (std::size_t d = 0; d < bounds.size(); ++d) {
    const Bounds &own = bounds[d];
    for (const Interval &side :
         {Interval{own.outer.begin, own.inner.begin}, Interval{own.inner.end, own.outer.end}}) {
      std::vector<Interval> box;
      for (std::size_t other = 0; other < bounds.size(); ++other) {
        box.push_back(other < d ? bounds[other].inner : bounds[other].outer);
      }
      box[d] = side;
      if (std::none_of(box.begin(), box.end(), [](const Interval &i) { return i.isEmpty(); })) {
        boxes.push_back(std::move(box));
      }
    }
  }
}

} // namespace

LoopShare shareOf(const Axis &axis, Index coordinate, Index offset, const Iterations &iterations) {
  const IndexSet numbers = numbersOf(axis, coordinate, offset, iterations);
  LoopShare share;
  share.count = countOf(numbers);
  if (share.count == 0) {
    return share;
  }
  if (numbers.size() == 1) {
    share.begin = iterations.at(numbers.front().first);
    share.cycle = numbers.front().stride * iterations.step;
    return share;
  }
  TUTTI_CHECK(axis.kind() == Axis::Kind::Cyclic);
  if (axis.width() % std::abs(iterations.step) == 0) {
    const Index first = iterations.at(numbers.front().first);
    return inTurn(axis, iterations, first, axis.placeInBlock(first + offset), share.count);
  }
  for (const Progression &progression : numbers) {
    for (Index k = 0; k < progression.count; ++k) {
      share.list.push_back(progression.at(k));
    }
  }
  std::sort(share.list.begin(), share.list.end());
  for (Index &number : share.list) {
    number = iterations.at(number);
  }
  return share;
}

Interval intervalOf(const Axis &axis, Index coordinate, Index offset,
                    const Iterations &iterations) {
  TUTTI_CHECK(axis.kind() != Axis::Kind::Cyclic);
  const IndexSet numbers = numbersOf(axis, coordinate, offset, iterations);
  return numbers.empty() ? Interval{} : Interval{numbers.front().first, numbers.front().last() + 1};
}

LoopShare shareOf(const Interval &interval, const Iterations &iterations) {
  LoopShare share;
  if (!interval.isEmpty()) {
    share.begin = iterations.at(interval.begin);
    share.count = interval.end - interval.begin;
    share.cycle = iterations.step;
  }
  return share;
}

std::vector<std::vector<Interval>> boxesOf(const NestShare &share, Ring ring) {
  std::vector<Bounds> bounds;
  std::vector<Interval> grown;
  for (std::size_t d = 0; d < share.intervals.size(); ++d) {
    if (share.intervals[d].isEmpty()) {
      return {};
    }
    bounds.push_back(boundsOf(share.intervals[d], share.iterations[d], share.growths[d]));
    const Growth &growth = share.growths[d];
    // An end that grows is the outer one, one that shrinks the inner one.
    const bool isUp = share.iterations[d].step > 0;
    const bool growsFirst = (isUp ? growth.below : growth.above) >= 0;
    const bool growsLast = (isUp ? growth.above : growth.below) >= 0;
    grown.push_back({growsFirst ? bounds[d].outer.begin : bounds[d].inner.begin,
                     growsLast ? bounds[d].outer.end : bounds[d].inner.end});
  }
  std::vector<std::vector<Interval>> boxes;
  if (ring != Ring::Margin &&
      std::none_of(grown.begin(), grown.end(), [](const Interval &i) { return i.isEmpty(); })) {
    boxes.push_back(grown);
  }
  if (ring != Ring::Expand) {
    addShell(bounds, boxes);
  }
  return boxes;
}

} // namespace tutti::distribution
