// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What finds changes on a device: memory for what was there before, and the kernel that compares.
#pragma once

#include "abi/abi.h"
#include "runtime/device/cuda/memory.h"
#include "runtime/device/device.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace tutti::device::cuda {

class CudaSnapshot final : public Snapshot {
public:
  explicit CudaSnapshot(std::unique_ptr<Memory> memory) : memory_(std::move(memory)) {}

  CUdeviceptr at(std::uint64_t offset) const { return memory_->at() + offset; }

private:
  std::unique_ptr<Memory> memory_;
};

/// Parameters, 64 bits each: where the bytes are, where they were kept, grains, where to write. One
/// thread per grain, in groups of whole warps.
extern const tutti_kernel kChangesKernel;

/// What the kernel writes: a count, zero before it starts, and from `kChangesBegin` on so many
/// changes. On the device: through the bus, 40 bytes at a time take ten times as long.
inline constexpr std::uint64_t kChangesBegin = 16;

} // namespace tutti::device::cuda
