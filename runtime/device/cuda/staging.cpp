// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/staging.h"

namespace tutti::device::cuda {

namespace {

/// Copies are fastest between places that are aligned.
constexpr std::uint64_t kAlignment = 256;

} // namespace

Staging::~Staging() {
  if (memory_) {
    context_.enter().ignore("a lost device refuses what follows; the memory goes with the process");
    context_.cuda().cuMemFreeHost(memory_);
  }
}

Result<std::byte *> Staging::take(std::size_t bytes) {
  if (!memory_) {
    void *memory = nullptr;
    if (const CUresult result = context_.cuda().cuMemHostAlloc(&memory, kBytes, kHostPortable)) {
      return context_.failed(result, "lock {} bytes of host memory", kBytes);
    }
    memory_ = static_cast<std::byte *>(memory);
  }
  std::uint64_t begin = (front_ + kAlignment - 1) / kAlignment * kAlignment;
  if (begin % kBytes + bytes > kBytes) {
    begin = (begin / kBytes + 1) * kBytes; // A run does not wrap.
  }
  if (begin + bytes > back_ + kBytes) {
    return static_cast<std::byte *>(nullptr);
  }
  front_ = begin + bytes;
  return memory_ + begin % kBytes;
}

} // namespace tutti::device::cuda
