// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/reflect.h"

#include <algorithm>
#include <array>

namespace tutti::distribution {

namespace {

bool isWanted(const Width &width) { return width.below > 0 || width.above > 0; }

/// [begin, end) of what a node has of an axis that is not dealt in turn.
std::pair<Index, Index> blockOf(const Axis &axis, Index coordinate) {
  return axis.isWhole() ? std::pair(axis.lower(), axis.end())
                        : std::pair(axis.blockBegin(coordinate), axis.blockEnd(coordinate));
}

/// Of the node at `to`: indices as it names them in its shadow, and as their owner does.
struct Piece {
  IndexSet inShadow;
  IndexSet owned;
};

Status checkWidth(const ArrayMap &map, std::size_t d, const Width &width) {
  const Shadow &shadow = map.shadow(d);
  if (width.below < 0 || width.above < 0) {
    return failure(ErrorCode::InvalidArgument, "a reflect of width {}:{} in dimension {}",
                   width.below, width.above, d + 1);
  }
  if (shadow.isFull) {
    if (width.isPeriodic) {
      return failure(ErrorCode::InvalidArgument,
                     "a periodic reflect of a full shadow in dimension {}", d + 1);
    }
    return {};
  }
  if (width.below > shadow.below || width.above > shadow.above) {
    return failure(ErrorCode::InvalidArgument,
                   "reflect of width {}:{} is wider than the shadow of {}:{} in dimension {}",
                   width.below, width.above, shadow.below, shadow.above, d + 1);
  }
  return {};
}

/// The nearest node along the axis that owns something, in direction `step`; none at an end.
std::optional<Index> nearest(const Axis &axis, Index coordinate, Index step, bool isPeriodic) {
  for (Index i = 1; i <= axis.parts(); ++i) {
    Index at = coordinate + i * step;
    if (isPeriodic) {
      at = (at % axis.parts() + axis.parts()) % axis.parts();
    }
    if (at < 0 || at >= axis.parts()) {
      return std::nullopt;
    }
    if (axis.countOwned(at) > 0) {
      return at;
    }
  }
  return std::nullopt;
}

/// Whether every shadow can come from its node's nearest neighbours.
Status checkNeighbours(const Axis &axis, std::size_t d, const Width &width) {
  for (Index c = 0; c < axis.parts(); ++c) {
    if (axis.countOwned(c) == 0) {
      continue;
    }
    const auto [begin, end] = blockOf(axis, c);
    // What there is of the axis behind the block, unless it goes round.
    const std::array<Index, 2> room{begin - axis.lower(), axis.end() - end};
    const std::array<Index, 2> wanted{width.below, width.above};
    for (const std::size_t side : {0, 1}) {
      const Index needed = width.isPeriodic ? wanted[side] : std::min(wanted[side], room[side]);
      const auto neighbour = nearest(axis, c, side == 0 ? -1 : 1, width.isPeriodic);
      const Index owned = neighbour ? axis.countOwned(*neighbour) : 0;
      if (needed > owned) {
        return failure(ErrorCode::InvalidArgument,
                       "reflect of width {} in dimension {} is wider than the {} that the "
                       "neighbouring node owns",
                       wanted[side], d + 1, owned);
      }
    }
  }
  return {};
}

/// What the node at `to` gets of the node at `from` into its shadow.
std::vector<Piece> pieces(const Axis &axis, const Width &width, Index to, Index from) {
  std::vector<Piece> result;
  if (axis.countOwned(to) == 0 || axis.countOwned(from) == 0) {
    return result;
  }
  const auto [begin, end] = blockOf(axis, to);

  struct Side {
    Index begin;
    Index end;
    Index round; ///< What leads from behind an end of the axis to the other end.
  };

  for (const Side &side : {Side{begin - width.below, begin, axis.extent()},
                           Side{end, end + width.above, -axis.extent()}}) {
    for (const Index shift :
         width.isPeriodic ? std::vector{Index{0}, side.round} : std::vector{Index{0}}) {
      const IndexSet owned =
          intersect(indexRange(side.begin + shift, side.end + shift), axis.owned(from));
      if (!owned.empty()) {
        result.push_back({shifted(owned, -shift), owned});
      }
    }
  }
  return result;
}

/// Moves along one dimension.
class Along {
public:
  Along(const ArrayMap &map, std::span<const Width> widths, std::size_t dimension,
        bool isOrthogonal, std::vector<Index> me)
      : map_(map), axis_(map.axis(dimension)), width_(widths[dimension]), dimension_(dimension),
        me_(std::move(me)) {
    for (std::size_t d = 0; d < map.dimensions(); ++d) {
      others_.push_back(region(d, widths[d], d < dimension && !isOrthogonal, isOrthogonal));
    }
  }

  Phase phase() const {
    Phase phase;
    const Index own = map_.coordinate(dimension_, me_);
    const Index parts = axis_.isWhole() ? 1 : axis_.parts();
    for (Index c = 0; c < parts; ++c) {
      const std::vector<Piece> in = piecesOf(own, c);
      if (c == own) {
        for (const Piece &piece : in) {
          add(phase.copies, {box(piece.owned), box(piece.inShadow), false});
        }
        continue;
      }
      Message receive{peerAt(c), {}, false};
      Message send{peerAt(c), {}, false};
      for (const Piece &piece : in) {
        receive.boxes.push_back(box(piece.inShadow));
      }
      for (const Piece &piece : piecesOf(c, own)) {
        send.boxes.push_back(box(piece.owned));
      }
      add(phase.receives, std::move(receive));
      add(phase.sends, std::move(send));
    }
    return phase;
  }

private:
  /// The indices of another dimension that take part: what the node owns, and the shadows that are
  /// up to date. Of a dimension that is left out nobody knows how far they are, so all of them do:
  /// dimensions that are done one by one give the corners, too.
  IndexSet region(std::size_t d, const Width &width, bool isDone, bool isOrthogonal) const {
    const Axis &axis = map_.axis(d);
    const Shadow &shadow = map_.shadow(d);
    const Index coordinate = map_.coordinate(d, me_);
    const bool isLeftOut = !isWanted(width) && !isOrthogonal;
    if (isLeftOut ? shadow.isFull : isDone && isWanted(width) && shadow.isFull) {
      return indexRange(axis.lower(), axis.end());
    }
    if ((!isDone && !isLeftOut) || axis.kind() == Axis::Kind::Cyclic ||
        axis.countOwned(coordinate) == 0) {
      return axis.owned(coordinate);
    }
    const auto [begin, end] = blockOf(axis, coordinate);
    if (isLeftOut) {
      return indexRange(begin - shadow.below, end + shadow.above);
    }
    const Index from = begin - width.below;
    const Index to = end + width.above;
    return width.isPeriodic ? indexRange(from, to)
                            : indexRange(std::max(from, axis.lower()), std::min(to, axis.end()));
  }

  std::vector<Piece> piecesOf(Index to, Index from) const {
    if (!map_.shadow(dimension_).isFull) {
      return pieces(axis_, width_, to, from);
    }
    if (to == from) {
      return {};
    }
    return {{axis_.owned(from), axis_.owned(from)}};
  }

  Node peerAt(Index coordinate) const {
    std::vector<Index> coordinates = me_;
    coordinates[axis_.nodeDimension()] = coordinate;
    return map_.nodes().at(coordinates);
  }

  Box box(const IndexSet &indices) const {
    std::vector<IndexSet> all = others_;
    all[dimension_] = indices;
    return boxOf(map_, me_, all);
  }

  static void add(std::vector<Message> &messages, Message message) {
    std::erase_if(message.boxes, [](const Box &box) { return box.elements() == 0; });
    if (!message.boxes.empty()) {
      messages.push_back(std::move(message));
    }
  }

  static void add(std::vector<LocalCopy> &copies, LocalCopy copy) {
    if (copy.from.elements() > 0) {
      copies.push_back(std::move(copy));
    }
  }

  const ArrayMap &map_;
  const Axis &axis_;
  const Width width_;
  std::size_t dimension_;
  std::vector<Index> me_;
  std::vector<IndexSet> others_;
};

} // namespace

std::vector<Width> fullWidths(const ArrayMap &map) {
  std::vector<Width> widths;
  for (std::size_t d = 0; d < map.dimensions(); ++d) {
    const Shadow &shadow = map.shadow(d);
    widths.push_back(shadow.isFull ? Width{1, 1, false} : Width{shadow.below, shadow.above, false});
  }
  return widths;
}

Result<Move> reflect(const ArrayMap &map, std::span<const Width> widths, bool isOrthogonal,
                     Node me) {
  for (std::size_t d = 0; d < map.dimensions(); ++d) {
    TUTTI_TRY(checkWidth(map, d, widths[d]));
    if (map.axis(d).kind() != Axis::Kind::Cyclic && !map.shadow(d).isFull) {
      TUTTI_TRY(checkNeighbours(map.axis(d), d, widths[d]));
    }
  }
  Move move;
  const auto coordinates = map.nodes().coordinatesOf(me);
  if (!coordinates) {
    return move;
  }
  for (std::size_t d = 0; d < map.dimensions(); ++d) {
    if (isWanted(widths[d]) && !(map.axis(d).isWhole() && map.shadow(d).isFull)) {
      move.phases.push_back(Along(map, widths, d, isOrthogonal, *coordinates).phase());
    }
  }
  return move;
}

} // namespace tutti::distribution
