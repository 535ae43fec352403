// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/refs.h"

#include "base/check.h"
#include "runtime/model/spmd/descriptors.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <span>

namespace tutti::model::spmd {

namespace {

using distribution::Axis;
using distribution::Triplet;

std::span<const tutti_xmp_subscript> subscriptsOf(const tutti_xmp_ref &ref) {
  return {ref.subscripts, static_cast<std::size_t>(ref.count)};
}

/// What counts up from `first`, or down, to `last`.
Index countTo(Index first, Index last, Index step) {
  const Index distance = step > 0 ? last - first : first - last;
  return distance < 0 ? 0 : distance / std::abs(step) + 1;
}

Triplet asWritten(const tutti_xmp_subscript &subscript, Index lower, Index extent) {
  const Index step = subscript.kind == TUTTI_XMP_INDEX ? 1 : subscript.step;
  const Index begin = step > 0 ? lower : lower + extent - 1;
  const Index end = step > 0 ? lower + extent - 1 : lower;
  switch (subscript.kind) {
  case TUTTI_XMP_ALL:
    return {begin, countTo(begin, end, step), step};
  case TUTTI_XMP_COUNT:
    return {subscript.first, subscript.second, step};
  case TUTTI_XMP_LAST:
    return {subscript.first, countTo(subscript.first, subscript.second, step), step};
  case TUTTI_XMP_FROM:
    return {subscript.first, countTo(subscript.first, end, step), step};
  case TUTTI_XMP_UPTO:
    return {begin, subscript.second, step};
  case TUTTI_XMP_UNTIL:
    return {begin, countTo(begin, subscript.second, step), step};
  default:
    return {subscript.first, 1, 1};
  }
}

/// Of a section of nodes or of a template. Existing programs write in `base:length:step` how far it
/// goes, where the language counts elements: if these are too many, that is what is meant.
Result<Triplet> sectionPartOf(const tutti_xmp_subscript &subscript, Index lower, Index extent) {
  const Index last = subscript.first + (subscript.second - 1) * subscript.step;
  const Index reach = subscript.first + subscript.second - 1;
  if (subscript.kind == TUTTI_XMP_COUNT && subscript.step > 1 && last >= lower + extent &&
      reach < lower + extent) {
    return tripletOf({TUTTI_XMP_LAST, subscript.first, reach, subscript.step}, lower, extent);
  }
  return tripletOf(subscript, lower, extent);
}

/// Which coordinates of the nodes along an axis own something of a subscript.
Result<std::vector<Index>> coordinatesOf(const Axis &axis, const tutti_xmp_subscript &subscript) {
  std::vector<Index> found;
  if (subscript.kind == TUTTI_XMP_ALL && subscript.step == 1) {
    found.resize(static_cast<std::size_t>(axis.parts()));
    std::iota(found.begin(), found.end(), Index{0});
    return found;
  }
  Triplet indices;
  TUTTI_ASSIGN(indices, sectionPartOf(subscript, axis.lower(), axis.extent()));
  for (Index c = 0; c < axis.parts(); ++c) {
    if (!positionsOf(axis.owned(c), indices.first, indices.count, indices.step).empty()) {
      found.push_back(c);
    }
  }
  return found;
}

Result<NodeSet> ownersOf(const World &world, const tutti_xmp_template &of,
                         std::span<const tutti_xmp_subscript> subscripts) {
  if (!of.isFixed()) {
    return failure(ErrorCode::InvalidArgument, "the template is not fixed yet");
  }
  const distribution::Nodes &nodes = *of.nodes;
  if (subscripts.empty()) {
    return nodes.ranks();
  }
  const auto own = nodes.coordinatesOf(world.me());
  std::vector<std::vector<Index>> lists(nodes.extents().size());
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const Axis &axis = of.axes[d];
    if (subscripts[d].kind == TUTTI_XMP_MINE) {
      if (!own) {
        return NodeSet{};
      }
      if (!axis.isWhole()) {
        lists[axis.nodeDimension()] = {(*own)[axis.nodeDimension()]};
      }
      continue;
    }
    if (axis.isWhole()) {
      TUTTI_TRY(sectionPartOf(subscripts[d], axis.lower(), axis.extent()));
      continue;
    }
    TUTTI_ASSIGN(lists[axis.nodeDimension()], coordinatesOf(axis, subscripts[d]));
  }
  return nodes.select(lists);
}

} // namespace

Result<Triplet> tripletOf(const tutti_xmp_subscript &subscript, Index lower, Index extent) {
  if (subscript.kind != TUTTI_XMP_INDEX && subscript.step == 0) {
    return failure(ErrorCode::InvalidArgument, "a section with a step of 0");
  }
  const Triplet triplet = asWritten(subscript, lower, extent);
  if (triplet.count <= 0) {
    return failure(ErrorCode::InvalidArgument, "a section of {} elements", triplet.count);
  }
  for (const Index end : {triplet.first, triplet.at(triplet.count - 1)}) {
    if (end < lower || end >= lower + extent) {
      return failure(ErrorCode::InvalidArgument, "subscript {} lies outside of {} to {}", end,
                     lower, lower + extent - 1);
    }
  }
  return triplet;
}

Result<std::vector<Triplet>> sectionOf(const World &world, const tutti_xmp_ref &ref) {
  std::vector<Triplet> section;
  if (!ref.of || *static_cast<const long *>(ref.of) != TUTTI_XMP_NODES) {
    return section;
  }
  const distribution::Nodes &nodes = *static_cast<const tutti_xmp_nodes *>(ref.of)->nodes;
  const auto own = nodes.coordinatesOf(world.me());
  for (std::size_t d = 0; d < nodes.extents().size(); ++d) {
    if (ref.count == 0) {
      section.push_back({0, nodes.extents()[d], 1});
    } else if (ref.subscripts[d].kind == TUTTI_XMP_MINE) {
      section.push_back(own ? Triplet{(*own)[d], 1, 1} : Triplet{0, 0, 1});
    } else {
      Triplet triplet;
      TUTTI_ASSIGN(triplet, sectionPartOf(ref.subscripts[d], 0, nodes.extents()[d]));
      section.push_back(triplet);
    }
  }
  return section;
}

Result<NodeSet> membersOf(const World &world, const tutti_xmp_ref &ref) {
  if (!ref.of) {
    return world.executing();
  }
  const long kind = *static_cast<const long *>(ref.of);
  if (kind == TUTTI_XMP_TEMPLATE) {
    return ownersOf(world, *static_cast<const tutti_xmp_template *>(ref.of), subscriptsOf(ref));
  }
  TUTTI_CHECK(kind == TUTTI_XMP_NODES, "a set of nodes of kind {}", kind);
  std::vector<Triplet> section;
  TUTTI_ASSIGN(section, sectionOf(world, ref));
  const bool isNowhere =
      std::any_of(section.begin(), section.end(), [](const Triplet &t) { return t.count == 0; });
  return isNowhere ? Result<NodeSet>(NodeSet{})
                   : static_cast<const tutti_xmp_nodes *>(ref.of)->nodes->section(section);
}

Result<NodeSet> executingOf(const World &world, const tutti_xmp_ref *ref) {
  if (!ref || !ref->of) {
    return world.executing();
  }
  NodeSet members;
  TUTTI_ASSIGN(members, membersOf(world, *ref));
  const std::set<Node> executing(world.executing().begin(), world.executing().end());
  std::erase_if(members, [&](Node node) { return !executing.contains(node); });
  return members;
}

} // namespace tutti::model::spmd
