// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A queue of pointers that one thread fills and empties at its end, while others take the oldest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti {

/// Grows as needed, and never shrinks.
///
/// Threading: `push` and `pop` confined to the owner; `steal` and `size` from any thread.
/// Source:    Chase and Lev, Dynamic Circular Work-Stealing Deque, SPAA 2005; orders after Le et
/// al.,
///            Correct and Efficient Work-Stealing for Weak Memory Models, PPoPP 2013, but with
///            operations in sequential order in the place of fences, which ThreadSanitizer lacks.
template <typename T> class StealDeque {
public:
  explicit StealDeque(std::size_t capacity = 1024) { newArray(capacity); }

  StealDeque(const StealDeque &) = delete;
  StealDeque &operator=(const StealDeque &) = delete;

  void push(T *item) {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    const std::int64_t top = top_.load(std::memory_order_acquire);
    Array *array = array_.load(std::memory_order_relaxed);
    if (bottom - top >= static_cast<std::int64_t>(array->capacity)) {
      array = grow(top, bottom);
    }
    array->at(bottom).store(item, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_release); // Pairs with the load in `steal`.
  }

  /// The newest; null if there is none.
  T *pop() {
    std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom <= top_.load(std::memory_order_relaxed)) {
      return nullptr;
    }
    --bottom;
    // In one order with the loads in `steal`: one of both sides sees the other.
    bottom_.store(bottom, std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top > bottom) {
      bottom_.store(bottom + 1, std::memory_order_release);
      return nullptr;
    }
    T *item = array_.load(std::memory_order_relaxed)->at(bottom).load(std::memory_order_relaxed);
    if (top == bottom) { // The last one: thieves may be after it.
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)) {
        item = nullptr;
      }
      bottom_.store(bottom + 1, std::memory_order_release);
    }
    return item;
  }

  /// The oldest; null if there is none, or another thread has just taken it.
  T *steal() {
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    const std::int64_t bottom = bottom_.load(std::memory_order_seq_cst);
    if (top >= bottom) {
      return nullptr;
    }
    T *item = array_.load(std::memory_order_acquire)->at(top).load(std::memory_order_relaxed);
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)
               ? item
               : nullptr;
  }

  /// About how many there are.
  std::size_t size() const {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    const std::int64_t top = top_.load(std::memory_order_relaxed);
    return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
  }

private:
  struct Array {
    explicit Array(std::size_t count)
        : capacity(count), items(std::make_unique<std::atomic<T *>[]>(count)) {}

    std::atomic<T *> &at(std::int64_t index) {
      return items[static_cast<std::size_t>(index) & (capacity - 1)];
    }

    std::size_t capacity; ///< A power of two.
    std::unique_ptr<std::atomic<T *>[]> items;
  };

  Array *newArray(std::size_t capacity) {
    arrays_.push_back(std::make_unique<Array>(capacity));
    array_.store(arrays_.back().get(), std::memory_order_release);
    return arrays_.back().get();
  }

  Array *grow(std::int64_t top, std::int64_t bottom) {
    Array *before = array_.load(std::memory_order_relaxed);
    auto next = std::make_unique<Array>(2 * before->capacity);
    for (std::int64_t index = top; index < bottom; ++index) {
      next->at(index).store(before->at(index).load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
    }
    arrays_.push_back(std::move(next));
    array_.store(arrays_.back().get(), std::memory_order_release); // Pairs with `steal`.
    return arrays_.back().get();
  }

  alignas(64) std::atomic<std::int64_t> top_{0};
  alignas(64) std::atomic<std::int64_t> bottom_{0};
  std::atomic<Array *> array_{nullptr};
  std::vector<std::unique_ptr<Array>> arrays_; ///< Thieves may still read an old one.
};

} // namespace tutti
