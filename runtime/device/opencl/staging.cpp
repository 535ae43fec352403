// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/staging.h"

#include <algorithm>

namespace tutti::device::opencl {

std::span<const std::byte> Staging::take(std::span<const std::byte> source, std::uint64_t number,
                                         std::uint64_t done) {
  if (next_ == blocks_.size()) {
    if (blocks_.size() < kBlocks && (blocks_.empty() || blocks_.front().reader > done)) {
      blocks_.push_back({std::vector<std::byte>(kBlockBytes), 0});
    } else {
      next_ = 0;
    }
  }
  Block &block = blocks_[next_];
  if (block.reader > done) {
    return {};
  }
  ++next_;
  block.reader = number;
  std::ranges::copy(source, block.bytes.begin());
  return std::span(block.bytes).first(source.size());
}

} // namespace tutti::device::opencl
