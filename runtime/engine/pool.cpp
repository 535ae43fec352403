// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/pool.h"

#include <algorithm>
#include <new>
#include <utility>

namespace tutti::engine {

namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kMostAligned = 4096;

/// Bytes from `address` to where such a block may begin.
std::size_t gap(std::uint64_t address, std::size_t alignment, std::size_t head) {
  return -(address + head) & (alignment - 1);
}

} // namespace

std::size_t Pool::alignmentOf(std::size_t bytes) {
  return std::min(bytes & -bytes, kMostAligned); // Sizes are multiples of alignments.
}

std::size_t Pool::alignmentOfBlock(std::size_t whole) {
  constexpr std::size_t kBefore = sizeof(Header) + kHead;
  return whole > kBefore ? std::max(alignmentOf(whole - kBefore), kLine) : kLine;
}

Pool::Header *Pool::newBlock(Pool *owner, std::size_t whole) {
  const std::size_t alignment = alignmentOfBlock(whole);
  const std::size_t before = gap(0, alignment, sizeof(Header) + kHead);
  auto *memory =
      static_cast<std::byte *>(::operator new(before + whole, std::align_val_t{alignment}));
  return new (memory + before) Header{owner, whole};
}

void Pool::deleteBlock(Header *header) {
  const std::size_t alignment = alignmentOfBlock(header->bytes);
  const std::size_t before = gap(0, alignment, sizeof(Header) + kHead);
  ::operator delete(reinterpret_cast<std::byte *>(header) - before, std::align_val_t{alignment});
}

Pool::~Pool() {
  collect();
  for (void *slab : slabs_) {
    ::operator delete(slab, std::align_val_t{kLine});
  }
}

void *Pool::allocate(Pool *pool, std::size_t bytes) {
  const std::size_t whole = (bytes + sizeof(Header) + kStep - 1) & ~(kStep - 1);
  Header *header = nullptr;
  if (!pool) {
    header = newBlock(nullptr, whole);
  } else if (const std::size_t index = whole / kStep - 1; index < kClasses) {
    header = pool->free_[index];
    if (header) [[likely]] {
      pool->free_[index] = header->next();
    } else {
      header = pool->refill(index);
    }
    pool->used_ += whole;
  } else {
    header = newBlock(pool, whole);
    pool->used_ += whole;
    ++pool->allocations_;
  }
  return header + 1;
}

void Pool::release(void *memory, Pool *own) {
  Header *header = static_cast<Header *>(memory) - 1;
  Pool *owner = header->owner;
  if (owner == own && owner) [[likely]] {
    owner->putBack(header);
    return;
  }
  if (!owner) {
    deleteBlock(header);
    return;
  }
  Header *first = owner->returned_.load(std::memory_order_relaxed);
  do {
    header->next() = first;
    // Pairs with the acquire in `collect`.
  } while (!owner->returned_.compare_exchange_weak(first, header, std::memory_order_release,
                                                   std::memory_order_relaxed));
}

void Pool::putBack(Header *header) {
  used_ -= header->bytes;
  const std::size_t index = header->bytes / kStep - 1;
  if (index >= kClasses) {
    deleteBlock(header);
    return;
  }
  header->next() = free_[index];
  free_[index] = header;
}

void Pool::collect() {
  if (!returned_.load(std::memory_order_relaxed)) {
    return;
  }
  Header *header = returned_.exchange(nullptr, std::memory_order_acquire);
  while (header) {
    putBack(std::exchange(header, header->next()));
  }
}

Pool::Header *Pool::refill(std::size_t index) {
  collect();
  if (Header *header = free_[index]) {
    free_[index] = header->next();
    return header;
  }
  const std::size_t bytes = (index + 1) * kStep;
  const auto before = [this, bytes] {
    return gap(reinterpret_cast<std::uint64_t>(rest_), alignmentOfBlock(bytes),
               sizeof(Header) + kHead);
  };
  if (static_cast<std::size_t>(restEnd_ - rest_) < before() + bytes) {
    rest_ = static_cast<std::byte *>(::operator new(kSlab, std::align_val_t{kLine}));
    restEnd_ = rest_ + kSlab;
    slabs_.push_back(rest_);
    ++allocations_;
  }
  rest_ += before();
  auto *header = new (rest_) Header{this, bytes};
  rest_ += bytes;
  return header;
}

} // namespace tutti::engine
