// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Blocks of a device of another process, mapped for a device of this one.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/device/cuda/context.h"
#include "runtime/device/device.h"

#include <cstdint>
#include <map>
#include <utility>

namespace tutti::device::cuda {

/// Each block has addresses of its own: as many reservations as large as the window as there are
/// devices on a host would use up what addresses there are.
///
/// Threading: externally synchronised.
/// Ownership: the context outlives it.
class CudaForeign final : public ForeignMemory {
public:
  CudaForeign(Context &context, std::uint64_t granule) : context_(context), granule_(granule) {}

  ~CudaForeign() override;

  Status add(Range block, const Descriptor &handle) override;
  Status remove(Range bytes) override;

  bool holds(Range bytes) const;

  /// The place of the first of `bytes`, which it holds, and how many lie there in one piece.
  std::pair<CUdeviceptr, std::uint64_t> at(Range bytes) const;

private:
  struct Block {
    Range window; ///< Whole granules.
    CUmemHandle handle;
    CUdeviceptr first;
  };

  Result<CUdeviceptr> place(std::uint64_t bytes, CUmemHandle handle);
  Status map(CUdeviceptr first, std::uint64_t bytes, CUmemHandle handle);
  Status drop(const Block &block);

  Context &context_;
  std::uint64_t granule_;
  std::map<std::uint64_t, Block> blocks_; ///< By first address of the window.
};

} // namespace tutti::device::cuda
