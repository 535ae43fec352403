// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which of a region's kernels runs a chunk on a device of some format.
#pragma once

#include "abi/abi.h"
#include "runtime/balance/cut.h"
#include "runtime/exec/launch.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace tutti::exec {

struct KernelChoice {
  const tutti_kernel *kernel;
  std::uint32_t mapping; ///< Index among the region's.
  std::uint32_t dimensions;
  std::array<std::int64_t, 3> extents; ///< The fastest first.

  std::span<const std::int64_t> used() const { return {extents.data(), dimensions}; }
};

/// The kernel of `format` that runs any chunk of `region`, for what all its kernels have in common;
/// null if there is none.
const tutti_kernel *anyKernel(const tutti_region &region, std::uint32_t format);

/// The region's combiner of `format`; null if there is none.
const tutti_kernel *combinerOf(const tutti_region &region, std::uint32_t format);

/// The kernel of `format` of one mapping of `region`; null if there is none.
const tutti_kernel *kernelOf(const tutti_region &region, std::uint32_t mapping,
                             std::uint32_t format);

/// The best mapping that holds for this chunk. Nothing if there is no kernel of that format.
///
/// `isDisjoint`: what the launch writes through one object is not touched through another.
std::optional<KernelChoice> chooseKernel(const Launch &launch, const balance::Chunk &chunk,
                                         std::uint32_t format, bool isDisjoint);

} // namespace tutti::exec
