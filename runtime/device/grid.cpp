// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/grid.h"

#include <algorithm>
#include <bit>

namespace tutti::device {

namespace {

/// Of 1, 2 and 3 dimensions: 256 work-items, of which a row is what a multiprocessor runs at once.
constexpr std::array<std::array<std::uint32_t, 3>, 3> kGroups{
    {{256, 1, 1}, {64, 4, 1}, {32, 4, 2}}};

/// Where registers allow no full group, so many groups share them: work is handed out in small
/// portions, and ends at about the same time everywhere.
constexpr std::uint32_t kGroupsOfLimit = 4;
constexpr std::uint32_t kSmallGroup = 128;

/// Of groups that execute iterations: those that a multiprocessor runs together access memory, and
/// the largest ones that all devices run; where there are fewer groups for each multiprocessor,
/// these are large.
constexpr std::uint64_t kSmallestGroup = 32;
constexpr std::uint64_t kLargeGroup = 1024;
constexpr std::uint64_t kManyGroups = 4;

/// So many groups for each multiprocessor end at about the same time.
constexpr std::uint64_t kEvenGroups = 64;

/// Groups that leave partial results, by multiprocessor: few of them for little work or large
/// results, so many for more that all end at about the same time.
constexpr std::uint64_t kFewReducingGroups = 16;

/// The others: at most so many, for so many bytes, from so many iterations of each work-item on.
struct Ample {
  std::uint64_t groups;
  std::uint64_t bytes;
  std::uint64_t steps;
};

constexpr Ample kForHost{64, 1024, 8};
constexpr Ample kForCombiner{256, 4096, 4};

/// Bytes of partial results that the host combines in no more time than a second kernel takes.
constexpr std::uint64_t kBytesForHost = 16384;
/// The same of a kernel beside which another one runs longer: the host combines behind that.
constexpr std::uint64_t kBytesBeside = 1024;
constexpr std::uint64_t kMostCombined =
    64; ///< That a combiner leaves, and no more bytes than that.
constexpr std::uint64_t kCombinerSteps = 2; ///< Partial results of each of its work-items.

/// What is taken for a limit that a device does not tell.
constexpr std::uint32_t kMostOfGroup = 1 << 16;
constexpr std::array<std::uint64_t, 3> kMostGroups{std::uint64_t{1} << 31, 65535, 65535};

template <typename T> T orElse(T limit, T fallback) { return limit > 0 ? limit : fallback; }

std::uint64_t ceilDiv(std::uint64_t value, std::uint64_t by) { return (value + by - 1) / by; }

/// Of groups that share what their tiles load (TUTTI_MAPPING_TILES).
constexpr std::array<std::uint32_t, 3> kTileGroup{TUTTI_TILE_COLUMNS, TUTTI_TILE_ROWS, 1};

/// Work-items of a group, given the kernel's registers and the local memory of a reduction.
std::uint32_t largestGroup(const Info &limits, const GridWish &wish) {
  std::uint32_t largest =
      std::min(orElse(limits.maxGroup, kMostOfGroup), orElse(wish.maxGroup, kMostOfGroup));
  const bool isAsked =
      wish.byTiles || std::ranges::any_of(wish.group, [](std::uint32_t size) { return size > 0; });
  if (!isAsked && wish.maxGroup > 0 && wish.maxGroup < limits.maxGroup) {
    largest = std::min(largest, std::max(largest / kGroupsOfLimit, kSmallGroup));
  }
  if (wish.partialBytes > 0 && limits.localBytes > 0) {
    largest = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(largest, limits.localBytes / wish.partialBytes));
  }
  return std::max(largest, 1U);
}

/// Halves the largest dimension until the group fits; the slowest one of several.
void shrinkTo(std::array<std::uint32_t, 3> &group, std::uint32_t largest) {
  while (std::uint64_t{group[0]} * group[1] * group[2] > largest) {
    std::uint32_t &widest = *std::max_element(group.rbegin(), group.rend());
    widest = std::max(widest / 2, 1U);
  }
}

/// Sizes by dimension for a wish that names another number of them than the kernel has: as many
/// work-items in all, in rows that access memory together.
std::array<std::uint32_t, 3> shapeOf(std::uint32_t items, std::size_t dimensions) {
  constexpr std::uint32_t kLeastRow = 16;
  std::array<std::uint32_t, 3> shape{items, 1, 1};
  for (std::size_t d = 1; d < dimensions; ++d) {
    const std::uint32_t rows = kGroups[dimensions - 1][d];
    if (shape[0] % rows == 0 && shape[0] / rows >= kLeastRow) {
      shape[0] /= rows;
      shape[d] = rows;
    }
  }
  return shape;
}

std::array<std::uint64_t, 3> groupsAround(std::span<const std::int64_t> extents,
                                          const std::array<std::uint32_t, 3> &group) {
  std::array<std::uint64_t, 3> groups{1, 1, 1};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    groups[d] =
        ceilDiv(static_cast<std::uint64_t>(std::max<std::int64_t>(extents[d], 1)), group[d]);
  }
  return groups;
}

/// Halves the slowest dimension, and the fastest one last, until each unit of the device has a
/// group, or a group is no more than what a unit runs at once.
void spread(std::span<const std::int64_t> extents, const Info &limits,
            std::array<std::uint32_t, 3> &group) {
  const auto count = [&] {
    const std::array<std::uint64_t, 3> groups = groupsAround(extents, group);
    return groups[0] * groups[1] * groups[2];
  };
  for (std::size_t d = extents.size(); d-- > 0;) {
    while (group[d] > 1 && std::uint64_t{group[0]} * group[1] * group[2] > kSmallestGroup &&
           count() < limits.units) {
      group[d] = (group[d] + 1) / 2;
    }
  }
}

/// What a wish says of the groups of a kernel of so many dimensions.
std::array<std::uint32_t, 3> wishedGroup(const GridWish &wish, std::size_t dimensions) {
  if (wish.byTiles) {
    return kTileGroup;
  }
  const auto named =
      static_cast<std::size_t>(std::ranges::find(wish.group, 0U) - wish.group.begin());
  if (named == 0 || named == dimensions) {
    return wish.group;
  }
  std::uint64_t items = 1;
  for (std::size_t d = 0; d < named; ++d) {
    items = std::min<std::uint64_t>(items * wish.group[d], kMostOfGroup);
  }
  return shapeOf(static_cast<std::uint32_t>(items), dimensions);
}

/// Takes groups off the slowest dimensions first, where neighbours share least.
void limitCount(std::array<std::uint64_t, 3> &groups, std::uint64_t most) {
  for (std::size_t d = groups.size(); d-- > 0;) {
    const std::uint64_t count = groups[0] * groups[1] * groups[2];
    if (count > most) {
      const std::uint64_t others = count / groups[d];
      groups[d] = std::max<std::uint64_t>(most / others, 1);
    }
  }
}

/// Groups of a reduction for which `count` would do one iteration per work-item.
std::uint64_t reducingGroups(const Info &limits, const GridWish &wish, std::uint64_t count) {
  const Ample &ample = wish.hasCombiner ? kForCombiner : kForHost;
  const std::uint64_t perUnit =
      std::clamp(ample.bytes / wish.partialBytes, kFewReducingGroups, ample.groups);
  const std::uint64_t units = std::max<std::uint64_t>(limits.units, 1);
  return std::clamp(count / ample.steps, units * kFewReducingGroups, units * perUnit);
}

/// A group for each of the iterations, the second extent, that share the first one.
Grid gridByGroups(std::span<const std::int64_t> extents, const Info &limits, const GridWish &wish) {
  TUTTI_CHECK(extents.size() == 2, "{} dimensions by groups", extents.size());
  const auto shared = static_cast<std::uint64_t>(std::max<std::int64_t>(extents[0], 1));
  const auto groups = static_cast<std::uint64_t>(std::max<std::int64_t>(extents[1], 1));
  const bool areFew = groups < std::max(limits.units, 1U) * kManyGroups;
  const std::uint64_t most = areFew ? kLargeGroup : kGroups[0][0];
  const auto usual = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(std::bit_ceil(std::min(shared, most)), kSmallestGroup));
  const std::uint32_t size = wish.group[0] > 0 ? wish.group[0] : usual;
  Grid grid;
  grid.group[0] =
      std::min({size, largestGroup(limits, wish), orElse(limits.maxGroupOf[0], kMostOfGroup)});
  const std::uint64_t count = wish.groups[0] > 0 ? wish.groups[0] : groups;
  grid.groups[0] = std::min({count, groups, orElse(limits.maxGroups[0], kMostGroups[0])});
  return grid;
}

} // namespace

Grid gridFor(std::span<const std::int64_t> extents, const Info &limits, const GridWish &wish) {
  TUTTI_CHECK(!extents.empty() && extents.size() <= 3, "{} dimensions", extents.size());
  if (wish.byGroups) {
    return gridByGroups(extents, limits, wish);
  }
  const bool reduces = wish.partialBytes > 0;
  const std::array<std::uint32_t, 3> wished = wishedGroup(wish, extents.size());
  Grid grid;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto extent = static_cast<std::uint64_t>(std::max<std::int64_t>(extents[d], 1));
    // A power of two that is just enough, unless that is more than usual.
    const std::uint64_t enough = std::bit_ceil(std::min<std::uint64_t>(extent, 1024));
    const auto usual =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(kGroups[extents.size() - 1][d], enough));
    const std::uint32_t size = wished[d] > 0 ? wished[d] : usual;
    grid.group[d] = std::min(size, orElse(limits.maxGroupOf[d], kMostOfGroup));
    if (reduces) {
      grid.group[d] = std::bit_floor(grid.group[d]);
    }
  }
  shrinkTo(grid.group, largestGroup(limits, wish));
  if (!reduces && wished == std::array<std::uint32_t, 3>{}) {
    spread(extents, limits, grid.group);
  }

  bool asked = false;
  const std::array<std::uint64_t, 3> enough = groupsAround(extents, grid.group);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    asked = asked || wish.groups[d] > 0;
    const std::uint64_t count = wish.groups[d] > 0 ? wish.groups[d] : enough[d];
    grid.groups[d] = std::min({count, enough[d], orElse(limits.maxGroups[d], kMostGroups[d])});
  }
  if (reduces && !asked) {
    limitCount(grid.groups, reducingGroups(limits, wish, grid.groupCount()));
  } else if (!asked && extents.size() == 1 && wish.iterations > 1 && limits.units > 0) {
    const std::uint64_t even = limits.units * kEvenGroups;
    limitCount(grid.groups, std::max(ceilDiv(grid.groupCount(), wish.iterations), even));
  }
  return grid;
}

std::optional<Grid> combinerGridFor(std::uint64_t partials, const Info &limits,
                                    const GridWish &wish) {
  if (partials <= (wish.isBeside ? kBytesBeside : kBytesForHost) / wish.partialBytes) {
    return std::nullopt;
  }
  const std::uint32_t largest = std::min(
      {kGroups[0][0], largestGroup(limits, wish), orElse(limits.maxGroupOf[0], kMostOfGroup)});
  Grid grid;
  grid.group[0] =
      static_cast<std::uint32_t>(std::bit_floor(std::min<std::uint64_t>(largest, partials)));
  const std::uint64_t most =
      std::clamp<std::uint64_t>(kBytesForHost / wish.partialBytes, 1, kMostCombined);
  grid.groups[0] = std::clamp<std::uint64_t>(partials / (grid.group[0] * kCombinerSteps), 1, most);
  return grid;
}

} // namespace tutti::device
