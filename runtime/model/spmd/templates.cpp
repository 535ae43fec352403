// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/check.h"
#include "runtime/model/spmd/descriptors.h"
#include "runtime/model/spmd/refs.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

namespace tutti::model::spmd {

namespace {

using distribution::Axis;
using distribution::Nodes;

/// Of a `*` in a dimension: the variable that gives its size. They count from the last dimension.
std::string variableOf(std::size_t dimension, std::size_t rank) {
  return fmt::format("XMP_NODE_SIZE{}", rank - 1 - dimension);
}

/// Sizes without `*`: given by variables, and that of the first dimension by what is left.
Result<std::vector<Index>> sizesOf(std::vector<Index> sizes, Index nodes) {
  Index product = 1;
  bool isFirstOpen = false;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1) {
      const char *text = std::getenv(variableOf(d, sizes.size()).c_str());
      if (text) {
        sizes[d] = std::strtoll(text, nullptr, 10);
      } else if (d == 0) {
        isFirstOpen = true;
        continue;
      } else {
        return failure(ErrorCode::InvalidArgument,
                       "{} is not set although '*' is in the dimension of a node array",
                       variableOf(d, sizes.size()));
      }
    }
    if (sizes[d] <= 0) {
      return failure(ErrorCode::InvalidArgument, "a node array of size {} in dimension {}",
                     sizes[d], d + 1);
    }
    product *= sizes[d];
  }
  if (isFirstOpen) {
    if (nodes % product != 0) {
      return failure(ErrorCode::InvalidArgument,
                     "{} nodes cannot be divided by {} of a node array with '*'", nodes, product);
    }
    sizes[0] = nodes / product;
    product = nodes;
  }
  if (product != nodes) {
    return failure(ErrorCode::InvalidArgument,
                   "a node array of {} nodes does not fit the {} that there are", product, nodes);
  }
  return sizes;
}

Result<tutti_xmp_template::Extent> extentOf(const tutti_xmp_subscript &spec) {
  const Index count = spec.kind == TUTTI_XMP_LAST ? spec.second - spec.first + 1 : spec.second;
  if (count <= 0) {
    return failure(ErrorCode::InvalidArgument, "a template from {} to {}", spec.first,
                   spec.first + count - 1);
  }
  return tutti_xmp_template::Extent{spec.first, count};
}

Status setExtents(tutti_xmp_template &of, std::span<const tutti_xmp_subscript> extents) {
  std::vector<tutti_xmp_template::Extent> all;
  for (const tutti_xmp_subscript &spec : extents) {
    if (spec.kind == TUTTI_XMP_ALL) {
      return {};
    }
    tutti_xmp_template::Extent extent;
    TUTTI_ASSIGN(extent, extentOf(spec));
    all.push_back(extent);
  }
  of.extents = std::move(all);
  return {};
}

Result<Axis> axisOf(const tutti_xmp_template::Extent &extent,
                    const tutti_xmp_template::Format &format, const Nodes &nodes) {
  const auto parts = [&] { return nodes.extents()[format.nodeDimension]; };
  switch (format.kind) {
  case TUTTI_XMP_BLOCK:
    return Axis::block(extent.lower, extent.count, format.nodeDimension, parts(), format.width);
  case TUTTI_XMP_CYCLIC:
    return Axis::cyclic(extent.lower, extent.count, format.nodeDimension, parts(),
                        format.width == 0 ? 1 : format.width);
  case TUTTI_XMP_GBLOCK:
    return Axis::general(extent.lower, extent.count, format.nodeDimension, parts(), format.map);
  default:
    return Axis::whole(extent.lower, extent.count);
  }
}

/// As soon as extents and formats are known.
Status layOut(tutti_xmp_template &of) {
  if (of.extents.empty() || of.formats.empty()) {
    return {};
  }
  for (const auto &format : of.formats) {
    if (format.isOpen) {
      return {};
    }
  }
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < of.rank; ++d) {
    auto axis = axisOf(of.extents[d], of.formats[d], *of.nodes);
    TUTTI_TRY(axis);
    axes.push_back(*std::move(axis));
  }
  of.axes = std::move(axes);
  return {};
}

tutti_xmp_template::Format formatOf(const tutti_xmp_format &spec, std::size_t nodeDimension,
                                    const Nodes &nodes) {
  tutti_xmp_template::Format format{spec.kind, spec.width, {}, false, nodeDimension};
  if (spec.kind == TUTTI_XMP_GBLOCK) {
    const Index entries = spec.entries > 0 ? spec.entries : nodes.extents()[nodeDimension];
    format.isOpen = spec.map == nullptr;
    if (spec.map) {
      format.map.assign(spec.map, spec.map + entries);
    }
  }
  return format;
}

} // namespace

Result<std::unique_ptr<tutti_xmp_nodes>> makeNodes(World &world, const std::vector<Index> &sizes,
                                                   long origin, const tutti_xmp_ref *subset) {
  auto made = std::make_unique<tutti_xmp_nodes>();
  made->origin = origin;
  NodeSet members = world.everybody();
  if (origin == TUTTI_XMP_EXECUTING) {
    members = world.executing();
  } else if (origin == TUTTI_XMP_SUBSET) {
    TUTTI_ASSIGN(members, membersOf(world, *subset));
    made->of = subset->of;
    TUTTI_ASSIGN(made->section, sectionOf(world, *subset));
  }
  std::vector<Index> extents;
  if (members.empty()) {
    // Of other nodes' own coordinates: nobody that this node knows.
    for (const Index size : sizes) {
      extents.push_back(std::max<Index>(size, 1));
    }
    const Index product =
        std::accumulate(extents.begin(), extents.end(), Index{1}, std::multiplies<>());
    for (Index i = 0; i < product; ++i) {
      members.push_back(static_cast<Node>(-1 - i));
    }
  } else {
    TUTTI_ASSIGN(extents, sizesOf(sizes, static_cast<Index>(members.size())));
  }
  made->nodes = std::make_shared<const Nodes>(std::move(extents), std::move(members));
  return made;
}

Result<std::unique_ptr<tutti_xmp_template>>
makeTemplate(std::span<const tutti_xmp_subscript> extents) {
  auto made = std::make_unique<tutti_xmp_template>();
  made->rank = extents.size();
  TUTTI_TRY(setExtents(*made, extents));
  return made;
}

Status distribute(tutti_xmp_template &of, std::span<const tutti_xmp_format> formats,
                  const tutti_xmp_nodes &onto) {
  if (!of.formats.empty()) {
    return failure(ErrorCode::InvalidArgument, "the template is distributed already");
  }
  TUTTI_CHECK(formats.size() == of.rank);
  of.onto = &onto;
  of.nodes = onto.nodes;
  std::size_t next = 0;
  for (const tutti_xmp_format &format : formats) {
    const bool isDistributed = format.kind != TUTTI_XMP_NOT_DISTRIBUTED;
    if (isDistributed && next == onto.nodes->extents().size()) {
      return failure(ErrorCode::InvalidArgument,
                     "more distributed dimensions than the node array's {}", next);
    }
    of.formats.push_back(isDistributed ? formatOf(format, next, *onto.nodes)
                                       : tutti_xmp_template::Format{});
    next += isDistributed ? 1 : 0;
  }
  if (next != onto.nodes->extents().size()) {
    return failure(ErrorCode::InvalidArgument, "{} distributed dimensions for a node array of {}",
                   next, onto.nodes->extents().size());
  }
  return layOut(of);
}

Status fixTemplate(tutti_xmp_template &of, std::span<const tutti_xmp_format> formats,
                   std::span<const tutti_xmp_subscript> extents) {
  if (of.isFixed()) {
    return failure(ErrorCode::InvalidArgument, "the template is fixed already");
  }
  TUTTI_TRY(setExtents(of, extents));
  for (std::size_t d = 0; d < formats.size() && d < of.formats.size(); ++d) {
    tutti_xmp_template::Format &format = of.formats[d];
    if (format.kind != formats[d].kind) {
      return failure(ErrorCode::InvalidArgument,
                     "the format of dimension {} is another one than in distribute", d + 1);
    }
    if (format.isOpen) {
      format = formatOf(formats[d], format.nodeDimension, *of.nodes);
    }
  }
  TUTTI_TRY(layOut(of));
  if (!of.formats.empty() && !of.isFixed()) {
    return failure(ErrorCode::InvalidArgument,
                   "the template lacks sizes or a gblock map also after template_fix");
  }
  return {};
}

} // namespace tutti::model::spmd
