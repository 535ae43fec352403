// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/array_map.h"

#include "base/check.h"

namespace tutti::distribution {

Result<ArrayMap> ArrayMap::create(std::shared_ptr<const Nodes> nodes, std::vector<Axis> axes,
                                  std::vector<Shadow> shadows) {
  TUTTI_CHECK(axes.size() == shadows.size());
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const Shadow &shadow = shadows[d];
    if (shadow.below < 0 || shadow.above < 0) {
      return failure(ErrorCode::InvalidArgument, "a shadow of {}:{} elements", shadow.below,
                     shadow.above);
    }
    if (axes[d].kind() == Axis::Kind::Cyclic && !shadow.isFull &&
        (shadow.below > 0 || shadow.above > 0)) {
      return failure(ErrorCode::InvalidArgument,
                     "a shadow of {}:{} elements in a cyclic dimension; only a full one can be",
                     shadow.below, shadow.above);
    }
  }
  return ArrayMap(std::move(nodes), std::move(axes), std::move(shadows));
}

ArrayMap ArrayMap::local(std::shared_ptr<const Nodes> nodes, const std::vector<Index> &extents) {
  std::vector<Axis> axes;
  axes.reserve(extents.size());
  for (const Index extent : extents) {
    axes.push_back(Axis::whole(0, extent));
  }
  return {std::move(nodes), std::move(axes), std::vector<Shadow>(extents.size())};
}

Index ArrayMap::allocated(std::size_t dimension, Index coordinate) const {
  const Axis &axis = axes_[dimension];
  const Shadow &shadow = shadows_[dimension];
  return shadow.isFull ? axis.extent() : axis.countOwned(coordinate) + shadow.below + shadow.above;
}

Index ArrayMap::localOf(std::size_t dimension, Index coordinate, Index index) const {
  const Axis &axis = axes_[dimension];
  const Shadow &shadow = shadows_[dimension];
  return shadow.isFull ? index - axis.lower() : axis.rankOf(coordinate, index) + shadow.below;
}

Layout ArrayMap::layout(const std::vector<Index> &coordinates) const {
  Layout layout{{}, std::vector<Index>(axes_.size()), 1};
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    layout.allocated.push_back(allocated(d, coordinate(d, coordinates)));
  }
  for (std::size_t d = axes_.size(); d-- > 0;) {
    layout.strides[d] = layout.elements;
    layout.elements *= layout.allocated[d];
  }
  return layout;
}

void ArrayMap::describe(std::vector<Index> &words) const {
  nodes_->describe(words);
  words.push_back(static_cast<Index>(axes_.size()));
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    axes_[d].describe(words);
    words.insert(words.end(), {shadows_[d].below, shadows_[d].above, shadows_[d].isFull ? 1 : 0});
  }
}

} // namespace tutti::distribution
