// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/memory.h"

namespace tutti::device::cuda {

Result<std::unique_ptr<Memory>> Memory::make(Context &context, std::uint64_t bytes) {
  TUTTI_TRY(context.enter());
  CUdeviceptr at = 0;
  if (const CUresult result = context.cuda().cuMemAlloc_v2(&at, bytes)) {
    return context.failed(result, "take {} bytes beside the mirror", bytes);
  }
  return std::unique_ptr<Memory>(new Memory(context, at, bytes));
}

Memory::~Memory() {
  context_.enter().ignore("a lost device keeps nothing");
  context_.cuda().cuMemFree_v2(at_);
}

} // namespace tutti::device::cuda
