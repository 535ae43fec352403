// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/managed.h"

namespace tutti::device::cuda {

Status Managed::prefetch(std::span<const std::byte> memory, CUstream stream) {
  if (memory.empty() || !isConcurrent()) {
    return {};
  }
  const Library &cuda = context_.cuda();
  const auto at = reinterpret_cast<CUdeviceptr>(memory.data());
  std::uint32_t isManaged = 0;
  // Memory that the driver does not know gives an error that means nothing.
  if (cuda.cuPointerGetAttribute(&isManaged, kPointerIsManaged, at) != kSuccess || isManaged == 0) {
    return {};
  }
  bool hasRoomFor = false;
  TUTTI_ASSIGN(hasRoomFor, hasRoom(memory.size()));
  if (!hasRoomFor) {
    return {};
  }
  const CUresult result = cuda.cuMemPrefetchAsync(at, memory.size(), context_.device(), stream);
  // Some of it is not managed: it moves when it is touched.
  if (result != kSuccess && result != kInvalidValue) {
    return context_.failed(result, "prefetch {} bytes of managed memory", memory.size());
  }
  return {};
}

bool Managed::isKnown(std::uint64_t address) {
  std::uint32_t kind = 0;
  return context_.enter() &&
         context_.cuda().cuPointerGetAttribute(&kind, kPointerMemoryType, address) == kSuccess;
}

bool Managed::isConcurrent() {
  if (!isConcurrent_) {
    int value = 0;
    const CUresult result =
        context_.cuda().cuDeviceGetAttribute(&value, kConcurrentManagedAccess, context_.device());
    isConcurrent_ = result == kSuccess && value != 0;
  }
  return *isConcurrent_;
}

/// Asks the driver, which takes a while, once for every eighth of what is free.
Result<bool> Managed::hasRoom(std::uint64_t bytes) {
  if (bytes > allowance_) {
    std::size_t free = 0;
    std::size_t total = 0;
    if (const CUresult result = context_.cuda().cuMemGetInfo_v2(&free, &total)) {
      return context_.failed(result, "ask for the memory that is free");
    }
    const std::uint64_t room = free - free / 16;
    if (bytes > room) {
      return false;
    }
    allowance_ = bytes + (room - bytes) / 8;
  }
  allowance_ -= bytes;
  return true;
}

} // namespace tutti::device::cuda
