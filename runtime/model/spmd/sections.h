// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Variables and parts of them that directives name: as sides of assignments, and as bytes one
/// behind the other.
#pragma once

#include "abi/xmp.h"
#include "base/result.h"
#include "runtime/distribution/gmove.h"
#include "runtime/model/spmd/descriptors.h"
#include "runtime/model/spmd/packing.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace tutti::model::spmd {

/// A side of an assignment, and what it refers to. Does not move.
struct Operand {
  distribution::ArrayMap map;
  std::vector<distribution::Subscript> subscripts;
  std::byte *base = nullptr; ///< Of this node's allocation; null where it has no part.
  std::size_t bytes = 0;     ///< Of it, as far as it is used.
  std::size_t elementBytes;
  Index number = -1; ///< Of a global array: by which other nodes know it.

  distribution::Side side() const { return {&map, subscripts, {}}; }

  /// Appends all that says what it is, but not where.
  void describe(std::vector<Index> &words) const;
};

/// A local variable is one that each of `nodes` has.
/// Errors: InvalidArgument  a subscript lies outside; the array is not fixed yet.
Result<std::unique_ptr<Operand>> operandOf(const tutti_xmp_section &section,
                                           std::shared_ptr<const distribution::Nodes> nodes);

/// This node's elements of a section in a local variable, or of all of its part of a global one.
struct LocalSection {
  distribution::Box box;
  std::byte *base;
  std::size_t elementBytes;

  std::size_t elements() const { return static_cast<std::size_t>(box.elements()); }

  std::size_t bytes() const { return elements() * elementBytes; }

  void packTo(std::byte *bytes) const { pack(box, base, elementBytes, bytes); }

  void unpackFrom(const std::byte *bytes) const { unpack(box, base, elementBytes, bytes); }
};

/// Errors: InvalidArgument  a subscript lies outside; a section of a global array.
Result<LocalSection> localSectionOf(const tutti_xmp_section &section);

/// Whether a collective over `set` means the same elements on all of its nodes: a variable of their
/// own, or a global array that is replicated over them.
///
/// Errors: InvalidArgument  it does not.
Status requireReplicated(const tutti_xmp_section &section, const NodeSet &set);

} // namespace tutti::model::spmd
