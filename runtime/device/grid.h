// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Chooses groups and work-items for a launch. A pure function; any grid gives right results, since
/// kernels step through the iterations by its size (abi/abi.h).
#pragma once

#include "runtime/device/device.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace tutti::device {

/// What a kernel and its author ask of a grid.
struct GridWish {
  std::uint32_t maxGroup = 0;     ///< As `Kernel::maxGroup`; 0: the device's limit alone.
  std::uint32_t partialBytes = 0; ///< As in `KernelLaunch`; 0: does not reduce.
  bool hasCombiner = false;       ///< Few of its partial results go to the host in any case.
  bool isBeside = false;          ///< Others take longer: nobody waits for its combiner.
  bool byGroups = false;          ///< As TUTTI_MAPPING_GROUPS says; it does not reduce.
  bool byTiles = false;           ///< As TUTTI_MAPPING_TILES says: 32 x 8, whatever is wished.
  /// Of each work-item of a long loop of one dimension that does not reduce: as long as each of the
  /// device's units has so many groups that all end at about the same time.
  std::uint32_t iterations = 1;
  /// Groups and work-items per group of a `#pragma tutti`; 0 where nothing was said. They hold as
  /// far as the limits allow, and no group is without an iteration; for a reduction the size of a
  /// group becomes a power of two. Where other dimensions are named than the kernel has, a group
  /// has as many work-items in all.
  std::array<std::uint32_t, 3> groups{};
  std::array<std::uint32_t, 3> group{};
};

/// A grid for `extents` iterations per dimension, the fastest first, within the device's limits.
///
/// Shape:  1 to 3 extents. Unless wished otherwise: groups of 256, 64 x 4 or 32 x 4 x 2
///         work-items, fewer where there are fewer iterations or a kernel needs many registers, and
///         down to 32 where the device has more units than there would be groups;
///         enough groups for one iteration per work-item, except that a reduction, whose groups
///         each leave a partial result, has at most some 16 groups for each of the device's units,
///         or 64 for much work and small results, 256 with a combiner. By groups: one for each
///         iteration, of up to 256 work-items, or 1024 where there are few groups.
/// Always: for a reduction `groupSize()` is a power of two, and its local memory is there.
Grid gridFor(std::span<const std::int64_t> extents, const Info &limits, const GridWish &wish);

/// A grid for the combiner of so many partial results; nothing if the host had better combine all,
/// as with at most 16 KiB of them, or 1 KiB beside others. `wish` is what the combiner asks for.
///
/// Always: at most 64 groups, of a power of two; each work-item has a partial result.
std::optional<Grid> combinerGridFor(std::uint64_t partials, const Info &limits,
                                    const GridWish &wish);

} // namespace tutti::device
