// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/sections.h"

#include "runtime/model/spmd/refs.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tutti::model::spmd {

namespace {

using distribution::ArrayMap;
using distribution::Box;
using distribution::Progression;
using distribution::Subscript;

Result<Subscript> subscriptOf(const tutti_xmp_subscript &subscript, Index extent) {
  distribution::Triplet triplet;
  TUTTI_ASSIGN(triplet, tripletOf(subscript, 0, extent));
  return Subscript{triplet.first, triplet.count, triplet.step, subscript.kind != TUTTI_XMP_INDEX};
}

/// Of a local variable; the first extent may not be known, then it is what the section needs.
Result<std::vector<Index>> extentsOf(const tutti_xmp_section &section) {
  std::vector<Index> extents(section.extents, section.extents + section.rank);
  if (extents.empty() || extents[0] >= 0) {
    return extents;
  }
  if (!section.subscripts) {
    return failure(ErrorCode::InvalidArgument, "the size of a pointer's memory is not known");
  }
  const tutti_xmp_subscript &first = section.subscripts[0];
  switch (first.kind) {
  case TUTTI_XMP_INDEX:
    extents[0] = first.first + 1;
    return extents;
  case TUTTI_XMP_COUNT:
    extents[0] = std::max(first.first, first.first + (first.second - 1) * first.step) + 1;
    return extents;
  case TUTTI_XMP_LAST:
    extents[0] = std::max(first.first, first.second) + 1;
    return extents;
  case TUTTI_XMP_UPTO:
    extents[0] = (first.second - 1) * std::abs(first.step) + 1;
    return extents;
  case TUTTI_XMP_UNTIL:
    extents[0] = first.second + 1;
    return extents;
  default:
    return failure(ErrorCode::InvalidArgument,
                   "a section of a pointer's memory needs a begin and a length");
  }
}

Result<std::vector<Subscript>> subscriptsOf(const tutti_xmp_section &section,
                                            const std::vector<Index> &extents) {
  std::vector<Subscript> subscripts;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (!section.subscripts) {
      subscripts.push_back(Subscript::all(extents[d]));
      continue;
    }
    Subscript subscript;
    TUTTI_ASSIGN(subscript, subscriptOf(section.subscripts[d], extents[d]));
    subscripts.push_back(subscript);
  }
  return subscripts;
}

std::size_t product(const std::vector<Index> &extents) {
  return static_cast<std::size_t>(
      std::accumulate(extents.begin(), extents.end(), Index{1}, std::multiplies<>()));
}

} // namespace

void Operand::describe(std::vector<Index> &words) const {
  map.describe(words);
  for (const Subscript &subscript : subscripts) {
    words.insert(words.end(),
                 {subscript.first, subscript.count, subscript.step, subscript.isRange ? 1 : 0});
  }
  words.push_back(static_cast<Index>(elementBytes));
}

Result<std::unique_ptr<Operand>> operandOf(const tutti_xmp_section &section,
                                           std::shared_ptr<const distribution::Nodes> nodes) {
  std::vector<Index> extents;
  if (section.array) {
    Array &array = arrayOf(section.array);
    const ArrayMap *map = nullptr;
    TUTTI_ASSIGN(map, mapOf(array));
    std::vector<Subscript> subscripts;
    TUTTI_ASSIGN(subscripts, subscriptsOf(section, array.extents));
    return std::make_unique<Operand>(
        Operand{*map, std::move(subscripts), array.coordinates ? array.base() : nullptr,
                static_cast<std::size_t>(array.layout.elements) * array.elementBytes,
                array.elementBytes, array.number});
  }
  TUTTI_ASSIGN(extents, extentsOf(section));
  std::vector<Subscript> subscripts;
  TUTTI_ASSIGN(subscripts, subscriptsOf(section, extents));
  const auto elementBytes = static_cast<std::size_t>(section.elementBytes);
  return std::make_unique<Operand>(Operand{
      ArrayMap::local(std::move(nodes), extents), std::move(subscripts),
      static_cast<std::byte *>(section.base), product(extents) * elementBytes, elementBytes, -1});
}

Result<LocalSection> localSectionOf(const tutti_xmp_section &section) {
  if (section.array) {
    Array &array = arrayOf(section.array);
    if (section.subscripts) {
      return failure(ErrorCode::InvalidArgument,
                     "a section of a global array cannot be reduced or broadcast");
    }
    Box box(0);
    box.add({{0, std::max<Index>(array.layout.elements, 1), 1}});
    return LocalSection{std::move(box), array.base(), array.elementBytes};
  }
  std::vector<Index> extents;
  TUTTI_ASSIGN(extents, extentsOf(section));
  std::vector<Subscript> subscripts;
  TUTTI_ASSIGN(subscripts, subscriptsOf(section, extents));
  Box box(0);
  Index stride = static_cast<Index>(product(extents));
  for (std::size_t d = 0; d < extents.size(); ++d) {
    stride /= extents[d];
    const Subscript &part = subscripts[d];
    box.add({{part.first * stride, part.count, part.step * stride}});
  }
  box.compact();
  return LocalSection{std::move(box), static_cast<std::byte *>(section.base),
                      static_cast<std::size_t>(section.elementBytes)};
}

Status requireReplicated(const tutti_xmp_section &section, const NodeSet &set) {
  if (!section.array) {
    return {};
  }
  const ArrayMap *map = nullptr;
  TUTTI_ASSIGN(map, mapOf(arrayOf(section.array)));
  const auto first = map->nodes().coordinatesOf(set.front());
  for (const Node node : set) {
    const auto coordinates = map->nodes().coordinatesOf(node);
    if (!coordinates) {
      return failure(ErrorCode::InvalidArgument, "node {} has no part of the array", node);
    }
    for (std::size_t d = 0; d < map->dimensions(); ++d) {
      if (map->coordinate(d, *coordinates) != map->coordinate(d, *first)) {
        return failure(ErrorCode::InvalidArgument,
                       "the array is not replicated: nodes {} and {} have different elements of "
                       "its dimension {}",
                       set.front(), node, d + 1);
      }
    }
  }
  return {};
}

} // namespace tutti::model::spmd
