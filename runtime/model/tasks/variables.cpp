// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/variables.h"

#include "runtime/engine/pool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace tutti::model::tasks {

/// The bytes come after it.
struct alignas(64) VariableCopy {
  VariableCopy *next;
  std::size_t bytes;
  bool isInitialised;

  void *data() { return this + 1; }

  const void *data() const { return this + 1; }
};

namespace {

std::size_t alignmentOf(std::size_t bytes) {
  return std::max(engine::Pool::alignmentOf(bytes), alignof(VariableCopy));
}

VariableCopy *newCopy(VariableCopy *next, std::size_t bytes, bool isInitialised) {
  const std::size_t alignment = alignmentOf(bytes);
  void *memory = ::operator new(alignment + bytes, std::align_val_t{alignment});
  std::byte *data = static_cast<std::byte *>(memory) + alignment;
  return new (data - sizeof(VariableCopy)) VariableCopy{next, bytes, isInitialised};
}

void deleteCopy(VariableCopy *copy) {
  const std::size_t alignment = alignmentOf(copy->bytes);
  ::operator delete(static_cast<std::byte *>(copy->data()) - alignment,
                    std::align_val_t{alignment});
}

} // namespace

void VariableCopies::add(tutti_task_block &block, std::size_t sharedsBytes,
                         const volatile void *variable, std::size_t bytes, bool isInitialised) {
  addAs(block, sharedsBytes, variable, bytes,
        isInitialised ? const_cast<const void *>(variable) : nullptr);
}

void VariableCopies::forEach(
    const std::function<void(const void *, std::size_t, bool)> &visit) const {
  for (const VariableCopy *copy = first_; copy; copy = copy->next) {
    visit(copy->data(), copy->bytes, copy->isInitialised);
  }
}

void VariableCopies::addAs(tutti_task_block &block, std::size_t sharedsBytes,
                           const volatile void *variable, std::size_t bytes, const void *from) {
  auto **words = static_cast<const volatile void **>(block.shareds);
  VariableCopy *copy = nullptr;
  for (std::size_t i = 0; i < sharedsBytes / sizeof *words; ++i) {
    if (words[i] != variable) {
      continue;
    }
    if (!copy) {
      copy = newCopy(first_, bytes, from != nullptr);
      first_ = copy;
      if (from) {
        std::memcpy(copy->data(), from, bytes);
      }
    }
    words[i] = copy->data();
  }
}

void VariableCopies::addAll(tutti_task_block &block, std::size_t sharedsBytes,
                            const VariableCopies &others) {
  for (const VariableCopy *other = others.first_; other; other = other->next) {
    add(block, sharedsBytes, other->data(), other->bytes, other->isInitialised);
  }
}

void VariableCopies::clear() {
  while (VariableCopy *copy = first_) {
    first_ = copy->next;
    deleteCopy(copy);
  }
}

} // namespace tutti::model::tasks
