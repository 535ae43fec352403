// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/share.h"
#include "runtime/model/spmd/directives.h"

#include <algorithm>
#include <limits>

namespace tutti::model::spmd {

namespace {

using distribution::ArrayMap;
using distribution::Axis;
using distribution::Interval;

constexpr Interval kUnknown{std::numeric_limits<Index>::min() / 2,
                            std::numeric_limits<Index>::max() / 2};

/// Elements of a dimension that this node stores, shadows included; `kUnknown` where they do not
/// lie side by side.
Interval storedOf(const Array &array, std::size_t dimension) {
  const ArrayMap &map = *array.map;
  const Axis &axis = map.axis(dimension);
  const distribution::Shadow &shadow = map.shadow(dimension);
  if (shadow.isFull) {
    return {axis.lower(), axis.end()};
  }
  switch (axis.kind()) {
  case Axis::Kind::Whole:
    return {axis.lower() - shadow.below, axis.end() + shadow.above};
  case Axis::Kind::Blocks: {
    const Index own = map.coordinate(dimension, *array.coordinates);
    return {axis.blockBegin(own) - shadow.below, axis.blockEnd(own) + shadow.above};
  }
  case Axis::Kind::Cyclic:
    return kUnknown;
  }
  return kUnknown;
}

Status checkOne(const tutti_xmp_index &index, const Array &array, const tutti_xmp_reach &reach) {
  if (!array.coordinates || index.per != 1 || index.list) {
    return {};
  }
  const auto dimension = static_cast<std::size_t>(reach.dimension);
  const Interval stored = storedOf(array, dimension);
  const Index last = index.begin + (index.count - 1) * index.stride;
  const Index lowest = std::min(index.begin, last);
  const Index highest = std::max(index.begin, last);
  const bool isBelow = lowest + reach.low < stored.begin;
  if (!isBelow && highest + reach.high < stored.end) {
    return {};
  }
  const distribution::Shadow &shadow = array.map->shadow(dimension);
  return failure(
      ErrorCode::InvalidArgument,
      "iteration {} touches element {} of dimension {} of '{}', which this node does not "
      "have: it has {} to {} with its shadow of {}:{}",
      isBelow ? lowest : highest, isBelow ? lowest + reach.low : highest + reach.high,
      dimension + 1, reach.name, stored.begin, stored.end - 1, shadow.below, shadow.above);
}

} // namespace

Status checkMemory(tutti_xmp_array *const *arrays, std::span<const tutti_xmp_reach> list) {
  for (const tutti_xmp_reach &reach : list) {
    if (!arrayOf(arrays[reach.array]).map) {
      return failure(ErrorCode::InvalidArgument, "'{}' has no memory of xmp_malloc yet",
                     reach.name);
    }
  }
  return {};
}

Status checkReach(std::span<const tutti_xmp_index> indices, tutti_xmp_array *const *arrays,
                  std::span<const tutti_xmp_reach> list) {
  const bool isEmpty =
      std::ranges::any_of(indices, [](const tutti_xmp_index &index) { return index.count == 0; });
  if (isEmpty) {
    return {};
  }
  for (const tutti_xmp_reach &reach : list) {
    TUTTI_TRY(checkOne(indices[static_cast<std::size_t>(reach.index)], arrayOf(arrays[reach.array]),
                       reach));
  }
  return {};
}

} // namespace tutti::model::spmd
