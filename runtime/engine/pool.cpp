// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/pool.h"

#include <new>
#include <utility>

namespace tutti::engine {

namespace {

constexpr std::align_val_t kLine{64};

} // namespace

Pool::~Pool() {
  collect();
  for (void *slab : slabs_) {
    ::operator delete(slab, kLine);
  }
}

void *Pool::allocate(Pool *pool, std::size_t bytes) {
  const std::size_t whole = (bytes + sizeof(Header) + kStep - 1) & ~(kStep - 1);
  Header *header = nullptr;
  if (!pool) {
    header = new (::operator new(whole, kLine)) Header{nullptr, whole};
  } else if (const std::size_t index = whole / kStep - 1; index < kClasses) {
    header = pool->free_[index];
    if (header) [[likely]] {
      pool->free_[index] = header->next();
    } else {
      header = pool->refill(index);
    }
    pool->used_ += whole;
  } else {
    header = new (::operator new(whole, kLine)) Header{pool, whole};
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
    ::operator delete(header, kLine);
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
    ::operator delete(header, kLine);
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
  if (static_cast<std::size_t>(restEnd_ - rest_) < bytes) {
    rest_ = static_cast<std::byte *>(::operator new(kSlab, kLine));
    restEnd_ = rest_ + kSlab;
    slabs_.push_back(rest_);
    ++allocations_;
  }
  auto *header = new (rest_) Header{this, bytes};
  rest_ += bytes;
  return header;
}

} // namespace tutti::engine
