// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which work-items of a kernel come to a block of its code.
#pragma once

#include "runtime/device/cuda/ptx.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tutti::device::cuda::ptx {

/// A condition on the way: a register that is true, or false.
struct Choice {
  std::string predicate;
  bool isTrue;
};

/// Cost: to make it takes the third power of the number of blocks.
/// Ownership: borrows the kernel.
class Ways {
public:
  explicit Ways(const Kernel &kernel);

  /// Those that decide whether work-items come to a block; nothing if others do, too. Kernels end.
  std::optional<std::vector<Choice>> choicesTo(std::size_t place) const;

private:
  std::vector<bool> reachedFrom(std::size_t begin, std::size_t without) const;
  bool leads(std::size_t from, std::size_t to, std::size_t without) const;
  bool mayEnd(std::size_t from, std::size_t without) const;
  std::size_t meeting(std::size_t branch) const;

  const Kernel &kernel_;
  std::vector<std::size_t> meetings_; ///< Of the ways behind each block.
};

} // namespace tutti::device::cuda::ptx
