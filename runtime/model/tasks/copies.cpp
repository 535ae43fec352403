// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/copies.h"

#include <atomic>
#include <new>

namespace tutti::model::tasks {

namespace {

constexpr std::align_val_t kLine{64}; ///< Workers are not to write into one line.

} // namespace

Copies::Copies(graph::ReductionGroup &group, std::uint32_t slots)
    : operation_(operationOf(group.key)), original_(reinterpret_cast<std::byte *>(group.begin)),
      bytes_(group.bytes), slots_(slots, nullptr) {}

Copies::~Copies() {
  for (std::byte *copy : slots_) {
    if (copy) {
      ::operator delete(copy, kLine);
    }
  }
}

std::byte *Copies::of(std::uint32_t slot) {
  const std::atomic_ref<std::byte *> of(slots_[slot]); // Others look for it in `offsetOf`.
  std::byte *copy = of.load(std::memory_order_relaxed);
  if (!copy) {
    copy = static_cast<std::byte *>(::operator new((bytes_ + 63) & ~std::size_t{63}, kLine));
    operation_.initialize(copy, original_, bytes_);
    of.store(copy, std::memory_order_relaxed);
  }
  return copy;
}

std::optional<std::size_t> Copies::offsetOf(std::uint64_t byte) const {
  for (std::byte *const &slot : slots_) {
    const std::byte *copy =
        std::atomic_ref(const_cast<std::byte *&>(slot)).load(std::memory_order_relaxed);
    const std::uint64_t offset = byte - reinterpret_cast<std::uint64_t>(copy);
    if (copy && offset < bytes_) {
      return offset;
    }
  }
  return std::nullopt;
}

void Copies::combine() {
  for (const std::byte *copy : slots_) {
    if (copy) {
      operation_.combine(original_, const_cast<std::byte *>(copy), bytes_);
    }
  }
}

} // namespace tutti::model::tasks
