// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory of a device that is not seen in the window.
#pragma once

#include "base/result.h"
#include "runtime/device/cuda/context.h"

#include <cstdint>
#include <memory>

namespace tutti::device::cuda {

/// A run of device memory outside of the mirror.
class Memory {
public:
  /// Errors: OutOfMemory, DeviceLost. Source: cuMemAlloc.
  static Result<std::unique_ptr<Memory>> make(Context &context, std::uint64_t bytes);

  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory();

  CUdeviceptr at() const { return at_; }

  std::uint64_t size() const { return size_; }

private:
  Memory(Context &context, CUdeviceptr at, std::uint64_t size)
      : context_(context), at_(at), size_(size) {}

  Context &context_;
  CUdeviceptr at_;
  std::uint64_t size_;
};

} // namespace tutti::device::cuda
