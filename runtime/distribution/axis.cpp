// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/axis.h"

#include "base/check.h"

#include <algorithm>

namespace tutti::distribution {

Axis Axis::whole(Index lower, Index extent) { return {Kind::Whole, lower, extent}; }

Result<Axis> Axis::block(Index lower, Index extent, std::size_t nodeDimension, Index parts,
                         Index width) {
  if (width < 0) {
    return failure(ErrorCode::InvalidArgument, "block({}) is not positive", width);
  }
  if (width == 0) {
    width = (extent + parts - 1) / parts;
  } else if ((extent + width - 1) / width > parts) {
    return failure(ErrorCode::InvalidArgument,
                   "block({}) on {} nodes does not cover {} indices of the template", width, parts,
                   extent);
  }
  Axis axis(Kind::Blocks, lower, extent);
  axis.nodeDimension_ = nodeDimension;
  axis.parts_ = parts;
  for (Index part = 0; part <= parts; ++part) {
    axis.bounds_.push_back(lower + std::min(part * width, extent));
  }
  return axis;
}

Result<Axis> Axis::cyclic(Index lower, Index extent, std::size_t nodeDimension, Index parts,
                          Index width) {
  if (width <= 0) {
    return failure(ErrorCode::InvalidArgument, "cyclic({}) is not positive", width);
  }
  Axis axis(Kind::Cyclic, lower, extent);
  axis.nodeDimension_ = nodeDimension;
  axis.parts_ = parts;
  axis.width_ = width;
  axis.phase_ = -lower;
  return axis;
}

Result<Axis> Axis::general(Index lower, Index extent, std::size_t nodeDimension, Index parts,
                           std::span<const Index> map) {
  if (static_cast<Index>(map.size()) < parts) {
    return failure(ErrorCode::InvalidArgument, "the gblock map has {} entries for {} nodes",
                   map.size(), parts);
  }
  Axis axis(Kind::Blocks, lower, extent);
  axis.nodeDimension_ = nodeDimension;
  axis.parts_ = parts;
  axis.bounds_.push_back(lower);
  Index sum = 0;
  for (const Index count : map.first(static_cast<std::size_t>(parts))) {
    if (count < 0) {
      return failure(ErrorCode::InvalidArgument, "an entry of the gblock map is {}", count);
    }
    sum = std::min(sum + count, extent);
    axis.bounds_.push_back(lower + sum);
  }
  if (sum < extent) {
    return failure(ErrorCode::InvalidArgument,
                   "the gblock map covers {} of {} indices of the template", sum, extent);
  }
  return axis;
}

Result<Axis> Axis::aligned(Index offset, Index extent) const {
  if (offset < lower_ || offset + extent > end()) {
    return failure(ErrorCode::InvalidArgument,
                   "indices {} to {} lie outside of the template's {} to {}", offset,
                   offset + extent - 1, lower_, end() - 1);
  }
  Axis axis = *this;
  axis.lower_ = 0;
  axis.extent_ = extent;
  axis.phase_ = phase_ + offset;
  for (Index &bound : axis.bounds_) {
    bound = std::clamp<Index>(bound - offset, 0, extent);
  }
  return axis;
}

/// Of the indices less than `distance` from the first block, those of a node.
Index Axis::countBelow(Index coordinate, Index distance) const {
  const Index round = width_ * parts_;
  return distance / round * width_ +
         std::clamp<Index>(distance % round - coordinate * width_, 0, width_);
}

IndexSet Axis::owned(Index coordinate) const {
  if (isWhole() || parts_ == 1) {
    return indexRange(lower_, end());
  }
  if (kind_ == Kind::Blocks) {
    return indexRange(blockBegin(coordinate), blockEnd(coordinate));
  }
  const Index round = width_ * parts_;
  const Index from = lower_ + phase_;
  const Index to = end() + phase_;
  const Index firstRound = from / round;
  const Index rounds = to > from ? (to - 1) / round - firstRound + 1 : 0;
  IndexSet set;
  if (width_ > rounds) {
    for (Index r = firstRound; r < firstRound + rounds; ++r) {
      const Index begin = r * round + coordinate * width_;
      for (const Progression &run :
           indexRange(std::max(begin, from), std::min(begin + width_, to))) {
        set.push_back(run);
      }
    }
    return shifted(std::move(set), -phase_);
  }
  for (Index j = 0; j < width_; ++j) {
    const Progression all{firstRound * round + coordinate * width_ + j, rounds, round};
    if (const auto inside = intersect(all, {from, to - from, 1})) {
      set.push_back(*inside);
    }
  }
  std::sort(set.begin(), set.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  return shifted(std::move(set), -phase_);
}

Index Axis::countOwned(Index coordinate) const {
  switch (kind_) {
  case Kind::Whole:
    return extent_;
  case Kind::Blocks:
    return blockEnd(coordinate) - blockBegin(coordinate);
  case Kind::Cyclic:
    return countBelow(coordinate, end() + phase_) - countBelow(coordinate, lower_ + phase_);
  }
  return 0;
}

Index Axis::ownerOf(Index index) const {
  TUTTI_DCHECK(lower_ <= index && index < end());
  switch (kind_) {
  case Kind::Whole:
    return 0;
  case Kind::Blocks:
    return std::upper_bound(bounds_.begin(), bounds_.end() - 1, index) - bounds_.begin() - 1;
  case Kind::Cyclic:
    return (index + phase_) / width_ % parts_;
  }
  return 0;
}

Index Axis::rankOf(Index coordinate, Index index) const {
  switch (kind_) {
  case Kind::Whole:
    return index - lower_;
  case Kind::Blocks:
    return index - blockBegin(coordinate);
  case Kind::Cyclic:
    return countBelow(coordinate, index + phase_) - countBelow(coordinate, lower_ + phase_);
  }
  return 0;
}

void Axis::describe(std::vector<Index> &words) const {
  words.insert(words.end(),
               {static_cast<Index>(kind_), lower_, extent_, static_cast<Index>(nodeDimension_),
                parts_, width_, phase_, static_cast<Index>(bounds_.size())});
  words.insert(words.end(), bounds_.begin(), bounds_.end());
}

} // namespace tutti::distribution
