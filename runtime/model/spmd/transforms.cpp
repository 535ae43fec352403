// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/transforms.h"

#include "runtime/distribution/gmove.h"
#include "runtime/model/spmd/directives.h"
#include "runtime/model/spmd/elements.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

namespace tutti::model::spmd {

namespace {

using distribution::ArrayMap;
using distribution::Side;

constexpr Index kTransform = 4;

/// One side of an assignment of whole arrays.
struct Whole {
  const ArrayMap *map;
  std::byte *base;
  bool isTransposed = false;

  Side side() const {
    Side side = Side::whole(*map);
    if (isTransposed) {
      side.order = {1, 0};
    }
    return side;
  }
};

Whole wholeOf(const Array &array) {
  return {&*array.map, array.coordinates ? array.base() : nullptr};
}

Status assign(World &world, const Whole &left, const Whole &right, std::size_t elementBytes) {
  const NodeSet &executing = world.executing();
  std::vector<Index> content{kTransform, right.isTransposed ? 1 : 0,
                             static_cast<Index>(elementBytes)};
  content.insert(content.end(), executing.begin(), executing.end());
  left.map->describe(content);
  right.map->describe(content);
  Plan *plan = nullptr;
  TUTTI_ASSIGN(plan, world.plan(std::move(content), [&] {
    return distribution::gmove({left.side(), right.side(), executing, executing}, world.me());
  }));
  trace::Counters &counters = world.counters();
  const Operands operands{right.base, left.base, elementBytes, false, std::nullopt};
  return world.complete(
      beginMove(world, *plan, operands, {counters.gmoveMessages, counters.gmoveBytes}),
      std::nullopt);
}

std::shared_ptr<const distribution::Nodes> executingNodes(const World &world) {
  return std::make_shared<const distribution::Nodes>(
      distribution::Nodes::listOf(world.executing()));
}

std::size_t elementsOf(const Array &array) {
  return static_cast<std::size_t>(
      std::accumulate(array.extents.begin(), array.extents.end(), Index{1}, std::multiplies<>()));
}

/// The whole array, in the order of C, on every executing node.
Result<Bytes> everywhere(World &world, Array &array) {
  TUTTI_TRY(mapOf(array));
  Bytes all(elementsOf(array) * array.elementBytes);
  const ArrayMap local = ArrayMap::local(executingNodes(world), array.extents);
  TUTTI_TRY(assign(world, {&local, all.data()}, wholeOf(array), array.elementBytes));
  return all;
}

/// Each owner takes its part of what every executing node has.
Status take(World &world, Array &array, Bytes &all) {
  TUTTI_TRY(mapOf(array));
  const ArrayMap local = ArrayMap::local(executingNodes(world), array.extents);
  return assign(world, wholeOf(array), {&local, all.data()}, array.elementBytes);
}

Status requireSameType(const Array &a, const Array &b) {
  if (a.elementBytes != b.elementBytes || a.type != b.type) {
    return failure(ErrorCode::InvalidArgument, "the arrays' elements are of different types");
  }
  return {};
}

Status requireRank(const Array &array, std::size_t rank) {
  TUTTI_TRY(mapOf(array));
  if (array.rank != rank) {
    return failure(ErrorCode::InvalidArgument, "an array of {} dimensions; {} are needed",
                   array.rank, rank);
  }
  return {};
}

Result<transport::Element> typeOf(const Array &array) {
  const auto type = elementOf(array.type);
  if (!type) {
    return failure(ErrorCode::InvalidArgument, "elements of a type that this is not defined for");
  }
  return *type;
}

/// Integers of an array on all nodes.
Result<std::vector<Index>> numbersOf(World &world, Array &array) {
  transport::Element type{};
  TUTTI_ASSIGN(type, typeOf(array));
  Bytes all;
  TUTTI_ASSIGN(all, everywhere(world, array));
  return integersOf(type, all);
}

/// Where in the order of C an element of `array` lies that index arrays name, for each of theirs.
Result<std::vector<std::size_t>> placesIn(World &world, const Array &array, std::size_t count,
                                          std::span<Array *const> indices) {
  TUTTI_TRY(requireRank(array, indices.size()));
  std::vector<std::size_t> places(count, 0);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    std::vector<Index> numbers;
    TUTTI_ASSIGN(numbers, numbersOf(world, *indices[d]));
    if (numbers.size() != count) {
      return failure(ErrorCode::InvalidArgument, "an index array of {} elements for {}",
                     numbers.size(), count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (numbers[i] < 0 || numbers[i] >= array.extents[d]) {
        return failure(ErrorCode::InvalidArgument, "index {} lies outside of 0 to {}", numbers[i],
                       array.extents[d] - 1);
      }
      places[i] = places[i] * static_cast<std::size_t>(array.extents[d]) +
                  static_cast<std::size_t>(numbers[i]);
    }
  }
  return places;
}

/// The numbers of the elements that a mask lets through.
Result<std::vector<std::size_t>> chosen(World &world, const Array &array, Array *mask) {
  std::vector<std::size_t> numbers(elementsOf(array));
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (!mask) {
    return numbers;
  }
  if (mask->extents != array.extents) {
    return failure(ErrorCode::InvalidArgument, "the mask is of another shape than the array");
  }
  std::vector<Index> truth;
  TUTTI_ASSIGN(truth, numbersOf(world, *mask));
  std::erase_if(numbers, [&](std::size_t i) { return truth[i] == 0; });
  return numbers;
}

/// The indices that this node owns of a dimension, in ascending order.
std::vector<Index> ownedIndices(const Array &array, std::size_t d) {
  std::vector<Index> indices;
  for (const auto &progression :
       array.map->axis(d).owned(array.map->coordinate(d, *array.coordinates))) {
    for (Index k = 0; k < progression.count; ++k) {
      indices.push_back(progression.at(k));
    }
  }
  std::sort(indices.begin(), indices.end());
  return indices;
}

/// An array of which each node has what it needs of a product: rows or columns as those of `x`,
/// and all of the other dimension.
struct Strip {
  ArrayMap map;
  Bytes bytes;
};

Result<Strip> stripOf(World &world, const Array &x, Array &array, std::size_t followed) {
  std::vector<distribution::Axis> axes;
  for (std::size_t d = 0; d < 2; ++d) {
    axes.push_back(d == followed ? x.map->axis(d) : distribution::Axis::whole(0, array.extents[d]));
  }
  auto map = ArrayMap::create(x.map->sharedNodes(), std::move(axes), {{}, {}});
  TUTTI_TRY(map);
  Strip strip{*std::move(map), {}};
  if (x.coordinates) {
    strip.bytes.resize(static_cast<std::size_t>(strip.map.layout(*x.coordinates).elements) *
                       array.elementBytes);
  }
  TUTTI_TRY(assign(world, {&strip.map, strip.bytes.data()}, wholeOf(array), array.elementBytes));
  return strip;
}

} // namespace

Status transpose(World &world, Array &x, Array &a) {
  TUTTI_TRY(requireRank(x, 2));
  TUTTI_TRY(requireRank(a, 2));
  TUTTI_TRY(requireSameType(x, a));
  Whole right = wholeOf(a);
  right.isTransposed = true;
  return assign(world, wholeOf(x), right, a.elementBytes);
}

Status multiply(World &world, Array &x, Array &a, Array &b) {
  for (Array *array : {&x, &a, &b}) {
    TUTTI_TRY(requireRank(*array, 2));
    TUTTI_TRY(requireSameType(x, *array));
  }
  transport::Element type{};
  TUTTI_ASSIGN(type, typeOf(x));
  const Index inner = a.extents[1];
  if (x.extents[0] != a.extents[0] || x.extents[1] != b.extents[1] || inner != b.extents[0]) {
    return failure(ErrorCode::InvalidArgument,
                   "a product of {} x {} and {} x {} is assigned to {} x {}", a.extents[0], inner,
                   b.extents[0], b.extents[1], x.extents[0], x.extents[1]);
  }
  auto rows = stripOf(world, x, a, 0);
  TUTTI_TRY(rows);
  auto columns = stripOf(world, x, b, 1);
  TUTTI_TRY(columns);
  if (!x.coordinates) {
    return {};
  }
  const std::vector<Index> is = ownedIndices(x, 0);
  const std::vector<Index> js = ownedIndices(x, 1);
  std::vector<std::byte *> targets;
  for (const Index i : is) {
    for (const Index j : js) {
      const Index at =
          x.map->localOf(0, x.map->coordinate(0, *x.coordinates), i) * x.layout.strides[0] +
          x.map->localOf(1, x.map->coordinate(1, *x.coordinates), j) * x.layout.strides[1];
      targets.push_back(x.base() + static_cast<std::size_t>(at) * x.elementBytes);
    }
  }
  multiplyRows(type, rows->bytes, columns->bytes, static_cast<std::size_t>(inner), js.size(),
               targets);
  return {};
}

Status gather(World &world, Array &x, Array &a, std::span<Array *const> indices) {
  TUTTI_TRY(mapOf(x));
  TUTTI_TRY(requireSameType(x, a));
  std::vector<std::size_t> places;
  TUTTI_ASSIGN(places, placesIn(world, a, elementsOf(x), indices));
  Bytes from;
  TUTTI_ASSIGN(from, everywhere(world, a));
  Bytes to(places.size() * x.elementBytes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::memcpy(to.data() + i * x.elementBytes, from.data() + places[i] * x.elementBytes,
                x.elementBytes);
  }
  return take(world, x, to);
}

Status scatter(World &world, Array &x, Array &a, std::span<Array *const> indices) {
  TUTTI_TRY(mapOf(a));
  TUTTI_TRY(requireSameType(x, a));
  std::vector<std::size_t> places;
  TUTTI_ASSIGN(places, placesIn(world, x, elementsOf(a), indices));
  Bytes from;
  TUTTI_ASSIGN(from, everywhere(world, a));
  Bytes to;
  TUTTI_ASSIGN(to, everywhere(world, x));
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::memcpy(to.data() + places[i] * x.elementBytes, from.data() + i * x.elementBytes,
                x.elementBytes);
  }
  return take(world, x, to);
}

Status packInto(World &world, Array &vector, Array &a, Array *mask) {
  TUTTI_TRY(requireRank(vector, 1));
  TUTTI_TRY(requireSameType(vector, a));
  std::vector<std::size_t> numbers;
  TUTTI_ASSIGN(numbers, chosen(world, a, mask));
  if (numbers.size() > elementsOf(vector)) {
    return failure(ErrorCode::InvalidArgument, "{} elements are packed into {}", numbers.size(),
                   elementsOf(vector));
  }
  Bytes from;
  TUTTI_ASSIGN(from, everywhere(world, a));
  Bytes to;
  TUTTI_ASSIGN(to, everywhere(world, vector));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::memcpy(to.data() + i * a.elementBytes, from.data() + numbers[i] * a.elementBytes,
                a.elementBytes);
  }
  return take(world, vector, to);
}

Status unpackFrom(World &world, Array &a, Array &vector, Array *mask) {
  TUTTI_TRY(requireRank(vector, 1));
  TUTTI_TRY(requireSameType(vector, a));
  std::vector<std::size_t> numbers;
  TUTTI_ASSIGN(numbers, chosen(world, a, mask));
  if (numbers.size() > elementsOf(vector)) {
    return failure(ErrorCode::InvalidArgument, "{} elements are unpacked from {}", numbers.size(),
                   elementsOf(vector));
  }
  Bytes from;
  TUTTI_ASSIGN(from, everywhere(world, vector));
  Bytes to;
  TUTTI_ASSIGN(to, everywhere(world, a));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::memcpy(to.data() + numbers[i] * a.elementBytes, from.data() + i * a.elementBytes,
                a.elementBytes);
  }
  return take(world, a, to);
}

Status sort(World &world, Array &from, Array &to, bool isDown) {
  TUTTI_TRY(requireRank(from, 1));
  TUTTI_TRY(requireRank(to, 1));
  TUTTI_TRY(requireSameType(from, to));
  transport::Element type{};
  TUTTI_ASSIGN(type, typeOf(from));
  if (from.extents != to.extents) {
    return failure(ErrorCode::InvalidArgument, "{} elements are sorted into {}", from.extents[0],
                   to.extents[0]);
  }
  if (!transport::canCombine(type, transport::Combination::Max)) {
    return failure(ErrorCode::InvalidArgument, "complex numbers have no order");
  }
  Bytes all;
  TUTTI_ASSIGN(all, everywhere(world, from));
  sortElements(type, all, isDown);
  return take(world, to, all);
}

} // namespace tutti::model::spmd
