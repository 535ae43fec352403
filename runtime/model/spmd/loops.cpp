// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/share.h"
#include "runtime/model/spmd/directives.h"
#include "runtime/model/spmd/refs.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tutti::model::spmd {

namespace {

using distribution::Axis;
using distribution::Growth;
using distribution::Interval;
using distribution::Iterations;
using distribution::LoopShare;
using distribution::Ring;

/// What `on` is to a loop.
struct Target {
  std::shared_ptr<const distribution::Nodes> nodes;
  std::vector<Axis> axes;
  std::optional<std::vector<Index>> own; ///< Coordinates of this node.

  Index coordinate(std::size_t d) const {
    return axes[d].isWhole() ? 0 : (*own)[axes[d].nodeDimension()];
  }
};

Result<Target> targetOf(const World &world, const tutti_xmp_ref &on) {
  Target target;
  if (*static_cast<const long *>(on.of) == TUTTI_XMP_TEMPLATE) {
    const auto &of = *static_cast<const tutti_xmp_template *>(on.of);
    if (!of.isFixed()) {
      return failure(ErrorCode::InvalidArgument, "the template is not fixed yet");
    }
    target.nodes = of.nodes;
    target.axes = of.axes;
  } else {
    target.nodes = static_cast<const tutti_xmp_nodes *>(on.of)->nodes;
    const auto &extents = target.nodes->extents();
    for (std::size_t d = 0; d < extents.size(); ++d) {
      auto axis = Axis::block(0, extents[d], d, extents[d], 1);
      TUTTI_TRY(axis);
      target.axes.push_back(*std::move(axis));
    }
  }
  target.own = target.nodes->coordinatesOf(world.me());
  return target;
}

/// Whether the node has what the subscripts name that are no index.
Result<bool> isConcerned(const Target &target, const tutti_xmp_ref &on) {
  if (!target.own) {
    return false;
  }
  for (long d = 0; d < on.count; ++d) {
    const tutti_xmp_subscript &subscript = on.subscripts[d];
    const Axis &axis = target.axes[static_cast<std::size_t>(d)];
    if (subscript.kind != TUTTI_XMP_INDEX) {
      continue;
    }
    TUTTI_TRY(tripletOf(subscript, axis.lower(), axis.extent()));
    if (!axis.isWhole() &&
        axis.ownerOf(subscript.first) != target.coordinate(static_cast<std::size_t>(d))) {
      return false;
    }
  }
  return true;
}

Iterations iterationsOf(const tutti_xmp_index &index) {
  return {index.lower, index.last, index.step};
}

/// Lists are kept: loops inside a loop over one may ask for others. They lie where devices reach.
Result<const long *> kept(World &world, std::vector<Index> list) {
  static_assert(sizeof(Index) == sizeof(long));
  static auto &lists = *new std::map<std::vector<Index>, const long *>;
  const auto [entry, isNew] = lists.try_emplace(std::move(list), nullptr);
  if (isNew) {
    const std::vector<Index> &indices = entry->first;
    const std::size_t bytes = indices.size() * sizeof(long);
    auto *const words = static_cast<long *>(world.host().allocate(bytes));
    if (!words) {
      return failure(ErrorCode::OutOfMemory, "no memory for the indices of a loop: {} bytes",
                     bytes);
    }
    std::copy(indices.begin(), indices.end(), words);
    entry->second = words;
  }
  return entry->second;
}

Status write(World &world, LoopShare share, tutti_xmp_index &index) {
  index.begin = share.begin;
  index.count = share.count;
  index.phase = share.phase;
  index.per = share.per;
  index.cycle = share.cycle;
  index.stride = share.per == 1 ? share.cycle : index.step;
  index.end = share.count == 0
                  ? share.begin
                  : share.begin + (share.count - 1) * index.stride + (index.step > 0 ? 1 : -1);
  index.list = nullptr;
  if (!share.list.empty()) {
    TUTTI_ASSIGN(index.list, kept(world, std::move(share.list)));
  }
  return {};
}

Status writeNothing(World &world, std::span<tutti_xmp_index> indices) {
  for (tutti_xmp_index &index : indices) {
    TUTTI_TRY(write(world, LoopShare{}, index));
  }
  return {};
}

Status checkStep(std::span<const tutti_xmp_index> indices) {
  for (const tutti_xmp_index &index : indices) {
    if (index.step == 0) {
      return failure(ErrorCode::InvalidArgument, "a loop with a step of 0");
    }
  }
  return {};
}

/// Iterations within the subscripts that there are.
Status checkBounds(const Axis &axis, const tutti_xmp_index &index) {
  const Iterations iterations = iterationsOf(index);
  if (iterations.count() == 0) {
    return {};
  }
  for (const Index end : {iterations.lower, iterations.at(iterations.count() - 1)}) {
    if (end + index.offset < axis.lower() || end + index.offset >= axis.end()) {
      return failure(ErrorCode::InvalidArgument,
                     "iteration {} belongs to subscript {}, which lies outside of {} to {}", end,
                     end + index.offset, axis.lower(), axis.end() - 1);
    }
  }
  return {};
}

} // namespace

Status share(World &world, const tutti_xmp_ref &on, std::span<tutti_xmp_index> indices) {
  TUTTI_TRY(checkStep(indices));
  auto target = targetOf(world, on);
  TUTTI_TRY(target);
  for (const tutti_xmp_index &index : indices) {
    TUTTI_TRY(checkBounds(target->axes[static_cast<std::size_t>(index.axis)], index));
  }
  bool concerned = false;
  TUTTI_ASSIGN(concerned, isConcerned(*target, on));
  if (!concerned) {
    return writeNothing(world, indices);
  }
  for (tutti_xmp_index &index : indices) {
    const auto d = static_cast<std::size_t>(index.axis);
    TUTTI_TRY(write(world,
                    distribution::shareOf(target->axes[d], target->coordinate(d), index.offset,
                                          iterationsOf(index)),
                    index));
  }
  return {};
}

namespace {

/// A section with both ends has as many subscripts as there are elements, others may have more.
Status checkElements(const tutti_xmp_index &index, const tutti_xmp_ref &on,
                     const distribution::Triplet &triplet) {
  const Index elements = index.last - index.lower + 1;
  const bool hasEnds = on.count > 0 && (on.subscripts[index.axis].kind == TUTTI_XMP_COUNT ||
                                        on.subscripts[index.axis].kind == TUTTI_XMP_LAST);
  if (elements > triplet.count || (hasEnds && elements != triplet.count)) {
    return failure(ErrorCode::InvalidArgument, "{} elements are assigned on {} subscripts",
                   elements, triplet.count);
  }
  return {};
}

} // namespace

Status shareElements(World &world, const tutti_xmp_ref &on, std::span<tutti_xmp_index> indices) {
  TUTTI_TRY(checkStep(indices));
  auto target = targetOf(world, on);
  TUTTI_TRY(target);
  bool concerned = false;
  TUTTI_ASSIGN(concerned, isConcerned(*target, on));
  for (tutti_xmp_index &index : indices) {
    const auto d = static_cast<std::size_t>(index.axis);
    const Axis &axis = target->axes[d];
    distribution::Triplet triplet;
    TUTTI_ASSIGN(triplet, on.count == 0 ? Result<distribution::Triplet>(
                                              distribution::Triplet{axis.lower(), axis.extent(), 1})
                                        : tripletOf(on.subscripts[d], axis.lower(), axis.extent()));
    TUTTI_TRY(checkElements(index, on, triplet));
    // As a loop over the subscripts themselves.
    const Iterations subscripts{triplet.at(index.lower), triplet.at(index.last),
                                triplet.step * index.step};
    LoopShare share;
    if (concerned) {
      share = distribution::shareOf(axis, target->coordinate(d), 0, subscripts);
      share.begin = (share.begin - triplet.first) / triplet.step;
      share.cycle /= triplet.step;
      for (Index &subscript : share.list) {
        subscript = (subscript - triplet.first) / triplet.step;
      }
    }
    TUTTI_TRY(write(world, std::move(share), index));
  }
  return {};
}

namespace {

/// What waits are iterations of the node's own: positive widths would be those of other nodes.
Status checkPeel(std::span<const tutti_xmp_index> indices) {
  for (const tutti_xmp_index &index : indices) {
    if (index.widths.lower > 0 || index.widths.upper > 0) {
      return failure(ErrorCode::InvalidArgument,
                     "widths {}:{} of peel_and_wait, which cannot be positive", index.widths.lower,
                     index.widths.upper);
    }
  }
  return {};
}

Result<distribution::NestShare> nestOf(const Target &target,
                                       std::span<const tutti_xmp_index> indices) {
  distribution::NestShare nest;
  for (const tutti_xmp_index &index : indices) {
    const auto d = static_cast<std::size_t>(index.axis);
    if (target.axes[d].kind() == Axis::Kind::Cyclic) {
      return failure(ErrorCode::InvalidArgument,
                     "expand and margin in a cyclic dimension of the template");
    }
    nest.iterations.push_back(iterationsOf(index));
    nest.intervals.push_back(distribution::intervalOf(target.axes[d], target.coordinate(d),
                                                      index.offset, nest.iterations.back()));
    nest.growths.push_back(
        {index.widths.lower, index.widths.upper, (index.widths.flags & TUTTI_XMP_UNBOUND) != 0});
  }
  return nest;
}

Ring ringOf(long margin) {
  switch (margin) {
  case TUTTI_XMP_MARGIN:
    return Ring::Margin;
  case TUTTI_XMP_PEEL:
    return Ring::Peel;
  default:
    return Ring::Expand;
  }
}

} // namespace

Result<bool> nextShare(World &world, const tutti_xmp_ref &on, long margin, Async async, long n,
                       std::span<tutti_xmp_index> indices) {
  TUTTI_TRY(checkStep(indices));
  if (margin == TUTTI_XMP_PEEL) {
    TUTTI_TRY(checkPeel(indices));
  }
  auto target = targetOf(world, on);
  TUTTI_TRY(target);
  bool concerned = false;
  TUTTI_ASSIGN(concerned, isConcerned(*target, on));
  std::vector<std::vector<Interval>> boxes;
  std::size_t inFront = 0; // Boxes that need not wait.
  if (concerned) {
    distribution::NestShare nest;
    TUTTI_ASSIGN(nest, nestOf(*target, indices));
    boxes = distribution::boxesOf(nest, ringOf(margin));
    inFront = distribution::boxesOf(nest, Ring::Expand).size();
  }
  const auto number = static_cast<std::size_t>(n);
  if (margin == TUTTI_XMP_PEEL && async && number == inFront) {
    TUTTI_TRY(world.finish(*async));
  }
  if (number >= boxes.size()) {
    return false;
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    TUTTI_TRY(write(world, distribution::shareOf(boxes[number][i], iterationsOf(indices[i])),
                    indices[i]));
  }
  return true;
}

} // namespace tutti::model::spmd
