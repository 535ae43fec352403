// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The iterations of a loop that becomes tasks, and how they are divided.
#pragma once

#include "abi/tasks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tutti::model::tasks {

/// Both bounds inclusive. Bounds of signed and of unsigned loops differ by less than half of all
/// numbers.
inline std::uint64_t iterations(std::uint64_t lower, std::uint64_t upper, std::int64_t stride) {
  const std::uint64_t reach = stride > 0 ? upper - lower : lower - upper;
  const std::uint64_t step = stride > 0 ? static_cast<std::uint64_t>(stride)
                                        : std::uint64_t{0} - static_cast<std::uint64_t>(stride);
  return stride == 0 || static_cast<std::int64_t>(reach) < 0 ? 0 : reach / step + 1;
}

/// A taskloop of OpenMP. Source: OpenMP 5.1, 2.12.2; __kmpc_taskloop_5 of libomp.
struct LoopShape {
  std::uint64_t lower;
  std::uint64_t upper;
  std::int64_t stride;
  std::uint64_t grainsize = 0; ///< Iterations of a task, less than twice that; 0 if not said.
  std::uint64_t tasks = 0;     ///< As many if there are iterations for them; 0 if not said.
  bool isStrict = false;       ///< All tasks but the last have so many iterations as is said.
  /// In the block of a task: the bounds of its own iterations.
  std::size_t lowerAt = offsetof(tutti_task_block, lower);
  std::size_t upperAt = offsetof(tutti_task_block, upper);

  std::uint64_t count() const { return iterations(lower, upper, stride); }
};

/// One task of such a loop: the iterations from `first` on, counted from 0.
struct LoopPart {
  std::uint64_t first;
  std::uint64_t count;
};

/// How a loop is cut.
///
/// Threading: immutable.
class LoopParts {
public:
  LoopParts(const LoopShape &shape, std::uint64_t usualTasks) : count_(shape.count()) {
    if (shape.isStrict && shape.grainsize > 0) {
      size_ = shape.grainsize;
      parts_ = (count_ + size_ - 1) / size_;
    } else if (count_ > 0) {
      const std::uint64_t asked = shape.grainsize > 0 ? count_ / shape.grainsize
                                  : shape.tasks > 0   ? shape.tasks
                                                      : usualTasks;
      parts_ = std::clamp<std::uint64_t>(asked, 1, count_);
    }
  }

  std::uint64_t size() const { return parts_; }

  LoopPart part(std::uint64_t index) const {
    if (size_ > 0) {
      return {index * size_, std::min(size_, count_ - index * size_)};
    }
    const std::uint64_t small = count_ / parts_;
    const std::uint64_t larger = count_ % parts_;
    return {index * small + std::min(index, larger), small + (index < larger ? 1 : 0)};
  }

private:
  std::uint64_t count_;
  std::uint64_t parts_ = 0;
  std::uint64_t size_ = 0; ///< Of each; 0 if they differ by one.
};

} // namespace tutti::model::tasks
