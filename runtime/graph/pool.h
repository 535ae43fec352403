// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory for many small objects: what is given back is handed out again, so that a graph in its
/// steady state allocates nothing.
#pragma once

#include "base/check.h"

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tutti::graph {

/// Slots of one size. Memory is returned to the system with the object only.
///
/// Threading: externally synchronised.
class Slots {
public:
  explicit Slots(std::size_t bytes)
      : bytes_((bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) *
               alignof(std::max_align_t)) {}

  Slots(const Slots &) = delete;
  Slots &operator=(const Slots &) = delete;

  std::size_t bytes() const { return bytes_; }

  /// Slots that are out.
  std::size_t taken() const { return taken_; }

  void *take() {
    ++taken_;
    if (free_ != nullptr) {
      return std::exchange(free_, free_->next);
    }
    if (fresh_ == end_) {
      grow();
    }
    return std::exchange(fresh_, fresh_ + bytes_);
  }

  void giveBack(void *slot) {
    --taken_;
    free_ = new (slot) Free{free_};
  }

private:
  struct Free {
    Free *next;
  };

  static constexpr std::size_t kSlabSlots = 512;

  void grow() {
    slabs_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes_ * kSlabSlots));
    fresh_ = slabs_.back().get();
    end_ = fresh_ + bytes_ * kSlabSlots;
  }

  std::size_t bytes_;
  std::size_t taken_ = 0;
  Free *free_ = nullptr;
  std::byte *fresh_ = nullptr;
  std::byte *end_ = nullptr;
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
};

/// Objects of one type. Those that are out when it ends are not destroyed.
///
/// Threading: externally synchronised.
template <typename T> class Pool {
public:
  template <typename... Args> T *make(Args &&...args) {
    return new (slots_.take()) T(std::forward<Args>(args)...);
  }

  void destroy(T *object) {
    object->~T();
    slots_.giveBack(object);
  }

  std::size_t size() const { return slots_.taken(); }

private:
  Slots slots_{sizeof(T)};
};

/// The nodes of a container, one at a time, from slots that outlive it.
template <typename T> class SlotAllocator {
public:
  using value_type = T;

  explicit SlotAllocator(Slots &slots) : slots_(&slots) {}

  template <typename U>
  SlotAllocator(const SlotAllocator<U> &other) // NOLINT: containers convert.
      : slots_(&other.slots()) {}

  T *allocate(std::size_t count) {
    TUTTI_CHECK(count == 1 && sizeof(T) <= slots_->bytes());
    return static_cast<T *>(slots_->take());
  }

  void deallocate(T *object, std::size_t) { slots_->giveBack(object); }

  Slots &slots() const { return *slots_; }

  template <typename U> bool operator==(const SlotAllocator<U> &other) const {
    return slots_ == &other.slots();
  }

private:
  Slots *slots_;
};

} // namespace tutti::graph
