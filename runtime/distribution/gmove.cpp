// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/gmove.h"

#include "base/check.h"

#include <algorithm>

namespace tutti::distribution {

namespace {

/// Positions in the section that a node at `coordinate` of its axis owns.
IndexSet positions(const Side &side, std::size_t dimension, Index coordinate) {
  const Subscript &subscript = side.subscripts[dimension];
  return positionsOf(side.map->axis(dimension).owned(coordinate), subscript.first, subscript.count,
                     subscript.step);
}

/// The indices of positions of the section, in the same order.
IndexSet indicesOf(const Subscript &subscript, IndexSet positions) {
  for (Progression &progression : positions) {
    progression.first = subscript.first + progression.first * subscript.step;
    progression.stride *= subscript.step;
  }
  return positions;
}

/// Whether the node has what the plain subscripts name.
bool hasIndices(const Side &side, const std::vector<Index> &coordinates) {
  for (std::size_t d = 0; d < side.subscripts.size(); ++d) {
    const Axis &axis = side.map->axis(d);
    if (!side.subscripts[d].isRange && !axis.isWhole() &&
        axis.ownerOf(side.subscripts[d].first) != side.map->coordinate(d, coordinates)) {
      return false;
    }
  }
  return true;
}

/// The elements at these positions, one set for each dimension of the section; their order is that
/// of the section's dimensions.
Box boxAt(const Side &side, const std::vector<Index> &coordinates,
          const std::vector<IndexSet> &sets) {
  const Layout layout = side.map->layout(coordinates);
  Index base = 0;
  for (std::size_t d = 0; d < side.subscripts.size(); ++d) {
    if (!side.subscripts[d].isRange) {
      base += side.map->localOf(d, side.map->coordinate(d, coordinates), side.subscripts[d].first) *
              layout.strides[d];
    }
  }
  Box box(base);
  const std::vector<std::size_t> ranges = side.ranges();
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const std::size_t d = ranges[k];
    box.add(stepsOf(*side.map, d, side.map->coordinate(d, coordinates),
                    indicesOf(side.subscripts[d], sets[k]), layout.strides[d]));
  }
  box.compact();
  return box;
}

/// One reader's view of an assignment.
class Reader {
public:
  Reader(const Assignment &assignment, Node node, const std::vector<Index> &coordinates)
      : left_(assignment.left), right_(assignment.right), writers_(assignment.writers), node_(node),
        coordinates_(coordinates), isOne_(right_.ranges().empty()) {
    for (const std::size_t d : left_.ranges()) {
      wanted_.push_back(positions(left_, d, left_.map->coordinate(d, coordinates)));
    }
    isIdle_ =
        !hasIndices(left_, coordinates) ||
        std::any_of(wanted_.begin(), wanted_.end(), [](const auto &set) { return set.empty(); });
  }

  /// Whether it has nothing on the left side.
  bool isIdle() const { return isIdle_; }

  /// What comes from the owners with these coordinates; none if they have nothing of it.
  std::optional<Delivery> from(Node node, const std::vector<Index> &coordinates) const {
    if (isIdle_ || !hasIndices(right_, coordinates)) {
      return std::nullopt;
    }
    if (isOne_) {
      return Delivery{node, boxAt(right_, coordinates, {}), boxAt(left_, coordinates_, wanted_),
                      true};
    }
    const std::vector<std::size_t> ranges = right_.ranges();
    std::vector<IndexSet> common;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      common.push_back(
          intersect(wanted_[k],
                    positions(right_, ranges[k], right_.map->coordinate(ranges[k], coordinates))));
      if (common.back().empty()) {
        return std::nullopt;
      }
    }
    return Delivery{node, boxAt(right_, coordinates, common), boxAt(left_, coordinates_, common),
                    false};
  }

  /// Which of the nodes with the same elements as the one at `coordinates` gives them; none if none
  /// of them takes part.
  std::optional<Node> giverLike(const std::vector<Index> &coordinates) const {
    const Nodes &nodes = right_.map->nodes();
    std::vector<Node> givers;
    for (const Node writer : writers_) {
      const auto at = nodes.coordinatesOf(writer);
      if (at && isReplica(*at, coordinates)) {
        if (writer == node_) {
          return writer;
        }
        givers.push_back(writer);
      }
    }
    if (givers.empty()) {
      return std::nullopt;
    }
    // Readers turn to different ones.
    return givers[*left_.map->nodes().positionOf(node_) % givers.size()];
  }

  /// Coordinates of owners that may have some of what it wants, one for each set of replicas.
  std::vector<std::vector<Index>> owners() const {
    const auto &extents = right_.map->nodes().extents();
    std::vector<std::vector<Index>> all{std::vector<Index>(extents.size(), 0)};
    for (std::size_t d = 0; d < right_.subscripts.size(); ++d) {
      const Axis &axis = right_.map->axis(d);
      if (axis.isWhole()) {
        continue;
      }
      std::vector<std::vector<Index>> next;
      for (const std::vector<Index> &coordinates : all) {
        for (const Index c : candidates(d)) {
          next.push_back(coordinates);
          next.back()[axis.nodeDimension()] = c;
        }
      }
      all = std::move(next);
    }
    return all;
  }

private:
  /// Coordinates along the axis of a dimension that have something wanted.
  std::vector<Index> candidates(std::size_t dimension) const {
    const Axis &axis = right_.map->axis(dimension);
    if (!right_.subscripts[dimension].isRange) {
      return {axis.ownerOf(right_.subscripts[dimension].first)};
    }
    const std::vector<std::size_t> ranges = right_.ranges();
    const auto k = static_cast<std::size_t>(std::find(ranges.begin(), ranges.end(), dimension) -
                                            ranges.begin());
    std::vector<Index> found;
    for (Index c = 0; c < axis.parts(); ++c) {
      if (!intersect(wanted_[k], positions(right_, dimension, c)).empty()) {
        found.push_back(c);
      }
    }
    return found;
  }

  bool isReplica(const std::vector<Index> &a, const std::vector<Index> &b) const {
    for (std::size_t d = 0; d < right_.subscripts.size(); ++d) {
      if (right_.map->coordinate(d, a) != right_.map->coordinate(d, b)) {
        return false;
      }
    }
    return true;
  }

  const Side &left_;
  const Side &right_;
  const std::vector<Node> &writers_;
  Node node_;
  std::vector<Index> coordinates_;
  bool isOne_;
  bool isIdle_ = false;
  std::vector<IndexSet> wanted_; ///< Positions in the section.
};

Status checkSide(const Side &side) {
  for (std::size_t d = 0; d < side.subscripts.size(); ++d) {
    const Subscript &subscript = side.subscripts[d];
    const Axis &axis = side.map->axis(d);
    if (subscript.count < 1) {
      return failure(ErrorCode::InvalidArgument, "a section of {} elements in dimension {}",
                     subscript.count, d + 1);
    }
    if (subscript.step == 0) {
      return failure(ErrorCode::InvalidArgument, "a section with a step of 0 in dimension {}",
                     d + 1);
    }
    for (const Index end : {subscript.first, subscript.last()}) {
      if (end < axis.lower() || end >= axis.end()) {
        return failure(ErrorCode::InvalidArgument,
                       "index {} lies outside of {} to {} in dimension {}", end, axis.lower(),
                       axis.end() - 1, d + 1);
      }
    }
  }
  return {};
}

std::optional<Reader> readerAt(const Assignment &assignment, Node node) {
  const auto coordinates = assignment.left.map->nodes().coordinatesOf(node);
  const auto &readers = assignment.readers;
  if (!coordinates || std::find(readers.begin(), readers.end(), node) == readers.end()) {
    return std::nullopt;
  }
  return Reader(assignment, node, *coordinates);
}

} // namespace

std::vector<std::size_t> Side::ranges() const {
  if (!order.empty()) {
    return order;
  }
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    if (subscripts[d].isRange) {
      dimensions.push_back(d);
    }
  }
  return dimensions;
}

Side Side::whole(const ArrayMap &map) {
  Side side{&map, {}, {}};
  for (const Axis &axis : map.axes()) {
    side.subscripts.push_back(Subscript::all(axis.extent()));
  }
  return side;
}

Status checkAssignment(const Assignment &assignment) {
  TUTTI_TRY(checkSide(assignment.left));
  TUTTI_TRY(checkSide(assignment.right));
  const std::vector<std::size_t> left = assignment.left.ranges();
  const std::vector<std::size_t> right = assignment.right.ranges();
  if (right.empty()) {
    return {};
  }
  if (left.size() != right.size()) {
    return failure(ErrorCode::InvalidArgument,
                   "a section of {} dimensions is assigned to one of {}", right.size(),
                   left.size());
  }
  for (std::size_t k = 0; k < left.size(); ++k) {
    const Index to = assignment.left.subscripts[left[k]].count;
    const Index from = assignment.right.subscripts[right[k]].count;
    if (to != from) {
      return failure(ErrorCode::InvalidArgument,
                     "{} elements are assigned to {} in dimension {} of the sections", from, to,
                     k + 1);
    }
  }
  return {};
}

Result<std::vector<Delivery>> deliveriesTo(const Assignment &assignment, Node node) {
  std::vector<Delivery> deliveries;
  const auto reader = readerAt(assignment, node);
  if (!reader || reader->isIdle()) {
    return deliveries;
  }
  for (const std::vector<Index> &owner : reader->owners()) {
    if (!reader->from(node, owner)) {
      continue;
    }
    const auto giver = reader->giverLike(owner);
    if (!giver) {
      return failure(ErrorCode::InvalidArgument,
                     "elements on the right side are on no node that takes part");
    }
    deliveries.push_back(
        *reader->from(*giver, *assignment.right.map->nodes().coordinatesOf(*giver)));
  }
  return deliveries;
}

Result<Move> gmove(const Assignment &assignment, Node me) {
  TUTTI_TRY(checkAssignment(assignment));
  Move move;
  Phase &phase = move.phases.emplace_back();
  std::vector<Delivery> in;
  TUTTI_ASSIGN(in, deliveriesTo(assignment, me));
  for (Delivery &delivery : in) {
    if (delivery.from == me) {
      phase.copies.push_back(
          {std::move(delivery.source), std::move(delivery.target), delivery.fills});
    } else {
      phase.receives.push_back({delivery.from, {std::move(delivery.target)}, delivery.fills});
    }
  }
  const auto &writers = assignment.writers;
  const auto coordinates = assignment.right.map->nodes().coordinatesOf(me);
  if (!coordinates || std::find(writers.begin(), writers.end(), me) == writers.end()) {
    return move;
  }
  for (const Node node : assignment.readers) {
    const auto reader = node == me ? std::nullopt : readerAt(assignment, node);
    if (!reader || reader->giverLike(*coordinates) != me) {
      continue;
    }
    if (auto delivery = reader->from(me, *coordinates)) {
      phase.sends.push_back({node, {std::move(delivery->source)}, delivery->fills});
    }
  }
  return move;
}

} // namespace tutti::distribution
