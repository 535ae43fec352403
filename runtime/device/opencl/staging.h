// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Blocks of host memory that hold small copies to the device until it has read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::device::opencl {

/// A ring of blocks, used in the order of one queue, whose operations are numbered.
///
/// Threading: externally synchronised.
class Staging {
public:
  static constexpr std::size_t kBlockBytes = 64 << 10;
  static constexpr std::size_t kBlocks = 16;

  /// A copy of `source`, which the operation `number` reads; empty if all blocks are busy, of which
  /// those of operations up to `done` no longer are.
  ///
  /// Shape: at most `kBlockBytes`.
  std::span<const std::byte> take(std::span<const std::byte> source, std::uint64_t number,
                                  std::uint64_t done);

private:
  struct Block {
    std::vector<std::byte> bytes;
    std::uint64_t reader = 0;
  };

  std::vector<Block> blocks_;
  std::size_t next_ = 0;
};

} // namespace tutti::device::opencl
