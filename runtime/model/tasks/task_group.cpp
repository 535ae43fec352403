// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/task_group.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace tutti::model::tasks {

namespace {

constexpr std::align_val_t kLine{64}; ///< Workers are not to write into one line.

} // namespace

TaskReduction::TaskReduction(const omp_task_reduction &what, std::uint32_t workers)
    : what_(what), copies_(workers) {}

bool TaskReduction::is(const void *item) const {
  return item == what_.shared || std::ranges::any_of(copies_, [item](const auto &copy) {
           return copy.load(std::memory_order_relaxed) == item;
         });
}

void *TaskReduction::copyFor(std::uint32_t worker) {
  std::byte *copy = copies_[worker].load(std::memory_order_relaxed);
  if (!copy) {
    copy = static_cast<std::byte *>(::operator new((what_.bytes + 63) & ~std::size_t{63}, kLine));
    if (what_.initialize) {
      what_.initialize(copy, what_.original);
    } else {
      std::memset(copy, 0, what_.bytes);
    }
    copies_[worker].store(copy, std::memory_order_relaxed);
  }
  return copy;
}

void TaskReduction::combine() {
  for (std::atomic<std::byte *> &each : copies_) {
    if (std::byte *copy = each.load(std::memory_order_relaxed)) {
      what_.combine(what_.shared, copy);
      if (what_.finalize) {
        what_.finalize(copy);
      }
      ::operator delete(copy, kLine);
      each.store(nullptr, std::memory_order_relaxed);
    }
  }
}

} // namespace tutti::model::tasks
