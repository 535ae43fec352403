// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/reflect.h"
#include "runtime/model/spmd/copies.h"
#include "runtime/model/spmd/directives.h"

namespace tutti::model::spmd {

namespace {

enum class Direction : Index { Outwards = 1, Inwards = 2 };

std::vector<distribution::Width> widthsOf(const Array &array,
                                          std::span<const tutti_xmp_width> widths) {
  auto all = distribution::fullWidths(*array.map);
  for (std::size_t d = 0; d < widths.size(); ++d) {
    const tutti_xmp_width &width = widths[d];
    const bool isPeriodic = (width.flags & TUTTI_XMP_PERIODIC) != 0;
    if ((width.flags & TUTTI_XMP_FULL) != 0) {
      all[d].isPeriodic = isPeriodic;
    } else {
      all[d] = {width.lower, width.upper, isPeriodic};
    }
  }
  return all;
}

Result<Plan *> planOf(World &world, const Array &array,
                      const std::vector<distribution::Width> &widths, bool isOrthogonal,
                      Direction direction) {
  std::vector<Index> content{static_cast<Index>(direction), isOrthogonal ? 1 : 0,
                             static_cast<Index>(array.elementBytes)};
  array.map->describe(content);
  for (const distribution::Width &width : widths) {
    content.insert(content.end(), {width.below, width.above, width.isPeriodic ? 1 : 0});
  }
  return world.plan(std::move(content), [&]() -> Result<distribution::Move> {
    auto move = distribution::reflect(*array.map, widths, isOrthogonal, world.me());
    TUTTI_TRY(move);
    return direction == Direction::Outwards ? *std::move(move)
                                            : distribution::reversed(*std::move(move));
  });
}

Status moveShadows(World &world, Array &array, std::span<const tutti_xmp_width> widths,
                   bool isOrthogonal, Direction direction, Async async) {
  TUTTI_TRY(mapOf(array));
  Plan *plan = nullptr;
  TUTTI_ASSIGN(plan, planOf(world, array, widthsOf(array, widths), isOrthogonal, direction));
  if (!array.coordinates) {
    return {};
  }
  Operands operands{array.base(), array.base(), array.elementBytes, true, std::nullopt};
  if (direction == Direction::Inwards) {
    operands.adds = elementOf(array.type);
    if (!operands.adds) {
      return failure(ErrorCode::InvalidArgument, "reduce_shadow of elements that cannot be added");
    }
  }
  trace::Counters &counters = world.counters();
  return world.complete(
      beginMove(world, *plan, operands, {counters.reflectMessages, counters.reflectBytes}), async);
}

} // namespace

Status reflect(World &world, Array &array, std::span<const tutti_xmp_width> widths,
               bool isOrthogonal, Async async) {
  return moveShadows(world, array, widths, isOrthogonal, Direction::Outwards, async);
}

Status reflectCopy(World &world, Array &array, std::span<const tutti_xmp_width> widths,
                   bool isOrthogonal, Async async) {
  TUTTI_TRY(mapOf(array));
  Plan *plan = nullptr;
  TUTTI_ASSIGN(plan,
               planOf(world, array, widthsOf(array, widths), isOrthogonal, Direction::Outwards));
  std::byte *copy = nullptr;
  TUTTI_ASSIGN(copy, world.copies().of(array));
  if (!array.coordinates) {
    return {};
  }
  if (async) {
    world.copies().noteAsync(array, *async);
  }
  const Operands operands{copy, copy, array.elementBytes, true, std::nullopt};
  trace::Counters &counters = world.counters();
  const MoveCounters moved{counters.reflectCopyMessages, counters.reflectCopyBytes};
  return world.complete(world.packsOnDevices() ? beginDeviceMove(world, *plan, operands, moved)
                                               : beginMove(world, *plan, operands, moved),
                        async);
}

Status reduceShadow(World &world, Array &array, std::span<const tutti_xmp_width> widths,
                    bool isOrthogonal, Async async) {
  return moveShadows(world, array, widths, isOrthogonal, Direction::Inwards, async);
}

} // namespace tutti::model::spmd
