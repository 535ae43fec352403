// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/copies.h"

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
  std::byte *&copy = slots_[slot];
  if (!copy) {
    copy = static_cast<std::byte *>(::operator new((bytes_ + 63) & ~std::size_t{63}, kLine));
    operation_.initialize(copy, original_, bytes_);
  }
  return copy;
}

void Copies::combine() {
  for (const std::byte *copy : slots_) {
    if (copy) {
      operation_.combine(original_, const_cast<std::byte *>(copy), bytes_);
    }
  }
}

} // namespace tutti::model::tasks
