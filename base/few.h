// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A list that mostly is short: its first elements take no memory of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti {

/// Of elements that are copied as bytes are, `kInside` of them inside.
///
/// Shape: all are inside, or all are in `more_`.
template <typename T, std::size_t kInside> class Few {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  using value_type = T; ///< As standard containers have it.

  Few() = default;

  Few(Few &&other) noexcept
      : count_(std::exchange(other.count_, 0)), inside_(other.inside_),
        more_(std::move(other.more_)) {
    other.more_.clear();
  }

  Few &operator=(Few &&other) noexcept {
    if (this != &other) {
      count_ = std::exchange(other.count_, 0);
      inside_ = other.inside_;
      more_ = std::move(other.more_);
      other.more_.clear();
    }
    return *this;
  }

  std::size_t size() const { return count_; }

  bool empty() const { return count_ == 0; }

  T *begin() { return count_ > kInside ? more_.data() : inside_.data(); }

  T *end() { return begin() + count_; }

  const T *begin() const { return count_ > kInside ? more_.data() : inside_.data(); }

  const T *end() const { return begin() + count_; }

  void push_back(const T &element) {
    if (count_ < kInside) {
      inside_[count_++] = element;
    } else {
      pushMore(element);
    }
  }

  /// Keeps the first `count` of at least as many.
  void truncate(std::size_t count) {
    if (count_ > kInside && count <= kInside) {
      std::copy_n(more_.begin(), count, inside_.begin());
      more_.clear();
    } else if (count_ > kInside) {
      more_.resize(count);
    }
    count_ = count;
  }

  void clear() { truncate(0); }

private:
  void pushMore(T element) {
    if (count_ == kInside) {
      more_.assign(inside_.begin(), inside_.end());
    }
    more_.push_back(element);
    ++count_;
  }

  std::size_t count_ = 0;
  std::array<T, kInside> inside_{};
  std::vector<T> more_;
};

} // namespace tutti
