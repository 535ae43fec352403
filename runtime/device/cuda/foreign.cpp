// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/foreign.h"

#include <algorithm>
#include <iterator>

namespace tutti::device::cuda {

CudaForeign::~CudaForeign() {
  context_.enter().ignore("a lost device refuses what follows, which changes nothing");
  for (const auto &[begin, block] : blocks_) {
    drop(block).ignore("the mapping goes with the context at the latest");
  }
}

Status CudaForeign::add(Range block, const Descriptor &handle) {
  const Range window{block.begin / granule_ * granule_,
                     (block.end + granule_ - 1) / granule_ * granule_};
  const auto next = blocks_.lower_bound(window.begin);
  if ((next != blocks_.end() && next->first < window.end) ||
      (next != blocks_.begin() && std::prev(next)->second.window.end > window.begin)) {
    return failure(ErrorCode::InvalidArgument, "{}: [{:#x}, {:#x}) has been shared already",
                   context_.label(), block.begin, block.end);
  }
  TUTTI_TRY(context_.enter());
  const auto file = static_cast<std::uintptr_t>(handle.number());
  CUmemHandle memory = 0;
  if (const CUresult result = context_.cuda().cuMemImportFromShareableHandle(
          &memory, reinterpret_cast<void *>(file), kHandleFile)) {
    return context_.failed(result, "take {} bytes of another process", window.size());
  }
  const auto first = place(window.size(), memory);
  if (!first) {
    context_.cuda().cuMemRelease(memory);
    return first.error();
  }
  blocks_.emplace(window.begin, Block{window, memory, *first});
  return {};
}

/// Addresses for the memory behind `handle`, and that memory there.
Result<CUdeviceptr> CudaForeign::place(std::uint64_t bytes, CUmemHandle handle) {
  CUdeviceptr first = 0;
  if (const CUresult result = context_.cuda().cuMemAddressReserve(&first, bytes, 0, 0, 0)) {
    return context_.failed(result, "reserve {} bytes of addresses", bytes);
  }
  if (Status status = map(first, bytes, handle); !status) {
    context_.cuda().cuMemAddressFree(first, bytes);
    return std::move(status).error();
  }
  return first;
}

Status CudaForeign::map(CUdeviceptr first, std::uint64_t bytes, CUmemHandle handle) {
  const Library &cuda = context_.cuda();
  if (const CUresult result = cuda.cuMemMap(first, bytes, 0, handle, 0)) {
    return context_.failed(result, "map {} bytes of another process", bytes);
  }
  const CUmemAccessDesc access{{kLocationDevice, context_.device()}, kAccessReadWrite};
  if (const CUresult result = cuda.cuMemSetAccess(first, bytes, &access, 1)) {
    Error error = context_.failed(result, "give access to {} bytes of another process", bytes);
    cuda.cuMemUnmap(first, bytes);
    return error;
  }
  return {};
}

Status CudaForeign::drop(const Block &block) {
  const Library &cuda = context_.cuda();
  const std::uint64_t bytes = block.window.size();
  if (const CUresult result = cuda.cuMemUnmap(block.first, bytes)) {
    return context_.failed(result, "unmap {} bytes of another process", bytes);
  }
  cuda.cuMemAddressFree(block.first, bytes);
  if (const CUresult result = cuda.cuMemRelease(block.handle)) {
    return context_.failed(result, "let go of {} bytes of another process", bytes);
  }
  return {};
}

Status CudaForeign::remove(Range bytes) {
  TUTTI_TRY(context_.enter());
  auto block = blocks_.lower_bound(bytes.begin / granule_ * granule_);
  while (block != blocks_.end() && block->first < bytes.end) {
    const Block dropped = block->second;
    block = blocks_.erase(block);
    TUTTI_TRY(drop(dropped));
  }
  return {};
}

bool CudaForeign::holds(Range bytes) const {
  while (!bytes.empty()) {
    const auto behind = blocks_.upper_bound(bytes.begin);
    if (behind == blocks_.begin() || std::prev(behind)->second.window.end <= bytes.begin) {
      return false;
    }
    bytes.begin = std::min(std::prev(behind)->second.window.end, bytes.end);
  }
  return true;
}

std::pair<CUdeviceptr, std::uint64_t> CudaForeign::at(Range bytes) const {
  const Block &block = std::prev(blocks_.upper_bound(bytes.begin))->second;
  return {block.first + (bytes.begin - block.window.begin),
          std::min(block.window.end, bytes.end) - bytes.begin};
}

} // namespace tutti::device::cuda
