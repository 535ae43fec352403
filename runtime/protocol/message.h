// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Control messages as bytes: a kind, then plain values behind one another. Sender and receiver run
/// the same build on the same kind of machine.
#pragma once

#include "base/check.h"
#include "base/range.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tutti::protocol {

/// What a message says: a word of up to eight letters. Each protocol chooses its own, so there is
/// no list of all of them; `Mail` sees to it that no two choose the same.
class Kind {
public:
  Kind() = default;

  explicit consteval Kind(std::string_view name) {
    std::copy(name.begin(), name.end(), letters_.begin()); // More letters do not compile.
  }

  /// Letters that cannot be printed are shown as '?'.
  std::string name() const {
    std::string name;
    for (const char letter : letters_) {
      if (letter != 0) {
        name += letter > ' ' && letter <= '~' ? letter : '?';
      }
    }
    return name;
  }

  auto operator<=>(const Kind &) const = default;

private:
  std::array<char, 8> letters_{};
};

/// Puts plain values behind one another.
class Writer {
public:
  explicit Writer(Kind kind) { add(kind); }

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  Writer &add(const T &value) {
    return addBytes(std::as_bytes(std::span(&value, 1)));
  }

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  Writer &add(const std::vector<T> &values) {
    add(static_cast<std::uint64_t>(values.size()));
    return addBytes(std::as_bytes(std::span(values)));
  }

  Writer &add(const RangeSet &set) { return add(set.ranges()); }

  /// Only as the last thing of a message: `Reader::text` takes all that is left.
  Writer &addText(std::string_view text) { return addBytes(std::as_bytes(std::span(text))); }

  Writer &addBytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }

  const std::vector<std::byte> &bytes() const { return bytes_; }

private:
  std::vector<std::byte> bytes_;
};

/// Takes them out again, in the same order.
class Reader {
public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  T take() {
    TUTTI_CHECK(rest_.size() >= sizeof(T), "read a control message that is long enough");
    T value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  std::vector<T> takeVector() {
    const auto count = take<std::uint64_t>();
    TUTTI_CHECK(rest_.size() / sizeof(T) >= count, "read a control message that is long enough");
    std::vector<T> values(count);
    if (count > 0) {
      std::memcpy(values.data(), rest_.data(), count * sizeof(T));
    }
    rest_ = rest_.subspan(count * sizeof(T));
    return values;
  }

  RangeSet takeRanges() { return RangeSet::of(takeVector<Range>()); }

  std::span<const std::byte> rest() const { return rest_; }

  /// All that is left.
  std::string text() const { return {reinterpret_cast<const char *>(rest_.data()), rest_.size()}; }

private:
  std::span<const std::byte> rest_;
};

} // namespace tutti::protocol
