// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Names of data fragments: the base that a block makes each time it comes to life, and indices.
#pragma once

#include "base/hash.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::model::fragments {

/// The indices of one name; any number of them, of which the first few take no memory of their own.
class Tuple {
public:
  std::size_t count() const { return count_; }

  std::int32_t operator[](std::size_t at) const {
    return at < kInside ? inside_[at] : rest_[at - kInside];
  }

  void add(std::int32_t index) {
    if (count_ < kInside) {
      inside_[count_++] = index;
    } else {
      addMore(index);
    }
  }

  friend bool operator==(const Tuple &a, const Tuple &b) {
    const std::size_t inside = std::min<std::size_t>(a.count_, kInside);
    return a.count_ == b.count_ &&
           std::equal(a.inside_.begin(), a.inside_.begin() + inside, b.inside_.begin()) &&
           (a.count_ <= kInside || a.rest_ == b.rest_);
  }

  /// Takes the place of one that is there.
  void set(std::size_t at, std::int32_t index) {
    (at < kInside ? inside_[at] : rest_[at - kInside]) = index;
  }

  /// Of this process, for tables: names are looked up all the time.
  std::uint64_t hash() const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
    std::uint64_t hash = count_;
    for (std::size_t at = 0; at < count_; ++at) {
      hash = (hash ^ static_cast<std::uint32_t>((*this)[at])) * kOdd;
      hash ^= hash >> 32;
    }
    return hash;
  }

private:
  static constexpr std::size_t kInside = 5;

  [[gnu::noinline]] void addMore(std::int32_t index) {
    rest_.push_back(index);
    ++count_;
  }

  std::uint32_t count_ = 0;
  std::array<std::int32_t, kInside> inside_{};
  std::vector<std::int32_t> rest_;
};

/// Which coming to life of which block: the same on every rank, found without asking anybody. Wide
/// enough that no two are ever equal.
struct FrameId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend bool operator==(const FrameId &, const FrameId &) = default;

  /// Of what statement `statement` brings to life for the `turn`th time.
  FrameId child(std::int32_t statement, std::int32_t turn) const {
    const auto word = static_cast<std::uint64_t>(static_cast<std::uint32_t>(statement)) << 32 |
                      static_cast<std::uint32_t>(turn);
    return {Hash().add(high).add(word).add(low).value(),
            Hash().add(low).add(word ^ 0x5bd1e995).add(high).value()};
  }
};

struct FrameIdHash {
  std::size_t operator()(const FrameId &id) const { return id.low; }
};

} // namespace tutti::model::fragments
