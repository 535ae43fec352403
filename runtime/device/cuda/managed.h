// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Managed memory of the program (cudaMallocManaged), which the driver moves between host and
/// devices by itself: moves it ahead of the kernels that use it.
#pragma once

#include "base/result.h"
#include "runtime/device/cuda/context.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tutti::device::cuda {

/// What is asked for ahead of kernels fits into the memory that the device has free: asking for
/// more can hang it. So does advice that memory is mostly read if tasks write it in turn: it takes
/// hold at once, while kernels that write there may still run.
///
/// Threading: externally synchronised, with its device.
/// Ownership: the context outlives it.
class Managed {
public:
  explicit Managed(Context &context) : context_(context) {}

  Managed(const Managed &) = delete;
  Managed &operator=(const Managed &) = delete;

  /// `Queue::prefetch`. Order: the context is current.
  ///
  /// Source: cuPointerGetAttribute, cuMemPrefetchAsync.
  Status prefetch(std::span<const std::byte> memory, CUstream stream);

  /// `Device::reaches`: whether the driver knows the memory, managed or not.
  ///
  /// Source: cuPointerGetAttribute.
  bool isKnown(std::uint64_t address);

private:
  bool isConcurrent();
  Result<bool> hasRoom(std::uint64_t bytes);

  Context &context_;
  std::optional<bool> isConcurrent_; ///< Host and device may use it at the same time.
  std::uint64_t allowance_ = 0;      ///< To be asked for without looking at what is free.
};

} // namespace tutti::device::cuda
