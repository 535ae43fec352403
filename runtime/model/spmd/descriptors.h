// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What node arrays, templates and global arrays of the program are to the runtime: what is behind
/// the descriptors of abi/xmp.h.
#pragma once

#include "abi/xmp.h"
#include "base/result.h"
#include "runtime/distribution/array_map.h"
#include "runtime/distribution/nodes.h"
#include "runtime/model/spmd/world.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/// A node array.
struct tutti_xmp_nodes {
  long kind = TUTTI_XMP_NODES;
  long origin = TUTTI_XMP_ENTIRE;
  std::shared_ptr<const tutti::distribution::Nodes> nodes; ///< Shared with arrays.
  /// Of a subset: of which node array, and its section of it; else null and empty.
  const void *of = nullptr;
  std::vector<tutti::distribution::Triplet> section;
};

/// A template.
struct tutti_xmp_template {
  struct Extent {
    tutti::distribution::Index lower = 0;
    tutti::distribution::Index count = 0;
  };

  struct Format {
    long kind = TUTTI_XMP_NOT_DISTRIBUTED;
    tutti::distribution::Index width = 0;
    std::vector<tutti::distribution::Index> map;
    bool isOpen = false; ///< A general block whose map is still to come.
    std::size_t nodeDimension = 0;
  };

  long kind = TUTTI_XMP_TEMPLATE;
  std::size_t rank = 0;
  std::vector<Extent> extents; ///< None until it is fixed.
  std::vector<Format> formats; ///< None until it is distributed.
  mutable long users = 1;      ///< Its own variable, and arrays: static ones may outlast it.
  const tutti_xmp_nodes *onto = nullptr;
  std::shared_ptr<const tutti::distribution::Nodes> nodes;
  std::vector<tutti::distribution::Axis> axes; ///< None until it is fixed and distributed.

  bool isFixed() const { return !axes.empty(); }
};

namespace tutti::model::spmd {

/// A global array. The part that compiled code reads comes first.
struct Array : tutti_xmp_array {
  long storage = TUTTI_XMP_ALLOCATE;
  long type = TUTTI_XMP_OTHER;
  std::size_t elementBytes = 0;
  std::size_t rank = 0;
  std::vector<Index> extents; ///< -1 where not known yet.
  std::vector<tutti_xmp_alignment> alignments;
  const tutti_xmp_template *with = nullptr;
  std::vector<distribution::Shadow> shadows;
  bool hasShadow = false;
  std::optional<distribution::ArrayMap> map;     ///< None until template and extents are fixed.
  std::optional<std::vector<Index>> coordinates; ///< Of this node; none if it has no part.
  distribution::Layout layout{{}, {}, 0};
  Index number = -1;      ///< By which other nodes know it.
  void *memory = nullptr; ///< Ours, which the part lies in.

  std::byte *base() const { return static_cast<std::byte *>(*variable); }
};

/// The array behind a descriptor.
inline Array &arrayOf(tutti_xmp_array *descriptor) { return *static_cast<Array *>(descriptor); }

/// `nodes`. Errors: InvalidArgument  it does not fit the nodes there are, or the subset.
Result<std::unique_ptr<tutti_xmp_nodes>> makeNodes(World &world, const std::vector<Index> &sizes,
                                                   long origin, const tutti_xmp_ref *subset);

/// `template`. Errors: InvalidArgument  a lower bound is above the upper one.
Result<std::unique_ptr<tutti_xmp_template>>
makeTemplate(std::span<const tutti_xmp_subscript> extents);

/// `distribute`. Errors: InvalidArgument  the formats do not cover the template.
Status distribute(tutti_xmp_template &of, std::span<const tutti_xmp_format> formats,
                  const tutti_xmp_nodes &onto);

/// `template_fix`; formats or extents may be empty. Errors: InvalidArgument  it is fixed already.
Status fixTemplate(tutti_xmp_template &of, std::span<const tutti_xmp_format> formats,
                   std::span<const tutti_xmp_subscript> extents);

/// What `align` says.
struct ArrayWish {
  void **variable;
  long storage;
  long type;
  std::size_t elementBytes;
  std::size_t rank;
  std::vector<Index> extents; ///< -1: as far as the template goes.
  std::vector<tutti_xmp_alignment> alignments;
  const tutti_xmp_template *with;
};

/// `align`. Errors: InvalidArgument  it lies outside of its template; OutOfMemory.
Result<std::unique_ptr<Array>> makeArray(World &world, ArrayWish wish);

/// `shadow`; the array is laid out anew, but where it has that shadow already.
/// Errors: InvalidArgument  too wide, or not the one that it has; OutOfMemory.
Status setShadow(World &world, Array &array, std::span<const tutti_xmp_width> widths);

/// `xmp_malloc`: memory of the program's.
/// Errors: InvalidArgument  as of `makeArray`; OutOfMemory.
Result<void *> allocate(World &world, Array &array, std::vector<Index> extents);

/// What a descriptor of a variable that goes out of scope has.
void release(World &world, void *descriptor);

/// Errors: InvalidArgument  extents or template are not fixed yet.
Result<const distribution::ArrayMap *> mapOf(const Array &array);

} // namespace tutti::model::spmd
