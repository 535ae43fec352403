// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The library of <xmp.h>: what descriptors say.
///
/// Numbers of dimensions count from 1: those of arrays from the first bracket, those of templates
/// and node arrays from the last.
#include "abi/xmp.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/nodes.h"
#include "runtime/model/spmd/directives.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace {

using namespace tutti;
using distribution::Axis;
using distribution::Index;
using model::spmd::Array;
using model::spmd::World;

constexpr int kSuccess = 0;
constexpr int kFailure = -2000;   // XMP_FAILURE
constexpr int kUndefined = -2001; // XMP_UNDEFINED

World &world() { return entry::nodes::world(); }

long kindOf(const void *descriptor) {
  return descriptor ? *static_cast<const long *>(descriptor) : 0;
}

/// The descriptor as what it should be; null if it is something else.
const tutti_xmp_nodes *nodesOf(const void *descriptor) {
  return kindOf(descriptor) == TUTTI_XMP_NODES ? static_cast<const tutti_xmp_nodes *>(descriptor)
                                               : nullptr;
}

const tutti_xmp_template *templateOf(const void *descriptor) {
  return kindOf(descriptor) == TUTTI_XMP_TEMPLATE
             ? static_cast<const tutti_xmp_template *>(descriptor)
             : nullptr;
}

const Array *arrayOf(const void *descriptor) {
  return kindOf(descriptor) == TUTTI_XMP_ARRAY
             ? static_cast<const Array *>(static_cast<const tutti_xmp_array *>(descriptor))
             : nullptr;
}

/// Writes what an inquiry found; fails where there is nothing.
template <typename T, typename U> int give(T *result, const std::optional<U> &value) {
  if (!value) {
    return kFailure;
  }
  *result = static_cast<T>(*value);
  return kSuccess;
}

/// A dimension of `rank` ones that count from the last.
std::optional<std::size_t> fromLast(std::size_t rank, int dim) {
  return dim >= 1 && static_cast<std::size_t>(dim) <= rank
             ? std::optional(rank - static_cast<std::size_t>(dim))
             : std::nullopt;
}

std::optional<std::size_t> fromFirst(std::size_t rank, int dim) {
  return dim >= 1 && static_cast<std::size_t>(dim) <= rank
             ? std::optional(static_cast<std::size_t>(dim) - 1)
             : std::nullopt;
}

/// The number that a dimension of `rank` has in the order from the last.
int numberFromLast(std::size_t rank, std::size_t dimension) {
  return static_cast<int>(rank - dimension);
}

std::optional<std::size_t> nodesDimension(const void *d, int dim) {
  const tutti_xmp_nodes *nodes = nodesOf(d);
  return nodes ? fromLast(nodes->nodes->extents().size(), dim) : std::nullopt;
}

std::optional<std::size_t> templateDimension(const void *d, int dim) {
  const tutti_xmp_template *of = templateOf(d);
  return of ? fromLast(of->rank, dim) : std::nullopt;
}

/// Of a template that is distributed.
std::optional<std::size_t> formatDimension(const void *d, int dim) {
  const auto dimension = templateDimension(d, dim);
  return dimension && !templateOf(d)->formats.empty() ? dimension : std::nullopt;
}

/// Of an array that has been laid out.
std::optional<std::size_t> arrayDimension(const void *d, int dim) {
  const Array *array = arrayOf(d);
  return array && array->map ? fromFirst(array->rank, dim) : std::nullopt;
}

Index coordinateOf(const Array &array, std::size_t d) {
  return array.map->coordinate(d, *array.coordinates);
}

/// The first and the last index that this node owns.
struct Owned {
  Index first;
  Index last;
};

std::optional<Owned> ownedOf(const Array &array, std::size_t d) {
  if (!array.coordinates) {
    return std::nullopt;
  }
  const auto set = array.map->axis(d).owned(coordinateOf(array, d));
  if (set.empty()) {
    return std::nullopt;
  }
  Index last = set.front().last();
  for (const auto &progression : set) {
    last = std::max(last, progression.last());
  }
  return Owned{set.front().first, last};
}

} // namespace

TUTTI_EXPORT int xmp_desc_kind(void *d, int *kind) {
  return give(kind, kindOf(d) != 0 ? std::optional(kindOf(d)) : std::nullopt);
}

TUTTI_EXPORT int xmp_nodes_ndims(void *d, int *ndims) {
  const tutti_xmp_nodes *nodes = nodesOf(d);
  return give(ndims, nodes ? std::optional(nodes->nodes->extents().size()) : std::nullopt);
}

TUTTI_EXPORT int xmp_nodes_index(void *d, int dim, int *index) {
  const auto dimension = nodesDimension(d, dim);
  const auto coordinates =
      dimension ? nodesOf(d)->nodes->coordinatesOf(world().me()) : std::nullopt;
  return give(index, coordinates ? std::optional((*coordinates)[*dimension] + 1) : std::nullopt);
}

TUTTI_EXPORT int xmp_nodes_size(void *d, int dim, int *size) {
  const auto dimension = nodesDimension(d, dim);
  return give(size,
              dimension ? std::optional(nodesOf(d)->nodes->extents()[*dimension]) : std::nullopt);
}

TUTTI_EXPORT int xmp_nodes_attr(void *d, int *attr) {
  constexpr int kEntire = 2000;
  constexpr int kExecuting = 2001;
  constexpr int kEquivalent = 2003;
  const tutti_xmp_nodes *nodes = nodesOf(d);
  if (!nodes) {
    return kFailure;
  }
  *attr = nodes->origin == TUTTI_XMP_ENTIRE
              ? kEntire
              : (nodes->origin == TUTTI_XMP_EXECUTING ? kExecuting : kEquivalent);
  return kSuccess;
}

TUTTI_EXPORT int xmp_nodes_rank(void *d, int *rank) {
  const tutti_xmp_nodes *nodes = nodesOf(d);
  const auto position = nodes ? nodes->nodes->positionOf(world().me()) : std::nullopt;
  return give(rank, position ? std::optional(*position + 1) : std::nullopt);
}

TUTTI_EXPORT int xmp_nodes_comm(void *d, void **comm) {
  const tutti_xmp_nodes *nodes = nodesOf(d);
  if (!nodes || !nodes->nodes->positionOf(world().me())) {
    return kFailure;
  }
  const auto bits = model::spmd::communicatorOf(world(), nodes->nodes->ranks());
  if (!bits) {
    entry::nodes::fail("xmp_nodes_comm", bits.error());
  }
  *comm = reinterpret_cast<void *>(*bits);
  return kSuccess;
}

TUTTI_EXPORT int xmp_nodes_equiv(void *d, void **of, int *lower, int *upper, int *stride) {
  const tutti_xmp_nodes *nodes = nodesOf(d);
  if (!nodes || !nodes->of || nodes->section.empty()) {
    return kFailure;
  }
  *of = const_cast<void *>(nodes->of);
  std::size_t next = 0;
  for (auto part = nodes->section.rbegin(); part != nodes->section.rend(); ++part, ++next) {
    lower[next] = static_cast<int>(part->first + 1);
    upper[next] = static_cast<int>(part->at(part->count - 1) + 1);
    stride[next] = static_cast<int>(part->step);
  }
  return kSuccess;
}

TUTTI_EXPORT int xmp_template_fixed(void *d, int *fixed) {
  const tutti_xmp_template *of = templateOf(d);
  return give(fixed, of ? std::optional(of->extents.empty() ? 0 : 1) : std::nullopt);
}

TUTTI_EXPORT int xmp_template_ndims(void *d, int *ndims) {
  const tutti_xmp_template *of = templateOf(d);
  return give(ndims, of ? std::optional(of->rank) : std::nullopt);
}

namespace {

std::optional<tutti_xmp_template::Extent> extentOf(const void *d, int dim) {
  const auto dimension = templateDimension(d, dim);
  return dimension && !templateOf(d)->extents.empty()
             ? std::optional(templateOf(d)->extents[*dimension])
             : std::nullopt;
}

} // namespace

TUTTI_EXPORT int xmp_template_lbound(void *d, int dim, int *lbound) {
  const auto extent = extentOf(d, dim);
  return give(lbound, extent ? std::optional(extent->lower) : std::nullopt);
}

TUTTI_EXPORT int xmp_template_ubound(void *d, int dim, int *ubound) {
  const auto extent = extentOf(d, dim);
  return give(ubound, extent ? std::optional(extent->lower + extent->count - 1) : std::nullopt);
}

TUTTI_EXPORT int xmp_template_gsize(void *d, int dim) {
  const auto extent = extentOf(d, dim);
  return extent ? static_cast<int>(extent->count) : kFailure;
}

TUTTI_EXPORT int xmp_template_lsize(void *d, int dim) {
  const auto dimension = templateDimension(d, dim);
  if (!dimension || !templateOf(d)->isFixed()) {
    return kFailure;
  }
  const tutti_xmp_template &of = *templateOf(d);
  const auto coordinates = of.nodes->coordinatesOf(world().me());
  const Axis &axis = of.axes[*dimension];
  if (!coordinates) {
    return 0;
  }
  return static_cast<int>(
      axis.countOwned(axis.isWhole() ? 0 : (*coordinates)[axis.nodeDimension()]));
}

TUTTI_EXPORT int xmp_dist_format(void *d, int dim, int *format) {
  const auto dimension = formatDimension(d, dim);
  return give(format,
              dimension ? std::optional(templateOf(d)->formats[*dimension].kind) : std::nullopt);
}

TUTTI_EXPORT int xmp_dist_blocksize(void *d, int dim, int *blocksize) {
  const auto dimension = formatDimension(d, dim);
  if (!dimension || !templateOf(d)->isFixed()) {
    return kFailure;
  }
  const tutti_xmp_template &of = *templateOf(d);
  const auto &format = of.formats[*dimension];
  const Index extent = of.extents[*dimension].count;
  switch (format.kind) {
  case TUTTI_XMP_BLOCK: {
    const Index parts = of.axes[*dimension].parts();
    *blocksize = static_cast<int>(format.width > 0 ? format.width : (extent + parts - 1) / parts);
    return kSuccess;
  }
  case TUTTI_XMP_CYCLIC:
    *blocksize = static_cast<int>(std::max<Index>(format.width, 1));
    return kSuccess;
  case TUTTI_XMP_NOT_DISTRIBUTED:
    *blocksize = static_cast<int>(extent);
    return kSuccess;
  default:
    return kFailure;
  }
}

TUTTI_EXPORT int xmp_dist_stride(void *d, int dim) {
  const auto dimension = formatDimension(d, dim);
  if (!dimension || !templateOf(d)->isFixed()) {
    return kFailure;
  }
  const Axis &axis = templateOf(d)->axes[*dimension];
  return static_cast<int>(axis.kind() == Axis::Kind::Cyclic ? axis.width() * axis.parts() : 1);
}

TUTTI_EXPORT int xmp_dist_gblockmap(void *d, int dim, int *map) {
  const auto dimension = formatDimension(d, dim);
  if (!dimension || templateOf(d)->formats[*dimension].kind != TUTTI_XMP_GBLOCK) {
    return kFailure;
  }
  std::ranges::transform(templateOf(d)->formats[*dimension].map, map,
                         [](Index count) { return static_cast<int>(count); });
  return kSuccess;
}

TUTTI_EXPORT int xmp_dist_nodes(void *d, void **nodes) {
  const tutti_xmp_template *of = templateOf(d);
  if (!of || !of->onto) {
    return kFailure;
  }
  *nodes = const_cast<tutti_xmp_nodes *>(of->onto);
  return kSuccess;
}

TUTTI_EXPORT int xmp_dist_axis(void *d, int dim, int *axis) {
  const auto dimension = formatDimension(d, dim);
  if (!dimension) {
    return kFailure;
  }
  const tutti_xmp_template &of = *templateOf(d);
  const auto &format = of.formats[*dimension];
  if (format.kind == TUTTI_XMP_NOT_DISTRIBUTED) {
    return kUndefined;
  }
  *axis = numberFromLast(of.nodes->extents().size(), format.nodeDimension);
  return kSuccess;
}

TUTTI_EXPORT int xmp_align_axis(void *d, int dim, int *axis) {
  const Array *array = arrayOf(d);
  const auto dimension = array ? fromFirst(array->rank, dim) : std::nullopt;
  if (!dimension) {
    return kFailure;
  }
  const long t = array->alignments[*dimension].axis;
  if (t < 0) {
    return kUndefined;
  }
  *axis = numberFromLast(array->with->rank, static_cast<std::size_t>(t));
  return kSuccess;
}

TUTTI_EXPORT int xmp_align_offset(void *d, int dim, int *offset) {
  const Array *array = arrayOf(d);
  const auto dimension = array ? fromFirst(array->rank, dim) : std::nullopt;
  if (!dimension) {
    return kFailure;
  }
  if (array->alignments[*dimension].axis < 0) {
    return kUndefined;
  }
  *offset = static_cast<int>(array->alignments[*dimension].offset);
  return kSuccess;
}

TUTTI_EXPORT int xmp_align_replicated(void *d, int dim, int *replicated) {
  const Array *array = arrayOf(d);
  const auto dimension = array ? fromLast(array->with->rank, dim) : std::nullopt;
  if (!dimension) {
    return kFailure;
  }
  const bool isFollowed =
      std::ranges::any_of(array->alignments, [&](const tutti_xmp_alignment &alignment) {
        return alignment.axis == static_cast<long>(*dimension);
      });
  *replicated = isFollowed ? 0 : 1;
  return kSuccess;
}

TUTTI_EXPORT int xmp_align_template(void *d, void **of) {
  const Array *array = arrayOf(d);
  if (!array) {
    return kFailure;
  }
  *of = const_cast<tutti_xmp_template *>(array->with);
  return kSuccess;
}

namespace {

/// The dimension of the template that one of the array follows.
std::optional<std::size_t> followedBy(const void *d, int dim) {
  const auto dimension = arrayDimension(d, dim);
  if (!dimension || arrayOf(d)->alignments[*dimension].axis < 0) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(arrayOf(d)->alignments[*dimension].axis);
}

} // namespace

TUTTI_EXPORT int xmp_align_format(void *d, int dim) {
  const auto dimension = followedBy(d, dim);
  return dimension ? static_cast<int>(arrayOf(d)->with->formats[*dimension].kind)
                   : TUTTI_XMP_NOT_DISTRIBUTED;
}

TUTTI_EXPORT int xmp_align_size(void *d, int dim) {
  const auto dimension = followedBy(d, dim);
  return dimension ? static_cast<int>(arrayOf(d)->with->axes[*dimension].parts()) : kFailure;
}

TUTTI_EXPORT int xmp_array_ndims(void *d, int *ndims) {
  const Array *array = arrayOf(d);
  return give(ndims, array ? std::optional(array->rank) : std::nullopt);
}

TUTTI_EXPORT int xmp_array_lbound(void *d, int dim, int *lbound) {
  return give(lbound, arrayDimension(d, dim) ? std::optional(0) : std::nullopt);
}

TUTTI_EXPORT int xmp_array_ubound(void *d, int dim, int *ubound) {
  const auto dimension = arrayDimension(d, dim);
  return give(ubound,
              dimension ? std::optional(arrayOf(d)->extents[*dimension] - 1) : std::nullopt);
}

TUTTI_EXPORT int xmp_array_gsize(void *d, int dim) {
  const auto dimension = arrayDimension(d, dim);
  return dimension ? static_cast<int>(arrayOf(d)->extents[*dimension]) : kFailure;
}

TUTTI_EXPORT int xmp_array_gcglbound(void *d, int dim) {
  return arrayDimension(d, dim) ? 0 : kFailure;
}

TUTTI_EXPORT int xmp_array_gcgubound(void *d, int dim) {
  return arrayDimension(d, dim) ? xmp_array_gsize(d, dim) - 1 : kFailure;
}

TUTTI_EXPORT int xmp_array_lbound_global(void *d, int dim, int *index) {
  const auto dimension = arrayDimension(d, dim);
  const auto owned = dimension ? ownedOf(*arrayOf(d), *dimension) : std::nullopt;
  return give(index, owned ? std::optional(owned->first) : std::nullopt);
}

TUTTI_EXPORT int xmp_array_ubound_global(void *d, int dim, int *index) {
  const auto dimension = arrayDimension(d, dim);
  const auto owned = dimension ? ownedOf(*arrayOf(d), *dimension) : std::nullopt;
  return give(index, owned ? std::optional(owned->last) : std::nullopt);
}

TUTTI_EXPORT std::size_t xmp_array_type_size(void *d) {
  const Array *array = arrayOf(d);
  return array ? array->elementBytes : 0;
}

TUTTI_EXPORT int xmp_array_lsize(void *d, int dim, int *lsize) {
  const auto dimension = arrayDimension(d, dim);
  if (!dimension) {
    return kFailure;
  }
  const Array &array = *arrayOf(d);
  *lsize = array.coordinates ? static_cast<int>(array.layout.allocated[*dimension]) : 0;
  return kSuccess;
}

TUTTI_EXPORT int xmp_array_gcllbound(void *d, int dim) {
  int first = kFailure;
  if (const auto dimension = arrayDimension(d, dim);
      dimension && xmp_array_lbound_global(d, dim, &first) == kSuccess) {
    const auto &shadow = arrayOf(d)->shadows[*dimension];
    return shadow.isFull ? 0 : first - static_cast<int>(shadow.below);
  }
  return kFailure;
}

TUTTI_EXPORT int xmp_array_gclubound(void *d, int dim) {
  int last = kFailure;
  if (const auto dimension = arrayDimension(d, dim);
      dimension && xmp_array_ubound_global(d, dim, &last) == kSuccess) {
    const auto &shadow = arrayOf(d)->shadows[*dimension];
    return shadow.isFull ? xmp_array_gsize(d, dim) - 1 : last + static_cast<int>(shadow.above);
  }
  return kFailure;
}

TUTTI_EXPORT int xmp_array_lcllbound(void *d, int dim) {
  return arrayDimension(d, dim) ? 0 : kFailure;
}

TUTTI_EXPORT int xmp_array_lclubound(void *d, int dim) {
  int size = 0;
  return xmp_array_lsize(d, dim, &size) == kSuccess ? size - 1 : kFailure;
}

TUTTI_EXPORT int xmp_array_laddr(void *d, void **laddr) {
  const Array *array = arrayOf(d);
  if (!array) {
    return kFailure;
  }
  *laddr = *array->variable;
  return kSuccess;
}

TUTTI_EXPORT int xmp_array_lshadow(void *d, int dim, int *lshadow) {
  const auto dimension = arrayDimension(d, dim);
  return give(lshadow,
              dimension ? std::optional(arrayOf(d)->shadows[*dimension].below) : std::nullopt);
}

TUTTI_EXPORT int xmp_array_ushadow(void *d, int dim, int *ushadow) {
  const auto dimension = arrayDimension(d, dim);
  return give(ushadow,
              dimension ? std::optional(arrayOf(d)->shadows[*dimension].above) : std::nullopt);
}

/// The coordinate, from 1, of the owner along the axis that the dimension follows.
TUTTI_EXPORT int xmp_array_owner(void *d, int ndims, int *index, int dim) {
  const auto dimension = arrayDimension(d, dim);
  if (!dimension || static_cast<std::size_t>(ndims) != arrayOf(d)->rank) {
    return kFailure;
  }
  const Axis &axis = arrayOf(d)->map->axis(*dimension);
  const Index at = index[*dimension];
  return at < 0 || at >= axis.extent() ? kFailure : static_cast<int>(axis.ownerOf(at)) + 1;
}

TUTTI_EXPORT int xmp_array_lead_dim(void *d, int *size) {
  const Array *array = arrayOf(d);
  if (!array || !array->map) {
    return kFailure;
  }
  for (std::size_t i = 0; i < array->rank; ++i) {
    size[i] = array->coordinates ? static_cast<int>(array->layout.allocated[i]) : 0;
  }
  return kSuccess;
}

TUTTI_EXPORT int xmp_array_gtol(void *d, int dim, int global, int *local) {
  const auto dimension = arrayDimension(d, dim);
  if (!dimension || !arrayOf(d)->coordinates) {
    return kFailure;
  }
  const Array &array = *arrayOf(d);
  *local =
      static_cast<int>(array.map->localOf(*dimension, coordinateOf(array, *dimension), global));
  return kSuccess;
}

/// The node's share of iterations [globalBegin, globalEnd), counted from the first one that it
/// owns.
TUTTI_EXPORT void xmp_sched_template_index(int *localBegin, int *localEnd, int globalBegin,
                                           int globalEnd, int step, void *d, int dim) {
  *localBegin = 0;
  *localEnd = 0;
  const auto dimension = templateDimension(d, dim);
  if (!dimension || !templateOf(d)->isFixed()) {
    return;
  }
  const tutti_xmp_template &of = *templateOf(d);
  std::vector<tutti_xmp_subscript> subscripts(of.rank, {TUTTI_XMP_ALL, 0, 0, 1});
  const tutti_xmp_ref on{&of, static_cast<long>(of.rank), subscripts.data()};
  tutti_xmp_index index{};
  index.axis = static_cast<long>(*dimension);
  index.lower = globalBegin;
  index.last = step > 0 ? globalEnd - 1 : globalEnd + 1;
  index.step = step;
  tutti_xmp_share("xmp_sched_template_index", &on, 1, &index);
  if (index.count == 0) {
    return;
  }
  const Axis &axis = of.axes[*dimension];
  const auto coordinates = *of.nodes->coordinatesOf(world().me());
  const Index coordinate = axis.isWhole() ? 0 : coordinates[axis.nodeDimension()];
  *localBegin = static_cast<int>(axis.rankOf(coordinate, tutti_xmp_iteration(&index, 0)));
  *localEnd = static_cast<int>(
      axis.rankOf(coordinate, tutti_xmp_iteration(&index, index.count - 1)) + (step > 0 ? 1 : -1));
}
