// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A global array: which node owns which elements, and where each lies in its owner's memory.
#pragma once

#include "base/result.h"
#include "runtime/distribution/axis.h"
#include "runtime/distribution/nodes.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::distribution {

/// Of one dimension: elements in front of and behind those that a node owns.
struct Shadow {
  Index below = 0;
  Index above = 0;
  bool isFull = false; ///< The node stores the whole dimension.

  bool operator==(const Shadow &) const = default;
};

/// Where a node's part of an array lies: row-major, elements as unit.
struct Layout {
  std::vector<Index> allocated; ///< Of each dimension, shadows included.
  std::vector<Index> strides;
  Index elements; ///< Of the allocation.
};

/// An array on nodes; immutable.
///
/// Shape:  dimensions in the order of C, the last varies fastest; indices begin at 0.
/// Always: no two axes lie along one dimension of the nodes. Nodes that differ only in coordinates
///         that no axis lies along own the same elements: the array is replicated over them.
class ArrayMap {
public:
  /// Errors: InvalidArgument  a shadow on blocks that are dealt in turn, which is not full.
  static Result<ArrayMap> create(std::shared_ptr<const Nodes> nodes, std::vector<Axis> axes,
                                 std::vector<Shadow> shadows);

  /// An ordinary array that each of the nodes has.
  static ArrayMap local(std::shared_ptr<const Nodes> nodes, const std::vector<Index> &extents);

  const Nodes &nodes() const { return *nodes_; }

  const std::shared_ptr<const Nodes> &sharedNodes() const { return nodes_; }

  std::size_t dimensions() const { return axes_.size(); }

  const Axis &axis(std::size_t dimension) const { return axes_[dimension]; }

  const std::vector<Axis> &axes() const { return axes_; }

  const Shadow &shadow(std::size_t dimension) const { return shadows_[dimension]; }

  /// Of the node with these coordinates, along the axis of a dimension.
  Index coordinate(std::size_t dimension, const std::vector<Index> &coordinates) const {
    const Axis &axis = axes_[dimension];
    return axis.isWhole() ? 0 : coordinates[axis.nodeDimension()];
  }

  Layout layout(const std::vector<Index> &coordinates) const;

  /// Elements of a dimension that the node at `coordinate` of its axis stores.
  Index allocated(std::size_t dimension, Index coordinate) const;

  /// Where in a dimension of the node's memory an index lies that it owns or has in its shadow;
  /// also of indices below 0 or behind the end, in shadows of periodic arrays.
  Index localOf(std::size_t dimension, Index coordinate, Index index) const;

  /// Appends all that says what it is: two with equal words are the same.
  void describe(std::vector<Index> &words) const;

private:
  ArrayMap(std::shared_ptr<const Nodes> nodes, std::vector<Axis> axes, std::vector<Shadow> shadows)
      : nodes_(std::move(nodes)), axes_(std::move(axes)), shadows_(std::move(shadows)) {}

  std::shared_ptr<const Nodes> nodes_; ///< Shared with templates and other arrays.
  std::vector<Axis> axes_;
  std::vector<Shadow> shadows_;
};

} // namespace tutti::distribution
