// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What finds changes on a device: memory for what was there before, and the kernel that compares.
#pragma once

#include "abi/abi.h"
#include "runtime/device/device.h"
#include "runtime/device/opencl/library.h"

#include <utility>

namespace tutti::device::opencl {

class OpenclSnapshot final : public Snapshot {
public:
  explicit OpenclSnapshot(Owned<Memory> memory) : memory_(std::move(memory)) {}

  Memory memory() const { return memory_.get(); }

private:
  Owned<Memory> memory_;
};

/// Parameters: arena, offset there; snapshot, offset there; grains; what it writes.
/// One work-item per grain. Offsets in words of 4 bytes.
extern const tutti_kernel kChangesKernel;

/// What the kernel writes: a count, zero before it starts, and from `kChangesBegin` on so many
/// changes.
inline constexpr std::uint64_t kChangesBegin = 16;

} // namespace tutti::device::opencl
