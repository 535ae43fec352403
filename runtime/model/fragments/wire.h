// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Bytes of messages between ranks of one program.
#pragma once

#include "base/check.h"
#include "runtime/model/fragments/value.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tutti::model::fragments {

class Writer {
public:
  explicit Writer(std::vector<std::byte> &bytes) : bytes_(bytes) {}

  template <typename T> void add(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    addBytes(&value, sizeof value);
  }

  void addBytes(const void *data, std::size_t count) {
    const auto *first = static_cast<const std::byte *>(data);
    bytes_.insert(bytes_.end(), first, first + count);
  }

  void addText(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    addBytes(text.data(), text.size());
  }

  void addValue(const Value &value) {
    add(value.kind());
    if (Buffer *buffer = value.buffer()) {
      buffer->open(Cause::Border);
      add(static_cast<std::uint64_t>(buffer->bytes));
      addBytes(buffer->data(), buffer->bytes);
    } else {
      addBytes(value.data(), value.size());
    }
  }

private:
  std::vector<std::byte> &bytes_;
};

/// Of what a `Writer` of the same program wrote.
class Reader {
public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool isAtEnd() const { return bytes_.empty(); }

  template <typename T> T take() {
    T value{};
    takeBytes(&value, sizeof value);
    return value;
  }

  std::string takeText() {
    std::string text(take<std::uint64_t>(), '\0');
    takeBytes(text.data(), text.size());
    return text;
  }

  Value takeValue() {
    const auto kind = take<Kind>();
    switch (kind) {
    case Kind::Unset:
      return {};
    case Kind::Int:
      return Value(take<std::int32_t>());
    case Kind::Real:
      return Value(take<double>());
    default:
      break;
    }
    const auto bytes = take<std::uint64_t>();
    Buffer *buffer = Buffer::make(bytes);
    TUTTI_CHECK(buffer, "no memory for {} bytes of another rank", bytes);
    takeBytes(buffer->data(), bytes);
    return {kind, buffer};
  }

private:
  void takeBytes(void *to, std::size_t count) {
    TUTTI_CHECK(count <= bytes_.size(), "{} bytes of a message are missing", count - bytes_.size());
    std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
  }

  std::span<const std::byte> bytes_;
};

} // namespace tutti::model::fragments
