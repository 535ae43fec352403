// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/check.h"
#include "runtime/model/spmd/copies.h"
#include "runtime/model/spmd/descriptors.h"
#include "runtime/model/spmd/one_sided.h"

#include <algorithm>
#include <utility>

namespace tutti::model::spmd {

namespace {

using distribution::ArrayMap;
using distribution::Axis;
using distribution::Shadow;

/// Programs store one element outside of what they have.
constexpr std::size_t kSpareBytes = 64;

std::size_t spareOf(const Array &array) {
  return (array.elementBytes + kSpareBytes - 1) / kSpareBytes * kSpareBytes;
}

/// An extent that is not known is as far as the template goes.
Status findExtents(Array &array) {
  for (std::size_t d = 0; d < array.rank; ++d) {
    const tutti_xmp_alignment &alignment = array.alignments[d];
    if (array.extents[d] >= 0) {
      continue;
    }
    if (alignment.axis < 0) {
      return failure(ErrorCode::InvalidArgument,
                     "the size of dimension {}, which is not aligned, is not known", d + 1);
    }
    const Axis &axis = array.with->axes[static_cast<std::size_t>(alignment.axis)];
    array.extents[d] = axis.end() - alignment.offset;
  }
  return {};
}

Status checkShadow(const Axis &axis, const Shadow &shadow, const tutti_xmp_template::Format &format,
                   std::size_t dimension) {
  if (format.kind != TUTTI_XMP_BLOCK || shadow.isFull) {
    return {};
  }
  const Index width =
      format.width > 0 ? format.width : (axis.extent() + axis.parts() - 1) / axis.parts();
  if (shadow.below > width || shadow.above > width) {
    return failure(ErrorCode::InvalidArgument,
                   "a shadow of {}:{} in dimension {} is wider than a block of {}", shadow.below,
                   shadow.above, dimension + 1, width);
  }
  return {};
}

/// What compiled code computes places with.
tutti_xmp_axis codeOf(const Array &array, std::size_t d) {
  const Axis &axis = array.map->axis(d);
  const Shadow &shadow = array.shadows[d];
  const Index coordinate = array.map->coordinate(d, *array.coordinates);
  const Index stride = array.layout.strides[d];
  if (shadow.isFull || axis.isWhole()) {
    return {axis.lower() - (shadow.isFull ? 0 : shadow.below), stride, 0, 0, 0};
  }
  if (axis.kind() == Axis::Kind::Blocks) {
    return {axis.blockBegin(coordinate) - shadow.below, stride, 0, 0, 0};
  }
  const Index first = axis.origin() + coordinate * axis.width();
  // The place of the first index that is stored, counted from there.
  const auto owned = axis.owned(coordinate);
  const Index cycle = axis.width() * axis.parts();
  const Index distance = owned.empty() ? 0 : owned.front().first - first;
  return {first, stride, axis.width(), cycle,
          distance / cycle * axis.width() + distance % axis.width()};
}

/// Finds out where everything lies; nothing yet if the template or the extents are not fixed.
Status layOut(World &world, Array &array) {
  if (!array.with->isFixed()) {
    return {};
  }
  TUTTI_TRY(findExtents(array));
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < array.rank; ++d) {
    const tutti_xmp_alignment &alignment = array.alignments[d];
    if (alignment.axis < 0) {
      axes.push_back(Axis::whole(0, array.extents[d]));
      continue;
    }
    const auto t = static_cast<std::size_t>(alignment.axis);
    auto axis = array.with->axes[t].aligned(alignment.offset, array.extents[d]);
    if (!axis) {
      return failure(ErrorCode::InvalidArgument,
                     "the array is out of its template: dimension {}, {}", d + 1,
                     axis.error().message);
    }
    TUTTI_TRY(checkShadow(array.with->axes[t], array.shadows[d], array.with->formats[t], d));
    axes.push_back(*std::move(axis));
  }
  auto map = ArrayMap::create(array.with->nodes, std::move(axes), array.shadows);
  TUTTI_TRY(map);
  array.map = *std::move(map);
  array.coordinates = array.with->nodes->coordinatesOf(world.me());
  array.layout = {std::vector<Index>(array.rank, 0), std::vector<Index>(array.rank, 0), 0};
  if (array.coordinates) {
    array.layout = array.map->layout(*array.coordinates);
    for (std::size_t d = 0; d < array.rank; ++d) {
      array.axis[d] = codeOf(array, d);
    }
  } else {
    // Code that computes places in front of a loop without iterations divides all the same.
    std::fill_n(array.axis, array.rank, tutti_xmp_axis{0, 0, 1, 1, 0});
  }
  return {};
}

/// Memory for an array that the runtime brings.
Status provide(World &world, Array &array) {
  if (array.storage != TUTTI_XMP_ALLOCATE || !array.map) {
    return {};
  }
  if (array.memory) {
    world.host().release(std::exchange(array.memory, nullptr));
  }
  const std::size_t spare = spareOf(array);
  const auto bytes = static_cast<std::size_t>(array.layout.elements) * array.elementBytes;
  array.memory = world.host().allocate(bytes + 2 * spare);
  if (!array.memory) {
    return failure(ErrorCode::OutOfMemory, "no memory for {} bytes of an array", bytes);
  }
  *array.variable = static_cast<std::byte *>(array.memory) + spare;
  return {};
}

} // namespace

Result<std::unique_ptr<Array>> makeArray(World &world, ArrayWish wish) {
  if (wish.with->formats.empty()) {
    return failure(ErrorCode::InvalidArgument, "the template is not distributed");
  }
  auto array = std::make_unique<Array>();
  static_cast<tutti_xmp_array &>(*array) = {TUTTI_XMP_ARRAY, wish.variable, {}};
  array->storage = wish.storage;
  array->type = wish.type;
  array->elementBytes = wish.elementBytes;
  array->rank = wish.rank;
  array->extents = std::move(wish.extents);
  array->alignments = std::move(wish.alignments);
  array->with = wish.with;
  array->shadows.resize(wish.rank);
  if (!wish.with->isFixed() && wish.storage != TUTTI_XMP_LATER) {
    return failure(ErrorCode::InvalidArgument, "the template is not fixed yet");
  }
  if (wish.storage != TUTTI_XMP_LATER) {
    TUTTI_TRY(layOut(world, *array));
  }
  TUTTI_TRY(provide(world, *array));
  world.oneSided().add(*array);
  ++wish.with->users;
  if (wish.storage == TUTTI_XMP_LATER) {
    world.pointers().emplace(wish.variable, array.get());
  }
  return array;
}

Status setShadow(World &world, Array &array, std::span<const tutti_xmp_width> widths) {
  std::vector<Shadow> shadows;
  for (std::size_t d = 0; d < array.rank; ++d) {
    const tutti_xmp_width &width = widths[d];
    const bool isFull = (width.flags & TUTTI_XMP_FULL) != 0;
    shadows.push_back(isFull ? Shadow{0, 0, true} : Shadow{width.lower, width.upper, false});
  }
  if (array.hasShadow && shadows == array.shadows) {
    return {}; // Of a static array, whose directives are evaluated again.
  }
  if (array.hasShadow) {
    return failure(ErrorCode::InvalidArgument, "the array has a shadow of other widths already");
  }
  if (world.copies().has(array)) {
    return failure(ErrorCode::InvalidArgument,
                   "the array is replicated already: too late for 'shadow'");
  }
  array.shadows = std::move(shadows);
  array.hasShadow = true;
  if (array.map) {
    TUTTI_TRY(layOut(world, array));
    TUTTI_TRY(provide(world, array));
  }
  return {};
}

Result<void *> allocate(World &world, Array &array, std::vector<Index> extents) {
  if (!array.with->isFixed()) {
    return failure(ErrorCode::InvalidArgument, "the template is not fixed yet");
  }
  const auto [first, last] = world.pointers().equal_range(array.variable);
  for (auto entry = first; entry != last; ++entry) {
    Array &same = *entry->second;
    if (same.rank == array.rank && same.with->isFixed()) {
      same.extents = extents;
      TUTTI_TRY(layOut(world, same));
    }
  }
  const auto bytes = static_cast<std::size_t>(array.layout.elements) * array.elementBytes;
  void *memory = world.host().allocate(bytes + spareOf(array));
  if (!memory) {
    return failure(ErrorCode::OutOfMemory, "no memory for {} bytes of an array", bytes);
  }
  return memory;
}

namespace {

/// The last user deletes it.
void leave(const tutti_xmp_template *of) {
  if (--of->users == 0) {
    delete of;
  }
}

} // namespace

void release(World &world, void *descriptor) {
  if (!descriptor) {
    return;
  }
  switch (*static_cast<const long *>(descriptor)) {
  case TUTTI_XMP_NODES:
    delete static_cast<tutti_xmp_nodes *>(descriptor);
    return;
  case TUTTI_XMP_TEMPLATE:
    leave(static_cast<tutti_xmp_template *>(descriptor));
    return;
  default: {
    Array *array = &arrayOf(static_cast<tutti_xmp_array *>(descriptor));
    world.oneSided().remove(*array);
    const auto [first, last] = world.pointers().equal_range(array->variable);
    const auto own =
        std::find_if(first, last, [array](const auto &entry) { return entry.second == array; });
    if (own != last) {
      world.pointers().erase(own);
    }
    if (array->memory) {
      world.host().release(array->memory);
    }
    leave(array->with);
    delete array;
  }
  }
}

Result<const ArrayMap *> mapOf(const Array &array) {
  if (!array.map) {
    return failure(ErrorCode::InvalidArgument, "the array has no memory or template yet");
  }
  return &*array.map;
}

} // namespace tutti::model::spmd
